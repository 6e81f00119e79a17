#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Daemons of a demonstration, without a service manager. All that is kept of NAME is in DIR.

  daemon.py start DIR NAME COMMAND...   detached from the terminal; returns once it says READY=1, prints its pid
  daemon.py stop DIR NAME [SIGNAL]      by SIGNAL (TERM), and KILL where that isn't enough; returns once it is gone
  daemon.py left DIR PROGRAM...         processes of these programs that have DIR in their arguments, a line each

DIR/NAME.log has what it says. Exits with status 1 where it didn't become ready, with its last line on stderr.
"""
import os
import select
import signal
import socket
import subprocess
import sys

READY_SECONDS, STOP_SECONDS = 20, 10
SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


def place(directory, name, suffix):
    return os.path.join(directory, f"{name}.{suffix}")


def arguments(pid):
    """Of a process; none once it has ended."""
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read().split("\0")
    except OSError:
        return []


def is_about(pid, directory):
    return any(f"{directory}/" in argument for argument in arguments(pid))


def last_line(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    return lines[-1] if lines else "it says nothing"


def spawn(directory, name, command, environment):
    """With its pid written down, whatever comes between."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    with open(place(directory, name, "log"), "ab") as log:
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   cwd="/", start_new_session=True,
                                   preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS))
    with open(place(directory, name, "pid"), "w", encoding="ascii") as file:
        file.write(f"{process.pid}\n")
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    return process


def wait_ready(notices, process):
    """Until it says so: True; or ends, or has been silent for too long."""
    end = os.pidfd_open(process.pid)
    try:
        while True:
            events, _, _ = select.select([notices, end], [], [], READY_SECONDS)
            if notices in events:
                if b"READY=1" in notices.recv(4096).split(b"\n"):
                    return True
            else:
                return False
    finally:
        os.close(end)


def start(directory, name, *command):
    log, path = place(directory, name, "log"), place(directory, name, "notify")
    environment = {**os.environ, "NOTIFY_SOCKET": path}
    environment.pop("JOURNAL_STREAM", None)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
        notices.bind(path)
        try:
            process = spawn(directory, name, command, environment)
            ready = wait_ready(notices, process)
        finally:
            os.unlink(path)
    if ready:
        print(process.pid)
        return 0
    stop(directory, name)
    print(last_line(log), file=sys.stderr)
    return 1


def is_over(pidfd, seconds):
    return bool(select.select([pidfd], [], [], seconds)[0])


def stop(directory, name, by="TERM"):
    """One that isn't there has been stopped. A pid that has passed to somebody else's process is not ours."""
    path = place(directory, name, "pid")
    try:
        with open(path, encoding="ascii") as file:
            pid = int(file.read())
        pidfd = os.pidfd_open(pid)
    except (FileNotFoundError, ValueError, ProcessLookupError):
        return 0
    status = 0
    try:
        if is_about(pid, directory):
            signal.pidfd_send_signal(pidfd, signal.Signals[f"SIG{by}"])
            if not is_over(pidfd, STOP_SECONDS):
                print(f"{name} (pid {pid}) does not end by SIG{by}: killed", file=sys.stderr)
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
                is_over(pidfd, STOP_SECONDS)
                status = 1
    except ProcessLookupError:
        pass
    finally:
        os.close(pidfd)
    os.unlink(path)
    return status


def left(directory, *programs):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        words = arguments(pid)
        if words and os.path.basename(words[0]) in programs and is_about(pid, directory):
            print(pid, " ".join(words).strip())
    return 0


ACTIONS = {"start": (start, 3), "stop": (stop, 2), "left": (left, 2)}

action, least = ACTIONS.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
if action is None or len(sys.argv) < least + 2:
    sys.exit(__doc__)
if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
sys.exit(action(*sys.argv[2:]))
