/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CNI_ARGS, and the environment of a call as a whole: an input is the variables' values, a line
 * each, in the order of variables[]; the last is CNI_ARGS.
 *
 * Held to: what is accepted can be used in paths, links and messages as it is; what isn't is one
 * line, with code 4.
 */
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "fuzz.h"
#include "net/name.h"
#include "request.h"

static struct {
	const char *name;
	const char *value; /* NULL: unset */
} variables[] = {
	{ "CNI_COMMAND", NULL }, { "CNI_CONTAINERID", NULL }, { "CNI_NETNS", NULL },
	{ "CNI_IFNAME", NULL },  { "CNI_PATH", NULL },        { "CNI_NETNS_OVERRIDE", NULL },
	{ "CNI_ARGS", NULL },
};

static const char *from_table(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(variables); i++) {
		if (strcmp(variables[i].name, name) == 0)
			return variables[i].value;
	}
	return NULL;
}

static void require_args(const struct cni_args *args)
{
	const char *strings[] = { args->pod_namespace, args->pod_name, args->pod_uid };

	for (size_t i = 0; i < ARRAY_COUNT(strings); i++)
		require(!strings[i] || !strpbrk(strings[i], ";="));
	if (args->ip.ip.family) {
		struct cidr back;

		require(cidr_parse(CIDR_STR(&args->ip), &back) == 0);
		require(cidr_equal(&back, &args->ip));
	}
	require(!args->has_mac || !(args->mac.b[0] & 1));
}

static void try_args(const char *text)
{
	_cleanup_(cni_args_done) struct cni_args args = {};
	struct pw_error err = {};
	int r = cni_args_parse(text, &args, &err);

	if (r == 0) {
		require_args(&args);
		return;
	}
	require_error(&err, r);
	require(err.code == PW_E_ENV);
}

static void try_request(void)
{
	_cleanup_(request_done) struct request req = {};
	struct pw_error err = {};
	int r = request_read(from_table, &req, &err);

	if (r < 0) {
		require_error(&err, r);
		require(err.code == PW_E_ENV);
		return;
	}
	require(strcmp(verb_names[req.verb], from_table("CNI_COMMAND")) == 0);
	if (req.verb != VERB_ADD && req.verb != VERB_CHECK && req.verb != VERB_DEL)
		return;
	require(name_is_cni(req.container_id));
	require(name_is_ifname(req.ifname));
	require(req.verb == VERB_DEL || *req.netns);
	require_args(&req.args);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(freep) char *text = fuzz_text(data, size);
	char *rest = text;

	for (size_t i = 0; i < ARRAY_COUNT(variables); i++)
		variables[i].value = i + 1 < ARRAY_COUNT(variables) ? strsep(&rest, "\n") : rest;
	if (rest)
		try_args(rest);
	try_request();
	return 0;
}
