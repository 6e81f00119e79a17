# SPDX-License-Identifier: GPL-2.0-or-later
"""What deploy/ ships for clusters: it is well formed, the programs take what it calls them with, the agent needs no
more than the manifest gives it, and the examples' networks make pods."""
import glob
import json
import os
import re
import subprocess

from agentcase import AgentCase
from harness import flannel
from harness.agent import PODWIRED
from harness.case import PODWIRE, REFERENCE_DIR, SOURCE_DIR, Case
from harness.libcni import Attachment, Multus
from harness.resources import PATIENCE
from installcase import PODWIRECTL, V4, InstallCase

try:
    import jsonschema
except ImportError:
    jsonschema = None
try:
    import yaml
except ImportError:
    yaml = None

DEPLOY = os.path.join(SOURCE_DIR, "deploy")
MANIFEST = os.path.join(DEPLOY, "kubernetes", "podwire.yaml")


def read(*path):
    with open(os.path.join(DEPLOY, *path), encoding="utf-8") as file:
        return file.read()


def capabilities():
    """What the manifest adds, without a YAML parser."""
    add = read(MANIFEST).split("add:")[1].split("readinessProbe")[0]
    return re.findall(r"^\s+- ([A-Z_]+)\b", add, re.M)


def second_network():
    """The JSON in Multus' example."""
    text = read("examples", "multus", "storage.yaml").split("config: |\n")[1]
    return json.loads(text)


class Documents(InstallCase):
    def setUp(self):
        super().setUp()
        if yaml is None:
            self.skipTest("python3-yaml is not installed")

    def manifest(self):
        return {body["kind"]: body for body in yaml.safe_load_all(read(MANIFEST))}

    def pod(self):
        return self.manifest()["DaemonSet"]["spec"]["template"]["spec"]

    def test_all_yaml_can_be_read(self):
        for path in glob.glob(f"{DEPLOY}/**/*.yaml", recursive=True):
            with self.subTest(path=path):
                for body in yaml.safe_load_all(read(path)):
                    self.assertLessEqual({"apiVersion", "kind", "metadata"}, set(body))

    def test_each_mount_has_its_volume(self):
        pod = self.pod()
        volumes = {volume["name"] for volume in pod["volumes"]}
        mounts = {mount["name"] for container in pod["initContainers"] + pod["containers"]
                  for mount in container["volumeMounts"]}
        self.assertEqual(volumes, mounts)

    def test_nothing_is_privileged(self):
        pod = self.pod()
        for container in pod["initContainers"] + pod["containers"]:
            context = container["securityContext"]
            self.assertEqual((context["privileged"], context["readOnlyRootFilesystem"],
                              context["capabilities"]["drop"]), (False, True, ["ALL"]))
        self.assertEqual(pod["containers"][0]["securityContext"]["capabilities"]["add"], capabilities())
        self.assertNotIn("add", pod["initContainers"][0]["securityContext"]["capabilities"])

    def test_the_init_container_installs(self):
        """Its own command line, with the container's paths below the test's directory."""
        container = self.pod()["initContainers"][0]
        names = {"/host": self.path("/host"), "/nodes": self.path("/nodes"),
                 "/usr/lib/podwire/podwire-static": PODWIRE, "/usr/bin/podwirectl": PODWIRECTL}
        arguments = []
        for word in container["command"]:
            word = word.replace("$(NODE_NAME)", "node-a")
            option, value = word.split("=") if "=" in word else ("", word)
            for old, new in names.items():
                if value == old or value.startswith(old + "/"):
                    value = value.replace(old, new, 1)
            arguments.append(f"{option}={value}" if option else value)
        self.plugins("/host/opt/cni/bin")
        os.makedirs(self.path("/nodes/..data"))
        self.write("/nodes/..data/node-a", f"{V4} fd00:1::/64\n")
        os.symlink("..data/node-a", self.path("/nodes/node-a"))  # as a ConfigMap is mounted
        # without any capability, as there
        done = subprocess.run(["setpriv", "--bounding-set=-all", "--inh-caps=-all", *arguments], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done)
        self.assert_installed("/host/opt/cni/bin", "/host/etc/cni/net.d")

    def test_the_agent_takes_its_arguments(self):
        command = self.pod()["containers"][0]["command"]
        self.assertEqual(command[0], "/usr/sbin/podwired")
        subprocess.run([PODWIRED, *command[1:], "--version"], check=True, capture_output=True, timeout=60)

    def test_probes_are_commands_of_podwirectl(self):
        known = subprocess.run([PODWIRECTL, "--help"], check=True, capture_output=True, text=True, timeout=60).stdout
        for probe in "readinessProbe", "livenessProbe":
            command = self.pod()["containers"][0][probe]["exec"]["command"]
            self.assertEqual(command[0], "/usr/bin/podwirectl")
            self.assertRegex(known, rf"(?m)^  {command[1]} ")


