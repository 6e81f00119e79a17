# SPDX-License-Identifier: GPL-2.0-or-later
# Warnings and hardening for every target of ours, as one INTERFACE target. What a preset switches on
# (sanitizers, coverage) comes in through cache variables and never through code.

set(PW_SANITIZE "" CACHE STRING "Sanitizers for all targets, as for -fsanitize=")
option(PW_COVERAGE "Instrument for gcov" OFF)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# assert() guards against our own mistakes and stays on in what is shipped.
string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")
string(REPLACE "-O3" "-O2" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")

add_library(pw_options INTERFACE)
target_compile_definitions(pw_options INTERFACE _GNU_SOURCE PW_VERSION="${PROJECT_VERSION}")
target_compile_options(pw_options INTERFACE
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
	-Wundef -Wvla -Wformat=2 -Wswitch -Wpointer-arith -Wwrite-strings -Wimplicit-fallthrough
	-fno-common -fstack-protector-strong -ffunction-sections -fdata-sections
	-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
target_include_directories(pw_options INTERFACE ${PROJECT_SOURCE_DIR}/lib)
target_compile_options(pw_options INTERFACE -include base/banned.h)
target_link_options(pw_options INTERFACE
	LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack LINKER:--gc-sections LINKER:--as-needed
	$<$<CONFIG:Release>:LINKER:--strip-all>)

if(PW_SANITIZE)
	target_compile_options(pw_options INTERFACE
		-fsanitize=${PW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
	target_link_options(pw_options INTERFACE -fsanitize=${PW_SANITIZE})
else()
	target_compile_definitions(pw_options INTERFACE
		$<$<CONFIG:Release>:_FORTIFY_SOURCE=2>)
	target_compile_options(pw_options INTERFACE
		$<$<AND:$<CONFIG:Release>,$<C_COMPILER_ID:GNU>>:-fstack-clash-protection;-fcf-protection>)
endif()
if(PW_COVERAGE)
	target_compile_options(pw_options INTERFACE --coverage)
	target_link_options(pw_options INTERFACE --coverage)
endif()

# Position independent executables need the linker told as well (policy CMP0083).
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
