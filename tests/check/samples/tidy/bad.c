#include <stdlib.h>
#include <string.h>
#include <string.h> /* BAD: twice */
#include <unistd.h>

int declared(int n);
int declared(int n); /* BAD: twice */

int bad(const char *text)
{
	char *copy = strdup(text);
	int n;

	memset(copy, 0, sizeof(copy)); /* BAD: of the pointer */
	write(1, text, 3); /* BAD: ignored */
	if (text[0]) /* BAD: see below */
		n = 1;
	free(copy);
	return n; /* BAD: not set on every way */
}
