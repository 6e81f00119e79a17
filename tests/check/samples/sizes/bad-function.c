int ok(void);

/* a brace { in a comment, and "{" in a literal */
static int __attribute__((format(printf, 1, 2))) /* BAD */
long_one(const char *fmt, ...)
{
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	puts("{");
	return 0;
}
