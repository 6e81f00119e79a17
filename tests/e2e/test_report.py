# SPDX-License-Identifier: GPL-2.0-or-later
"""podwirectl report: what is in it, with and without an agent, and that nobody is to be known by it."""
import json
import os
import re
import stat
import subprocess

from agentcase import AgentCase
from harness import resources
from harness.libcni import Attachment
from installcase import PODWIRECTL

SECTIONS = {"report", "podwirectl", "redacted", "host", "agent", "records", "links", "sysctls", "files", "omitted"}
ADDRESS = re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b")
EVERYBODYS = {"0.0.0.0", "127.0.0.1", "169.254.1.1", "00:00:00:00:00:00"}


class ReportCase(AgentCase):
    def setUp(self):
        if not os.path.exists(PODWIRECTL):
            self.skipTest(f"{PODWIRECTL} is not built")
        super().setUp()
        self.conf_dir = os.path.join(self.node.directory, "net.d")
        os.mkdir(self.conf_dir)

    def put(self, name, body):
        with open(os.path.join(self.conf_dir, name), "w", encoding="utf-8") as file:
            file.write(body if isinstance(body, str) else json.dumps(body))

    def run_report(self, *arguments, status=0):
        done = self.node.run(PODWIRECTL, "--bus", self.agent.bus.address, "--runtime-dir", self.node.runtime_dir,
                             "report", "--config", self.agent.config, "--conf-dir", self.conf_dir,
                             "--state-dir", self.node.state_dir, *arguments, check=False)
        self.assertEqual(done.returncode, status, done)
        self.assertNotIn("Sanitizer", done.stderr)
        return done

    def report(self, *arguments):
        text = self.run_report(*arguments).stdout
        return json.loads(text), text

    def plant(self):
        """Pods with telling names: (what must not be seen, their host ends)."""
        network = self.network()
        network["plugins"][0]["dns"] = {"nameservers": ["192.0.2.53"], "domain": "acme.example", "search": ["hq.acme"]}
        self.put("10-podwire.conflist", network)
        secrets, names = {"192.0.2.53", "acme.example", "hq.acme", os.uname().nodename}, []
        for namespace, name in ("payroll", "ledger-0"), ("payroll", "ledger-1.x"), ("secret-plans", "web"):
            pod = self.node.pod(name=name, namespace=namespace)
            _, _, result = self.attach(network, pod)
            names.append(self.host_ifname(result))
            secrets |= {namespace, name, pod.uid, pod.container_id, pod.container_id[:16], pod.path}
            secrets |= {ip["address"].split("/")[0] for ip in result["ips"]}
            secrets |= {interface["mac"] for interface in result["interfaces"]}
        return secrets, sorted(names)

    def assert_unknown(self, text, secrets):
        for secret in secrets:
            self.assertNotRegex(text, rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])")
        self.assertEqual(set(ADDRESS.findall(text)) - EVERYBODYS, set())


