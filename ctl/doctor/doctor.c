/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the checks and keeps what they find. */
#include "doctor/doctor.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <stdarg.h>
#include <string.h>

#include "base/cleanup.h"
#include "doctor/root.h"
#include "netlink/sock.h"
#include "view/text.h"

const char *const severity_names[] = {
	[SEVERITY_OK] = "ok",
	[SEVERITY_UNKNOWN] = "unknown",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_BROKEN] = "broken",
};

/* In the order of what goes by what: the records' facts first. */
static doctor_check *const checks[] = {
	check_records,        check_cni,       check_kernel,
	check_sysctls,        check_firewall,  check_networkd,
	check_networkmanager, check_leftovers, check_agent,
};

void doctor_say(struct doctor *d, enum severity severity, const char *id, const char *fmt, ...)
{
	struct finding *f = array_grow(&d->findings, sizeof(*f), 1);
	va_list ap;

	if (!f) {
		d->oom = true;
		return;
	}
	va_start(ap, fmt);
	(void)vsnprintf(f->message, sizeof(f->message), fmt, ap);
	va_end(ap);
	text_clean(f->message);
	f->id = id;
	f->severity = severity;
}

void doctor_remedy(struct doctor *d, const char *fmt, ...)
{
	struct finding *f = d->findings.v;
	va_list ap;

	if (d->oom || !f)
		return;
	f += d->findings.n - 1;
	va_start(ap, fmt);
	(void)vsnprintf(f->remedy, sizeof(f->remedy), fmt, ap);
	va_end(ap);
	text_clean(f->remedy);
}

enum severity doctor_result(const struct doctor *d)
{
	const struct finding *f = d->findings.v;
	enum severity worst = SEVERITY_OK;

	for (size_t i = 0; i < d->findings.n; i++) {
		if (f[i].severity > worst)
			worst = f[i].severity;
	}
	return worst;
}

int doctor_run(struct doctor *d, const struct doctor_options *options, struct pw_error *err)
{
	int r;

	*d = (struct doctor){ .options = *options,
			      .root_fd = -EBADF,
			      .kernel_fd = { -EBADF, -EBADF } };
	r = root_open_all(d, err);
	if (r < 0)
		return r;
	(void)nlsock_open(NETLINK_ROUTE, &d->route, NULL); /* who needs it says that it's missing */
	for (size_t i = 0; i < ARRAY_COUNT(checks) && !d->oom; i++)
		checks[i](d);
	return d->oom ? pw_oom(err) : 0;
}

void doctor_done(struct doctor *d)
{
	closep(&d->root_fd);
	for (size_t i = 0; i < ARRAY_COUNT(d->kernel_fd); i++)
		closep(&d->kernel_fd[i]);
	d->route = nlsock_free(d->route);
	free(d->btf);
	chains_done(&d->chains);
	array_done(&d->findings);
}
