/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cni_error.h"

#include "json/jdec.h"
#include "json/jenc.h"

void cni_error_print(FILE *f, enum spec spec, const struct pw_error *err)
{
	_cleanup_(json_object_putp) struct json_object *v = json_object_new_object();
	const char *text = NULL;
	int r = 0;

	r |= jenc_string(v, "cniVersion", spec_names[spec]);
	r |= jenc_int(v, "code", err->code ? err->code : PW_E_INTERNAL);
	r |= jenc_string(v, "msg", err->msg);
	r |= jenc_string_opt(v, "details", err->details);
	if (r == 0)
		text = jenc_text(v);
	/* even without memory there is an answer */
	(void)fprintf(f, "%s\n", text ? text : "{\"code\":999,\"msg\":\"out of memory\"}");
}
