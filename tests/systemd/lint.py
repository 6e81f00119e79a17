#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""lint.py: the packages, as lintian sees them: an error is a failure, all else is shown. Made a second time they
are the same, byte for byte."""
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

BUILD_DIR = os.environ.get("PW_BUILD_DIR") or os.path.join(os.getcwd(), "build", "release")


def digests(directory):
    found = {}
    for path in sorted(glob.glob(os.path.join(directory, "*.deb"))):
        with open(path, "rb") as file:
            found[os.path.basename(path)] = hashlib.sha256(file.read()).hexdigest()
    return found


def made_again():
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run(["cpack", "--config", os.path.join(BUILD_DIR, "CPackConfig.cmake"), "-B", directory],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return digests(directory)


def main():
    there = digests(os.path.join(BUILD_DIR, "packages"))
    if not there or not shutil.which("lintian"):
        print(f"needs lintian, and packages in {BUILD_DIR}/packages")
        return 77
    files = [os.path.join(BUILD_DIR, "packages", name) for name in there]
    lintian = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", *files], check=False).returncode
    same = made_again() == there
    if not same:
        print("packages that were made again differ")
    passed = (lintian == 0) + same
    print(f"{passed} passed, {2 - passed} failed, 0 skipped")
    return 0 if passed == 2 else 1


if __name__ == "__main__":
    sys.exit(main())
