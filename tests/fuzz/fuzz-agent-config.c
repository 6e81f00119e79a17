/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file of the agent's configuration.
 *
 * Held to: each finding is one line that names a line of the text; what the scan of lines takes is
 * JSON to json-c too, with the same keys; what is accepted is within its ranges, reads the same a
 * second time and with its keys in another order, and leaves what it doesn't name as it was.
 */
#include <errno.h>
#include <json-c/json_object.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "config/config.h"
#include "config/decode.h"
#include "config/lines.h"
#include "fuzz.h"
#include "json/jdec.h"
#include "json/jenc.h"
#include "net/ipaddr.h"
#include "net/name.h"

struct told {
	size_t n;
	unsigned long lines; /* of the text */
};

static void take_finding(const char *finding, void *arg)
{
	struct told *told = arg;
	struct pw_error err = { .errnum = EINVAL, .code = PW_E_CONFIG };
	char *end;
	unsigned long line;

	require(strlen(finding) < sizeof(err.msg));
	memcpy(err.msg, finding, strlen(finding) + 1);
	require_error(&err, -EINVAL);

	require(strncmp(finding, "fuzz:", 5) == 0);
	line = strtoul(finding + 5, &end, 10);
	require(line >= 1 && line <= told->lines);
	require(strncmp(end, ": ", 2) == 0 && end[2]);
	told->n++;
}

static int decode(const char *text, size_t len, struct config *c, struct told *told)
{
	struct findings f = { .each = take_finding, .arg = told };
	int r;

	*told = (struct told){ .lines = 1 };
	for (size_t i = 0; i < len; i++)
		told->lines += text[i] == '\n';
	r = config_decode(text, len, "fuzz", c, &f);
	require((r < 0) == (told->n > 0));
	if (r < 0)
		require_error(&f.first, r);
	else
		require(f.first.errnum == 0);
	return r;
}

static void require_ranges(const struct config *c)
{
	const char(*uplink)[16] = c->uplinks.v;
	const struct cidr *route = c->uplink_routes.v;
	const uint32_t *cpu = c->cpus.v;

	for (size_t i = 0; i < c->uplinks.n; i++) {
		require(name_is_ifname(uplink[i]));
		for (size_t k = 0; k < i; k++)
			require(strcmp(uplink[k], uplink[i]) != 0);
	}
	for (size_t i = 0; i < c->uplink_routes.n; i++) {
		struct cidr net = cidr_network(&route[i]);

		require(route[i].len <= ipaddr_bits(&route[i].ip));
		require(cidr_equal(&net, &route[i]));
	}
	require(c->cpus.n <= 1024);
	for (size_t i = 0; i < c->cpus.n; i++) {
		require(cpu[i] <= 1023);
		for (size_t k = 0; k < i; k++)
			require(cpu[k] != cpu[i]);
	}
	require(!c->no_cpus || c->cpus.n == 0);
	require(c->uplink_xdp <= UPLINK_XDP_OFF);
	require(c->cpu_queue >= 1 && c->cpu_queue <= 16384);
	require(c->netlink_buffer >= 4096 && c->netlink_buffer <= 1u << 30);
}

static void require_same_array(const struct array *a, const struct array *b, size_t size)
{
	require(a->n == b->n);
	require(a->n == 0 || memcmp(a->v, b->v, a->n * size) == 0);
}

static void require_same(const struct config *a, const struct config *b)
{
	require_same_array(&a->uplinks, &b->uplinks, 16);
	require_same_array(&a->uplink_routes, &b->uplink_routes, sizeof(struct cidr));
	require_same_array(&a->cpus, &b->cpus, sizeof(uint32_t));
	require(a->uplink_xdp == b->uplink_xdp && a->no_cpus == b->no_cpus);
	require(a->cpu_queue == b->cpu_queue && a->netlink_buffer == b->netlink_buffer);
}

static void require_same_again(const char *text, size_t len, struct config *c,
			       struct json_object *root)
{
	_cleanup_(json_object_putp) struct json_object *reversed = fuzz_reverse(root);
	_cleanup_(config_done) struct config other = CONFIG_DEFAULT, over = CONFIG_DEFAULT;
	const char *backwards = jenc_text(reversed);
	struct told told;

	require(decode(backwards, strlen(backwards), &other, &told) == 0);
	require_same(c, &other);
	require(decode(text, len, c, &told) == 0);
	require_same(c, &other);

	over.cpu_queue = 77;
	require(decode(text, len, &over, &told) == 0);
	require(over.cpu_queue == (jdec_member(root, "cpuQueue") ? c->cpu_queue : 77));
}

/* The root, or NULL where the text isn't JSON to the scan of lines. */
static struct json_object *require_scan(const char *text, size_t len)
{
	_cleanup_(lines_done) struct lines lines = {};
	struct json_object *root = NULL;
	struct pw_error err = {};
	unsigned int line = 0;
	int r = lines_scan(text, len, &lines, &line, &err);

	if (r < 0) {
		require_error(&err, r);
		require(line > 0);
		return NULL;
	}
	require(jdec_parse(text, len, "text", &root, NULL) == 0);
	require(json_object_is_type(root, json_type_object));
	require((size_t)json_object_object_length(root) <= lines.keys.n);
	require(lines.keys.n <= LINES_KEYS_MAX && lines.elements.n <= LINES_ELEMENTS_MAX);
	return root;
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
	_cleanup_(json_object_putp) struct json_object *root = require_scan(text, size);
	_cleanup_(config_done) struct config c = CONFIG_DEFAULT;
	struct told told;
	int r = decode(text, size, &c, &told);

	if (r < 0)
		return 0;
	require(root);
	require_ranges(&c);
	require_same_again(text, size, &c, root);
	return 0;
}
