int n; /* BAD */
/* nothing */
/* here */
/* SPDX-License-Identifier: GPL-2.0-or-later, too late */
