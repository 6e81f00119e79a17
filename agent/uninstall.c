/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "uninstall.h"

#include <linux/netlink.h>
#include <net/if.h>
#include <string.h>

#include "alive.h"
#include "base/error.h"
#include "base/file.h"
#include "bus/bus.h"
#include "sink/datapath.h"
#include "sink/filter.h"
#include "store/saved.h"

/* Filters hang on the devices and not on a pin. Returns how many pods there are. */
static size_t look_at_devices(const char *bpffs)
{
	struct if_nameindex *all = if_nameindex();
	size_t pods = 0;

	for (struct if_nameindex *one = all; one && one->if_index; one++) {
		filter_drop(bpffs, (int)one->if_index);
		pods += attachment_is_host_ifname(one->if_name);
	}
	if (all)
		if_freenameindex(all);
	return pods;
}

static void say_restored(const char *key, const char *value, void *arg)
{
	log_line(arg, LOG_NOTICE, NULL, "sysctl net/%s is %s again", key, value);
}

int uninstall(const struct options_line *options, const struct log *log, struct pw_error *err)
{
	_cleanup_(closep) int runtime_fd = file_open_dir(options->runtime_dir, true, err);
	_cleanup_(closep) int lock_fd = -EBADF;
	size_t pods;
	int r;

	if (runtime_fd < 0)
		return runtime_fd;
	lock_fd = alive_take(runtime_fd, err);
	if (lock_fd < 0)
		return lock_fd;
	/* while it's still known which qdiscs are ours */
	pods = look_at_devices(options->bpffs);
	r = datapath_remove(options->bpffs, err);
	if (r < 0)
		return r;
	if (pods) {
		log_line(log, LOG_NOTICE, NULL,
			 "%zu pod interfaces are there: forwarding stays on for them", pods);
	} else {
		r = saved_restore(runtime_fd, say_restored, (void *)log, err);
		if (r < 0)
			return r;
	}
	r = file_remove_at(runtime_fd, BUS_SOCKET, err); /* of an agent that was killed */
	return r < 0 ? r : file_remove_at(runtime_fd, AGENT_LOCK, err);
}
