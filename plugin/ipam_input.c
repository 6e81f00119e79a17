/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ipam_input.h"

#include <json-c/linkhash.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "json/jenc.h"
#include "result.h"

/* Environment variables as a vector that ends with NULL. */
struct env {
	char **v;
	size_t n;
};

static int env_take(struct env *env, char *text)
{
	char **v;

	if (!text)
		return -ENOMEM;
	v = reallocarray(env->v, env->n + 2, sizeof(*v));
	if (!v) {
		free(text);
		return -ENOMEM;
	}
	v[env->n++] = text;
	v[env->n] = NULL;
	env->v = v;
	return 0;
}

static int env_set(struct env *env, const char *name, const char *value)
{
	char *text = NULL;

	if (asprintf(&text, "%s=%s", name, value) < 0)
		return -ENOMEM;
	return env_take(env, text);
}

static bool is_ours(const char *variable)
{
	static const char *const names[] = { "CNI_COMMAND=", "CNI_CONTAINERID=", "CNI_NETNS=",
					     "CNI_IFNAME=", "CNI_ARGS=" };

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		if (strncmp(variable, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

static bool asks_for_ip(const char *pair, size_t len)
{
	return len > 3 && strncmp(pair, "IP=", 3) == 0;
}

/*
 * CNI_ARGS for the IPAM plugin: with IgnoreUnknown, since the keys of an orchestrator are nothing
 * that it should fail on; without IP where a stronger request stands in the config.
 */
static char *mend_args(const struct request *req, const struct netconf *conf)
{
	bool drop_ip = conf->runtime_ips.n > 0 || conf->args_ips.n > 0;
	const char *p = req->raw_args;
	char *out, *to;

	out = to = malloc(strlen(p) + sizeof("IgnoreUnknown=1;"));
	if (!out)
		return NULL;
	*to = '\0';
	if (*p && !req->args.ignores_unknown)
		to = stpcpy(to, "IgnoreUnknown=1");
	while (*p) {
		size_t n = strcspn(p, ";");

		if (!(drop_ip && asks_for_ip(p, n)) &&
		    !(strncmp(p, "IgnoreUnknown=", 14) == 0 && !req->args.ignores_unknown)) {
			if (to != out)
				*to++ = ';';
			to = mempcpy(to, p, n);
			*to = '\0';
		}
		p += n + (p[n] == ';');
	}
	return out;
}

int ipam_env_build(const struct request *req, const struct netconf *conf, const char *command,
		   const struct ipam_target *target, char ***ret, struct pw_error *err)
{
	_cleanup_(freep) char *args = mend_args(req, conf);
	struct env env = {};
	int r = 0;

	for (char **e = environ; *e && r == 0; e++) {
		if (!is_ours(*e))
			r = env_take(&env, strdup(*e));
	}
	r |= env_set(&env, "CNI_COMMAND", command);
	r |= env_set(&env, "CNI_CONTAINERID", target->container_id);
	r |= env_set(&env, "CNI_NETNS", target->netns);
	r |= env_set(&env, "CNI_IFNAME", target->ifname);
	if (!args || r < 0 || env_set(&env, "CNI_ARGS", args) < 0) {
		ipam_env_free(env.v);
		return pw_oom(err);
	}
	*ret = env.v;
	return 0;
}

char **ipam_env_free(char **envp)
{
	for (char **e = envp; e && *e; e++)
		free(*e);
	free(envp);
	return NULL;
}

/* A new object with the members of @v, but for @without. */
static struct json_object *copy_without(struct json_object *v, const char *without)
{
	_cleanup_(json_object_putp) struct json_object *copy = json_object_new_object();

	json_object_object_foreach(v, key, member) {
		if (strcmp(key, without) == 0)
			continue;
		if (!copy || json_object_object_add(copy, key, json_object_get(member)) < 0)
			return NULL;
	}
	return take_ptr(copy);
}

/* args.cni.ips out, the rest of args as it was. */
static int drop_args_ips(struct json_object *config)
{
	struct json_object *args = jdec_member(config, "args");
	struct json_object *cni = copy_without(jdec_member(args, "cni"), "ips");

	args = copy_without(args, "cni");
	if (jenc_add(args, "cni", cni) < 0) {
		json_object_put(args);
		return -ENOMEM;
	}
	return jenc_add(config, "args", args);
}

/*
 * prevResult in the form of the version that the config is now said to be of. One that has no such
 * form is left out: to an IPAM plugin it is news at best.
 */
static int convert_previous(const struct netconf *conf, enum spec spec, struct json_object *config)
{
	_cleanup_(result_done) struct result prev = {};
	struct json_object *v = NULL;

	if (!conf->prev_result || spec == conf->spec)
		return 0;
	json_object_object_del(config, "prevResult");
	if (result_decode(conf->prev_result, conf->spec, "prevResult", PW_E_CONFIG, &prev, NULL) <
		    0 ||
	    result_encode(&prev, spec, &v, NULL) < 0)
		return 0;
	return jenc_add(config, "prevResult", v);
}

int ipam_config_build(const struct netconf *conf, enum spec spec, char **ret, struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *config = NULL;
	bool two_requests = conf->runtime_ips.n > 0 && conf->args_ips.n > 0;
	const char *text;

	if (spec == conf->spec && !two_requests)
		return 0;
	config = copy_without(conf->root, "cniVersion");
	if (!config || jenc_string(config, "cniVersion", spec_names[spec]) < 0 ||
	    (two_requests && drop_args_ips(config) < 0) || convert_previous(conf, spec, config) < 0)
		return pw_oom(err);
	text = jenc_text(config);
	*ret = text ? strdup(text) : NULL;
	return *ret ? 0 : pw_oom(err);
}
