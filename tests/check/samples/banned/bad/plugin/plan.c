void bad(FILE *f)
{
	fprintf(f, "may be: who calls us knows where to");
	puts("x"); /* BAD */
	fprintf(stdout, "x"); /* BAD */
	_exit(1); /* BAD */
	secure_getenv("x"); /* BAD */
	unshare(0); /* BAD */
}
