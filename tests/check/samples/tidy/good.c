#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

static int parse(const char *text, int *ret, struct pw_error *err)
{
	if (!*text)
		return pw_fail(err, EINVAL, PW_E_CONFIG, "empty");
	*ret = (unsigned char)text[0];
	return 0;
}

int good(const char *text, char **ret, struct pw_error *err)
{
	_cleanup_(freep) char *copy = NULL;
	int first, r;

	r = parse(text, &first, err);
	if (r < 0)
		return r;
	copy = strdup(text);
	if (!copy)
		return pw_oom(err);
	copy[0] = (char)(first + 1);
	*ret = take_ptr(copy);
	return 0;
}
