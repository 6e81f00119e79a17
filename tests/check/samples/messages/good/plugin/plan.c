#define WHAT "cannot read the table"

int plan(int n, struct pw_error *err)
{
	if (n == 1) /* pw_fail(err, EIO, PW_E_IO, "a message in a comment") */
		return pw_fail(err, EIO, PW_E_IO, "cannot open %s (%.40s, mode %04o) "
			       "at all: %m", path, name, mode);
	if (n == 2)
		return nlsock_ask(s, msg, err, "cannot add route %s, to \"%s\"", a, b);
	if (n == 0)
		return pw_fail(err, EINVAL, PW_E_CONFIG, "%s: %s", a, b);
	if (n == 3)
		return jdec_finding(sink, at, n ? "%" PRId64 " is too large a number" : "there is no number", n);
	if (n == 4)
		fault(f, ", ", "%s%s", f->n ? "" : "variables that are missing: ", name);
	return nlsock_dump(s, msg, each, arg, err, WHAT);
}
