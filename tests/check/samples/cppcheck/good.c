#include <stdlib.h>

#include "base/cleanup.h"

int good(int n)
{
	_cleanup_(freep) int *a = NULL;
	int last;

	a = calloc(4, sizeof(*a));
	if (!a)
		return -1;
	last = a[3];
	return last + n;
}
