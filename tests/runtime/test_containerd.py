# SPDX-License-Identifier: GPL-2.0-or-later
"""containerd's CRI, called as a kubelet calls it."""
import importlib
import json
import os
import subprocess
import sys

import chain
import image
import networks
from harness import resources

CONFIG = """\
version = 2
root = "{directory}/root"
state = "{directory}/state"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.aufs"]
[grpc]
  address = "{socket}"
[plugins."io.containerd.internal.v1.opt"]
  path = "{directory}/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{image}"
  restrict_oom_score_adj = true
  disable_tcp_service = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{bin_dir}"
    conf_dir = "{conf_dir}"
    max_conf_num = 2
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        BinaryName = "{runtimes}/bin/runc"
        SystemdCgroup = false
"""
TIMEOUT = 30
LIMIT = f"{networks.LIMIT_BITS // 1_000_000}M"


def generated_modules(directory):
    """gRPC, and the messages of cri.proto in Python: into a directory, by the compiler that came with it."""
    here = os.path.dirname(os.path.abspath(__file__))
    os.mkdir(directory)
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", f"-I{here}", f"--python_out={directory}",
                    os.path.join(here, "cri.proto")], check=True, capture_output=True, timeout=TIMEOUT)
    sys.path.append(directory)
    return importlib.import_module("grpc"), importlib.import_module("cri_pb2")


class Containerd:
    def __init__(self, node, runtimes, conf_dir):
        self.node, self.runtimes, self.conf_dir = node, runtimes, conf_dir
        self.directory = os.path.join(node.directory, "containerd")
        # A socket's path has at most 107 bytes.
        self.socket = "/run/containerd.sock"
        self.pods = {}
        self.process = self.channel = self.log = None
        self.grpc = self.cri = None

    def start(self):
        os.mkdir(self.directory)
        self.grpc, self.cri = generated_modules(os.path.join(self.directory, "python"))
        config = os.path.join(self.directory, "config.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(directory=self.directory, socket=self.socket, image=image.REFERENCE,
                                     bin_dir=self.node.bin_dir, conf_dir=self.conf_dir,
                                     runtimes=self.runtimes))
        archive = os.path.join(self.directory, "image.tar")
        with open(archive, "wb") as file:
            file.write(image.oci_tar(image.root_tar(os.path.join(self.runtimes, "bin", "busybox"))))
        self.log = open(os.path.join(self.directory, "log"), "w+", encoding="utf-8", errors="replace")
        self.process = self.node.popen("containerd", "--config", config, stdout=self.log, stderr=self.log)
        self.channel = self.grpc.insecure_channel(f"unix://{self.socket}")
        try:
            self.grpc.channel_ready_future(self.channel).result(timeout=TIMEOUT)
            self._import(archive)
            self._wait_for_network()
        except Exception as error:
            raise RuntimeError(f"containerd: {error}\n{self._log_end()}") from error

    def _import(self, archive):
        self.node.run("ctr", "--address", self.socket, "--namespace", "k8s.io", "images", "import", archive)

    def _wait_for_network(self):
        """As the kubelet does it: pods come once the runtime says that its network is ready."""
        def ready():
            status = self._call("Status", self.cri.StatusRequest(), self.cri.StatusResponse).status
            return all(condition.status for condition in status.conditions)
        resources.wait_until(ready, TIMEOUT, "RuntimeReady and NetworkReady")

    def _log_end(self):
        self.log.flush()
        self.log.seek(0)
        return "".join(line for line in self.log.readlines() if "level=info" not in line)[-3000:]

    def _call(self, method, request, response):
        call = self.channel.unary_unary(f"/runtime.v1.RuntimeService/{method}",
                                        request_serializer=lambda message: message.SerializeToString(),
                                        response_deserializer=response.FromString)
        return call(request, timeout=TIMEOUT)

    def run(self, name, host_port):
        cri = self.cri
        config = cri.PodSandboxConfig(
            metadata=cri.PodSandboxMetadata(name=name, uid=f"uid-{name}", namespace="default"),
            hostname=name, log_directory=os.path.join(self.directory, "logs"),
            annotations={f"kubernetes.io/{way}-bandwidth": LIMIT for way in ("ingress", "egress")},
            linux=cri.LinuxPodSandboxConfig(cgroup_parent=os.environ["PW_CGROUP"]))
        if host_port:
            config.port_mappings.append(
                cri.PortMapping(host_port=host_port, container_port=image.PORT))
        pod = self._call("RunPodSandbox", cri.RunPodSandboxRequest(config=config),
                         cri.RunPodSandboxResponse).pod_sandbox_id
        self.pods[pod] = None
        # The sandbox's own process is the pod's service already; a container is what exec needs.
        container = self._call("CreateContainer", cri.CreateContainerRequest(
            pod_sandbox_id=pod, sandbox_config=config, config=cri.ContainerConfig(
                metadata=cri.ContainerMetadata(name="shell"), image=cri.ImageSpec(image=image.REFERENCE),
                command=["/bin/sleep", "3600"], log_path="shell.log")),
            cri.CreateContainerResponse).container_id
        self._call("StartContainer", cri.ContainerIdRequest(container_id=container), cri.Nothing)
        self.pods[pod] = container
        return pod

    def execute(self, pod, *command):
        done = self._call("ExecSync", self.cri.ExecSyncRequest(
            container_id=self.pods[pod], cmd=command, timeout=10), self.cri.ExecSyncResponse)
        if done.exit_code:
            raise AssertionError(f"{' '.join(command)}: exit {done.exit_code}: {done.stderr.decode()}")
        return done.stdout.decode()

    def says(self, pod):
        """The addresses by the runtime's own status, the kubelet's source for a pod's."""
        request = self.cri.PodSandboxIdRequest(pod_sandbox_id=pod, verbose=True)
        status = self._call("PodSandboxStatus", request, self.cri.PodSandboxStatusResponse)
        network = status.status.network
        return [network.ip, *(more.ip for more in network.additional_ips)], json.loads(status.info["info"])

    def remove(self, pod):
        request = self.cri.PodSandboxIdRequest(pod_sandbox_id=pod)
        self._call("StopPodSandbox", request, self.cri.Nothing)
        self._call("RemovePodSandbox", request, self.cri.Nothing)
        del self.pods[pod]

    def stop(self):
        try:
            for pod in list(self.pods):
                self.remove(pod)
        finally:
            self.channel.close()
            resources.finish(self.process)
            self.log.close()


class ContainerdChain(chain.Chain):
    cni_version = "1.0.0"
    # A kubelet hands the pod's annotations on; the CRI makes the bandwidth capability of them.
    shaped_by_config = False
    # It gives them the largest burst that there is, half a gigabyte.
    bucket = (2 ** 32 - 1) // 8

    @classmethod
    def make_engine(cls, node, runtimes):
        return Containerd(node, runtimes, cls.conf_dir)

    def test_pod_status_has_the_first_networks_addresses(self):
        for pod, container in ((self.a, self.ids[0]), (self.b, self.ids[1])):
            addresses, info = self.engine.says(container)
            self.assertEqual(sorted(addresses), sorted(pod.addresses["pods"]))
            self.assertIn("eth0", info["cniResult"]["Interfaces"])
