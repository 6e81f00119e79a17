/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * systemd-networkd takes the first .network file, by name, whose conditions an interface meets. One
 * that is meant for all Ethernet devices is for the node's ends of pods as well, and networkd then
 * takes their addresses and routes away.
 */
#include "doctor/networkd.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "doctor/doctor.h"
#include "doctor/ini.h"
#include "doctor/root.h"

#define EXAMPLE "vethpw012345678" /* a pod's interface, as every other */

static const char *const dirs[] = {
	"/etc/systemd",
	"/run/systemd",
	"/usr/local/lib/systemd",
	"/usr/lib/systemd",
};

/* As systemd has lists of patterns: "!" before the first turns all around. */
static bool matches(const char *value, const char *what)
{
	_cleanup_(freep) char *copy = strdup(value);
	char *at = copy, *word;
	bool invert;

	if (!copy)
		return false;
	at += strspn(at, " \t");
	invert = *at == '!';
	at += invert;
	while ((word = ini_word(&at, " \t"))) {
		if (fnmatch(word, what, 0) == 0)
			return !invert;
	}
	return invert;
}

static bool is_true(const char *value)
{
	static const char *const words[] = { "1", "yes", "y", "true", "t", "on" };

	for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
		if (strcasecmp(value, words[i]) == 0)
			return true;
	}
	return false;
}

/* What a pod's interface has; an empty value: it can't be said, and is taken for no. */
static const struct {
	const char *key, *value;
} conditions[] = {
	{ "Name", EXAMPLE },
	{ "Type", "ether" },
	{ "Kind", "veth" },
	{ "Driver", "veth" },
	{ "MACAddress", "" },
	{ "Path", "" },
	{ "SSID", "" },
	{ "BSSID", "" },
	{ "Property", "" },
	{ "WLANInterfaceType", "" },
	{ "PermanentMACAddress", "" },
};

static int take(const char *section, const char *key, const char *value, void *arg)
{
	struct networkd_match *m = arg;

	if (strcmp(section, "Link") == 0 && strcmp(key, "Unmanaged") == 0)
		m->unmanaged = is_true(value);
	if (strcmp(section, "Match") != 0 || !*value)
		return 0;
	/* conditions on the machine are met, for all that is known here */
	m->any = true;
	for (size_t i = 0; i < ARRAY_COUNT(conditions); i++) {
		if (strcmp(key, conditions[i].key) != 0)
			continue;
		if (!*conditions[i].value || !matches(value, conditions[i].value))
			m->fails = true;
	}
	return 0;
}

void networkd_read(char *text, struct networkd_match *m)
{
	(void)ini_parse(text, take, m);
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), tail = strlen(end);

	return len > tail && strcmp(name + len - tail, end) == 0;
}

static void add(struct doctor *d, struct array *all, const struct array *some, const char *end)
{
	const struct root_name *name = some->v;

	for (size_t i = 0; i < some->n; i++) {
		struct root_name *to;

		if (!ends_with(name[i].name, end))
			continue;
		to = array_grow(all, sizeof(*to), 1);
		if (!to)
			d->oom = true;
		else
			*to = name[i];
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct root_name *)a)->name, ((const struct root_name *)b)->name);
}

/* Names of the files in @below of all directories that end so, in their order. */
static void list(struct doctor *d, const char *below, const char *end, struct array *ret)
{
	char path[512];

	for (size_t i = 0; i < ARRAY_COUNT(dirs); i++) {
		_cleanup_(array_done) struct array some = {};

		(void)snprintf(path, sizeof(path), "%s/%s", dirs[i], below);
		if (root_list(d, path, &some) == -ENOMEM)
			d->oom = true;
		add(d, ret, &some, end);
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(struct root_name), by_name);
}

/* The file of that name which counts: the first directory's. One that is empty hides the rest. */
static int read_first(const struct doctor *d, const char *below, const char *name, char **ret,
		      char path[512])
{
	size_t len;
	int r = -ENOENT;

	for (size_t i = 0; i < ARRAY_COUNT(dirs) && r == -ENOENT; i++) {
		(void)snprintf(path, 512, "%s/%s/%s", dirs[i], below, name);
		r = root_read(d, path, ROOT_FILE_MAX, ret, &len);
	}
	return r;
}

