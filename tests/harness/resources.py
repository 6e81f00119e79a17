# SPDX-License-Identifier: GPL-2.0-or-later
"""Names, temporary directories and processes of one test run, and their certain end.

Everything that outlives a Python object (a network namespace, a directory, a process) is entered here
when it is made.  It leaves by the test's own cleanup, at exit, or on SIGTERM; a run that was killed
outright is swept up by the next one, because each name carries the pid of its run.
"""
import atexit
import itertools
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

NETNS_DIR = "/run/netns"
# An emulated machine needs more time for the same: tests/vm says how much more. Deadlines alone know of it.
PATIENCE = float(os.environ.get("PW_PATIENCE", "1"))
_NAME = re.compile(r"^pw-(\d+)-\d+-[a-z0-9]+$")
_count = itertools.count(1)
_owner = os.getpid()
_namespaces = {}
_directories = set()
_processes = set()
_armed = False


class HarnessError(Exception):
    """The fixture itself failed: never what a test is about."""


def unique(role):
    """A name that no other run on this machine uses at the same time."""
    return f"pw-{_owner}-{next(_count)}-{role}"


def wait_until(condition, timeout=10.0, what="condition"):
    """Poll where the kernel offers no event; the deadline is bounded and said."""
    timeout *= PATIENCE
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise HarnessError(f"{what} did not come true in {timeout:.0f} s")
        time.sleep(0.005)


def netns_path(name):
    return os.path.join(NETNS_DIR, name)


def add_netns(role):
    _arm()
    name = unique(role)
    subprocess.run(["ip", "netns", "add", name], check=True, capture_output=True, timeout=30 * PATIENCE)
    _namespaces[name] = os.stat(netns_path(name)).st_ino
    return name


def delete_netns(name):
    """Processes left inside are ours (the name is): they'd keep the namespace alive."""
    inode = _namespaces.pop(name, None)
    if inode is None:
        return
    _kill_inside({inode})
    _unmount(name)


def forget_netns(name):
    """For a test that takes a namespace away itself: `ip netns del` as a runtime does."""
    _namespaces.pop(name, None)
    _unmount(name)


def _unmount(name):
    subprocess.run(["ip", "netns", "del", name], capture_output=True, timeout=30 * PATIENCE, check=False)


def _kill_inside(inodes):
    me = os.getpid()
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == me:
            continue
        try:
            if os.stat(f"/proc/{entry}/ns/net").st_ino in inodes:
                os.kill(int(entry), signal.SIGKILL)
        except OSError:
            pass


def temporary_directory(role="tmp"):
    _arm()
    path = tempfile.mkdtemp(prefix=unique(role) + "-")
    # A plugin that drops privileges, and a netns test run as another user, must get in.
    os.chmod(path, 0o755)
    _directories.add(path)
    return path


def remove_directory(path):
    _directories.discard(path)
    shutil.rmtree(path, ignore_errors=True)


def track(process):
    _arm()
    _processes.add(process)
    return process


def finish(process):
    """End a background process; harmless when it has ended by itself."""
    _processes.discard(process)
    if process.poll() is None:
        process.kill()
    process.wait(timeout=30 * PATIENCE)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()


def close_all():
    if os.getpid() != _owner:
        return
    for process in list(_processes):
        finish(process)
    if _namespaces:
        _kill_inside(set(_namespaces.values()))
    for name in list(_namespaces):
        _namespaces.pop(name, None)
        _unmount(name)
    for path in list(_directories):
        remove_directory(path)


def _on_signal(number, _frame):
    close_all()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _arm():
    global _armed
    if _armed:
        return
    _armed = True
    atexit.register(close_all)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _on_signal)
        signal.signal(signal.SIGHUP, _on_signal)
    _sweep()


def _sweep():
    """What a run left that was killed with SIGKILL (ctest's timeout), processes included."""
    stale = [name for name in _list(NETNS_DIR) if _is_stale(name)]
    inodes = set()
    for name in stale:
        try:
            inodes.add(os.stat(netns_path(name)).st_ino)
        except OSError:
            pass
    if inodes:
        _kill_inside(inodes)
    for name in stale:
        _unmount(name)
    for name in _list(tempfile.gettempdir()):
        if _is_stale(name.rsplit("-", 1)[0]):
            _sweep_directory(name)


def _list(directory):
    try:
        return os.listdir(directory)
    except FileNotFoundError:
        return []


def _is_stale(name):
    match = _NAME.match(name)
    return match is not None and not os.path.exists(f"/proc/{match.group(1)}")


def _sweep_directory(name):
    shutil.rmtree(os.path.join(tempfile.gettempdir(), name), ignore_errors=True)
