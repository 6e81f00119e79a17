#include <stdio.h>

#include "base/error.h"

int good(int n)
{
	_cleanup_(freep) char *a = NULL;

	nla_for_each_nested(elem, list, n) {
		if (n)
			return 1;
	}
	return 0;
}
