# SPDX-License-Identifier: GPL-2.0-or-later
# Read by cpack itself: all files of a package have the time of the newest entry of the changelog, so that
# the same source makes the same package.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
	execute_process(COMMAND dpkg-parsechangelog -l ${CPACK_PW_CHANGELOG} -S Timestamp
		OUTPUT_VARIABLE epoch OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
	set(ENV{SOURCE_DATE_EPOCH} ${epoch})
endif()
