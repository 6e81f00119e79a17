#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""boot.py FILE [NAME...]: run a test file of this folder where systemd is the first process.

This system's root directory, with an overlay so that nothing of it changes, is booted as a container, with
a network namespace, a bpf file system and cgroups of its own. In there the tests are root of a machine:
they install packages, start services and make pods as on a node. FILE and NAME are runtests.py's.

All of it runs in a mount and pid namespace of its own, and ends with it, however it ends; only the cgroups
have to be removed. Exit status: as of runtests.py; 77 where there's no systemd-nspawn or no package.
"""
import ctypes
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCE_DIR = os.environ.get("PW_SOURCE_DIR") or os.path.abspath(
    os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD_DIR = os.environ.get("PW_BUILD_DIR") or os.path.join(SOURCE_DIR, "build", "release")
SKIPPED = 77
# These folders as the guest sees them: not where a service with ProtectHome= and PrivateTmp= sees nothing.
RESULTS, SOURCE, BUILD, TEMPORARY = "/run/results", "/usr/src/podwire", "/usr/src/podwire-build", "/srv/podwire-test"
DEADLINE = float(os.environ.get("PW_SYSTEMD_DEADLINE", "960"))  # seconds, boot and all
HIERARCHIES = ("", "systemd", "unified")  # of cgroups: the only one, or those that systemd has of several

# Services of this system that a test has no use for, or that would try to change the kernel's state.
MASKED = ("systemd-sysctl.service", "systemd-modules-load.service", "systemd-udevd.service",
          "systemd-networkd.service", "systemd-networkd.socket", "systemd-resolved.service",
          "systemd-timesyncd.service", "systemd-hwdb-update.service", "systemd-firstboot.service",
          "console-getty.service", "getty.target", "timers.target", "NetworkManager.service")

TARGET = """[Unit]
Description=the tests
Requires=basic.target dbus.service
Wants=pw-test.service
After=basic.target dbus.service
AllowIsolate=yes
"""
SERVICE = """[Unit]
Description=one file of tests
After=basic.target dbus.service
SuccessAction=exit-force
FailureAction=exit-force
[Service]
Type=oneshot
ExecStart={command}
ExecStopPost=/bin/sh -c 'journalctl -b --no-pager -o short-monotonic >{results}/journal'
ExecStopPost=/bin/sh -c 'echo $$EXIT_STATUS >{results}/status'
StandardOutput=file:{results}/output
StandardError=inherit
{environment}
TimeoutStartSec=infinity
"""


# Outside

def cgroups(name):
    """Where a cgroup of that name is or would be."""
    return [os.path.join("/sys/fs/cgroup", hierarchy, name) for hierarchy in HIERARCHIES
            if os.path.exists(os.path.join("/sys/fs/cgroup", hierarchy, "cgroup.procs"))]


def remove_cgroup(path):
    """Deepest first; the kernel empties a killed process's cgroup a moment after its parent has seen the end."""
    deadline = time.monotonic() + 10
    while os.path.isdir(path):
        for directory, _, _ in os.walk(path, topdown=False):
            try:
                os.rmdir(directory)
            except OSError:
                pass
        if time.monotonic() > deadline:
            sys.exit(f"cannot remove the cgroup {path}")
        time.sleep(0.02)


def sweep():
    """What a run left that was killed outright."""
    for pattern in cgroups("podwire-test-*"):
        for path in glob.glob(pattern):
            if not os.path.exists(f"/proc/{path.rsplit('-', 1)[1]}"):
                remove_cgroup(path)
    for path in glob.glob(os.path.join(tempfile.gettempdir(), "podwire-test-*-*")):
        if not os.path.exists(f"/proc/{os.path.basename(path).split('-')[2]}"):
            shutil.rmtree(path, ignore_errors=True)


def on_signal(number, _frame):
    sys.exit(128 + number)


def outside(arguments):
    for program in ("systemd-nspawn", "dpkg-deb"):
        if not shutil.which(program):
            print(f"needs {program} (deploy/packages, \"all\")")
            return SKIPPED
    if os.geteuid() != 0 or not glob.glob(os.path.join(BUILD_DIR, "packages", "*.deb")):
        print(f"needs root, and packages in {BUILD_DIR}/packages (cmake --build --preset release --target packages)")
        return SKIPPED
    sweep()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, on_signal)
    name = f"podwire-test-{os.getpid()}"
    results = tempfile.mkdtemp(prefix=f"{name}-")
    process = None
    try:
        for path in cgroups(name):
            os.mkdir(path)
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--propagation", "private", "--net", "--ipc",
             "--uts", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, os.path.abspath(__file__),
             "--inside", name, results, *arguments], stdin=subprocess.DEVNULL)
        try:
            process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            print(f"ended after {DEADLINE:.0f} s")
        return report(results)
    finally:
        if process and process.poll() is None:
            process.kill()
            process.wait()
        for path in cgroups(name):
            remove_cgroup(path)
        shutil.rmtree(results, ignore_errors=True)


