/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * Functions that no file of ours may call: unbounded copies, errors that cannot be seen, a shell.
 * Forced into every compilation by the build, after the headers that declare them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma GCC poison strcpy strcat sprintf vsprintf strtok atoi atol atoll gets system popen dup \
	tmpnam
