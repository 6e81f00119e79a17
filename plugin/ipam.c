/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ipam.h"

#include <json-c/json_object.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/error.h"
#include "ipam_input.h"

/* A plugin that hangs must not hang us for longer than a kubelet would wait for us. */
#define IPAM_TIMEOUT_MS 90000
#define VERSION_TIMEOUT_MS 10000

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

int ipam_init(const struct request *req, const struct netconf *conf, const char *text, size_t len,
	      struct ipam *ret, struct pw_error *err)
{
	const char *dir = req->path;
	char path[PATH_MAX];

	while (*dir) {
		size_t n = strcspn(dir, ":");

		if (n > 0 &&
		    (size_t)snprintf(path, sizeof(path), "%.*s/%s", (int)n, dir, conf->ipam_type) <
			    sizeof(path) &&
		    is_program(path)) {
			*ret = (struct ipam){
				.req = req,
				.conf = conf,
				.text = text,
				.len = len,
				.path = strdup(path),
			};
			return ret->path ? 0 : pw_oom(err);
		}
		dir += n + (dir[n] == ':');
	}
	return pw_fail(err, ENOENT, PW_E_IPAM, "IPAM plugin \"%s\" is not in CNI_PATH %s",
		       conf->ipam_type, req->path);
}

void ipam_done(struct ipam *ipam)
{
	free(ipam->path);
	*ipam = (struct ipam){};
}

static int start(struct ipam_call *call, const char *command, struct pw_error *err)
{
	_cleanup_(ipam_env_freep) char **envp = NULL;
	char *const argv[] = { call->ipam->path, NULL };
	int r;

	r = ipam_env_build(call->ipam->req, call->ipam->conf, command, &call->target, &envp, err);
	if (r < 0)
		return r;
	child_done(&call->child);
	return child_start(argv, envp, call->keep_fd, &call->child, err);
}

static void feed(struct ipam_call *call)
{
	call->held = false;
	if (call->config)
		child_feed(&call->child, call->config, strlen(call->config));
	else
		child_feed(&call->child, call->ipam->text, call->ipam->len);
}

static int start_command(struct ipam_call *call, struct pw_error *err)
{
	const struct ipam *ipam = call->ipam;
	int r;

	if (strcmp(call->command, "CHECK") == 0 && call->spec < SPEC_0_4_0) {
		call->phase = IPAM_NEEDLESS;
		return 0;
	}
	free(call->config);
	call->config = NULL;
	r = ipam_config_build(ipam->conf, call->spec, &call->config, err);
	if (r == 0)
		r = start(call, call->command, err);
	if (r < 0)
		return r;
	call->phase = IPAM_CALLED;
	if (!call->held)
		feed(call);
	return 0;
}

static int start_version(struct ipam_call *call, struct pw_error *err)
{
	static const char ask[] = "{\"cniVersion\":\"1.1.0\"}";
	int r;

	r = start(call, "VERSION", err);
	if (r < 0)
		return r;
	call->phase = IPAM_ASKING;
	call->asked = true;
	child_feed(&call->child, ask, sizeof(ask) - 1);
	return 0;
}

int ipam_begin(const struct ipam *ipam, const char *command, const struct ipam_target *target,
	       int keep_fd, bool held, struct ipam_call *ret, struct pw_error *err)
{
	_cleanup_(ipam_call_done) struct ipam_call call = {
		.ipam = ipam,
		.command = command,
		.target = *target,
		.keep_fd = keep_fd,
		.held = held,
		.spec = ipam->conf->spec,
		.child = CHILD_NONE,
	};
	int r;

	/* All that are there speak 1.0.0 and older; what knows 1.1.0 must be asked. */
	if (call.spec > SPEC_1_0_0)
		r = start_version(&call, err);
	else
		r = start_command(&call, err);
	if (r < 0)
		return r;
	*ret = call;
	call = IPAM_CALL_NONE;
	return 0;
}

