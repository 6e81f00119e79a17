/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor/networkmanager.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "doctor/doctor.h"
#include "doctor/ini.h"
#include "doctor/root.h"

#define EXAMPLE "vethpw012345678"
#define EXCEPT "except:"

/* In the order in which they are read. */
static const struct {
	const char *path;
	bool is_dir;
} places[] = {
	{ "/usr/lib/NetworkManager/conf.d", true },
	{ "/run/NetworkManager/conf.d", true },
	{ "/etc/NetworkManager/NetworkManager.conf", false },
	{ "/etc/NetworkManager/conf.d", true },
};

/* One device specification: 1 it is a pod's, 0 it is not. */
static bool is_pods(const char *spec)
{
	static const struct {
		const char *prefix, *value;
	} kinds[] = {
		{ "interface-name:", EXAMPLE },
		{ "type:", "veth" },
		{ "driver:", "veth" },
	};

	if (strcmp(spec, "*") == 0)
		return true;
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		const char *value = spec + strlen(kinds[i].prefix);

		if (strncmp(spec, kinds[i].prefix, strlen(kinds[i].prefix)) != 0)
			continue;
		/* "=" before a name: no pattern, but that name */
		if (*value == '=')
			return false;
		value += *value == '~';
		return fnmatch(value, kinds[i].value, 0) == 0;
	}
	return false; /* by address, or a plain name: no pod's */
}

bool networkmanager_has_pods(char *list)
{
	bool has = false, first_is_except = false, first = true;
	char *word;

	while ((word = ini_word(&list, " \t,;"))) {
		bool except = strncmp(word, EXCEPT, strlen(EXCEPT)) == 0;

		if (first)
			first_is_except = except;
		first = false;
		if (!except)
			has |= is_pods(word);
		else if (is_pods(word + strlen(EXCEPT)))
			return false;
	}
	return has || first_is_except;
}

static void end_section(struct networkmanager *nm)
{
	if (strncmp(nm->section, "device", strlen("device")) == 0 && nm->matches != 0) {
		nm->unmanaged |= nm->manages == 0;
		nm->managed |= nm->manages == 1;
	}
	nm->matches = nm->manages = -1;
}

static int list_has(const char *value)
{
	_cleanup_(freep) char *copy = strdup(value);

	return copy && networkmanager_has_pods(copy);
}

static int take(const char *section, const char *key, const char *value, void *arg)
{
	struct networkmanager *nm = arg;

	if (strncmp(section, nm->section, sizeof(nm->section) - 1) != 0) {
		end_section(nm);
		(void)snprintf(nm->section, sizeof(nm->section), "%s", section);
	}
	if (strcmp(section, "keyfile") == 0 && strcmp(key, "unmanaged-devices") == 0)
		nm->listed = list_has(value);
	/* "key+=value" adds */
	if (strcmp(section, "keyfile") == 0 && strcmp(key, "unmanaged-devices+") == 0)
		nm->listed |= list_has(value);
	if (strcmp(key, "match-device") == 0)
		nm->matches = list_has(value);
	if (strcmp(key, "managed") == 0)
		nm->manages = strcmp(value, "0") != 0 && strcasecmp(value, "false") != 0 &&
			      strcasecmp(value, "no") != 0;
	return 0;
}

void networkmanager_read(char *text, struct networkmanager *nm)
{
	*nm->section = '\0';
	nm->matches = nm->manages = -1;
	(void)ini_parse(text, take, nm);
	end_section(nm);
}

bool networkmanager_leaves_pods(const struct networkmanager *nm)
{
	return nm->listed || (nm->unmanaged && !nm->managed);
}

static void read_file(struct doctor *d, const char *path, struct networkmanager *nm)
{
	_cleanup_(freep) char *text = NULL;
	size_t len;
	int r = root_read(d, path, ROOT_FILE_MAX, &text, &len);

	if (r == 0)
		networkmanager_read(text, nm);
	else if (r != -ENOENT)
		doctor_say(d, SEVERITY_UNKNOWN, "networkmanager-manages-pods", "%s: %s", path,
			   strerror(-r));
}

static void read_dir(struct doctor *d, const char *path, struct networkmanager *nm)
{
	_cleanup_(array_done) struct array files = {};
	const struct root_name *file;
	char name[512];

	if (root_list(d, path, &files) == -ENOMEM)
		d->oom = true;
	file = files.v;
	for (size_t i = 0; i < files.n; i++) {
		if (fnmatch("*.conf", file[i].name, 0) != 0)
			continue;
		(void)snprintf(name, sizeof(name), "%s/%s", path, file[i].name);
		read_file(d, name, nm);
	}
}

void check_networkmanager(struct doctor *d)
{
	struct networkmanager nm = {};

	if (!root_runs(d, "NetworkManager")) {
		doctor_say(d, SEVERITY_OK, "networkmanager-manages-pods",
			   "NetworkManager doesn't run");
		return;
	}
	for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
		if (places[i].is_dir)
			read_dir(d, places[i].path, &nm);
		else
			read_file(d, places[i].path, &nm);
	}
	if (networkmanager_leaves_pods(&nm)) {
		doctor_say(d, SEVERITY_OK, "networkmanager-manages-pods",
			   "NetworkManager leaves vethpw* alone");
		return;
	}
	doctor_say(d, SEVERITY_WARNING, "networkmanager-manages-pods",
		   "NetworkManager runs, and its configuration doesn't except vethpw*: it may take "
		   "pods' interfaces over");
	doctor_remedy(
		d, "write /etc/NetworkManager/conf.d/podwire.conf: [keyfile] and "
		   "unmanaged-devices+=interface-name:vethpw*, a line each; nmcli general reload");
}
