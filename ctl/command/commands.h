/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The functions of commands.c's table: see struct ctl_command. */
#include "ctl.h"

/* What those with more than an option or two have of them. */
extern const char cmd_doctor_options[], cmd_install_options[], cmd_uninstall_options[];

int cmd_status(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err);
int cmd_pods(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err);
int cmd_pod(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err);
int cmd_devices(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err);
int cmd_cpus(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err);
int cmd_doctor(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err);
int cmd_report(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err);

/* These change the node's files, and ask no agent. */
int cmd_install(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err);
int cmd_uninstall(const struct ctl *ctl, int argc, char *argv[], struct pw_error *err);
