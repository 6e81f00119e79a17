# SPDX-License-Identifier: GPL-2.0-or-later
"""The packages, as they are installed in the machine that boot.py makes."""
import glob
import os
import re
import shutil
import subprocess
import unittest

from harness.agent import PODWIRED_NEXT
from harness.case import BUILD_DIR
from harness.resources import PATIENCE, HarnessError, temporary_directory

NAMES = ("podwire", "podwire-cni")


def require_guest():
    """Never on a system that somebody uses."""
    if os.environ.get("PW_IN_GUEST") != "1":
        raise unittest.SkipTest("runs in the machine that tests/systemd/boot.py makes")


def dpkg(*arguments, check=True):
    """Returns what it said, and whether it came to a good end."""
    require_guest()
    done = subprocess.run(["dpkg", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=120 * PATIENCE, check=False, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    if check and done.returncode:
        raise HarnessError(f"dpkg {' '.join(arguments)}: {done.stdout}")
    return done.stdout, done.returncode == 0


def debs(*names):
    """The files of what was built."""
    found = [path for name in names or NAMES
             for path in glob.glob(os.path.join(BUILD_DIR, "packages", f"{name}_*.deb"))]
    if len(found) != len(names or NAMES):
        raise HarnessError(f"the packages in {BUILD_DIR}/packages are {found}")
    return found


def install(files, check=True):
    return dpkg("--install", *files, check=check)


def purge():
    return dpkg("--purge", *NAMES, check=False)


def version_of(deb):
    return subprocess.run(["dpkg-deb", "--field", deb, "Version"], capture_output=True, text=True,
                          check=True).stdout.strip()


def later(change=None, program=PODWIRED_NEXT, suffix="+next"):
    """The agent's package once more: a later version with another program; change(tree) may do more to it."""
    directory = temporary_directory("package")
    tree = os.path.join(directory, "tree")
    (deb,) = debs("podwire")
    subprocess.run(["dpkg-deb", "--raw-extract", deb, tree], check=True)
    shutil.copy(program, os.path.join(tree, "usr/sbin/podwired"))
    control = os.path.join(tree, "DEBIAN/control")
    with open(control, encoding="utf-8") as file:
        text = file.read()
    with open(control, "w", encoding="utf-8") as file:
        file.write(re.sub(r"^(Version: .*)$", rf"\1{suffix}", text, flags=re.M))
    if change:
        change(tree)
    path = os.path.join(directory, "podwire.deb")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, path], check=True,
                   stdout=subprocess.DEVNULL)
    return path


def exposure():
    """The level that systemd gives the unit: 0 is none, 10 is all."""
    done = subprocess.run(["systemd-analyze", "security", "--no-pager", "podwired.service"], capture_output=True,
                          text=True, check=False)
    found = re.search(r"Overall exposure level for podwired.service: ([\d.]+)", done.stdout)
    if not found:
        raise HarnessError(f"systemd-analyze security: {done.stdout}{done.stderr}")
    return float(found.group(1))
