/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/*
 * The network config on stdin, as values. Unknown keys are ignored: a config is shared with other
 * plugins and with newer versions.
 */
#include "net/mac.h"
#include "spec.h"
#include "store/options.h"

#define DEFAULT_RUNTIME_DIR "/run/podwire"
#define DEFAULT_STATE_DIR "/var/lib/podwire"

enum gateway_mode {
	GATEWAY_LINKLOCAL, /* 169.254.1.1 and fe80::1 */
	GATEWAY_IPAM,      /* what the IPAM plugin names */
};

/* An attachment as a GC call names it. */
struct valid_attachment {
	const char *container_id;
	const char *ifname;
};

struct netconf {
	struct json_object *root; /* owned; the strings below are borrowed from it */
	enum spec spec;
	const char *name;
	const char *type;

	/* the operator's keys */
	struct options options;
	bool ip_masq;
	struct array masq_exclude; /* struct cidr */
	enum gateway_mode gateway;
	struct ipaddr host_address[2]; /* IPv4, IPv6; family 0: the default */
	bool has_route_metric;
	uint32_t route_metric;
	bool require_agent;
	const char *runtime_dir, *state_dir;
	const char *ipam_type;   /* NULL: no IPAM */
	struct json_object *dns; /* borrowed; NULL: none */

	/* the runtime's */
	struct array runtime_ips; /* struct cidr: runtimeConfig.ips */
	struct array args_ips;    /* struct cidr: args.cni.ips */
	bool has_mac;
	struct mac mac;                  /* runtimeConfig.mac, or else args.cni.mac */
	struct json_object *prev_result; /* borrowed; NULL: none */
	bool has_valid_attachments;
	struct array valid_attachments; /* struct valid_attachment */
};

/*
 * Reads the config. Codes: PW_E_DECODE, PW_E_VERSION, PW_E_CONFIG with the JSON path. On failure
 * @ret->spec is nevertheless the version that the error is to be given in.
 */
int netconf_parse(const char *text, size_t len, struct netconf *ret, struct pw_error *err);
void netconf_done(struct netconf *conf);

/* The version that a config, good or bad, is to be answered in. */
enum spec netconf_version(const char *text, size_t len);

/* The keys of ours in @v into @conf, every finding to @sink. */
int netconf_decode(struct json_object *v, const struct jdec_path *at, struct netconf *conf,
		   struct jdec_sink *sink);

/*
 * 16 hex digits that stand for the config as the operator wrote it: what a runtime adds to it
 * (runtimeConfig, prevResult, args, cniVersion, cni.dev/...) is left out.
 */
int netconf_digest(const struct netconf *conf, char ret[17], struct pw_error *err);
