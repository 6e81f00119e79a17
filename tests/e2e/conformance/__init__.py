# SPDX-License-Identifier: GPL-2.0-or-later
"""The conformance table: data only, one module a theme, each with ROWS; test_conformance.py drives it."""
