/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network that a runtime uses: the first file of its directory, by name. That must be ours, and
 * what it names must be there.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "doctor/doctor.h"
#include "doctor/networks.h"
#include "doctor/program.h"
#include "doctor/root.h"

#define PLUGIN "podwire"

static const char *const bin_dirs[] = { "/opt/cni/bin", "/usr/lib/cni" };

static void choose_bin_dir(struct doctor *d)
{
	d->bin_dir = d->options.bin_dir;
	for (size_t i = 0; i < ARRAY_COUNT(bin_dirs) && !d->bin_dir; i++) {
		if (program_look(d, bin_dirs[i], PLUGIN) != -ENOENT)
			d->bin_dir = bin_dirs[i];
	}
	if (!d->bin_dir)
		d->bin_dir = bin_dirs[0];
}

static bool is_config(const char *name)
{
	return fnmatch("*.conf", name, 0) == 0 || fnmatch("*.conflist", name, 0) == 0 ||
	       fnmatch("*.json", name, 0) == 0;
}

/* The files of one directory, as far as they were read. */
struct found {
	size_t n; /* configurations */
	char first[256];
	struct network first_network, ours; /* the first that is ours */
	char ours_name[256];
	char *ours_text;
};

static void found_done(struct found *f)
{
	network_done(&f->first_network);
	network_done(&f->ours);
	free(f->ours_text);
}

/* Whatever it is; @ret_text is the caller's. */
static int read_network(const struct doctor *d, const char *name, struct network *ret,
			char **ret_text, struct pw_error *err)
{
	char path[1024];
	size_t len;
	int r;

	(void)snprintf(path, sizeof(path), "%s/%s", d->options.conf_dir, name);
	r = root_read(d, path, ROOT_FILE_MAX, ret_text, &len);
	if (r < 0)
		return pw_fail(err, -r, PW_E_IO, "%s: %m", path);
	return network_parse(*ret_text, len, path, ret, err);
}

static void say_invalid(struct doctor *d, const char *name, const char *what)
{
	doctor_say(d, SEVERITY_BROKEN, "cni-conf-invalid", "%s/%s: %s", d->options.conf_dir, name,
		   what);
	doctor_remedy(d, "mend it; podwire --validate %s/%s says when it is well",
		      d->options.conf_dir, name);
}

static void take_file(struct doctor *d, const char *name, struct found *f)
{
	_cleanup_(network_done) struct network n = {};
	_cleanup_(freep) char *text = NULL;
	struct pw_error err = {};
	int r = read_network(d, name, &n, &text, &err);

	if (f->n++ == 0)
		(void)snprintf(f->first, sizeof(f->first), "%s", name);
	if (r == -EACCES) {
		doctor_say(d, SEVERITY_UNKNOWN, "cni-conf-invalid", "%s", err.msg);
		doctor_remedy(d, "run podwirectl as root");
	} else if (r < 0) {
		/* only what is used, or meant to be */
		if (f->n == 1 || strstr(name, PLUGIN))
			say_invalid(d, name, err.msg);
		return;
	}
	if (n.ours && !*f->ours_name) {
		(void)snprintf(f->ours_name, sizeof(f->ours_name), "%s", name);
		f->ours = n;
		f->ours_text = take_ptr(text);
		n = (struct network){};
		return;
	}
	if (f->n == 1) {
		f->first_network = n;
		n = (struct network){};
	}
}

static void read_dir(struct doctor *d, struct found *f)
{
	_cleanup_(array_done) struct array files = {};
	const struct root_name *file;
	int r = root_list(d, d->options.conf_dir, &files);

	if (r == -ENOMEM)
		d->oom = true;
	if (r < 0)
		doctor_say(d, SEVERITY_UNKNOWN, "cni-conf-missing", "%s can't be read: %s",
			   d->options.conf_dir, strerror(-r));
	file = files.v;
	for (size_t i = 0; i < files.n; i++) {
		if (is_config(file[i].name))
			take_file(d, file[i].name, f);
	}
}

/* Whether a runtime uses ours. */
static void judge_place(struct doctor *d, const struct found *f)
{
	const char *dir = d->options.conf_dir;

	if (!*f->ours_name) {
		if (f->n)
			doctor_say(d, SEVERITY_BROKEN, "cni-conf-missing",
				   "no network in %s is podwire's: of %zu the first is %s", dir,
				   f->n, f->first);
		else
			doctor_say(d, SEVERITY_BROKEN, "cni-conf-missing",
				   "there is no network in %s", dir);
		doctor_remedy(d, "podwirectl install --pod-cidr CIDR");
		return;
	}
	doctor_say(d, SEVERITY_OK, "cni-conf-missing", "%s/%s names podwire", dir, f->ours_name);
	if (strcmp(f->first, f->ours_name) == 0) {
		d->facts.first_is_ours = true;
		doctor_say(d, SEVERITY_OK, "cni-conf-not-first", "it is the first of %zu", f->n);
	} else if (f->first_network.multus) {
		doctor_say(
			d, SEVERITY_OK, "cni-conf-not-first",
			"%s/%s is first, and is Multus: which network is the pods' first one, it "
			"says itself",
			dir, f->first);
	} else {
		doctor_say(d, SEVERITY_BROKEN, "cni-conf-not-first",
			   "%s/%s sorts before %s, and a runtime uses the first alone", dir,
			   f->first, f->ours_name);
		doctor_remedy(d, "mv %s/%s out of there, or give it a name that sorts behind", dir,
			      f->first);
	}
}