def read(results, name):
    try:
        with open(os.path.join(results, name), encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def report(results):
    output, status = read(results, "output"), read(results, "status").strip()
    counts = re.findall(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", output, re.M)
    if counts and status in ("0", str(SKIPPED)):
        print(output, end="")
        return int(status)
    print("console:", read(results, "console")[-4000:], "journal:", read(results, "journal")[-20000:], sep="\n")
    print(output, end="")
    if not counts:
        print("0 passed, 1 failed, 0 skipped")
    return 1


# Inside: pid 1 of a pid namespace

def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def make_root(work):
    """An overlay over this system; its upper half is memory."""
    root = os.path.join(work, "root")
    for name in ("upper", "work", "root", "bpf"):
        os.mkdir(os.path.join(work, name))
    mount("-t", "overlay", "-o", f"lowerdir=/,upperdir={work}/upper,workdir={work}/work", "overlay", root)
    mount("-t", "bpf", "bpf", os.path.join(work, "bpf"))
    return root


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.lexists(path):
        os.unlink(path)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def strip(root):
    """What is of this system and not of a node's goes."""
    units = os.path.join(root, "etc/systemd/system")
    for name in MASKED:
        path = os.path.join(units, name)
        os.makedirs(units, exist_ok=True)
        if os.path.lexists(path):
            os.unlink(path)
        os.symlink("/dev/null", path)
    # it forbids packages to start services, as build machines and containers like it
    policy = os.path.join(root, "usr/sbin/policy-rc.d")
    if os.path.lexists(policy):
        os.unlink(policy)
    # manual pages are indexed after each installation, for seconds, where this file is
    auto_update = os.path.join(root, "var/lib/man-db/auto-update")
    if os.path.exists(auto_update):
        os.unlink(auto_update)
    for directory in ("var/lib/podwire", "etc/podwire", "var/log/journal", "etc/cni"):
        shutil.rmtree(os.path.join(root, directory), ignore_errors=True)


def furnish(root, arguments):
    """The test comes."""
    units = os.path.join(root, "etc/systemd/system")
    write(os.path.join(root, "etc/machine-id"), "0" * 31 + "1\n")
    write(os.path.join(root, "etc/hostname"), "node\n")
    passed = {name: value for name, value in os.environ.items() if name.startswith("PW_")}
    environment = {**passed, "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                   "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "PW_SOURCE_DIR": SOURCE,
                   "PW_BUILD_DIR": BUILD, "PW_IN_GUEST": "1", "TMPDIR": TEMPORARY}
    for directory in (SOURCE, BUILD, TEMPORARY):
        os.makedirs(root + directory, exist_ok=True)
    command = ["/usr/bin/python3", f"{SOURCE}/tests/harness/runtests.py",
               f"{SOURCE}/tests/systemd/{os.path.basename(arguments[0])}", *arguments[1:]]
    write(os.path.join(units, "pw-test.target"), TARGET)
    write(os.path.join(units, "pw-test.service"), SERVICE.format(
        command=" ".join(command), results=RESULTS,
        environment="\n".join(f'Environment="{name}={value}"' for name, value in environment.items())))


def inside(name, results, arguments):
    for path in cgroups(name):
        write_own_pid(os.path.join(path, "cgroup.procs"))
    work = os.path.join(results, "work")
    os.mkdir(work)
    mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", work)
    root = make_root(work)
    strip(root)
    furnish(root, arguments)
    netns = os.path.join(work, "netns")
    open(netns, "w", encoding="ascii").close()
    subprocess.run(["unshare", f"--net={netns}", "true"], check=True)
    # the node's own sysctls, and no others
    environment = {**os.environ, "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "network"}
    with open(os.path.join(results, "console"), "wb") as console:
        return subprocess.run(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--console=pipe", f"--machine={name}",
             "-D", root, f"--network-namespace-path={netns}", "--capability=all", "--system-call-filter=bpf",
             f"--bind={work}/bpf:/sys/fs/bpf", f"--bind={results}:{RESULTS}:norbind",
             f"--bind-ro={SOURCE_DIR}:{SOURCE}", f"--bind-ro={BUILD_DIR}:{BUILD}", "--resolv-conf=off",
             "--timezone=off", "--link-journal=no", "--boot", "systemd.unit=pw-test.target"],
            env=environment, stdin=subprocess.DEVNULL, stdout=console, stderr=console, check=False).returncode


def write_own_pid(path):
    with open(path, "w", encoding="ascii") as file:
        file.write("0")


def main(arguments):
    if arguments[:1] == ["--inside"]:
        # whoever killed the one outside means this one too
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        return inside(arguments[1], arguments[2], arguments[3:])
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    return outside(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
