/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the model's tests see, and how they look at what it has made of that. */
#include "model/model.h"

#define POD "vethpw1737b53a8"   /* of (podwire, cid, eth0) */
#define OTHER "vethpw000000000" /* no record is of this one */

#define RECORD_MAC "02:00:00:00:00:01"
#define TOLD_MAC "02:00:00:00:00:77"

/* *state is a model of seven slots: cmocka_unit_test_setup_teardown(test, open_model, close_model).
 */
int open_model(void **state);
int close_model(void **state);

struct link_seen link_of(const char *name, int ifindex);
void see_link(struct model *m, const char *name, int ifindex);
void set_uplink(struct model *m, const char *name, int ifindex);
/* A record of POD; @more: members behind the others, each with its comma before it. */
void see_record_of(struct model *m, const char *state, const char *mac, const char *more);
void see_record(struct model *m, const char *state);
void see_bad_record(struct model *m, const char *why);
void pod_says(struct model *m, int ifindex, const char *address, const char *mac);

/* What sinks and bus do once the sources are through. */
void settle(struct model *m);

/* "ready/learning slot dirty changed gone": "none" where there's no such port. */
const char *look(struct model *m, const char *name, char buf[64]);
#define assert_port(m, name, wanted) assert_string_equal(look(m, name, (char[64]){ 0 }), wanted)
void assert_freed(const struct model *m, size_t wanted);
void assert_pod_mac(struct model *m, const char *wanted);
