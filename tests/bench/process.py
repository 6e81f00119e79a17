# SPDX-License-Identifier: GPL-2.0-or-later
"""One call of a plugin: how long it takes, or how much memory it needs at most.

Both start the plugin without a process in between. Time is from before posix_spawn() (which is vfork()
inside, so our own size costs nothing) to after wait4().

Memory is the plugin's own, without its IPAM child, as the kernel has it in /proc/PID/status when it
stops the process at its exit. ru_maxrss won't do: it begins at the size of whoever started the process,
and it takes in the children.
"""
import ctypes
import os
import signal
import time
from typing import NamedTuple

_PTRACE_TRACEME, _PTRACE_CONT, _PTRACE_SETOPTIONS = 0, 7, 0x4200
_O_TRACEEXIT, _EVENT_EXIT = 0x40, 6
_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


class CallError(Exception):
    pass


class Memory(NamedTuple):
    """Bytes. What isn't its own is mapped from files: page cache, which it shares and can lose."""

    resident: int
    own: int


def _take(output, status, environment, path):
    with os.fdopen(output, "rb") as file:
        text = file.read()
    if status:
        raise CallError(f"{path} {environment['CNI_COMMAND']}: exit status {status}: {text.decode()}")
    return text


def _input(stdin):
    fd = os.memfd_create("config", os.MFD_CLOEXEC)
    os.write(fd, stdin)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def adopt_orphans():
    """What a plugin leaves to init comes to us. (PR_SET_CHILD_SUBREAPER)"""
    if _libc.prctl(36, 1, 0, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), f"prctl: {os.strerror(ctypes.get_errno())}")


def _reap_orphans():
    """So that nothing of one side's is still going on in the other's turn."""
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass


def settled(path, environment, stdin):
    """As timed(), but until whatever the plugin left to go on without it has ended as well."""
    return timed(path, environment, stdin, to_the_end=True)


def timed(path, environment, stdin, to_the_end=False):
    """(seconds, stdout). The answer of a plugin fits into a pipe."""
    output, their_output = os.pipe2(os.O_CLOEXEC)
    their_input = _input(stdin)
    actions = [(os.POSIX_SPAWN_DUP2, their_input, 0), (os.POSIX_SPAWN_DUP2, their_output, 1)]
    begin = time.monotonic_ns()
    pid = os.posix_spawn(path, [path], environment, file_actions=actions)
    _, status, _ = os.wait4(pid, 0)
    end = time.monotonic_ns()
    _reap_orphans()
    if to_the_end:
        end = time.monotonic_ns()
    os.close(their_input)
    os.close(their_output)
    return (end - begin) / 1e9, _take(output, os.waitstatus_to_exitcode(status), environment, path)


def _ptrace(request, pid, data=0):
    if _libc.ptrace(request, pid, None, data) < 0:
        raise OSError(ctypes.get_errno(), f"ptrace: {os.strerror(ctypes.get_errno())}")


def _become(path, environment, stdin, stdout):
    try:
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        _ptrace(_PTRACE_TRACEME, 0)
        os.execve(path, [path], environment)
    finally:
        os._exit(127)


def _memory(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as lines:
        fields = dict(line.split(":", 1) for line in lines)
    high, now, own = (int(fields[key].split()[0]) * 1024 for key in ("VmHWM", "VmRSS", "RssAnon"))
    # Whatever it gave back before its end is taken for its own.
    return Memory(high, own + high - now)


def _follow(pid):
    """The process from its execve() to its end: (Memory, exit status)."""
    memory, options_set = None, False
    while True:
        _, status = os.waitpid(pid, 0)
        if not os.WIFSTOPPED(status):
            return memory, os.waitstatus_to_exitcode(status)
        number, event = os.WSTOPSIG(status), status >> 16
        if event == _EVENT_EXIT:
            memory, number = _memory(pid), 0
        elif number == signal.SIGTRAP and not options_set:
            _ptrace(_PTRACE_SETOPTIONS, pid, _O_TRACEEXIT)
            options_set, number = True, 0
        _ptrace(_PTRACE_CONT, pid, number)


def peak(path, environment, stdin):
    """(Memory, stdout)"""
    output, their_output = os.pipe2(os.O_CLOEXEC)
    their_input = _input(stdin)
    pid = os.fork()
    if pid == 0:
        _become(path, environment, their_input, their_output)
    os.close(their_input)
    os.close(their_output)
    memory, status = _follow(pid)
    _reap_orphans()
    text = _take(output, status, environment, path)
    if memory is None:
        raise CallError(f"{path}: the kernel did not stop it at its exit")
    return memory, text
