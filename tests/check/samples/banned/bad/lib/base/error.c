void bad(void)
{
	printf("x"); /* BAD */
	fprintf (f, "x"); /* BAD */
	dprintf(1, "x"); /* BAD */
	fputs("x", stderr); /* BAD */
	syslog(LOG_ERR, "x"); /* BAD */
	exit(1); /* BAD */
	abort(); /* BAD */
	getenv("HOME"); /* BAD */
	setns(fd, 0); /* BAD */
	for (char **e = environ; *e; e++) /* BAD */
		;
}
