/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent.h"

#include <linux/netlink.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "alive.h"
#include "base/error.h"
#include "base/file.h"
#include "bus/bus.h"
#include "config/keep.h"
#include "cpumap.h"
#include "sink/apply.h"
#include "sink/filter.h"
#include "source/cpus.h"
#include "source/events.h"
#include "source/foreign.h"
#include "source/look.h"
#include "source/records.h"
#include "source/xdp_features.h"
#include "statistics.h"
#include "status.h"

#define BEAT_USEC 500000u    /* the programs take two seconds of silence for death */
#define CHECK_USEC 10000000u /* for what no event tells of */
#define NO_TCX_USEC 5000000u /* clsact: after those whose qdiscs it would disturb */
#define TURN_USEC 100000u    /* of work on ports, before others have their turn */
#define ACCURACY_USEC 100000u

struct agent {
	const struct options_line *options; /* borrowed */
	struct log *log;                    /* borrowed */
	struct config config;
	struct utsname uname;
	char *features_said[4]; /* literals */

	sd_event *event;
	sd_event_source *settle, *beat, *check, *later;
	int runtime_fd, lock_fd;

	struct nlsock *host;
	struct model *m;
	struct events *events;
	struct records *records;
	struct features *features; /* NULL: the kernel has no such thing */
	struct datapath *dp;
	struct attach *attach;
	struct apply apply;
	struct cpumap cpumap;
	struct bus *bus; /* NULL: not yet */
	bool bus_missed; /* there was none, and that was said */

	bool look_all, look_uplinks;
	struct array look_at;  /* int: devices */
	struct array nexthops; /* uint32_t: objects that uplinks' routes go by */
	uint64_t resyncs, lost;
	struct status status;
};

struct agent *agent_free(struct agent *a)
{
	if (a) {
		bus_free(a->bus);
		events_close(a->events);
		records_close(a->records);
		features_close(a->features);
		attach_close(a->attach);
		datapath_close(a->dp);
		model_free(a->m);
		nlsock_free(a->host);
		sd_event_source_disable_unref(a->settle);
		sd_event_source_disable_unref(a->beat);
		sd_event_source_disable_unref(a->check);
		sd_event_source_disable_unref(a->later);
		sd_event_unref(a->event);
		config_done(&a->config);
		array_done(&a->look_at);
		array_done(&a->nexthops);
		closep(&a->lock_fd);
		closep(&a->runtime_fd);
	}
	free(a);
	return NULL;
}

static void settle_soon(void *arg)
{
	struct agent *a = arg;

	(void)sd_event_source_set_enabled(a->settle, SD_EVENT_ONESHOT);
}

static void on_lost(void *arg)
{
	struct agent *a = arg;

	a->lost++;
	a->look_all = true;
	settle_soon(a);
}

static void on_uplinks_changed(void *arg)
{
	struct agent *a = arg;

	a->look_uplinks = true;
}

static void on_device_changed(int ifindex, void *arg)
{
	struct agent *a = arg;
	int *to = a->look_at.v;

	for (size_t i = 0; i < a->look_at.n; i++) {
		if (to[i] == ifindex)
			return;
	}
	to = array_grow(&a->look_at, sizeof(*to), 1);
	if (!to) {
		on_lost(a);
		return;
	}
	*to = ifindex;
}

static void on_fault(const struct port *port, const char *text, void *arg)
{
	const struct agent *a = arg;

	log_line(a->log, LOG_WARNING, port, "%s", text);
}

static int on_statistics(const struct port *port,
			 void (*each)(const char *name, uint64_t value, void *arg), void *arg,
			 void *userdata, struct pw_error *err)
{
	const struct agent *a = userdata;

	return statistics_each(a->dp, port, each, arg, err);
}

static void log_finding(const char *finding, void *arg)
{
	const struct agent *a = arg;

	log_line(a->log, LOG_ERR, NULL, "%s", finding);
}

/* The old configuration stays where the new one is wrong. */
static int reload(void *userdata, struct pw_error *err)
{
	struct agent *a = userdata;
	struct config config = {};
	int r;

	r = config_load(a->options->config, log_finding, a, &config, err);
	if (r < 0)
		return r;
	config_done(&a->config);
	a->config = config;
	a->look_all = true; /* uplinks, and what is to be on them */
	for (size_t i = 0; i < model_ports(a->m); i++)
		model_port(a->m, i)->dirty = true;
	settle_soon(a);
	return 0;
}

static int set_cpus(struct agent *a, struct pw_error *err)
{
	return cpumap_set(&a->cpumap, &a->config, a->m, a->dp, err);
}

