/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A device's driver, as ethtool -i has it: sysfs shows the devices of whoever mounted it. */
#include <stddef.h>

/* Empty where there's none, or it isn't told. */
void driver_find(const char *ifname, char *ret, size_t size);
