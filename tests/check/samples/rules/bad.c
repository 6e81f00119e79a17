enum colour {
	RED,
	GREEN = 4,
};

static int paint(enum colour c, int flag)
{
	_cleanup_(freep) char *a; /* BAD */
	_cleanup_(freep) char *x = NULL, *y; /* BAD */
	_cleanup_(closep) int n = -1; /* BAD */
	struct session s = { .lock_fd = -1 }; /* BAD */

	switch (c) {
	case RED:
		break;
	default: /* BAD */
		break;
	}
	if (flag)
		goto out; /* BAD */
	if (flag > 1)
		return -1; /* BAD */
	if (flag > 2)
		return EINVAL; /* BAD */
	return errno; /* BAD */
}