static size_t on_cpus(const uint32_t **ret_cpu, uint32_t *ret_queue, void *userdata)
{
	const struct agent *a = userdata;

	*ret_cpu = a->cpumap.cpu;
	*ret_queue = a->cpumap.queue;
	return a->cpumap.n;
}

/* At run time the configuration that was read is another, until it is read again. */
static int on_set_cpus(const uint32_t *cpu, size_t n, bool runtime, void *userdata,
		       struct pw_error *err)
{
	struct agent *a = userdata;
	int r = cpus_check(cpu, n, err);

	if (r == 0 && !runtime)
		r = keep_cpus(a->options->config, cpu, n, err);
	if (r == 0 && !runtime)
		r = reload(a, err);
	if (r < 0)
		return r;
	if ((n > 0 || runtime) && config_set_cpus(&a->config, cpu, n) < 0)
		return pw_oom(err);
	return set_cpus(a, err);
}

static void on_bus_lost(void *userdata)
{
	const struct agent *a = userdata;

	log_line(a->log, LOG_WARNING, NULL, "the bus is gone; going on without it");
}

static const struct bus_ops bus_ops = {
	.statistics = on_statistics,
	.reload = reload,
	.cpus = on_cpus,
	.set_cpus = on_set_cpus,
	.lost = on_bus_lost,
};

/* No bus is no fault: some systems have none, and on others it comes after us. */
static void connect_bus(struct agent *a)
{
	struct pw_error err = {};
	int r;

	if (a->options->no_bus)
		return;
	r = bus_connect(a->bus, a->options->bus, &err);
	if (r == 0)
		a->bus_missed = false;
	else if (!a->bus_missed)
		log_line(a->log, LOG_WARNING, NULL, "%s; going on without a bus", err.msg);
	if (r < 0)
		a->bus_missed = true;
}

static int open_bus(struct agent *a, struct pw_error *err)
{
	const struct bus_info info = {
		.version = PW_VERSION,
		.kernel = a->uname.release,
		.features = a->features_said,
		.resyncs = &a->resyncs,
		.lost_events = &a->lost,
		.log = a->log,
	};
	struct pw_error without = {};
	int r = bus_new(a->event, a->m, &info, &bus_ops, a, &a->bus, err);

	if (r < 0)
		return r;
	if (bus_listen(a->bus, a->runtime_fd, &without) < 0)
		log_line(a->log, LOG_WARNING, NULL, "%s; going on without it", without.msg);
	connect_bus(a);
	return 0;
}

/* With or without a slot: a former agent's are there before a record is. */
static struct foreign_ours ours_on(struct agent *a, const struct port *p)
{
	struct foreign_ours ours = { .filter_priority = filter_priority() };
	struct attach_seen seen;

	attach_look(a->attach, p, &seen);
	memcpy(ours.other_tcx, seen.others, sizeof(ours.other_tcx));
	ours.wants_clsact = !attach_has_tcx(a->attach) && !(seen.ours[0] && seen.ours[1]);
	ours.xdp = p->kind == PW_PORT_UPLINK && attach_check_xdp(a->attach, p);
	return ours;
}

static void look_for_foreign(struct agent *a)
{
	const int *ifindex = a->look_at.v;

	for (size_t i = 0; i < a->look_at.n; i++) {
		const struct port *p = model_find_index(a->m, ifindex[i]);
		struct foreign_ours ours;
		struct pw_error err = {};
		char what[64];

		if (!p)
			continue;
		ours = ours_on(a, p);
		if (foreign_find(a->host, p->ifindex, &ours, what, sizeof(what), &err) < 0)
			log_line(a->log, LOG_WARNING, p, "%s", err.msg);
		else
			model_foreign(a->m, ifindex[i], what);
	}
	array_done(&a->look_at);
}

static void look_at_all_devices(struct agent *a)
{
	for (size_t i = 0; i < model_ports(a->m); i++) {
		const struct port *p = model_port(a->m, i);

		if (p->ifindex)
			on_device_changed(p->ifindex, a);
	}
}

/* No event tells of tcx. */
static void look_at_those_with_other_tcx(struct agent *a)
{
	for (size_t i = 0; i < model_ports(a->m); i++) {
		const struct port *p = model_port(a->m, i);
		bool was = strncmp(p->foreign, "tc program", strlen("tc program")) == 0;

		if (p->ifindex && p->has_others != was)
			on_device_changed(p->ifindex, a);
	}
}

