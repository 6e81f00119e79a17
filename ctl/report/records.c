/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the plugin wrote down of each attachment; it is there without an agent. */
#include "json/jenc.h"
#include "report/report.h"
#include "store/record.h"

struct list {
	struct report *report;
	struct json_object *v;
	size_t n;
	char boot_id[BOOT_ID_LEN];
};

static const char *or_none(const char *s)
{
	return s ? s : "";
}

static int add_addresses(struct json_object *to, const struct array *addresses)
{
	struct json_object *list = json_object_new_array();
	const struct cidr *v = addresses->v;
	int r = 0;

	for (size_t i = 0; i < addresses->n; i++)
		r |= jenc_append(list, json_object_new_string(CIDR_STR(&v[i])));
	return jenc_add(to, "addresses", list) | r;
}

static int fill(struct list *list, const struct record *rec, struct json_object *to)
{
	struct report *p = list->report;
	int r = 0;

	r |= jenc_string(to, "state", rec->state == RECORD_READY ? "ready" : "adding");
	r |= jenc_bool(to, "ofThisBoot", strcmp(rec->boot_id, list->boot_id) == 0);
	r |= jenc_string(to, "network", rec->id.network);
	r |= jenc_string(to, "interface", rec->id.ifname);
	r |= jenc_string(to, "containerId", report_name(p, REDACT_CONTAINER, rec->id.container_id));
	r |= jenc_string(to, "namespace",
			 report_name(p, REDACT_NAMESPACE, or_none(rec->pod_namespace)));
	r |= jenc_string(to, "name", report_name(p, REDACT_POD, or_none(rec->pod_name)));
	r |= jenc_string(to, "uid", report_name(p, REDACT_UID, or_none(rec->pod_uid)));
	r |= jenc_string(to, "podMac", MAC_STR(&rec->pod_mac));
	r |= jenc_string(to, "hostMac", MAC_STR(&rec->host_mac));
	r |= add_addresses(to, &rec->addresses);
	r |= jenc_bool(to, "ipMasq", rec->ip_masq);
	r |= jenc_add(to, "options", options_encode(&rec->options));
	return r;
}

static int take(const char *host_ifname, struct record *rec, const struct pw_error *why, void *arg)
{
	struct list *list = arg;
	struct json_object *one;
	int r;

	if (list->n++ >= REPORT_LIST_MAX)
		return 0;
	one = json_object_new_object();
	r = jenc_string(one, "hostInterface", host_ifname);
	r |= rec ? fill(list, rec, one) : jenc_string(one, "error", why->msg);
	return jenc_append(list->v, one) | r;
}

struct json_object *report_records(struct report *report)
{
	struct list list = { .report = report, .v = json_object_new_array() };
	struct pw_error err = {};
	_cleanup_(closep) int dir = record_open_dir(report->state_dir, false, &err);
	int r = dir == -ENOENT ? 0 : dir;

	if (r == 0 || dir >= 0)
		(void)record_boot_id(list.boot_id, NULL);
	if (dir >= 0)
		r = record_each(dir, take, &list, &err);
	if (r == -ENOMEM) {
		json_object_put(list.v);
		return NULL;
	}
	if (r < 0)
		report_omit(report, "records of attachments: %s", err.msg);
	if (list.n > REPORT_LIST_MAX)
		report_omit(report, "%zu of %zu records", list.n - REPORT_LIST_MAX, list.n);
	return list.v;
}
