/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor/ini.h"

#include <string.h>

#define BLANKS " \t\r"

static char *strip(char *s)
{
	size_t len;

	s += strspn(s, BLANKS);
	for (len = strlen(s); len > 0 && strchr(BLANKS, s[len - 1]); len--)
		s[len - 1] = '\0';
	return s;
}

/* Cuts a line off @text, with those that it goes on with; the NUL at its end is the last one's. */
static char *take_line(char **text)
{
	char *line = *text, *end = line;

	if (!line || !*line)
		return NULL;
	while ((end = strchr(end, '\n')) && end > line && end[-1] == '\\')
		end[-1] = *end = ' ';
	if (end)
		*end++ = '\0';
	*text = end;
	return line;
}

int ini_parse(char *text, ini_each_t each, void *arg)
{
	const char *section = "";
	char *line;

	while ((line = take_line(&text))) {
		char *equals, *close;
		int r;

		line = strip(line);
		if (*line == '#' || *line == ';')
			continue;
		if (*line == '[') {
			close = strchr(line, ']');
			if (close) {
				*close = '\0';
				section = line + 1;
			}
			continue;
		}
		equals = strchr(line, '=');
		if (!equals)
			continue;
		*equals = '\0';
		r = each(section, strip(line), strip(equals + 1), arg);
		if (r < 0)
			return r;
	}
	return 0;
}

char *ini_word(char **list, const char *separators)
{
	char *word = *list + strspn(*list, separators), *end;

	if (!*word)
		return NULL;
	end = word + strcspn(word, separators);
	*list = end;
	if (*end) {
		*end = '\0';
		*list = end + 1;
	}
	return word;
}
