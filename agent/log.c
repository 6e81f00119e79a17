/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "base/array.h"

#define FIELDS_MAX 8
#define JOURNAL "/run/systemd/journal/socket"

struct fields {
	char text[FIELDS_MAX][768];
	struct iovec v[FIELDS_MAX];
	size_t n;
};

static const char *const levels[] = {
	[LOG_EMERG] = "emerg", [LOG_ALERT] = "alert",     [LOG_CRIT] = "crit",
	[LOG_ERR] = "err",     [LOG_WARNING] = "warning", [LOG_NOTICE] = "notice",
	[LOG_INFO] = "info",   [LOG_DEBUG] = "debug",
};

struct log log_default(void)
{
	return (struct log){ .journal = getenv("JOURNAL_STREAM") != NULL, .level = LOG_INFO };
}

const char *log_level_name(const struct log *log)
{
	return levels[log->level];
}

const char *log_target_name(const struct log *log)
{
	return log->journal ? "journal" : "console";
}

int log_set_level(struct log *log, const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(levels); i++) {
		if (strcmp(levels[i], name) == 0) {
			log->level = (int)i;
			return 0;
		}
	}
	return -EINVAL;
}

int log_set_target(struct log *log, const char *name)
{
	bool journal = strcmp(name, "journal") == 0;

	if (!journal && strcmp(name, "console") != 0)
		return -EINVAL;
	if (journal && access(JOURNAL, W_OK) < 0)
		return -EINVAL;
	log->journal = journal;
	return 0;
}

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
	add(&f, "SYSLOG_IDENTIFIER", LOG_IDENTIFIER);
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

	if (priority > log->level)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	if (log->journal)
		to_journal(priority, port, message);
	else if (port)
		(void)fprintf(stderr, LOG_IDENTIFIER ": %s: %s\n", port->ifname, message);
	else
		(void)fprintf(stderr, LOG_IDENTIFIER ": %s\n", message);
}
