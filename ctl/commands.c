/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands by name, in the order of --help. */
#include "command/commands.h"

#include <string.h>

const struct ctl_command ctl_commands[] = {
	{ "status", "", "the agent, and how many pods fare how", cmd_status, NULL },
	{ "pods", "[-n NAMESPACE]", "the pods' interfaces", cmd_pods, NULL },
	{ "pod", "POD", "all about one of them", cmd_pod, NULL },
	{ "devices", "", "the uplinks", cmd_devices, NULL },
	{ "cpus", "", "the CPUs that XDP spreads frames over", cmd_cpus, NULL },
	{ "doctor", "[OPTION]...", "what is wrong with the node, and what to do", cmd_doctor,
	  cmd_doctor_options },
	{ "report", "[-o FILE]", "a support bundle, without names and addresses", cmd_report,
	  NULL },
	{ "install", "[OPTION]...", "puts the plugin and its network on this node", cmd_install,
	  cmd_install_options },
	{ "uninstall", "[OPTION]...", "takes them off again", cmd_uninstall,
	  cmd_uninstall_options },
	{},
};

const struct ctl_command *ctl_find_command(const char *name)
{
	for (const struct ctl_command *c = ctl_commands; c->name; c++) {
		if (strcmp(c->name, name) == 0)
			return c;
	}
	return NULL;
}
