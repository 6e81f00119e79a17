/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/redact.h"

#include <json-c/linkhash.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "json/jenc.h"
#include "net/ipaddr.h"
#include "net/mac.h"

#define WORD_MAX 256 /* bytes that are looked at as one; a pod's name has 253 */
#define HEX_MIN 32   /* digits that make an id */

static const char *const kinds[_REDACT_KIND_MAX] = {
	[REDACT_POD] = "pod",   [REDACT_NAMESPACE] = "namespace",
	[REDACT_UID] = "uid",   [REDACT_CONTAINER] = "container",
	[REDACT_NODE] = "node", [REDACT_TEXT] = "text",
	[REDACT_IPV4] = "ipv4", [REDACT_IPV6] = "ipv6",
	[REDACT_MAC] = "mac",   [REDACT_ID] = "id",
};

/* They say nothing of anybody. */
static const char *const common[] = {
	"",
	"default",
	"kube-system",
	"kube-public",
	"kube-node-lease",
	"0.0.0.0",
	"::",
	"127.0.0.1",
	"::1",
	"169.254.1.1",
	"fe80::1",
	"255.255.255.255",
	"00:00:00:00:00:00",
	"localhost",
};

struct known {
	char *text;
	char alias[32];
};

struct redact {
	void *tree; /* of struct known, by text */
	unsigned int count[_REDACT_KIND_MAX];
};

static int by_text(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return strcmp(x->text, y->text);
}

static void known_free(void *p)
{
	struct known *e = p;

	free(e->text);
	free(e);
}

struct redact *redact_new(void)
{
	return calloc(1, sizeof(struct redact));
}

struct redact *redact_free(struct redact *r)
{
	if (r)
		tdestroy(r->tree, known_free);
	free(r);
	return NULL;
}

static const char *find(const struct redact *r, const char *text)
{
	const struct known key = { .text = (char *)text };
	struct known *const *found = tfind(&key, &r->tree, by_text);

	return found ? (*found)->alias : NULL;
}

static bool is_common(const char *text)
{
	for (size_t i = 0; i < ARRAY_COUNT(common); i++) {
		if (strcmp(common[i], text) == 0)
			return true;
	}
	return false;
}

const char *redact_name(struct redact *r, enum redact_kind kind, const char *text)
{
	const char *known = is_common(text) ? text : find(r, text);
	struct known *e;

	if (known)
		return known;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->text = strdup(text);
	if (!e->text || !tsearch(e, &r->tree, by_text)) {
		known_free(e);
		return NULL;
	}
	(void)snprintf(e->alias, sizeof(e->alias), "<%s-%u>", kinds[kind], ++r->count[kind]);
	return e->alias;
}

static bool is_uuid(const char *s)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	if (strlen(s) != sizeof(form) - 1)
		return false;
	for (size_t i = 0; form[i]; i++) {
		if (form[i] == '-' ? s[i] != '-' : !strchr("0123456789abcdefABCDEF", s[i]))
			return false;
	}
	return true;
}

static bool is_long_hex(const char *s)
{
	size_t n = strspn(s, "0123456789abcdefABCDEF");

	return n >= HEX_MIN && s[n] == '\0';
}

/* What a word is called; NULL where it says nothing of anybody, and 1 where none of its parts do.
 */
static int judge(struct redact *r, const char *word, const char **ret)
{
	char plain[IPADDR_STRLEN] = "";
	enum redact_kind kind;
	struct ipaddr ip;
	struct mac mac;

	*ret = find(r, word);
	if (*ret)
		return 0;
	if (is_common(word))
		return 1;
	if (ipaddr_parse(word, &ip) == 0) {
		(void)ipaddr_format(&ip, plain);
		if (ipaddr_is_multicast(&ip) || is_common(plain))
			return 1;
		kind = ip.family == AF_INET ? REDACT_IPV4 : REDACT_IPV6;
		/* an address has many spellings, and one alias */
		*ret = redact_name(r, kind, plain);
		return *ret ? 0 : -ENOMEM;
	}
	if (mac_parse(word, &mac) == 0) {
		(void)mac_format(&mac, plain);
		*ret = redact_name(r, REDACT_MAC, plain);
	} else if (is_uuid(word) || is_long_hex(word)) {
		*ret = redact_name(r, REDACT_ID, word);
	} else {
		return 0;
	}
	return *ret ? 0 : -ENOMEM;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c & 0x80);
}

