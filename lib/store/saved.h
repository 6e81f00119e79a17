/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The values that sysctls had before podwire changed them: a JSON object in RUNTIME_DIR/SAVED_NAME,
 * "ipv4/ip_forward": "0". The plugin writes it, under a lock on the file itself; an uninstall reads
 * it. Like the sysctls, it ends with the boot.
 */
struct pw_error;

#define SAVED_NAME "sysctl.lock"
#define SAVED_MAX 65536 /* bytes */

/*
 * Gives the sysctls that still have our value their old one back, and removes the file. Keys that
 * aren't ones that we change are passed over. @each (may be NULL) hears of each.
 */
int saved_restore(int runtime_fd, void (*each)(const char *key, const char *value, void *arg),
		  void *arg, struct pw_error *err);