class Report(ReportCase):
    config = {"uplinkRoutes": ["198.51.100.0/24"]}

    def test_nobody_is_known_by_it(self):
        secrets, names = self.plant()
        self.agent.start()
        for name in names:
            self.agent.wait_for(name, State="ready")
        body, text = self.report()
        self.assertEqual(set(body), SECTIONS)
        self.assertTrue(body["redacted"] and body["agent"]["answers"])
        self.assert_unknown(text, secrets | {"198.51.100.0"})
        # and still it shows who is who
        attachments = {one["hostInterface"]: one for one in body["agent"]["attachments"]}
        records = {one["hostInterface"]: one for one in body["records"]}
        self.assertEqual(sorted(attachments), names)
        self.assertEqual(sorted(records), names)
        for name in names:
            for key in "namespace", "name", "uid", "containerId", "addresses":
                self.assertEqual(attachments[name][key], records[name][key])
            self.assertTrue(re.fullmatch(r"<pod-\d+>", attachments[name]["name"]))
            self.assertIn("in-packets", attachments[name]["statistics"])
        self.assertEqual(len({one["name"] for one in records.values()}), 3)
        self.assertEqual(len({one["namespace"] for one in records.values()}), 2)
        self.assertLessEqual(set(names), {link["name"] for link in body["links"]})

    def test_without_redaction_it_tells_all(self):
        secrets, names = self.plant()
        self.agent.start()
        for name in names:
            self.agent.wait_for(name, State="ready")
        body, text = self.report("--no-redact")
        self.assertFalse(body["redacted"])
        for secret in secrets - {os.uname().nodename}:
            if not secret.startswith("/"):
                self.assertIn(secret, text)

    def test_without_an_agent(self):
        secrets, names = self.plant()
        body, text = self.report()
        self.assertEqual(set(body), SECTIONS)
        self.assertEqual(body["agent"], {"answers": False})
        self.assertTrue(any("agent" in line for line in body["omitted"]))
        self.assert_unknown(text, secrets)
        self.assertEqual(sorted(one["hostInterface"] for one in body["records"]), names)

    def test_the_configuration_is_in_it(self):
        self.plant()
        self.put("99-other.conf", "{}")
        self.put("broken.json", "no JSON, by payroll")
        os.mkdir(self.agent.config.removesuffix(".json") + ".d")
        with open(self.agent.config.removesuffix(".json") + ".d/20-x.json", "w", encoding="ascii") as file:
            file.write('{"uplinkXdp": "off"}')
        files = self.report("--no-redact")[0]["files"]
        self.assertEqual(files["networks"], ["10-podwire.conflist", "99-other.conf", "broken.json"])
        self.assertIn({"uplinkXdp": "off"}, files.values())
        self.assertIn(self.config, files.values())
        text = self.report()[1]
        self.assertNotIn("by payroll", text)

    def test_files_that_are_no_json_are_left_out_and_said(self):
        self.put("10-podwire.conflist", "password 192.0.2.7")
        self.agent.configure("x" * 100_000)
        body, text = self.report()
        self.assertNotIn("192.0.2.7", text)
        self.assertNotIn("xxxx", text)
        self.assertTrue(any("10-podwire.conflist" in line for line in body["omitted"]), body["omitted"])
        self.assertTrue(any("larger than" in line for line in body["omitted"]), body["omitted"])

    def test_names_that_are_no_names(self):
        """CNI_ARGS may have anything for a pod's name."""
        network = self.network()
        pod = self.node.pod()
        args = f"IgnoreUnknown=1;K8S_POD_NAMESPACE=a b;K8S_POD_NAME=\"<pod-1>\" \\ and\tmore;K8S_POD_UID={pod.uid}"
        attachment = Attachment.of(pod).replace(cni_args=args)
        self.runtime.add(network, attachment)
        text = self.report()[1]
        self.assertNotIn("and", "".join(one["name"] for one in json.loads(text)["records"]))
        self.assertNotIn(pod.uid, text)

    def test_a_file_is_its_owners_and_never_an_old_one(self):
        path = os.path.join(self.node.directory, "report.json")
        self.assertEqual(self.run_report("-o", path).stdout, f"{path}\n")
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(set(json.load(file)), SECTIONS)
        self.assertIn("File exists", self.run_report("-o", path, status=1).stderr)
        link = path + ".link"
        os.symlink(os.path.join(self.node.directory, "elsewhere"), link)
        self.run_report("--output", link, status=1)
        self.assertFalse(os.path.exists(os.path.join(self.node.directory, "elsewhere")))

    def test_it_is_bounded(self):
        directory = os.path.join(self.node.state_dir, "attachments")
        os.makedirs(directory)
        for number in range(700):
            with open(os.path.join(directory, f"vethpw{number:09x}.json"), "w", encoding="ascii") as file:
                file.write("{}")
        body = self.report()[0]
        self.assertEqual(len(body["records"]), 500)
        self.assertIn("200 of 700 records", body["omitted"])

    def test_wrong_usage(self):
        for arguments in ["--no-such"], ["more"], ["-o"]:
            self.run_report(*arguments, status=64)

    def test_standard_output_that_is_full(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([PODWIRECTL, "--bus", "unix:path=/nowhere", "report"], stdout=full,
                                  stderr=subprocess.PIPE, timeout=60 * resources.PATIENCE, check=False)
        self.assertEqual(done.returncode, 1)