class Networks(InstallCase):
    def networks(self):
        with_delegate = json.loads(read("examples", "flannel", "cni-conf.json"))
        delegate = dict(with_delegate["plugins"][0]["delegate"], name=with_delegate["name"],
                        cniVersion=with_delegate["cniVersion"])
        return {"shipped": json.loads(read("10-podwire.conflist")), "multus": second_network(), "flannel": delegate}

    def test_the_plugin_finds_nothing_in_them(self):
        for name, network in self.networks().items():
            with self.subTest(name):
                self.write("/net.conflist", json.dumps(network))
                done = subprocess.run([PODWIRE, "--validate", self.path("/net.conflist")], capture_output=True,
                                      text=True, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stdout), (0, ""), done)

    def test_the_schema_takes_them(self):
        if jsonschema is None:
            self.skipTest("python3-jsonschema is not installed")
        schema = jsonschema.Draft202012Validator(json.loads(read("podwire.schema.json")))
        for name, network in self.networks().items():
            with self.subTest(name):
                self.assertEqual([error.message for error in schema.iter_errors(network)], [])


class Image(InstallCase):
    def test_the_image_has_the_programs_libraries(self):
        needed = set()
        for program in PODWIRED, PODWIRECTL:
            text = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True,
                                  timeout=60).stdout
            needed.update(re.findall(r"\(NEEDED\).*\[(.+)\]", text))
        installed = set(re.findall(r"^    (lib\S+)", read("Containerfile").split("FROM")[-1], re.M))
        for library in sorted(needed):
            if re.match(r"lib(c|asan|ubsan|gcc_s|m)\.so", library):
                continue
            owners = subprocess.run(["dpkg-query", "-S", f"*/{library}"], check=False, capture_output=True, text=True,
                                    timeout=60).stdout
            packages = {line.split(":")[0] for line in owners.splitlines()}
            self.assertTrue(packages & installed, f"{library} of {packages} is not in the image")

    def test_what_it_builds_with_is_the_list_of_packages(self):
        script = re.search(r"awk .*?deploy/packages", read("Containerfile").replace("\\\n", ""), re.S).group()
        done = subprocess.run(["sh", "-c", script], cwd=SOURCE_DIR, check=True, capture_output=True, text=True,
                              timeout=60)
        self.assertLessEqual({"cmake", "clang", "libbpf-dev"}, set(done.stdout.split()))
        self.assertNotIn("#", done.stdout)
        self.assertNotIn("iperf3", done.stdout)


class Capabilities(AgentCase):
    def launcher(self, names):
        """The agent with these capabilities alone. (As root's program it has what its bounding set leaves.)"""
        wanted = "".join(f",+{name.lower()}" for name in names)
        path = os.path.join(self.node.directory, "podwired")
        with open(path, "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\nexec setpriv --bounding-set=-all{wanted} --inh-caps=-all {PODWIRED} "$@"\n')
        os.chmod(path, 0o755)
        return path

    def test_the_agent_needs_no_more_than_the_manifest_gives(self):
        self.agent.start(program=self.launcher(capabilities()))
        with open(f"/proc/{self.agent.process.pid}/status", encoding="ascii") as status:
            effective = int(re.search(r"CapEff:\s+(\w+)", status.read()).group(1), 16)
        self.assertEqual(bin(effective).count("1"), len(capabilities()))
        pod, _, _, name = self.wired(self.network(ipMasq=True))
        self.assertTrue(pod.ping("192.0.2.1"))
        self.agent.wait_for(name, SourceCheck="bpf")
        self.assertGreater(dict(self.agent.statistics(name))["in-packets"], 0)

    def test_it_needs_each_of_them(self):
        for missing in capabilities():
            with self.subTest(missing):
                self.agent.start(program=self.launcher(set(capabilities()) - {missing}), ready=False)
                self.assertEqual(self.agent.process.wait(30 * PATIENCE), 1, self.agent.log())


class Pods(Case):
    def setUp(self):
        super().setUp()
        self.node.uplink()

    def here(self, network):
        """Its state in the test's directories; of the text nothing else is changed."""
        for plugin in network["plugins"]:
            ours = plugin if plugin["type"] == "podwire" else plugin.get("delegate")
            if ours:
                ours.update(stateDir=self.node.state_dir, runtimeDir=self.node.runtime_dir)
            if "ipam" in plugin:
                plugin["ipam"]["dataDir"] = os.path.join(self.node.directory, "ipam")
        return network

    def test_flannel_delegates_to_it(self):
        flannel.install(self.node, ["10.244.7.0/24"], ["10.244.0.0/16"])
        network = self.here(json.loads(read("examples", "flannel", "cni-conf.json")))
        self.node.install("portmap", os.path.join(REFERENCE_DIR, "portmap"))
        pod, attachment, result = self.attach(network)
        address = result["ips"][0]["address"].split("/")[0]
        self.assertTrue(address.startswith("10.244.7."))
        self.assertTrue(self.node.ping(address))
        self.assertTrue(pod.ping("192.0.2.1"))
        self.assertEqual(pod.link("eth0")["mtu"], 1450)
        self.runtime.delete(network, attachment)
        self.assertEqual(self.node.host_ends(), [])

    def test_multus_adds_a_second_interface(self):
        first = self.here(json.loads(read("10-podwire.conflist")))
        pod = self.node.pod()
        multus = Multus(self.runtime, [first, self.here(second_network())])
        attachment = Attachment.of(pod)
        multus.add(attachment)
        self.assertEqual(pod.link("net1")["mtu"], 9000)
        self.assertEqual([route["dev"] for route in pod.routes() if route["dst"] == "default"], ["eth0"])
        self.assertEqual([route["dev"] for route in pod.routes() if route["dst"] == "10.60.0.0/16"], ["net1"])
        multus.delete(attachment)
        self.assertEqual(self.node.host_ends(), [])
