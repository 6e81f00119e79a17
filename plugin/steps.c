/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "steps.h"

#include "base/error.h"
#include "seam.h"

static int run_one(const struct step *step, void *subject, FILE *log, struct pw_error *err)
{
	int r;

	r = seam(step->name, SEAM_BEFORE, err);
	if (r == 0)
		r = step->run(subject, err);
	if (r >= 0)
		r = seam(step->name, SEAM_AFTER, err);
	if (r < 0 && !err->errnum) /* or nobody would see that it failed */
		pw_fail(err, -r, PW_E_INTERNAL, "step %s failed: %m", step->name);
	if (log)
		(void)fprintf(log, "podwire: %s: %s\n", step->name, r < 0 ? err->msg : "done");
	return r;
}

int steps_run(const struct step *steps, size_t n, void *subject, FILE *log, struct pw_error *err)
{
	struct pw_error local = {};
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++)
		r = run_one(&steps[i], subject, log, err ? err : &local);
	return r < 0 ? r : 0;
}

int steps_run_all(const struct step *steps, size_t n, void *subject, FILE *log,
		  struct pw_error *err)
{
	struct pw_error first = {};

	for (size_t i = 0; i < n; i++) {
		struct pw_error one = {};

		if (run_one(&steps[i], subject, log, &one) < 0)
			pw_gather(&first, &one);
	}
	if (err && first.errnum)
		*err = first;
	return -first.errnum;
}
