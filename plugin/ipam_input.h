/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What an IPAM plugin is given: its environment and its config. */
#include "ipam.h"

/* A copy of our environment with the CNI_ variables of this call. @ret: the caller's. */
int ipam_env_build(const struct request *req, const struct netconf *conf, const char *command,
		   const struct ipam_target *target, char ***ret, struct pw_error *err);
char **ipam_env_free(char **envp);
DEFINE_CLEANUP(char **, ipam_env_free);

/* The config in version @spec, mended; @ret stays NULL where it is right as it came. */
int ipam_config_build(const struct netconf *conf, enum spec spec, char **ret, struct pw_error *err);
