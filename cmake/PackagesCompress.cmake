# SPDX-License-Identifier: GPL-2.0-or-later
# Read by cpack between installing and packing: manual pages and changelogs are compressed in a package of
# Debian's, without names and times in them.
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/*)
list(FILTER pages INCLUDE REGEX "/share/man/.*[.][1-9]$|/share/doc/.*/changelog$")
foreach(page IN LISTS pages)
	execute_process(COMMAND gzip -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