/* The newest version in its list that isn't above @most; false: there's none that we know. */
static bool find_version(struct json_object *answer, enum spec most, enum spec *ret)
{
	struct json_object *list = jdec_member(answer, "supportedVersions");
	bool found = false;
	enum spec s;

	if (!json_object_is_type(list, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *v = json_object_array_get_idx(list, i);

		if (!json_object_is_type(v, json_type_string) ||
		    spec_parse(json_object_get_string(v), &s) < 0 || s > most)
			continue;
		if (!found || s > *ret)
			*ret = s;
		found = true;
	}
	return found;
}

static int take_versions(struct ipam_call *call, struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *answer = NULL;
	int status, r;

	r = child_collect(&call->child, call->ipam->path, VERSION_TIMEOUT_MS, &status, err);
	if (r < 0)
		return r;
	if (call->child.output)
		(void)jdec_parse(call->child.output, call->child.output_len, "", &answer, NULL);
	if (!find_version(answer, call->ipam->conf->spec, &call->spec))
		call->spec = call->ipam->conf->spec; /* let it say itself what is wrong */
	return start_command(call, err);
}

int ipam_advance(struct ipam_call *call, struct pw_error *err)
{
	if (call->phase == IPAM_ASKING && take_versions(call, &call->failed) < 0)
		call->phase = IPAM_FAILED;
	if (call->phase != IPAM_FAILED)
		return 0;
	if (err)
		*err = call->failed;
	return -call->failed.errnum;
}

int ipam_release(struct ipam_call *call, struct pw_error *err)
{
	int r = ipam_advance(call, err);

	if (r == 0 && call->held && call->phase == IPAM_CALLED)
		feed(call);
	return r;
}

/* Cheap where it isn't the end, so that a result in many pieces isn't parsed for each. */
static bool is_document(const char *text, size_t len)
{
	_cleanup_(json_object_putp) struct json_object *v = NULL;

	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	return len > 0 && text[len - 1] == '}' && jdec_parse(text, len, "", &v, NULL) == 0;
}

/* An error object is a document as well. */
static bool is_result(struct json_object *v)
{
	return jdec_member(v, "ips") || jdec_member(v, "ip4") || jdec_member(v, "ip6");
}

int ipam_listen(struct ipam_call *call, struct json_object **ret_result)
{
	_cleanup_(json_object_putp) struct json_object *v = NULL;

	if (call->phase != IPAM_CALLED ||
	    !child_listen(&call->child, call->ipam->path, IPAM_TIMEOUT_MS, is_document) ||
	    jdec_parse(call->child.output, call->child.output_len, "", &v, NULL) < 0 ||
	    !is_result(v))
		return 0;
	*ret_result = take_ptr(v);
	return 1;
}

/* What a plugin that failed has to say. */
static int take_error(struct ipam_call *call, int status, struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *v = NULL;
	struct json_object *code, *msg, *details;
	const char *type = call->ipam->conf->ipam_type;

	if (WIFSIGNALED(status))
		return pw_fail(err, EIO, PW_E_IPAM, "IPAM plugin %s was killed by signal %d (%s)",
			       type, WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (call->child.output)
		(void)jdec_parse(call->child.output, call->child.output_len, "", &v, NULL);
	code = jdec_member(v, "code");
	msg = jdec_member(v, "msg");
	details = jdec_member(v, "details");
	if (!json_object_is_type(code, json_type_int) ||
	    !json_object_is_type(msg, json_type_string))
		return pw_fail(
			err, EIO, PW_E_IPAM,
			"IPAM plugin %s failed with exit status %d and without an error object",
			type, WEXITSTATUS(status));

	pw_fail(err, EIO, PW_E_IPAM, "%s", json_object_get_string(msg));
	if (err && json_object_get_int64(code) > 0 && json_object_get_int64(code) <= INT_MAX)
		err->code = (enum pw_code)json_object_get_int(code);
	if (json_object_is_type(details, json_type_string))
		pw_details(err, "%s", json_object_get_string(details));
	return -EIO;
}

static int take_result(struct ipam_call *call, struct json_object **ret, struct pw_error *err)
{
	struct pw_error why = {};
	int r;

	if (!ret)
		return 0;
	r = jdec_parse(call->child.output ? call->child.output : "", call->child.output_len,
		       "its result", ret, &why);
	if (r < 0)
		return pw_fail(err, EBADMSG, PW_E_IPAM, "IPAM plugin %s: %s",
			       call->ipam->conf->ipam_type, why.msg);
	return 0;
}

static int collect(struct ipam_call *call, struct json_object **ret_result, struct pw_error *err)
{
	int status, r;

	if (call->phase == IPAM_NEEDLESS)
		return 0;
	if (call->held)
		feed(call);
	r = child_collect(&call->child, call->ipam->path, IPAM_TIMEOUT_MS, &status, err);
	if (r < 0)
		return r;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return take_error(call, status, err);
	return take_result(call, ret_result, err);
}

int ipam_end(struct ipam_call *call, struct json_object **ret_result, struct pw_error *err)
{
	struct pw_error local = {};
	int r;

	if (!err)
		err = &local;
	r = ipam_advance(call, err);
	if (r < 0)
		return r;
	r = collect(call, ret_result, err);
	if (r == 0 || err->code != PW_E_VERSION || call->asked)
		return r;

	/* it doesn't speak the config's version, old as that is: ask what it does speak */
	r = start_version(call, err);
	if (r == 0)
		r = ipam_advance(call, err);
	if (r == 0)
		r = collect(call, ret_result, err);
	return r;
}

void ipam_call_done(struct ipam_call *call)
{
	child_done(&call->child);
	free(call->config);
	*call = IPAM_CALL_NONE;
}

int ipam_run(const struct ipam *ipam, const char *command, const struct ipam_target *target,
	     int keep_fd, struct json_object **ret_result, struct pw_error *err)
{
	_cleanup_(ipam_call_done) struct ipam_call call = IPAM_CALL_NONE;
	int r;

	r = ipam_begin(ipam, command, target, keep_fd, false, &call, err);
	if (r < 0)
		return r;
	return ipam_end(&call, ret_result, err);
}

int ipam_is_current(const struct ipam *ipam, struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *answer = NULL;
	_cleanup_(ipam_call_done) struct ipam_call call = {
		.ipam = ipam,
		.child = CHILD_NONE,
		.keep_fd = -EBADF,
		.target = { "", "", "" },
	};
	enum spec best;
	int status, r;

	r = start_version(&call, err);
	if (r == 0)
		r = child_collect(&call.child, ipam->path, VERSION_TIMEOUT_MS, &status, err);
	if (r < 0)
		return r;
	if (call.child.output)
		(void)jdec_parse(call.child.output, call.child.output_len, "", &answer, NULL);
	return find_version(answer, SPEC_1_1_0, &best) && best == SPEC_1_1_0;
}
