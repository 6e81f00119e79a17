# SPDX-License-Identifier: GPL-2.0-or-later
# Debian packages by CPack, from the install rules: podwire-cni (component plugin) and podwire (component
# agent). The target "packages" builds what is in them, and then them: build/PRESET/packages/*.deb.
#
# The plugin is in /usr/lib/podwire and not in /usr/lib/cni, where Debian's other plugins are: the one that a
# kubelet calls is a copy, which `podwirectl install` makes in the directory that the runtime of this node looks
# into. So removing or replacing the package never takes the plugin away from under the pods that it wired.

set(CPACK_PACKAGE_NAME podwire)
set(CPACK_PACKAGE_VENDOR podwire)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGE_CONTACT "podwire maintainers <maintainers@podwire.example>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL plugin agent)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
	OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(debian ${PROJECT_SOURCE_DIR}/deploy/debian)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/PackagesDate.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/PackagesCompress.cmake)
set(CPACK_PW_CHANGELOG ${debian}/changelog)

set(CPACK_DEBIAN_PLUGIN_PACKAGE_NAME podwire-cni)
set(CPACK_DEBIAN_PLUGIN_DESCRIPTION "CNI plugin that wires Kubernetes pods
For each pod it makes a veth pair, gives the pod its addresses and routes, and
gives the node a route to the pod. It is put into use by podwirectl install
of the package podwire, or by copying it to where the container runtime looks.

An IPAM plugin, such as host-local, is needed beside it.")
set(CPACK_DEBIAN_PLUGIN_PACKAGE_SUGGESTS "podwire, containernetworking-plugins")
set(CPACK_DEBIAN_PLUGIN_PACKAGE_CONTROL_EXTRA ${debian}/podwire-cni/postrm)

set(CPACK_DEBIAN_AGENT_PACKAGE_NAME podwire)
set(CPACK_DEBIAN_AGENT_DESCRIPTION "node agent of podwire, and its command line
The agent sees each pod that the CNI plugin of podwire-cni wires, counts its
packets, drops those with a forged source, and tells of it over D-Bus. Pods
don't need it: their connectivity is the kernel's.

podwirectl asks the agent, looks for what is wrong on a node, and puts the
plugin into use.")
set(CPACK_DEBIAN_AGENT_PACKAGE_RECOMMENDS "podwire-cni, dbus")
set(CPACK_DEBIAN_AGENT_PACKAGE_CONTROL_EXTRA
	"${debian}/podwire/postinst;${debian}/podwire/prerm;${debian}/podwire/postrm")

foreach(package plugin:podwire-cni agent:podwire)
	string(REPLACE : ";" package ${package})
	list(POP_FRONT package component name)
	install(FILES ${debian}/copyright ${debian}/changelog
		DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
	if(EXISTS ${debian}/${name}/lintian-overrides)
		install(FILES ${debian}/${name}/lintian-overrides RENAME ${name}
			DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT ${component})
	endif()
endforeach()

include(CPack)

set(products podwire podwired podwirectl)
if(TARGET podwire-static)
	list(APPEND products podwire-static)
endif()
add_custom_target(packages
	COMMAND ${CMAKE_COMMAND} -E rm -rf ${CPACK_PACKAGE_DIRECTORY}
	COMMAND ${CMAKE_CPACK_COMMAND} --config ${CMAKE_BINARY_DIR}/CPackConfig.cmake
	DEPENDS ${products} WORKING_DIRECTORY ${CMAKE_BINARY_DIR} USES_TERMINAL VERBATIM)