static void read_drop_ins(struct doctor *d, const char *name, struct networkd_match *m)
{
	_cleanup_(array_done) struct array files = {};
	const struct root_name *file;
	char below[300], path[512];

	(void)snprintf(below, sizeof(below), "network/%s.d", name);
	list(d, below, ".conf", &files);
	file = files.v;
	for (size_t i = 0; i < files.n; i++) {
		_cleanup_(freep) char *text = NULL;

		if (i > 0 && strcmp(file[i].name, file[i - 1].name) == 0)
			continue;
		if (read_first(d, below, file[i].name, &text, path) == 0)
			networkd_read(text, m);
	}
}

static void pods_unmanaged(struct doctor *d)
{
	_cleanup_(array_done) struct array files = {};
	const struct root_name *file;
	char path[512];

	list(d, "network", ".network", &files);
	file = files.v;
	for (size_t i = 0; i < files.n; i++) {
		_cleanup_(freep) char *text = NULL;
		struct networkd_match m = {};

		if ((i > 0 && strcmp(file[i].name, file[i - 1].name) == 0) ||
		    read_first(d, "network", file[i].name, &text, path) < 0)
			continue;
		networkd_read(text, &m);
		read_drop_ins(d, file[i].name, &m);
		if (!m.any || m.fails)
			continue;
		if (m.unmanaged)
			break;
		doctor_say(d, SEVERITY_WARNING, "networkd-manages-pods",
			   "systemd-networkd runs, and %s is for vethpw* as well: it takes pods' "
			   "routes away",
			   path);
		doctor_remedy(
			d, "write /etc/systemd/network/00-podwire.network: [Match] "
			   "Name=vethpw* and [Link] Unmanaged=yes, a line each; networkctl reload");
		return;
	}
	doctor_say(d, SEVERITY_OK, "networkd-manages-pods",
		   "systemd-networkd leaves vethpw* alone");
}

static int take_foreign(const char *section, const char *key, const char *value, void *arg)
{
	bool *manages = arg;

	if (strcmp(section, "Network") == 0 && strcmp(key, "ManageForeignRoutes") == 0)
		*manages = !*value || is_true(value);
	return 0;
}

static void foreign_routes(struct doctor *d)
{
	_cleanup_(array_done) struct array files = {};
	_cleanup_(freep) char *text = NULL;
	const struct root_name *file;
	bool manages = true;
	char path[512];

	if (read_first(d, ".", "networkd.conf", &text, path) == 0)
		(void)ini_parse(text, take_foreign, &manages);
	list(d, "networkd.conf.d", ".conf", &files);
	file = files.v;
	for (size_t i = 0; i < files.n; i++) {
		_cleanup_(freep) char *more = NULL;

		if (read_first(d, "networkd.conf.d", file[i].name, &more, path) == 0)
			(void)ini_parse(more, take_foreign, &manages);
	}
	if (!manages) {
		doctor_say(d, SEVERITY_OK, "networkd-foreign-routes",
			   "systemd-networkd leaves others' routes alone");
		return;
	}
	doctor_say(
		d, SEVERITY_WARNING, "networkd-foreign-routes",
		"systemd-networkd runs with ManageForeignRoutes=yes, its default: as it starts "
		"again, it removes routes to other nodes' pods from the devices that it manages");
	doctor_remedy(d, "write /etc/systemd/networkd.conf.d/podwire.conf: [Network] and "
			 "ManageForeignRoutes=no, a line each; systemctl restart systemd-networkd");
}

void check_networkd(struct doctor *d)
{
	if (!root_runs(d, "systemd-networkd")) {
		doctor_say(d, SEVERITY_OK, "networkd-manages-pods", "systemd-networkd doesn't run");
		return;
	}
	pods_unmanaged(d);
	foreign_routes(d);
}