static int look(struct agent *a, struct pw_error *err)
{
	int r;

	if (!a->look_all && !a->look_uplinks)
		return 0;
	if (a->look_all)
		r = look_around(a->host, records_fd(a->records), &a->config, a->m, &a->nexthops,
				err);
	else
		r = look_for_uplinks(a->host, &a->config, a->m, &a->nexthops, err);
	/* what was said of a new device before it was known is asked for */
	if (r == 0 && a->features)
		r = features_look(a->features, err);
	if (r < 0)
		return r;
	a->resyncs += a->look_all;
	a->look_all = a->look_uplinks = false;
	look_at_all_devices(a);
	return 0;
}

static void settle_later(struct agent *a)
{
	(void)sd_event_source_set_time(a->later, a->apply.next);
	(void)sd_event_source_set_enabled(a->later, SD_EVENT_ONESHOT);
}

static int settle(struct agent *a, struct pw_error *err)
{
	int r = look(a, err);

	look_for_foreign(a);
	if (r == 0)
		r = apply_model(&a->apply, a->m, TURN_USEC, err);
	if (r > 0)
		settle_soon(a);
	else if (r == 0 && a->apply.next)
		settle_later(a);
	/* what was there before us is served at once */
	if (r == 0 && !attach_has_tcx(a->attach))
		a->apply.patience = NO_TCX_USEC;
	bus_flush(a->bus);
	model_forget_gone(a->m);
	status_tell(&a->status, a->m, a->log);
	return r < 0 ? r : 0;
}

static void settle_or_say(struct agent *a)
{
	struct pw_error err = {};

	if (settle(a, &err) < 0)
		log_line(a->log, LOG_ERR, NULL, "%s", err.msg);
}

static int on_settle(sd_event_source *source, void *arg)
{
	(void)source;
	settle_or_say(arg);
	return 0;
}

static int on_later(sd_event_source *source, uint64_t usec, void *arg)
{
	(void)source;
	(void)usec;
	settle_or_say(arg);
	return 0;
}

static int again(sd_event_source *source, uint64_t usec)
{
	int r = sd_event_source_set_time(source, usec);

	return r < 0 ? r : sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int on_beat(sd_event_source *source, uint64_t usec, void *arg)
{
	struct agent *a = arg;

	datapath_beat(a->dp);
	return again(source, usec + BEAT_USEC);
}

static int on_check(sd_event_source *source, uint64_t usec, void *arg)
{
	struct agent *a = arg;
	struct pw_error err = {};

	alive_touch(a->lock_fd);
	/* others first: links that are dropped go a moment later, and would be taken for theirs */
	apply_look(&a->apply, a->m);
	look_at_those_with_other_tcx(a);
	look_for_foreign(a);
	apply_check(&a->apply, a->m);
	if (set_cpus(a, &err) < 0)
		log_line(a->log, LOG_ERR, NULL, "%s", err.msg);
	if (records_check(a->records, &err) < 0)
		log_line(a->log, LOG_ERR, NULL, "%s", err.msg);
	connect_bus(a);
	settle_soon(a);
	return again(source, usec + CHECK_USEC);
}

static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *si, void *arg)
{
	struct agent *a = arg;
	struct pw_error err = {};
	uint64_t now;

	(void)source;
	(void)si;
	(void)sd_event_now(a->event, CLOCK_MONOTONIC, &now);
	(void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, now);
	if (reload(a, &err) < 0)
		log_line(a->log, LOG_ERR, NULL, "keeping the old configuration: %s", err.msg);
	else
		log_line(a->log, LOG_NOTICE, NULL, "configuration read again");
	(void)sd_notify(0, "READY=1");
	return 0;
}

static int open_loop(struct agent *a, struct pw_error *err)
{
	sigset_t mask;
	uint64_t now;
	int r;

	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &mask, NULL) < 0)
		return pw_fail(err, errno, PW_E_INTERNAL, "cannot block signals: %m");
	r = sd_event_new(&a->event);
	if (r >= 0)
		r = sd_event_now(a->event, CLOCK_MONOTONIC, &now);
	if (r >= 0)
		r = sd_event_add_signal(a->event, NULL, SIGTERM, NULL, NULL);
	if (r >= 0)
		r = sd_event_add_signal(a->event, NULL, SIGINT, NULL, NULL);
	if (r >= 0)
		r = sd_event_add_signal(a->event, NULL, SIGHUP, on_hangup, a);
	if (r >= 0)
		r = sd_event_add_defer(a->event, &a->settle, on_settle, a);
	if (r >= 0)
		r = sd_event_source_set_priority(a->settle, SD_EVENT_PRIORITY_IDLE);
	if (r >= 0)
		r = sd_event_add_time(a->event, &a->beat, CLOCK_MONOTONIC, now, ACCURACY_USEC,
				      on_beat, a);
	if (r >= 0)
		r = sd_event_add_time(a->event, &a->check, CLOCK_MONOTONIC, now, ACCURACY_USEC,
				      on_check, a);
	if (r >= 0)
		r = sd_event_add_time(a->event, &a->later, CLOCK_MONOTONIC, now, ACCURACY_USEC,
				      on_later, a);
	if (r >= 0)
		r = sd_event_source_set_enabled(a->later, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_set_watchdog(a->event, true);
	return r < 0 ? pw_fail(err, -r, PW_E_INTERNAL, "cannot set up the event loop: %m") : 0;
}

