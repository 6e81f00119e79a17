/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/utf8.h"
#include "net/name.h"

const char *const verb_names[_VERB_MAX] = {
	[VERB_ADD] = "ADD", [VERB_DEL] = "DEL",       [VERB_CHECK] = "CHECK",
	[VERB_GC] = "GC",   [VERB_STATUS] = "STATUS", [VERB_VERSION] = "VERSION",
};

/* Which variables a verb needs (CNI specification, "Parameters"). */
enum {
	NEED_CONTAINER = 1 << 0,
	NEED_NETNS = 1 << 1,
	NEED_IFNAME = 1 << 2,
	NEED_PATH = 1 << 3,
};
static const unsigned int needs[_VERB_MAX] = {
	[VERB_ADD] = NEED_CONTAINER | NEED_NETNS | NEED_IFNAME | NEED_PATH,
	[VERB_CHECK] = NEED_CONTAINER | NEED_NETNS | NEED_IFNAME | NEED_PATH,
	[VERB_DEL] = NEED_CONTAINER | NEED_IFNAME | NEED_PATH,
	[VERB_GC] = NEED_PATH,
	[VERB_STATUS] = NEED_PATH,
};

/* Faults, one behind the other. */
struct faults {
	char text[400];
	size_t n;
};

static void fault(struct faults *f, const char *separator, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void fault(struct faults *f, const char *separator, const char *fmt, ...)
{
	va_list ap;
	int r;

	if (f->n > 0 && f->n < sizeof(f->text))
		f->n += (size_t)snprintf(f->text + f->n, sizeof(f->text) - f->n, "%s", separator);
	if (f->n >= sizeof(f->text))
		return;
	va_start(ap, fmt);
	r = vsnprintf(f->text + f->n, sizeof(f->text) - f->n, fmt, ap);
	va_end(ap);
	f->n += r > 0 ? (size_t)r : 0;
}

static const char *get(request_env_t env, const char *name)
{
	const char *s = env(name);

	return s ? s : "";
}

static int read_verb(request_env_t env, enum verb *ret, struct pw_error *err)
{
	const char *s = get(env, "CNI_COMMAND");

	for (enum verb v = 0; v < _VERB_MAX; v++) {
		if (strcmp(verb_names[v], s) == 0) {
			*ret = v;
			return 0;
		}
	}
	return pw_fail(err, EINVAL, PW_E_ENV, "unknown CNI_COMMAND: \"%s\"", s);
}

static void find_missing(const struct request *req, struct faults *f)
{
	const struct {
		unsigned int need;
		const char *name, *value;
	} vars[] = {
		{ NEED_CONTAINER, "CNI_CONTAINERID", req->container_id },
		{ NEED_NETNS, "CNI_NETNS", req->netns },
		{ NEED_IFNAME, "CNI_IFNAME", req->ifname },
		{ NEED_PATH, "CNI_PATH", req->path },
	};

	for (size_t i = 0; i < ARRAY_COUNT(vars); i++) {
		if ((needs[req->verb] & vars[i].need) && !*vars[i].value)
			fault(f, ", ", "%s%s",
			      f->n ? "" : "required env variables missing: ", vars[i].name);
	}
}

static void find_malformed(const struct request *req, struct faults *f)
{
	if ((needs[req->verb] & NEED_CONTAINER) && *req->container_id &&
	    !name_is_cni(req->container_id))
		fault(f, "; ", "CNI_CONTAINERID \"%.80s\" has characters that are not allowed",
		      req->container_id);
	if ((needs[req->verb] & NEED_IFNAME) && *req->ifname && !name_is_ifname(req->ifname))
		fault(f, "; ", "CNI_IFNAME \"%.40s\" is not an interface name", req->ifname);
	if (!utf8_is_valid(req->netns))
		fault(f, "; ", "CNI_NETNS \"%.80s\" is not UTF-8", req->netns);
	if (!utf8_is_valid(req->raw_args))
		fault(f, "; ", "CNI_ARGS is not UTF-8");
}

int request_read(request_env_t env, struct request *ret, struct pw_error *err)
{
	const char *override = get(env, "CNI_NETNS_OVERRIDE");
	struct pw_error args_err = {};
	struct faults f = {};
	struct request req = {
		.container_id = get(env, "CNI_CONTAINERID"),
		.netns = get(env, "CNI_NETNS"),
		.ifname = get(env, "CNI_IFNAME"),
		.path = get(env, "CNI_PATH"),
		.raw_args = get(env, "CNI_ARGS"),
		.own_netns_allowed =
			strcmp(override, "1") == 0 || strcasecmp(override, "true") == 0,
	};
	int r;

	r = read_verb(env, &req.verb, err);
	if (r < 0)
		return r;
	find_missing(&req, &f);
	find_malformed(&req, &f);
	if ((needs[req.verb] & NEED_IFNAME) &&
	    cni_args_parse(req.raw_args, &req.args, &args_err) < 0)
		fault(&f, "; ", "CNI_ARGS: %s", args_err.msg);
	if (f.n) {
		cni_args_done(&req.args);
		return pw_fail(err, EINVAL, PW_E_ENV, "%s", f.text);
	}
	*ret = req;
	return 0;
}

void request_done(struct request *req)
{
	cni_args_done(&req->args);
}

static bool is_true(const char *s)
{
	return strcmp(s, "1") == 0 || strcasecmp(s, "true") == 0;
}

static int take_arg(const char *key, const char *value, struct cni_args *args, struct pw_error *err)
{
	if (strcmp(key, "K8S_POD_NAMESPACE") == 0) {
		args->pod_namespace = value;
	} else if (strcmp(key, "K8S_POD_NAME") == 0) {
		args->pod_name = value;
	} else if (strcmp(key, "K8S_POD_UID") == 0) {
		args->pod_uid = value;
	} else if (strcmp(key, "IgnoreUnknown") == 0) {
		args->ignores_unknown = is_true(value);
	} else if (strcmp(key, "IP") == 0) {
		if (cidr_parse_or_host(value, &args->ip) < 0)
			return pw_fail(err, EINVAL, PW_E_ENV, "IP \"%.60s\" is not an address",
				       value);
	} else if (strcmp(key, "MAC") == 0) {
		if (mac_parse(value, &args->mac) < 0 || !mac_is_unicast(&args->mac))
			return pw_fail(err, EINVAL, PW_E_ENV,
				       "MAC \"%.40s\" is not a unicast MAC address", value);
		args->has_mac = true;
	}
	return 0;
}

int cni_args_parse(const char *text, struct cni_args *ret, struct pw_error *err)
{
	_cleanup_(cni_args_done) struct cni_args args = {};
	char *pair, *rest;
	int r;

	args.text = rest = strdup(text);
	if (!rest)
		return pw_oom(err);

	while ((pair = strsep(&rest, ";"))) {
		char *value = strchr(pair, '=');

		if (!*pair && !rest && pair == args.text)
			break; /* empty as a whole */
		if (!value || value == pair || strchr(value + 1, '='))
			return pw_fail(err, EINVAL, PW_E_ENV, "\"%.80s\" is not KEY=VALUE", pair);
		*value++ = '\0';
		r = take_arg(pair, value, &args, err);
		if (r < 0)
			return r;
	}
	*ret = args;
	args.text = NULL;
	return 0;
}

void cni_args_done(struct cni_args *args)
{
	free(args->text);
	*args = (struct cni_args){};
}
