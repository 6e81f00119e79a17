/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent_model_lab.h"

#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

int open_model(void **state)
{
	struct model *m = NULL;

	assert_int_equal(model_new(8, &m, NULL), 0);
	*state = m;
	return 0;
}

int close_model(void **state)
{
	model_free(*state);
	return 0;
}

struct link_seen link_of(const char *name, int ifindex)
{
	struct link_seen link = { .ifindex = ifindex, .mtu = 1500, .up = true, .kind = "veth" };

	(void)snprintf(link.name, sizeof(link.name), "%s", name);
	link.mac.b[0] = 2;
	link.mac.b[5] = (uint8_t)ifindex;
	return link;
}

void see_link(struct model *m, const char *name, int ifindex)
{
	struct link_seen link = link_of(name, ifindex);

	assert_int_equal(model_link_seen(m, &link, NULL), 0);
}

void set_uplink(struct model *m, const char *name, int ifindex)
{
	struct link_seen link = link_of(name, ifindex);

	assert_int_equal(model_set_uplink(m, &link, NULL), 0);
}

static struct mac mac_of(const char *text)
{
	struct mac mac;

	assert_int_equal(mac_parse(text, &mac), 0);
	return mac;
}

void see_record_of(struct model *m, const char *state, const char *mac, const char *more)
{
	struct record rec = {};
	struct pw_error err = {};
	char text[600];

	(void)snprintf(text, sizeof(text),
		       "{\"version\":1,\"state\":\"%s\",\"bootId\":\"b\",\"configDigest\":\"d\","
		       "\"network\":\"podwire\",\"containerId\":\"cid\",\"ifname\":\"eth0\","
		       "\"hostIfname\":\"" POD
		       "\",\"mac\":\"%s\",\"hostMac\":\"02:00:00:00:00:02\"%s}",
		       state, mac, more);
	if (record_decode(text, strlen(text), &rec, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	assert_int_equal(model_record_seen(m, POD, &rec, NULL, NULL), 0);
	assert_null(rec.root); /* the model's, news or not */
	assert_null(rec.addresses.v);
}

void see_record(struct model *m, const char *state)
{
	see_record_of(m, state, RECORD_MAC, ",\"addresses\":[\"10.1.0.2/24\"]");
}

void see_bad_record(struct model *m, const char *why)
{
	struct pw_error err = {};

	pw_fail(&err, EINVAL, PW_E_CONFIG, "%s", why);
	assert_int_equal(model_record_seen(m, POD, NULL, &err, NULL), 0);
}

void pod_says(struct model *m, int ifindex, const char *address, const char *mac)
{
	struct mac told = mac_of(mac);
	struct ipaddr ip;

	assert_int_equal(ipaddr_parse(address, &ip), 0);
	model_pod_says(m, ifindex, &ip, &told);
}

void settle(struct model *m)
{
	model_freed_clear(m);
	for (size_t i = 0; i < model_ports(m); i++) {
		struct port *p = model_port(m, i);

		if (p->dirty && p->slot) {
			p->state = PORT_READY;
			p->path = PORT_PATH_TC;
			p->reason = PORT_REASON_LEARNING;
			p->source_check = SOURCE_CHECK_BPF;
		}
		p->dirty = p->changed = false;
	}
	model_forget_gone(m);
}

const char *look(struct model *m, const char *name, char buf[64])
{
	const struct port *p = model_find(m, name);

	if (!p)
		return "none";
	(void)snprintf(buf, 64, "%s/%s%s%s%s%s", port_state_name(p->state),
		       port_reason_name(p->reason), p->slot ? " slot" : "",
		       p->dirty ? " dirty" : "", p->changed ? " changed" : "",
		       p->gone ? " gone" : "");
	assert_int_equal(p->slot != 0, p->generation != 0);
	return buf;
}

void assert_freed(const struct model *m, size_t wanted)
{
	size_t n;

	model_freed(m, &n);
	assert_int_equal(n, wanted);
}

void assert_pod_mac(struct model *m, const char *wanted)
{
	assert_string_equal(MAC_STR(&model_find(m, POD)->pod_mac), wanted);
}
