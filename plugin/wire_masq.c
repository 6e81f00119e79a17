/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An nftables transaction takes the kernel a look at each chain of the node, 2 ms with ten thousand
 * services, and no RTNL. So it runs beside the rest of the wiring, in a thread.
 *
 * The two share nothing that either changes: the thread has a copy of the record, a socket and an
 * error of its own. Its lock uses SIGALRM, which the main thread leaves to it; and nobody else may
 * take one of those locks until it is done.
 */
#include <signal.h>
#include <string.h>

#include "base/error.h"
#include "masquerade.h"
#include "wiring.h"

static int set_alarm(int how)
{
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	return pthread_sigmask(how, &alarm, NULL);
}

static void *work(void *arg)
{
	struct masq_work *m = arg;

	while (sem_wait(&m->go) < 0)
		;
	if (!m->wanted)
		return NULL;
	(void)set_alarm(SIG_UNBLOCK);
	m->r = masquerade_add(m->runtime_fd, m->records_fd, &m->rec, &m->err);
	return NULL;
}

int wire_masq_start(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;
	int r;

	if (!w->conf->ip_masq)
		return 0;
	w->masq = (struct masq_work){
		.runtime_fd = w->session.runtime_fd,
		.records_fd = w->session.records_fd,
	};
	(void)sem_init(&w->masq.go, 0, 0);
	/* the thread inherits the mask: until it has its work, SIGALRM is ours */
	r = set_alarm(SIG_BLOCK);
	if (r == 0)
		r = pthread_create(&w->masq.thread, NULL, work, &w->masq);
	(void)set_alarm(SIG_UNBLOCK);
	if (r != 0)
		return pw_fail(err, r, PW_E_INTERNAL, "cannot start a thread: %m");
	w->masq.running = true;
	return 0;
}

int wire_masq_go(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;

	(void)err;
	if (!w->masq.running || !w->plan.addresses.n)
		return 0;
	w->masq.rec = w->record;
	w->masq.rec.addresses = w->plan.addresses;
	w->masq.rec.masq_exclude = w->plan.masq_exclude;
	w->masq.wanted = w->masqueraded = true;
	(void)set_alarm(SIG_BLOCK);
	(void)sem_post(&w->masq.go);
	return 0;
}

int wire_masq(void *wiring, struct pw_error *err)
{
	struct wiring *w = wiring;

	if (!w->masq.running)
		return 0;
	if (!w->masq.wanted)
		(void)sem_post(&w->masq.go);
	(void)pthread_join(w->masq.thread, NULL);
	(void)sem_destroy(&w->masq.go);
	w->masq.running = false;
	(void)set_alarm(SIG_UNBLOCK);
	if (w->masq.r < 0 && err)
		*err = w->masq.err;
	return w->masq.r < 0 ? w->masq.r : 0;
}
