# SPDX-License-Identifier: GPL-2.0-or-later
"""What README.md shows is what the repository has."""
import json
import os
import re
import subprocess
import unittest

from harness.case import PODWIRE, SOURCE_DIR


def read(*path):
    with open(os.path.join(SOURCE_DIR, *path), encoding="utf-8") as file:
        return file.read()


class Readme(unittest.TestCase):
    example = ("deploy", "10-podwire.conflist")

    def test_example_is_the_file_that_is_shipped(self):
        shown = re.search(r"```json\n(.*?)```", read("README.md"), re.S).group(1)
        self.assertEqual(shown, read(*self.example))

    def test_example_has_no_finding(self):
        done = subprocess.run([PODWIRE, "--validate", os.path.join(SOURCE_DIR, *self.example)],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_every_key_of_the_schema_is_in_the_table_and_no_other(self):
        shown = set(re.findall(r"^\| `(\w+)` \|", read("README.md"), re.M))
        schema = json.loads(read("deploy", "podwire.schema.json"))
        keys = set(schema["$defs"]["podwire"]["properties"])
        # what a runtime puts in, and what it takes out before a plugin sees it
        injected = {"args", "runtimeConfig", "prevResult", "cni.dev/valid-attachments", "cni.dev/attachments"}
        self.assertEqual(shown - {"capabilities"}, keys - injected)

    def test_files_that_it_names_are_there(self):
        text = read("README.md") + read("HACKING.md")
        for name in re.findall(r"`((?:deploy|tests|plugin|lib)/[\w./-]+)`", text):
            self.assertTrue(os.path.exists(os.path.join(SOURCE_DIR, name)), name)


class Packages(unittest.TestCase):
    def test_each_has_a_known_purpose_and_is_listed_once(self):
        lines = [line.split() for line in read("deploy", "packages").splitlines()
                 if line and not line.startswith("#")]
        names = [line[0] for line in lines]
        self.assertEqual(len(names), len(set(names)))
        for name, *purposes in lines:
            self.assertTrue(purposes, name)
            self.assertLessEqual(set(purposes), {"build", "demo", "test", "all", "cleanroom"}, name)
