# SPDX-License-Identifier: GPL-2.0-or-later

# The plugin for nodes without our libraries: everything from archives, and no dlopen.
function(pw_add_static_plugin name)
	add_executable(${name} ${ARGN})
	set_target_properties(${name} PROPERTIES PW_STATIC ON POSITION_INDEPENDENT_CODE OFF)
	target_link_libraries(${name} PRIVATE pw_plugin_core)
	target_link_options(${name} PRIVATE -static -no-pie)
	install(TARGETS ${name} DESTINATION lib/podwire COMPONENT plugin)
endfunction()