static int open_sources(struct agent *a, struct pw_error *err)
{
	const struct events_ops events_ops = {
		.device_changed = on_device_changed,
		.uplinks_changed = on_uplinks_changed,
		.lost = on_lost,
		.settled = settle_soon,
		.nexthops = &a->nexthops,
		.arg = a,
	};
	const struct records_ops records_ops = { on_lost, settle_soon, a };
	struct pw_error without = {};
	int r;

	r = nlsock_open(NETLINK_ROUTE, &a->host, err);
	if (r == 0)
		r = events_open(a->event, a->config.netlink_buffer, &a->config, a->m, &events_ops,
				&a->events, err);
	if (r == 0)
		r = records_open(a->event, a->options->state_dir, a->m, &records_ops, &a->records,
				 err);
	if (r < 0)
		return r;
	r = features_open(a->event, a->m, settle_soon, a, &a->features, &without);
	if (r < 0 && r != -ENOENT)
		log_line(a->log, LOG_WARNING, NULL, "%s", without.msg);
	return 0;
}

static int open_sinks(struct agent *a, struct pw_error *err)
{
	size_t n = 0;
	int r;

	r = datapath_open(a->options->bpffs, &a->dp, err);
	if (r == 0)
		r = datapath_adopt(a->dp, a->m, err);
	if (r == 0)
		r = attach_open(a->dp, &a->attach, err);
	if (r < 0)
		return r;
	a->apply = (struct apply){
		.dp = a->dp,
		.attach = a->attach,
		.config = &a->config,
		.report = on_fault,
		.arg = a,
	};
	a->features_said[n++] = (char *)(attach_has_tcx(a->attach) ? "tcx" : "clsact");
	if (a->features)
		a->features_said[n++] = (char *)"xdp-features";
	return 0;
}

int agent_new(const struct options_line *options, struct log *log, struct agent **ret,
	      struct pw_error *err)
{
	_cleanup_(agent_freep) struct agent *a = calloc(1, sizeof(*a));
	int r;

	if (!a)
		return pw_oom(err);
	a->options = options;
	a->log = log;
	a->runtime_fd = a->lock_fd = -EBADF;
	(void)uname(&a->uname);
	r = config_load(options->config, log_finding, a, &a->config, err);
	if (r < 0)
		return r;
	a->runtime_fd = file_open_dir(options->runtime_dir, true, err);
	if (a->runtime_fd < 0)
		return a->runtime_fd;
	a->lock_fd = alive_take(a->runtime_fd, err);
	if (a->lock_fd < 0)
		return a->lock_fd;
	r = model_new(PW_SLOTS, &a->m, err);
	if (r == 0)
		r = open_loop(a, err);
	if (r == 0)
		r = open_sources(a, err);
	if (r == 0)
		r = open_sinks(a, err);
	if (r < 0)
		return r;
	*ret = take_ptr(a);
	return 0;
}

int agent_run(struct agent *a, struct pw_error *err)
{
	int r;

	a->look_all = true;
	r = settle(a, err);
	if (r == 0)
		r = attach_sweep(a->attach, a->m, err);
	if (r == 0)
		r = set_cpus(a, err);
	if (r < 0)
		return r;
	datapath_beat(a->dp);
	r = open_bus(a, err);
	if (r < 0)
		return r;
	(void)sd_notify(0, "READY=1");
	log_line(a->log, LOG_NOTICE, NULL, "podwired %s: %s", PW_VERSION, a->status.text);
	r = sd_event_loop(a->event);
	(void)sd_notify(0, "STOPPING=1");
	alive_touch(a->lock_fd);
	return r < 0 ? pw_fail(err, -r, PW_E_INTERNAL, "event loop failed: %m") : 0;
}
