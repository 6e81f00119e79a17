# SPDX-License-Identifier: GPL-2.0-or-later
"""podwire --validate and the JSON schema: what each says of the network lists of conflists.py."""
import json
import os
import subprocess
import unittest

import conflists
from conformance import config as table
from conflists import conflist, podwire
from harness import resources
from harness.case import PODWIRE, SOURCE_DIR

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMA = os.path.join(SOURCE_DIR, "deploy", "podwire.schema.json")
EXAMPLE = os.path.join(SOURCE_DIR, "deploy", "10-podwire.conflist")
# What a runtime adds isn't part of a list, and --validate needn't look at it there.
RUNTIMES_KEYS = ("runtimeConfig", "args", "prevResult")


def text_of(body):
    return body if isinstance(body, str) else json.dumps(body)


class Validate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(PODWIRE):
            raise unittest.SkipTest(f"{PODWIRE} is not built")
        cls.directory = resources.temporary_directory("validate")
        cls.addClassCleanup(resources.remove_directory, cls.directory)

    def run_plugin(self, *paths):
        return subprocess.run([PODWIRE, "--validate", *paths], capture_output=True, text=True, timeout=30,
                              env={}, check=False)

    def validate(self, body):
        path = os.path.join(self.directory, "net.conflist")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text_of(body))
        return self.run_plugin(path)

    def test_names_of_rows_are_unique(self):
        names = [row.name for row in conflists.ROWS]
        self.assertEqual(sorted(names), sorted(set(names)))

    def test_example_is_good(self):
        done = self.run_plugin(EXAMPLE)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_each_wrong_value_of_the_conformance_table(self):
        wrong = [(key, value, key) for key, values in table.WRONG.items() for value in values]
        for key, value, path in wrong + [row for row in table.NESTED if row[0] not in RUNTIMES_KEYS]:
            if key in RUNTIMES_KEYS:
                continue
            with self.subTest(path=path, value=value):
                done = self.validate(conflist(podwire(**{key: value})))
                self.assertEqual(done.returncode, 1, done)
                for line in done.stdout.splitlines():
                    self.assertTrue(line.startswith(f"plugins[0].{path}"), line)

    def test_each_good_value_of_the_conformance_table(self):
        for key, value, _ in table.GOOD:
            with self.subTest(key=key, value=value):
                done = self.validate(conflist(podwire(**{key: value})))
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_what_cannot_be_read(self):
        for path in "/no/such/file", self.directory:
            with self.subTest(path=path):
                done = self.run_plugin(path)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(path, done.stderr)
        self.assertEqual(self.run_plugin().returncode, 2)

    def test_a_pipe_is_as_good_as_a_file(self):
        done = subprocess.run([PODWIRE, "--validate", "/dev/stdin"], input=text_of(conflist(podwire(mtu=1))),
                              capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, "plugins[0].mtu: 1 is not in 68..65535\n"))


@unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(SCHEMA, encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.schema = jsonschema.Draft202012Validator(schema)

    def accepts(self, text):
        try:
            return self.schema.is_valid(json.loads(text))
        except ValueError:
            return False

    def test_example_is_good(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            self.assertTrue(self.accepts(file.read()))

    def test_few_faults_are_beyond_it(self):
        self.assertLessEqual(sum(bool(row.schema) for row in conflists.ROWS), 5)


def plugin_test(row):
    def test(self):
        done = self.validate(row.body)
        said = "".join(f"{finding}\n" for finding in row.findings)
        self.assertEqual((done.returncode, done.stdout), (row.status, said), done.stderr)
        self.assertTrue(done.stderr.startswith(row.stderr) if row.stderr else not done.stderr, done.stderr)
    return test


def schema_test(row):
    def test(self):
        self.assertEqual(self.accepts(text_of(row.body)), row.good or bool(row.schema), row.schema)
    return test


for _row in conflists.ROWS:
    _name = _row.name.replace(".", "_").replace("/", "_").replace("-", "_")
    setattr(Validate, f"test_row_{_name}", plugin_test(_row))
    setattr(Schema, f"test_row_{_name}", schema_test(_row))


if __name__ == "__main__":
    unittest.main()
