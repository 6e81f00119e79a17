#include <string.h>

int bad(int n)
{
	static const int a[4] = { 0 };

	if (n > 1 && n > 1) /* BAD: twice the same */
		n = 0;
	if (n == 3)
		return a[4]; /* BAD: behind its end */
	return n;
}
