/* SPDX-License-Identifier: GPL-2.0-or-later */
const struct ctl_command ctl_commands[] = {
	{ "status", "", "the agent", cmd_status },
	{ "pod", "POD", "one of them", cmd_pod },
	{},
};