static bool is_word(char c)
{
	return is_letter(c) || c == '.' || c == ':' || c == '-' || c == '_';
}

/* Whether a name may begin or end between these two. "::1" begins with what is no letter. */
static bool is_seam(char before, char after)
{
	return !is_letter(before) || !is_letter(after);
}

/*
 * The longest piece from @word on that is to be replaced: its length, 0 if there's none. Pieces end
 * where a name may.
 */
static size_t longest(struct redact *r, const char *word, size_t len, const char **ret, int *result)
{
	char piece[WORD_MAX];

	for (size_t n = len < sizeof(piece) ? len : sizeof(piece) - 1; n > 0; n--) {
		if (n < len && !is_seam(word[n - 1], word[n]))
			continue;
		memcpy(piece, word, n);
		piece[n] = '\0';
		*result = judge(r, piece, ret);
		if (*result != 0 || *ret)
			return n;
	}
	return 0;
}

static int put_word(struct redact *r, const char *word, size_t len, FILE *f)
{
	size_t i = 0;

	while (i < len) {
		const char *alias = NULL;
		int result = 0;
		size_t n = 0;

		if (i == 0 || is_seam(word[i - 1], word[i]))
			n = longest(r, word + i, len - i, &alias, &result);
		if (result < 0)
			return result;
		if (alias)
			(void)fputs(alias, f);
		else
			(void)fwrite(word + i, 1, n ? n : 1, f);
		i += n ? n : 1;
	}
	return 0;
}

/* Bytes of an alias at @s, which stays what it is; 0: there's none. */
static size_t alias_length(const char *s)
{
	size_t digits, n;

	for (size_t i = 0; *s == '<' && i < ARRAY_COUNT(kinds); i++) {
		n = strlen(kinds[i]);
		if (strncmp(s + 1, kinds[i], n) != 0 || s[1 + n] != '-')
			continue;
		digits = strspn(s + 2 + n, "0123456789");
		if (digits > 0 && s[2 + n + digits] == '>')
			return n + digits + 3;
	}
	return 0;
}

char *redact_text(struct redact *r, const char *text)
{
	_cleanup_(freep) char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);
	int result = 0;

	if (!f)
		return NULL;
	while (*text && result == 0) {
		size_t n = alias_length(text);

		if (n > 0) {
			(void)fwrite(text, 1, n, f);
			text += n;
			continue;
		}
		while (is_word(text[n]))
			n++;
		if (n > 0)
			result = put_word(r, text, n, f);
		else
			(void)fputc(text[n++], f);
		text += n;
	}
	if (fclose(f) != 0 || result < 0)
		return NULL;
	return take_ptr(out);
}

static struct json_object *redact_string(struct redact *r, const char *text)
{
	_cleanup_(freep) char *out = redact_text(r, text);

	return out ? json_object_new_string(out) : NULL;
}

static struct json_object *redact_array(struct redact *r, struct json_object *v)
{
	struct json_object *out = json_object_new_array();
	int result = out ? 0 : -ENOMEM;

	for (size_t i = 0; result == 0 && i < json_object_array_length(v); i++)
		result = jenc_append(out, redact_value(r, json_object_array_get_idx(v, i)));
	if (result == 0)
		return out;
	json_object_put(out);
	return NULL;
}

static struct json_object *redact_object(struct redact *r, struct json_object *v)
{
	struct json_object *out = json_object_new_object();
	int result = out ? 0 : -ENOMEM;

	json_object_object_foreach(v, key, member) {
		_cleanup_(freep) char *name = result == 0 ? redact_text(r, key) : NULL;

		if (result == 0)
			result = name ? jenc_add(out, name, redact_value(r, member)) : -ENOMEM;
	}
	if (result == 0)
		return out;
	json_object_put(out);
	return NULL;
}

struct json_object *redact_value(struct redact *r, struct json_object *v)
{
	if (!v) /* JSON's null, which is json-c's NULL as well */
		return json_object_new_string("null");
	if (json_object_is_type(v, json_type_string))
		return redact_string(r, json_object_get_string(v));
	if (json_object_is_type(v, json_type_array))
		return redact_array(r, v);
	if (json_object_is_type(v, json_type_object))
		return redact_object(r, v);
	return json_object_get(v);
}
