/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network config on standard input, with what a runtime puts into it.
 *
 * Held to: what is accepted is within its ranges; --validate finds fault with a config where the
 * plugin does, and only there; the digest depends neither on the order of keys nor on what a
 * runtime adds.
 */
#include <string.h>

#include "base/error.h"
#include "fuzz.h"
#include "json/jenc.h"
#include "net/name.h"
#include "netconf.h"
#include "result.h"
#include "validate.h"

static void require_lengths(const struct array *cidrs)
{
	const struct cidr *c = cidrs->v;

	for (size_t i = 0; i < cidrs->n; i++)
		require(c[i].len <= ipaddr_bits(&c[i].ip));
}

static void require_networks(const struct array *cidrs)
{
	const struct cidr *c = cidrs->v;

	for (size_t i = 0; i < cidrs->n; i++) {
		struct cidr net = cidr_network(&c[i]);

		require(cidr_equal(&net, &c[i]));
	}
}

static void require_host_address(const struct ipaddr host[2])
{
	require(!host[0].family || host[0].family == AF_INET);
	require(!host[1].family || host[1].family == AF_INET6);
}

static void require_ranges(const struct netconf *conf)
{
	const struct options *o = &conf->options;

	require(name_is_cni(conf->name));
	require(strlen(conf->name) ==
		(size_t)json_object_get_string_len(jdec_member(conf->root, "name")));
	require(conf->spec < _SPEC_MAX);
	require(o->queues <= QUEUES_MAX);
	require(o->mtu == 0 || (o->mtu >= 68 && o->mtu <= 65535));
	require(o->fast_path <= FAST_PATH_OFF && o->netfilter <= NETFILTER_BYPASS);
	require(conf->runtime_dir[0] == '/' && conf->state_dir[0] == '/');
	require(!conf->ipam_type || (*conf->ipam_type && !strchr(conf->ipam_type, '/')));
	require(!conf->has_mac || !(conf->mac.b[0] & 1));
	require_host_address(conf->host_address);
	require_lengths(&o->allowed_sources);
	require_lengths(&conf->runtime_ips);
	require_lengths(&conf->args_ips);
	require_networks(&conf->masq_exclude);
}

static void require_same_digest(struct json_object *v, const char *digest)
{
	_cleanup_(netconf_done) struct netconf conf = {};
	const char *text = jenc_text(v);
	char other[17];

	require(text);
	require(netconf_parse(text, strlen(text), &conf, NULL) == 0);
	require(netconf_digest(&conf, other, NULL) == 0);
	require(strcmp(other, digest) == 0);
}

static void require_digest(struct netconf *conf)
{
	_cleanup_(json_object_putp) struct json_object *reversed = fuzz_reverse(conf->root);
	char digest[17];

	require(netconf_digest(conf, digest, NULL) == 0);
	require(strspn(digest, "0123456789abcdef") == 16);
	require_same_digest(reversed, digest);

	require(jenc_add(reversed, "prevResult", json_object_new_object()) == 0);
	require(jenc_add(reversed, "runtimeConfig", json_object_new_object()) == 0);
	require(jenc_string(reversed, "cniVersion", "0.4.0") == 0);
	require_same_digest(reversed, digest);
}

/* Findings are lines, as many as were counted. */
static int validate(const char *text, size_t len, struct pw_error *err)
{
	_cleanup_(freep) char *printed = NULL;
	size_t size = 0, lines = 0;
	FILE *out = open_memstream(&printed, &size);
	int r;

	require(out);
	r = validate_text(text, len, out, err);
	require(fclose(out) == 0);
	for (size_t i = 0; i < size; i++)
		lines += printed[i] == '\n';
	require(lines == (r > 0 ? (size_t)r : 0));
	return r;
}

/* Whether --validate looks at this as at one plugin's config, ours. */
static bool is_single(const char *text, size_t len)
{
	_cleanup_(json_object_putp) struct json_object *v = NULL;
	struct json_object *type;

	if (jdec_parse(text, len, "", &v, NULL) < 0)
		return false;
	type = jdec_member(v, "type");
	return json_object_is_type(type, json_type_string) &&
	       strcmp(json_object_get_string(type), "podwire") == 0 && !jdec_member(v, "plugins");
}

static void try_previous(const struct netconf *conf)
{
	_cleanup_(result_done) struct result prev = {};
	struct pw_error err = {};
	int r;

	if (!conf->prev_result)
		return;
	r = result_decode(conf->prev_result, conf->spec, "prevResult", PW_E_CONFIG, &prev, &err);
	if (r < 0)
		require_error(&err, r);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(netconf_done) struct netconf conf = {};
	_cleanup_(freep) char *text = fuzz_text(data, size);
	struct pw_error err = {}, unreadable = {};
	int r, found;

	r = netconf_parse(text, size, &conf, &err);
	found = validate(text, size, &unreadable);
	if (found < 0)
		require_error(&unreadable, found);
	if (is_single(text, size))
		require((found == 0) == (r == 0));

	if (r < 0) {
		require_error(&err, r);
		require(found >= 0 || err.code == PW_E_DECODE);
		require(!conf.root && conf.spec < _SPEC_MAX);
		return 0;
	}
	require_ranges(&conf);
	require_digest(&conf);
	try_previous(&conf);
	return 0;
}
