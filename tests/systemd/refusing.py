#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""refusing.py ERRNO BPF-COMMAND PROGRAM...: become PROGRAM, with that command of bpf(2) refused."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness.seccomp import refuse_bpf  # noqa: E402

if __name__ == "__main__":
    refuse_bpf(*map(int, sys.argv[1:3]))()
    os.execv(sys.argv[3], sys.argv[3:])
