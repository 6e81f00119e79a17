/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * podwire, the CNI plugin: reads a call, has it answered, prints. The only file that prints to
 * stdout or decides on an exit status.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/file.h"
#include "cni_error.h"
#include "json/jenc.h"
#include "spec.h"
#include "validate.h"
#include "verb.h"

#define STDIN_MAX (16u << 20) /* bytes of config, with the list of attachments that GC gets */

/* Which verbs came with which version of the specification. */
static const struct {
	verb_fn run;
	enum spec since;
} verbs[_VERB_MAX] = {
	[VERB_ADD] = { verb_add, SPEC_0_1_0 },       [VERB_DEL] = { verb_del, SPEC_0_1_0 },
	[VERB_CHECK] = { verb_check, SPEC_0_4_0 },   [VERB_GC] = { verb_gc, SPEC_1_1_0 },
	[VERB_STATUS] = { verb_status, SPEC_1_1_0 },
};

static const char *from_environment(const char *name)
{
	return getenv(name);
}

static int about(FILE *f, int status)
{
	char all[80];

	(void)fprintf(f,
		      "podwire %s: wires Kubernetes pods by veth pairs and routes (CNI plugin)\n"
		      "CNI protocol versions supported: %s\n",
		      PW_VERSION, spec_list(all, sizeof(all)));
	return status;
}

static int help(void)
{
	about(stdout, 0);
	(void)printf(
		"\nA container runtime calls it with CNI_COMMAND and the other CNI_ variables\n"
		"in its environment and a network config on standard input.\n\n"
		"  podwire --validate CONFLIST   look for mistakes in a config; exit status 0 if\n"
		"                                there are none, 1 if there are, 2 if it cannot\n"
		"                                be read\n"
		"  podwire --version, --help\n\n"
		"PW_LOG=debug in the environment: each step on standard error.\n");
	return 0;
}

static int validate(const char *path)
{
	struct pw_error err = {};
	int n = validate_file(path, stdout, &err);

	if (n >= 0)
		return n > 0;
	(void)fprintf(stderr, "podwire: %s\n", err.msg);
	return 2;
}

static int print_json(struct json_object *v)
{
	const char *text = jenc_text(v);

	return text && printf("%s\n", text) >= 0 && fflush(stdout) == 0 ? 0 : 1;
}

static int fail(enum spec spec, const struct pw_error *err)
{
	cni_error_print(stdout, spec, err);
	return 1;
}

/* VERSION answers whatever comes, in the version that it came in. */
static int print_version(const char *text, size_t len)
{
	_cleanup_(json_object_putp) struct json_object *in = NULL;
	_cleanup_(json_object_putp) struct json_object *out = json_object_new_object();
	struct json_object *list = json_object_new_array(), *v;
	const char *version = spec_names[SPEC_NEWEST];
	int r = 0;

	(void)jdec_parse(text, len, "", &in, NULL);
	v = jdec_member(in, "cniVersion");
	if (json_object_is_type(v, json_type_string) && json_object_get_string_len(v) > 0)
		version = json_object_get_string(v);

	r |= jenc_string(out, "cniVersion", version);
	for (enum spec s = 0; s < _SPEC_MAX; s++)
		r |= jenc_append(list, json_object_new_string(spec_names[s]));
	r |= jenc_add(out, "supportedVersions", list);
	return r < 0 ? 1 : print_json(out);
}

static int run_verb(struct call *call, struct json_object **ret, struct pw_error *err)
{
	enum verb verb = call->req.verb;

	if (call->conf.spec < verbs[verb].since) {
		pw_fail(err, EPROTONOSUPPORT, PW_E_VERSION, "config version does not allow %s",
			verb_names[verb]);
		pw_details(err, "config is \"%s\", %s came with %s", spec_names[call->conf.spec],
			   verb_names[verb], spec_names[verbs[verb].since]);
		return -EPROTONOSUPPORT;
	}
	return verbs[verb].run(call, ret, err);
}

static int answer(struct call *call)
{
	_cleanup_(json_object_putp) struct json_object *out = NULL;
	struct pw_error err = {};
	int r;

	r = netconf_parse(call->text, call->len, &call->conf, &err);
	if (r == 0)
		r = run_verb(call, &out, &err);
	if (r < 0)
		return fail(call->conf.spec, &err);
	return out ? print_json(out) : 0;
}

static int serve(void)
{
	const char *debug = getenv("PW_LOG");
	struct call call = {
		.log = debug && strcmp(debug, "debug") == 0 ? stderr : NULL,
		.notes = stderr,
	};
	_cleanup_(freep) char *text = NULL;
	struct pw_error err = {}, input_err = {};
	int r, input, status;

	r = request_read(from_environment, &call.req, &err);
	/* read even after a fault, since the answer is to be in the config's version */
	input = file_read_fd(STDIN_FILENO, "network config", STDIN_MAX, &text, &call.len,
			     &input_err);
	if (r < 0 || input < 0) {
		request_done(&call.req);
		return fail(text ? netconf_version(text, call.len) : SPEC_NEWEST,
			    r < 0 ? &err : &input_err);
	}

	call.text = text;
	status = call.req.verb == VERB_VERSION ? print_version(text, call.len) : answer(&call);
	netconf_done(&call.conf);
	request_done(&call.req);
	return status;
}

/*
 * A standard descriptor that we were started without would be given to the next socket, and what
 * we print would go there. In an empty chroot there is no /dev/null.
 */
static void fill_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (open("/dev/null", O_RDWR) < 0 && memfd_create("null", 0) < 0)
			_exit(1);
	}
}

int main(int argc, char *argv[])
{
	const char *command = getenv("CNI_COMMAND");

	fill_standard_descriptors();
	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return help();
	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return about(stdout, 0);
	if (argc == 3 && strcmp(argv[1], "--validate") == 0)
		return validate(argv[2]);
	if (argc > 1) {
		(void)fprintf(stderr, "podwire: unknown option %s; try --help\n", argv[1]);
		return 2;
	}
	if (!command || !*command)
		return about(stderr, 0);

	/* another plugin that doesn't read its input must not end us */
	(void)signal(SIGPIPE, SIG_IGN);
	return serve();
}
