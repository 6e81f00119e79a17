/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The CNI_ variables of a call, as values. What is wrong with them is found all at once. */
#include <stdbool.h>

#include "net/ipaddr.h"
#include "net/mac.h"

struct pw_error;

enum verb {
	VERB_ADD,
	VERB_DEL,
	VERB_CHECK,
	VERB_GC,
	VERB_STATUS,
	VERB_VERSION,
	_VERB_MAX,
};
extern const char *const verb_names[_VERB_MAX];

/* CNI_ARGS: what we know of it; keys that we don't know are somebody else's. */
struct cni_args {
	char *text; /* owned; what the strings below point into */
	const char *pod_namespace, *pod_name, *pod_uid; /* K8S_POD_*; NULL: not given */
	struct cidr ip;                                 /* IP; family 0: not given */
	bool has_mac;
	struct mac mac;       /* MAC */
	bool ignores_unknown; /* IgnoreUnknown */
};

struct request {
	enum verb verb;
	const char *container_id; /* borrowed from the environment, as all strings here */
	const char *netns;        /* may be "" for DEL */
	const char *ifname;
	const char *path;     /* CNI_PATH */
	const char *raw_args; /* CNI_ARGS as it came; "" if none */
	struct cni_args args;
	bool own_netns_allowed; /* CNI_NETNS_OVERRIDE */
};

/* How the environment is read: getenv(), or a table in a test. */
typedef const char *(*request_env_t)(const char *name);

/* -EINVAL with code PW_E_ENV, and a message that names every fault. */
int request_read(request_env_t env, struct request *ret, struct pw_error *err);
void request_done(struct request *req);

/* Parses "K=V;K=V"; -EINVAL and a message of what is malformed. */
int cni_args_parse(const char *text, struct cni_args *ret, struct pw_error *err);
void cni_args_done(struct cni_args *args);
