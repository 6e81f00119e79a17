# SPDX-License-Identifier: GPL-2.0-or-later
# BPF programs: compiled by clang for the BPF target, types and all (BTF), and made into a skeleton that the
# agent includes. No header of the build machine's kernel goes in but the UAPI ones.
find_program(PW_CLANG NAMES clang clang-14 REQUIRED)
find_program(PW_BPFTOOL NAMES bpftool PATHS /usr/sbin /sbin REQUIRED)

# pw_add_bpf(name SOURCE file.bpf.c [SKELETON name] [DEFINES ...]): an INTERFACE library whose users can include
# "SKELETON.skel.h" (default: its own name) and have the same defines.
function(pw_add_bpf name)
	cmake_parse_arguments(B "" "SOURCE;SKELETON" "DEFINES" ${ARGN})
	if(NOT B_SKELETON)
		set(B_SKELETON ${name})
	endif()
	set(directory ${CMAKE_CURRENT_BINARY_DIR}/${name})
	file(MAKE_DIRECTORY ${directory})
	set(object ${directory}/${B_SKELETON}.bpf.o)
	set(skeleton ${directory}/${B_SKELETON}.skel.h)
	list(TRANSFORM B_DEFINES PREPEND -D OUTPUT_VARIABLE defines)
	add_custom_command(OUTPUT ${object}
		COMMAND ${PW_CLANG} -target bpf -mcpu=v3 -O2 -g -std=gnu17 -Wall -Wextra -Werror
			-Wno-unused-parameter -fno-stack-protector
			-isystem /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
			-I${PROJECT_SOURCE_DIR}/bpf/include -I${PROJECT_SOURCE_DIR}/bpf ${defines}
			-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
			-MD -MF ${object}.d -MT ${object}
			-c ${CMAKE_CURRENT_SOURCE_DIR}/${B_SOURCE} -o ${object}
		DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${B_SOURCE} DEPFILE ${object}.d
		VERBATIM COMMENT "Compiling ${B_SOURCE} for BPF")
	add_custom_command(OUTPUT ${skeleton}
		COMMAND ${PW_BPFTOOL} gen skeleton ${object} name ${B_SKELETON} > ${skeleton}.tmp
		COMMAND ${CMAKE_COMMAND} -E rename ${skeleton}.tmp ${skeleton}
		DEPENDS ${object} COMMENT "Skeleton ${B_SKELETON}.skel.h of ${name}")
	add_custom_target(${name}-skeleton DEPENDS ${skeleton})
	add_library(${name} INTERFACE)
	add_dependencies(${name} ${name}-skeleton)
	target_include_directories(${name} SYSTEM INTERFACE ${directory})
	target_compile_definitions(${name} INTERFACE ${B_DEFINES})
	target_link_libraries(${name} INTERFACE pw_bpf_abi PkgConfig::libbpf)
endfunction()
