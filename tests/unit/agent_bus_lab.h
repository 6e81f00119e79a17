/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* An agent's bus over a model of pods and uplinks that are not there, on a bus of the test's own.
 */
#include "bus/bus.h"
#include "bus_lab.h"
#include "log.h"

#define CPU_QUEUE 2048
#define MANAGER_PATH "/org/podwire1"
#define MANAGER "org.podwire1.Manager"
#define ATTACHMENT "org.podwire1.Attachment"
#define DEVICE "org.podwire1.Device"
#define PROPERTIES "org.freedesktop.DBus.Properties"

struct agent_lab {
	struct bus_lab lab;
	struct model *model;
	struct bus *bus;
	uint64_t resyncs, lost_events;
	unsigned int reloads, losses;
	struct pw_error refusal; /* of what is asked for, where it has an errno */
	struct log log;
	uint32_t cpu[8];
	size_t cpus;
	bool kept; /* SetCpus not only for now */
	bool lost;
};

/* Setup and teardown of a test, whose state is the lab. The bus is open, and nothing on it. */
int agent_lab_setup(void **state);
/* With the policy that is shipped. */
int agent_lab_setup_shipped(void **state);
int agent_lab_teardown(void **state);

int agent_lab_open(struct agent_lab *lab, const char *address, struct pw_error *err);

struct pod {
	const char *container_id, *namespace, *name; /* the last two may be NULL */
	const char *address;                         /* may be NULL */
	const char *network;                         /* NULL: "podnet" */
	int ifindex;                                 /* 0: without a link */
};

/* The model sees a pod's record and link; its host end's name. */
const char *agent_lab_pod(struct agent_lab *lab, const struct pod *pod,
			  char ifname[PORT_IFNAME_LEN]);
#define POD(lab, ...) \
	agent_lab_pod((lab), &(struct pod){ __VA_ARGS__ }, (char[PORT_IFNAME_LEN]){ 0 })
/* default/web, container c0ffee, 10.1.0.2/24, ifindex 7 */
extern const struct pod web;
#define WEB(lab) agent_lab_pod((lab), &web, (char[PORT_IFNAME_LEN]){ 0 })

void agent_lab_link(struct agent_lab *lab, const char *ifname, int ifindex);
void agent_lab_uplink(struct agent_lab *lab, const char *ifname, int ifindex);

/* /org/podwire1/attachment/ID */
#define PATH_OF(ifname) attachment_path((ifname), (char[64]){ 0 })
const char *attachment_path(const char *ifname, char buf[64]);

/* Holds an answer, which it frees, against what is expected. */
void expect(char *answer, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Answers of a property's value, GetAttachment and Reload. */
char *get(struct agent_lab *lab, const char *path, const char *interface, const char *property);
char *find(struct agent_lab *lab, const char *name);
char *reload(struct agent_lab *lab);

/* The signals of what has changed in the model; or just to have them told. */
char *flush(struct agent_lab *lab);
void told(struct agent_lab *lab);

#define TEST(name) cmocka_unit_test_setup_teardown(name, agent_lab_setup, agent_lab_teardown)
#define TEST_SHIPPED(name) \
	cmocka_unit_test_setup_teardown(name, agent_lab_setup_shipped, agent_lab_teardown)
