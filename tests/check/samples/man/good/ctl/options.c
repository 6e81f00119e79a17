/* SPDX-License-Identifier: GPL-2.0-or-later */
static const struct option known[] = {
	{ "bus", required_argument, NULL, 'b' },
	{},
};