/* The plugin's own judgement, of a network that it can judge. */
static void validate(struct doctor *d, const struct found *f)
{
	struct pw_error err = {};
	char path[1024], line[512] = "";
	int r;

	if (f->ours.by_delegate || program_look(d, d->bin_dir, PLUGIN) < 0)
		return;
	(void)snprintf(path, sizeof(path), "%s/%s", d->options.conf_dir, f->ours_name);
	r = program_ask(d, d->bin_dir, "--validate", f->ours_text, line, sizeof(line), &err);
	if (r == 0)
		doctor_say(d, SEVERITY_OK, "cni-conf-invalid", "%s is valid", path);
	else if (r > 0)
		say_invalid(d, f->ours_name, *line ? line : "podwire --validate refuses it");
	else
		doctor_say(d, SEVERITY_UNKNOWN, "cni-conf-invalid", "podwire --validate: %s",
			   *err.msg ? err.msg : "it was killed");
}

static void say_unfit(struct doctor *d, const char *id, const char *name, int r)
{
	doctor_say(d, SEVERITY_BROKEN, id, "%s/%s %s", d->bin_dir, name,
		   r == -ENOENT   ? "is not there"
		   : r == -EACCES ? "is not an executable file"
		   : r == -EPERM  ? "belongs to another user than root, or others may write to it"
				  : strerror(-r));
}

static void needed_programs(struct doctor *d, const struct network *n)
{
	const struct network_plugin *plugin = n->plugins.v;
	int r = program_look(d, d->bin_dir, "loopback");

	if (r < 0) {
		say_unfit(d, "cni-loopback-missing", "loopback", r);
		doctor_remedy(
			d, "install containernetworking-plugins, and link or copy loopback to %s",
			d->bin_dir);
	} else {
		doctor_say(d, SEVERITY_OK, "cni-loopback-missing", "%s/loopback is there",
			   d->bin_dir);
	}
	for (size_t i = 0; i < n->plugins.n; i++) {
		const char *id = plugin[i].ipam ? "cni-ipam-missing" : "cni-plugin-missing";

		if (strcmp(plugin[i].name, PLUGIN) == 0)
			continue;
		r = program_look(d, d->bin_dir, plugin[i].name);
		if (r == 0) {
			doctor_say(d, SEVERITY_OK, id, "%s/%s is there", d->bin_dir,
				   plugin[i].name);
			continue;
		}
		say_unfit(d, id, plugin[i].name, r);
		doctor_remedy(d, "install it there; containernetworking-plugins has host-local, "
				 "portmap, bandwidth and others");
	}
}

static void judge_version(struct doctor *d, const char *line)
{
	char version[64];
	size_t len;

	line += strlen("podwire ");
	len = strcspn(line, ": ");
	(void)snprintf(version, sizeof(version), "%.*s", (int)len, line);
	if (strcmp(version, PW_VERSION) == 0) {
		doctor_say(d, SEVERITY_OK, "cni-version-differs", "%s/podwire is %s", d->bin_dir,
			   version);
		return;
	}
	doctor_say(d, SEVERITY_WARNING, "cni-version-differs",
		   "%s/podwire is of version %s, and podwirectl of %s", d->bin_dir, version,
		   PW_VERSION);
	doctor_remedy(d, "podwirectl install copies the one that came with it");
}

static void our_program(struct doctor *d)
{
	struct pw_error err = {};
	char line[256] = "";
	int r = program_look(d, d->bin_dir, PLUGIN);

	if (r < 0) {
		say_unfit(d, "cni-binary-missing", PLUGIN, r);
		doctor_remedy(d, "podwirectl install --bin-dir %s", d->bin_dir);
		return;
	}
	doctor_say(d, SEVERITY_OK, "cni-binary-missing", "%s/podwire is there", d->bin_dir);
	r = program_ask(d, d->bin_dir, "--version", NULL, line, sizeof(line), &err);
	if (r == 0 && strncmp(line, "podwire ", strlen("podwire ")) == 0) {
		judge_version(d, line);
		return;
	}
	if (r < 0)
		doctor_say(d, SEVERITY_BROKEN, "cni-binary-fails", "%s/podwire doesn't answer: %s",
			   d->bin_dir, *err.msg ? err.msg : "it was killed");
	else
		doctor_say(d, SEVERITY_BROKEN, "cni-binary-fails",
			   "%s/podwire isn't podwire: to --version it says \"%s\", with status %d",
			   d->bin_dir, line, r);
	doctor_remedy(d, "podwirectl install --bin-dir %s", d->bin_dir);
}

void check_cni(struct doctor *d)
{
	_cleanup_(found_done) struct found f = {};

	choose_bin_dir(d);
	read_dir(d, &f);
	judge_place(d, &f);
	our_program(d);
	if (!*f.ours_name)
		return;
	d->facts.requires_agent = f.ours.requires_agent;
	d->facts.flannel_is_ours = f.ours.flannel;
	needed_programs(d, &f.ours);
	validate(d, &f);
}
