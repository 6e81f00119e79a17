# SPDX-License-Identifier: GPL-2.0-or-later
# libnl: netlink and its object model. json-c: JSON. Both are in Debian 12, with static archives, which
# podwire-static needs.
pkg_check_modules(libnl REQUIRED IMPORTED_TARGET libnl-3.0>=3.7)
pkg_check_modules(libnl_route REQUIRED IMPORTED_TARGET libnl-route-3.0>=3.7)
pkg_check_modules(libjsonc REQUIRED IMPORTED_TARGET json-c>=0.16)

# The agent's. libbpf: loads and pins programs and maps. libsystemd: event loop, D-Bus, journal and readiness.
# libnl-genl: the netdev family. All from Debian 12.
pkg_check_modules(libbpf REQUIRED IMPORTED_TARGET libbpf>=1.1)
pkg_check_modules(libsystemd REQUIRED IMPORTED_TARGET libsystemd>=252)
pkg_check_modules(libnl_genl REQUIRED IMPORTED_TARGET libnl-genl-3.0>=3.7)

# pw_dependency(name imported archives...): the shared library, or for an executable with the property
# PW_STATIC its archive (-l names, since an imported target is the path of a shared object).
function(pw_dependency name imported)
	add_library(${name} INTERFACE)
	target_link_libraries(${name} INTERFACE
		"$<IF:$<BOOL:$<TARGET_PROPERTY:PW_STATIC>>,${ARGN},PkgConfig::${imported}>")
endfunction()
pw_dependency(pw_libnl libnl -lnl-3)
pw_dependency(pw_libnl_route libnl_route -lnl-route-3)
pw_dependency(pw_libjsonc libjsonc -ljson-c)


if(PW_BUILD_TESTS)
	pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)
	find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
