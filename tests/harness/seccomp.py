# SPDX-License-Identifier: GPL-2.0-or-later
"""What a container's seccomp profile, or an older kernel, doesn't have."""
import ctypes
import os
import struct

BPF_LINK_CREATE = 28
_SYS_BPF = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ERRNO = 0x7fff0000, 0x00050000
_libc = ctypes.CDLL(None, use_errno=True)


def refuse_bpf(error, command=None):
    """For preexec_fn: from here on bpf(2), or one command of it, fails."""
    rules = [(_LOAD, 0, 0, 0), (_EQUAL, 0, 1 if command is None else 3, _SYS_BPF)]
    if command is not None:
        rules += [(_LOAD, 0, 0, 16), (_EQUAL, 0, 1, command)]  # the lower half of the first argument
    rules += [(_RETURN, 0, 0, _ERRNO | error), (_RETURN, 0, 0, _ALLOW)]
    code = b"".join(struct.pack("=HBBI", *rule) for rule in rules)

    def filter_syscalls():
        kept = ctypes.create_string_buffer(code, len(code))
        program = ctypes.create_string_buffer(struct.pack("=H6xQ", len(rules), ctypes.addressof(kept)))
        if _libc.prctl(38, 1, 0, 0, 0) or _libc.prctl(22, 2, program, 0, 0):  # NO_NEW_PRIVS, SECCOMP_MODE_FILTER
            raise OSError(ctypes.get_errno(), "prctl")
    filter_syscalls.arguments = (error, command)  # for who can't pass on a function
    return filter_syscalls
