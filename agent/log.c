/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>

#define FIELDS_MAX 7

struct fields {
	char text[FIELDS_MAX][768];
	struct iovec v[FIELDS_MAX];
	size_t n;
};

static void add(struct fields *f, const char *name, const char *value)
{
	int n;

	if (!value || !*value || f->n == FIELDS_MAX)
		return;
	n = snprintf(f->text[f->n], sizeof(f->text[f->n]), "%s=%s", name, value);
	if (n < 0)
		return;
	f->v[f->n].iov_base = f->text[f->n];
	f->v[f->n].iov_len = (size_t)n < sizeof(f->text[0]) ? (size_t)n : sizeof(f->text[0]) - 1;
	f->n++;
}

static void to_journal(int priority, const struct port *port, const char *message)
{
	struct fields f = {};
	char level[2] = { (char)('0' + (priority & 7)), '\0' };

	add(&f, "MESSAGE", message);
	add(&f, "PRIORITY", level);
	if (port) {
		add(&f, "PODWIRE_INTERFACE", port->ifname);
		add(&f, "PODWIRE_NAMESPACE", port->record.pod_namespace);
		add(&f, "PODWIRE_POD", port->record.pod_name);
		add(&f, "PODWIRE_CONTAINER_ID", port->record.id.container_id);
		add(&f, "PODWIRE_NETWORK", port->record.id.network);
	}
	(void)sd_journal_sendv(f.v, (int)f.n);
}

void log_line(const struct log *log, int priority, const struct port *port, const char *fmt, ...)
{
	char message[640];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	if (log->journal)
		to_journal(priority, port, message);
	else if (port)
		(void)fprintf(stderr, "podwired: %s: %s\n", port->ifname, message);
	else
		(void)fprintf(stderr, "podwired: %s\n", message);
}
