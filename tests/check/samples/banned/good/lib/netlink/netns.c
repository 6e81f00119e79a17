/* printf() in a comment, and exit(1) */
int enter(int fd)
{
	if (setns(fd, 0) < 0)
		abort();
	return snprintf(buf, sizeof(buf), "printf(\"%d\")", sinfo.stderr_fd);
}
