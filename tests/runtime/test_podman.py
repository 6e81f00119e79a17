# SPDX-License-Identifier: GPL-2.0-or-later
"""podman with its CNI backend: the runtime that reads conflists through libcni."""
import json
import os
import resource

import chain
import image

TOML = """\
[containers]
apparmor_profile = "unconfined"
default_ulimits = [{ulimits}]
log_driver = "none"
pids_limit = 0
seccomp_profile = "{runtimes}/root/usr/share/containers/seccomp.json"

[engine]
cgroup_manager = "cgroupfs"
conmon_env_vars = [{environment}]
conmon_path = ["{runtimes}/bin/conmon"]
events_logger = "none"
runtime = "runc"

[engine.runtimes]
runc = ["{runtimes}/bin/runc"]

[network]
network_backend = "cni"
network_config_dir = "{conf_dir}"
cni_plugin_dirs = ["{bin_dir}"]
default_network = "pods"
"""
STORAGE = """\
[storage]
driver = "overlay"
runroot = "{directory}/storage-run"
graphroot = "{directory}/storage"
"""


class Podman:
    def __init__(self, node, runtimes, conf_dir):
        self.node, self.runtimes, self.conf_dir = node, runtimes, conf_dir
        self.directory = os.path.join(node.directory, "podman")
        self.containers = []
        self.environment = {**os.environ,
                            "CONTAINERS_CONF": os.path.join(self.directory, "containers.conf"),
                            "CONTAINERS_STORAGE_CONF": os.path.join(self.directory, "storage.conf")}

    def start(self):
        os.mkdir(self.directory)
        self._write("containers.conf", TOML.format(
            runtimes=self.runtimes, conf_dir=self.conf_dir, bin_dir=self.node.bin_dir,
            # The default asks for more than root may have where CAP_SYS_RESOURCE is missing.
            ulimits=", ".join(json.dumps(f"{name}={limit[0]}:{limit[1]}") for name, limit in (
                ("nofile", resource.getrlimit(resource.RLIMIT_NOFILE)),
                ("nproc", resource.getrlimit(resource.RLIMIT_NPROC)))),
            # conmon starts runc, and podman again when a container has ended.
            environment=", ".join(json.dumps(f"{key}={self.environment[key]}") for key in (
                "PATH", "LD_LIBRARY_PATH", "XTABLES_LIBDIR", "TMPDIR", "HOME", "CONTAINERS_CONF",
                "CONTAINERS_STORAGE_CONF"))))
        self._write("storage.conf", STORAGE.format(directory=self.directory))
        policy = os.path.join(os.environ["HOME"], ".config", "containers")
        os.makedirs(policy, exist_ok=True)
        with open(os.path.join(policy, "policy.json"), "w", encoding="ascii") as file:
            file.write('{"default": [{"type": "insecureAcceptAnything"}]}')
        self._write("root.tar", image.root_tar(os.path.join(self.runtimes, "bin", "busybox")))
        self._podman("import", os.path.join(self.directory, "root.tar"), image.REFERENCE)

    def _write(self, name, data):
        with open(os.path.join(self.directory, name), "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)

    def _podman(self, *arguments, **options):
        return self.node.run("podman", *arguments, env=self.environment, **options).stdout

    def run(self, name, host_port):
        publish = ["--publish", f"{host_port}:{image.PORT}"] if host_port else []
        container = self._podman(
            "run", "--detach", "--name", name, "--cgroup-parent", os.environ["PW_CGROUP"], *publish,
            "--network", "pods:interface_name=eth0", "--network", "second:interface_name=eth1",
            image.REFERENCE, *image.COMMAND).strip()
        self.containers.append(container)
        return container

    def execute(self, container, *command):
        return self._podman("exec", container, *command)

    def remove(self, container):
        self._podman("rm", "--force", "--time", "0", container)
        self.containers.remove(container)

    def stop(self):
        for container in self.containers:
            self._podman("rm", "--force", "--time", "0", container, check=False)


class PodmanChain(chain.Chain):
    # podman knows port mappings; a limit can only come from the network's configuration.
    cni_version = "0.4.0"
    shaped_by_config = True

    @classmethod
    def make_engine(cls, node, runtimes):
        return Podman(node, runtimes, cls.conf_dir)
