/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/driver.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/utf8.h"

void driver_find(const char *ifname, char *ret, size_t size)
{
	_cleanup_(closep) int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq ifr = { .ifr_data = (char *)&info };

	*ret = '\0';
	strncpy(ifr.ifr_name, ifname, sizeof(ifr.ifr_name) - 1);
	if (fd < 0 || ioctl(fd, SIOCETHTOOL, &ifr) < 0)
		return;
	info.driver[sizeof(info.driver) - 1] = '\0';
	utf8_copy(ret, size, info.driver);
}
