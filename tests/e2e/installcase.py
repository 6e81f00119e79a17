# SPDX-License-Identifier: GPL-2.0-or-later
"""A node's file system below a temporary root, for podwirectl install and uninstall to work on."""
import json
import os
import shutil
import subprocess
import unittest

from harness import resources
from harness.case import BUILD_DIR, PODWIRE, REFERENCE_DIR

PODWIRECTL = os.environ.get("PODWIRECTL") or os.path.join(BUILD_DIR, "ctl", "podwirectl")
V4, V6 = "10.244.1.0/24", "fd00:10:244:1::/64"
BIN, CONF = "/opt/cni/bin", "/etc/cni/net.d"
CONFLIST = f"{CONF}/10-podwire.conflist"


class InstallCase(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(PODWIRECTL):
            raise unittest.SkipTest(f"{PODWIRECTL} is not built")
        self.root = resources.temporary_directory("root")
        self.addCleanup(resources.remove_directory, self.root)

    # The node

    def path(self, path):
        return self.root + path

    def write(self, path, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        with open(self.path(path), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(path), mode)

    def read(self, path):
        with open(self.path(path), encoding="utf-8") as file:
            return file.read()

    def plugins(self, directory=BIN, names=("loopback", "host-local")):
        """The reference plugins, real ones where a test runs them."""
        os.makedirs(self.path(directory), exist_ok=True)
        for name in names:
            self.write(f"{directory}/{name}", "#!/bin/sh\n", 0o755)

    def real_plugins(self, directory=BIN, names=("loopback", "host-local")):
        os.makedirs(self.path(directory), exist_ok=True)
        for name in names:
            shutil.copy(os.path.join(REFERENCE_DIR, name), self.path(directory))

    def picture(self, top="/"):
        """{path: what is there}, with content, mode and inode: a rename shows."""
        found = {}
        for directory, folders, files in os.walk(self.path(top)):
            for name in [*folders, *files]:
                path = os.path.join(directory, name)
                at = os.lstat(path)
                body = os.readlink(path) if os.path.islink(path) else None
                if os.path.isfile(path) and body is None:
                    with open(path, "rb") as file:
                        body = file.read()
                found[path.removeprefix(self.root)] = (oct(at.st_mode), at.st_ino if name in files else 0, body)
        return found

    # The commands

    def argv(self, command, *arguments, plugin=PODWIRE, options=()):
        more = ["--plugin", plugin] if command == "install" and plugin else []
        return [PODWIRECTL, *options, command, "--root", self.root, *more, *map(str, arguments)]

    def run_ctl(self, command, *arguments, prefix=(), environment=None, **options):
        done = subprocess.run([*prefix, *self.argv(command, *arguments, **options)], capture_output=True, text=True,
                              timeout=60 * resources.PATIENCE, check=False, env=environment)
        self.assertNotIn("Sanitizer", done.stderr)
        self.assertNotIn("runtime error", done.stderr)
        return done

    def install(self, *arguments, pods=(V4, V6), status=0, **options):
        cidrs = [word for one in pods for word in ("--pod-cidr", one)]
        done = self.run_ctl("install", *cidrs, *arguments, **options)
        self.assertEqual(done.returncode, status, done)
        return done

    def uninstall(self, *arguments, status=0, **options):
        done = self.run_ctl("uninstall", *arguments, **options)
        self.assertEqual(done.returncode, status, done)
        return done

    def refused(self, text, *arguments, **options):
        """It fails with this text and has changed nothing."""
        before = self.picture()
        done = self.install(*arguments, status=1, **options)
        self.assertIn(text, done.stderr)
        self.assertEqual(self.picture(), before)
        return done

    def steps(self, done):
        """{what: done} of the JSON document."""
        return {step["what"]: step["done"] for step in json.loads(done.stdout)["steps"]}

    def assert_installed(self, bin_dir=BIN, conf_dir=CONF, plugin=PODWIRE):
        with open(self.path(f"{bin_dir}/podwire"), "rb") as file, open(plugin, "rb") as wanted:
            self.assertTrue(file.read() == wanted.read(), "another plugin")
        self.assertEqual(os.stat(self.path(f"{bin_dir}/podwire")).st_mode & 0o7777, 0o755)
        self.assertEqual(os.listdir(self.path(conf_dir)), ["10-podwire.conflist"])
        self.assertEqual(os.stat(self.path(f"{conf_dir}/10-podwire.conflist")).st_mode & 0o7777, 0o644)
        self.assertEqual([name for name in os.listdir(self.path(bin_dir)) if name.startswith(".")], [])
