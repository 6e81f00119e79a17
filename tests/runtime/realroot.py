#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""realroot.py COMMAND...: run a command whose root directory is the root of its mount namespace.

In a chroot it is not, and a runtime that enters a container's mount namespace there ends up in the system
outside: the kernel puts who enters one at the namespace's root, wherever the container's processes are.
So the caller's root is moved to that place. Nothing that is mounted from then on shows elsewhere. The mount
namespace must be the caller's own (unshare --mount --propagation unchanged).
"""
import ctypes
import os
import sys

CLONE_NEWNS = 0x00020000
MS_BIND, MS_MOVE, MS_REC, MS_PRIVATE = 0x1000, 0x2000, 0x4000, 0x40000
_libc = ctypes.CDLL(None, use_errno=True)


def _check(status, what):
    if status < 0:
        number = ctypes.get_errno()
        sys.exit(f"realroot: {what}: {os.strerror(number)}")


def _mount(source, target, flags):
    _check(_libc.mount(source, target, None, flags, None), f"mount {target.decode()}")


def _move_root_to_the_top(root):
    namespace = os.open("/proc/self/ns/mnt", os.O_RDONLY)
    _check(_libc.setns(namespace, CLONE_NEWNS), "setns")  # entering it leaves the chroot
    os.close(namespace)
    _mount(None, b"/", MS_REC | MS_PRIVATE)
    os.fchdir(root)
    if os.path.samestat(os.stat("/"), os.fstat(root)):
        return
    # Only a mount can be moved, and the root of a chroot need not be one.
    _mount(b".", b"mnt", MS_BIND | MS_REC)
    os.chdir("mnt")
    _mount(b".", b"/", MS_MOVE)
    os.chroot(".")


def main(command):
    directory = os.getcwd()
    root = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    _move_root_to_the_top(root)
    os.close(root)
    os.chdir(directory)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
