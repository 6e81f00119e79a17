/* goto is a word in a comment */
enum colour { RED, GREEN };

static int paint(enum colour c, int flag)
{
	_cleanup_(freep) char *a = NULL, *b = make(1, 2);
	_cleanup_(closep) int fd = -EBADF, other = open_key(key, O_RDONLY);
	_cleanup_(teardown_done) struct teardown t = {
		.fd = -EBADF,
		.list = { 1, 2 },
	};

	switch (c) {
	case RED:
		switch (flag) {
		case IFF_UP:
			return -ENODEV;
		default:
			return -errno;
		}
	case GREEN:
		break;
	}
	if (index == -1)
		return -ENOENT;
	return errno ? -errno : 0;
}
