# SPDX-License-Identifier: GPL-2.0-or-later
"""What podwire's Python tests stand on; README.md lists the verbs."""
