/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rtnl/nladdr.h"

#include <string.h>

int nladdr_read(const struct nlattr *attr, int family, struct ipaddr *ret)
{
	struct ipaddr a = { .family = (uint8_t)family };

	if (!attr || (family != AF_INET && family != AF_INET6) ||
	    nla_len((struct nlattr *)attr) != (int)ipaddr_size(&a))
		return -EINVAL;
	memcpy(a.b, nla_data((struct nlattr *)attr), ipaddr_size(&a));
	*ret = a;
	return 0;
}
