# SPDX-License-Identifier: GPL-2.0-or-later

# pw_add_test(NAME label.name LABEL label [TIMEOUT seconds] [SERIAL] COMMAND ...)
# One ctest test: exit status 77 is a skip, never a pass; the products' paths are in its environment.
# What may take longest starts first, so that nothing long is left to run alone at the end.
function(pw_add_test)
	cmake_parse_arguments(T "SERIAL" "NAME;LABEL;TIMEOUT" "COMMAND" ${ARGN})
	if(NOT T_TIMEOUT)
		set(T_TIMEOUT 120)
	endif()
	add_test(NAME ${T_NAME} COMMAND ${T_COMMAND})
	set_tests_properties(${T_NAME} PROPERTIES
		LABELS ${T_LABEL}
		TIMEOUT ${T_TIMEOUT}
		COST ${T_TIMEOUT}
		SKIP_RETURN_CODE 77
		RUN_SERIAL $<BOOL:${T_SERIAL}>
		ENVIRONMENT "PW_SOURCE_DIR=${PROJECT_SOURCE_DIR};PW_BUILD_DIR=${PROJECT_BINARY_DIR};\
PODWIRE=${PROJECT_BINARY_DIR}/plugin/podwire;\
PODWIRE_STATIC=${PROJECT_BINARY_DIR}/plugin/podwire-static;\
PODWIRE_SEAM=${PROJECT_BINARY_DIR}/tests/seam/podwire-seam;\
PODWIRED=${PROJECT_BINARY_DIR}/agent/podwired;\
PODWIRED_NEXT=${PROJECT_BINARY_DIR}/agent/podwired-next;\
PYTHONDONTWRITEBYTECODE=1;\
ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:exitcode=99;UBSAN_OPTIONS=print_stacktrace=1:exitcode=99")
endfunction()

# pw_add_unit_test(name SOURCES ... LIBS ... [LABEL unit])
# A cmocka binary test-name, registered as LABEL.name. A test that nobody registered does not compile.
function(pw_add_c_test name)
	if(NOT PW_BUILD_C_TESTS)
		return()
	endif()
	cmake_parse_arguments(T "" "LABEL" "SOURCES;LIBS" ${ARGN})
	if(NOT T_LABEL)
		set(T_LABEL unit)
	endif()
	add_executable(test-${T_LABEL}-${name} ${T_SOURCES})
	target_compile_options(test-${T_LABEL}-${name} PRIVATE -Werror=unused-function)
	target_include_directories(test-${T_LABEL}-${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/harness)
	target_link_libraries(test-${T_LABEL}-${name} PRIVATE pw_options ${T_LIBS} PkgConfig::cmocka)
	pw_add_test(NAME ${T_LABEL}.${name} LABEL ${T_LABEL} COMMAND test-${T_LABEL}-${name})
endfunction()
