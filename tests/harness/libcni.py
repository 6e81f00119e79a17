# SPDX-License-Identifier: GPL-2.0-or-later
"""A CNI runtime of our own that calls plugins as libcni does.

Network lists and single configurations, the same name and version injected into each plugin's config,
prevResult along the chain, a cache of the last result for CHECK and DEL, DEL in reverse order,
capabilities turned into runtimeConfig, GC with its synthesised DELs, STATUS and VERSION.
Every call is kept with its exact stdin, environment, exit status, stdout and stderr.
"""
import base64
import copy
import json
import os
import select
import subprocess
import time

from . import resources, results

# A crash report of the sanitizers must never look like a plugin's own error.
SANITIZER_STATUS = 99
_SANITIZERS = {
    "ASAN_OPTIONS": f"exitcode={SANITIZER_STATUS}:detect_leaks=1:abort_on_error=0",
    "LSAN_OPTIONS": f"exitcode={SANITIZER_STATUS}",
    "UBSAN_OPTIONS": f"exitcode={SANITIZER_STATUS}:halt_on_error=1:print_stacktrace=1",
}
_PASSED_ON = ("LLVM_PROFILE_FILE", "GCOV_PREFIX", "GCOV_PREFIX_STRIP")
TIMEOUT = 60 * resources.PATIENCE


class PluginError(Exception):
    """A plugin ended with an error; as libcni reads it."""

    def __init__(self, call):
        self.call = call
        self.code, self.msg, self.details = 0, "", ""
        if not call.stdout:
            text = call.stderr.decode(errors="replace")
            self.msg = f"netplugin failed: {text!r}" if text else "netplugin failed with no error message"
        else:
            try:
                body = json.loads(call.stdout)
                self.code = body.get("code", 0)
                self.msg, self.details = body.get("msg", ""), body.get("details", "")
            except (ValueError, AttributeError) as error:
                self.msg = f"netplugin failed but error parsing its diagnostic message {call.stdout!r}: {error}"
        text = self.msg + (f"; {self.details}" if self.details else "")
        super().__init__(f"{call.plugin} {call.command}: code {self.code}: {text}")


class Call:
    """One run of one plugin."""

    def __init__(self, plugin, command, environment, stdin, status, stdout, stderr, seconds):
        self.plugin, self.command = plugin, command
        self.environment, self.stdin = environment, stdin
        self.status, self.stdout, self.stderr = status, stdout, stderr
        self.seconds = seconds

    @property
    def config(self):
        return json.loads(self.stdin)

    @property
    def json(self):
        """stdout as exactly one JSON value; None when it is empty."""
        return json.loads(self.stdout) if self.stdout.strip() else None

    def __repr__(self):
        return (f"{os.path.basename(self.plugin)} {self.command}: exit {self.status}\n"
                f"  stdin:  {self.stdin.decode(errors='replace')[:1500]}\n"
                f"  stdout: {self.stdout.decode(errors='replace')[:4000]}\n"
                f"  stderr: {self.stderr.decode(errors='replace')[:8000]}")


class Running:
    """A plugin that has been started and not yet waited for."""

    def __init__(self, plugin, command, environment, stdin, process):
        self.plugin, self.command = plugin, command
        self.environment, self.stdin, self.process = environment, stdin, process
        self.started = time.monotonic()

    @property
    def pid(self):
        return self.process.pid

    def kill(self, number=9):
        self.process.send_signal(number)

    def wait(self, timeout=TIMEOUT):
        """stdout's end isn't waited for beyond the process: an IPAM child may hold the pipe."""
        self._wait_for_end(timeout)
        seconds = time.monotonic() - self.started
        status = self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            stream.seek(0)
        stdout, stderr = self.process.stdout.read(), self.process.stderr.read()
        resources.finish(self.process)
        call = Call(self.plugin, self.command, self.environment, self.stdin, status, stdout, stderr, seconds)
        if status == SANITIZER_STATUS or b"Sanitizer" in stderr or b"runtime error:" in stderr:
            raise AssertionError(f"sanitizer report\n{call!r}")
        return call

    def _wait_for_end(self, timeout):
        """By pidfd: Popen.wait() with a timeout sleeps in growing steps, and would round all times up."""
        if self.process.poll() is not None:
            return
        fd = os.pidfd_open(self.process.pid)
        try:
            if not select.select([fd], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.plugin, timeout)
        finally:
            os.close(fd)


def plugin_environment(command, container_id="", netns="", ifname="", cni_args="", cni_path="", **more):
    """The six variables, all set, as libcni sets them (empty where they don't apply)."""
    return {"CNI_COMMAND": command, "CNI_CONTAINERID": container_id, "CNI_NETNS": netns,
            "CNI_ARGS": cni_args, "CNI_IFNAME": ifname, "CNI_PATH": cni_path, **more}


def start_plugin(node, plugin, environment, stdin):
    """Start a plugin in the node; exactly this environment plus PATH and the sanitizers' options.

    stdout and stderr are files, so that nobody has to drain them and each byte is kept.
    """
    full = {"PATH": os.environ.get("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")}
    full.update(_SANITIZERS)
    full.update({key: os.environ[key] for key in (*_PASSED_ON, *_SANITIZERS) if key in os.environ})
    full.update(environment)
    data = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
    files = [open(os.memfd_create("plugin"), "w+b") for _ in range(3)]
    files[0].write(data)
    files[0].seek(0)
    process = subprocess.Popen(node.argv(plugin), stdin=files[0], stdout=files[1], stderr=files[2], env=full)
    files[0].close()
    process.stdout, process.stderr = files[1], files[2]
    resources.track(process)
    return Running(plugin, environment.get("CNI_COMMAND", ""), environment, data, process)


def call_plugin(node, plugin, environment, stdin, timeout=TIMEOUT):
    return start_plugin(node, plugin, environment, stdin).wait(timeout)


class Attachment:
    """RuntimeConf: which container, which namespace, which interface, and what goes with the call."""

    def __init__(self, container_id, netns, ifname="eth0", cni_args="", capability_args=None):
        self.container_id, self.netns, self.ifname = container_id, netns, ifname
        self.cni_args, self.capability_args = cni_args, capability_args or {}

    @classmethod
    def of(cls, pod, ifname="eth0", cni_args=None, capability_args=None):
        return cls(pod.container_id, pod.path, ifname,
                   pod.cni_args if cni_args is None else cni_args, capability_args)

    def replace(self, **fields):
        other = copy.copy(self)
        other.__dict__.update(fields)
        return other

    @property
    def key(self):
        return {"containerID": self.container_id, "ifname": self.ifname}


class NetworkList:
    """A conflist; a single configuration is wrapped into one, as libcni does it."""

    def __init__(self, source):
        raw = json.loads(source) if isinstance(source, (str, bytes)) else copy.deepcopy(source)
        if "plugins" not in raw:
            raw = {"name": raw.get("name", ""), "cniVersion": raw.get("cniVersion", ""), "plugins": [raw]}
        self.name = raw["name"]
        self.version = self._version(raw)
        self.plugins = raw["plugins"]
        self.disable_check = self._flag(raw, "disableCheck")
        self.disable_gc = self._flag(raw, "disableGC")
        self.raw = raw

    @staticmethod
    def _version(raw):
        """The highest version that both sides know when the list offers several."""
        known = [v for v in raw.get("cniVersions", []) if v in results.VERSIONS]
        return max([raw.get("cniVersion", ""), *known], key=lambda v: results.number(v or "0.1.0"))

    @staticmethod
    def _flag(raw, key):
        value = raw.get(key, False)
        return value if isinstance(value, bool) else str(value).lower() == "true"


class Runtime:
    """libcni's CNIConfig for one node: where plugins are, where results are kept, what was called."""

    def __init__(self, node, path=None, cache_dir=None, environment=None):
        self.node = node
        self.path = list(path) if path else [node.bin_dir, "/usr/lib/cni"]
        self.cache_dir = cache_dir or os.path.join(node.directory, "cache")
        self.environment = dict(environment or {})
        self.calls = []

    # Verbs on a network list

    def add(self, network, attachment):
        """Returns the last result as libcni returns it (each result fixed up and parsed by its version)."""
        network = _list(network)
        result = None
        for plugin in network.plugins:
            config = self.build(network, plugin, attachment, result)
            result = self._result(self._run("ADD", plugin, config, attachment), config)
        self._cache_add(network, attachment, result)
        return result

    def delete(self, network, attachment):
        network = _list(network)
        cached = None
        if results.at_least(network.version, "0.4.0"):
            cached = self.cached_result(network, attachment)
        for plugin in reversed(network.plugins):
            self._run("DEL", plugin, self.build(network, plugin, attachment, cached), attachment)
        self._cache_delete(network, attachment)

    def check(self, network, attachment):
        network = _list(network)
        if not results.at_least(network.version, "0.4.0"):
            raise ValueError(f"configuration version {network.version!r} does not support CHECK command")
        if network.disable_check:
            return
        cached = self.cached_result(network, attachment)
        for plugin in network.plugins:
            self._run("CHECK", plugin, self.build(network, plugin, attachment, cached), attachment)

    def gc(self, network, valid):
        """`valid`: attachments (or {"containerID", "ifname"}) to keep; None leaves the key out.

        Returns the errors, all of them: libcni goes on after each one.
        """
        network = _list(network)
        if network.disable_gc:
            return []
        keep = None if valid is None else [getattr(entry, "key", entry) for entry in valid]
        errors = self._delete_stale(network, keep or [])
        if not results.at_least(network.version, "1.1.0"):
            return errors
        inject = {"name": network.name, "cniVersion": network.version}
        if keep is not None:
            inject.update({"cni.dev/valid-attachments": keep, "cni.dev/attachments": keep})
        for plugin in network.plugins:
            try:
                self._run("GC", plugin, {**plugin, **inject}, None)
            except PluginError as error:
                errors.append(error)
        return errors

    def status(self, network):
        network = _list(network)
        if not results.at_least(network.version, "1.1.0"):
            return
        for plugin in network.plugins:
            self._run("STATUS", plugin,
                      {**plugin, "name": network.name, "cniVersion": network.version}, None)

    def version(self, plugin_type):
        """GetVersionInfo(), with the dummies that libcni sends for old plugins' sake."""
        environment = {"CNI_COMMAND": "VERSION", "CNI_NETNS": "dummy", "CNI_IFNAME": "dummy",
                       "CNI_PATH": "dummy", **self.environment}
        call = call_plugin(self.node, self.find(plugin_type), environment, {"cniVersion": results.NEWEST})
        self.calls.append(call)
        if call.status:
            raise PluginError(call)
        return call.json

    # What a plugin is given

    def build(self, network, plugin, attachment, previous=None):
        """The complete config of one plugin: name, cniVersion, prevResult and runtimeConfig injected.

        `capabilities` stays in it: the specification says that a runtime takes it out, libcni doesn't.
        """
        config = copy.deepcopy(plugin)
        config.update({"name": network.name, "cniVersion": network.version})
        if previous is not None:
            config["prevResult"] = previous
        wanted = {name: attachment.capability_args[name]
                  for name, on in (plugin.get("capabilities") or {}).items()
                  if on and name in attachment.capability_args}
        if wanted:
            config["runtimeConfig"] = wanted
        return config

    def find(self, plugin_type):
        if not plugin_type or "/" in plugin_type:
            raise ValueError(f"invalid plugin name: {plugin_type}")
        for directory in self.path:
            candidate = os.path.join(directory, plugin_type)
            if os.path.isfile(candidate):
                return candidate
        raise FileNotFoundError(f'failed to find plugin "{plugin_type}" in path {self.path}')

    def env_of(self, command, attachment, **more):
        fields = {} if attachment is None else {
            "container_id": attachment.container_id, "netns": attachment.netns,
            "ifname": attachment.ifname, "cni_args": attachment.cni_args}
        return plugin_environment(command, cni_path=os.pathsep.join(self.path), **fields,
                                  **{**self.environment, **more})

    def start(self, command, network, attachment, previous=None, plugin=None, **more):
        """Start one plugin of the list (the first) without waiting; the cache isn't touched.

        `more` are further variables of the environment (PW_SEAM, PW_LOG, ...).
        """
        network = _list(network)
        chosen = plugin or network.plugins[0]
        return start_plugin(self.node, self.find(chosen["type"]), self.env_of(command, attachment, **more),
                            self.build(network, chosen, attachment, previous))

    def call(self, command, network, attachment, previous=None, plugin=None, **more):
        """As start(), and wait: a Call, whatever the exit status."""
        call = self.start(command, network, attachment, previous, plugin, **more).wait()
        self.calls.append(call)
        return call

    # The cache

    def cache_file(self, network, attachment):
        name = f"{_list(network).name}-{attachment.container_id}-{attachment.ifname}"
        return os.path.join(self.cache_dir, "results", name)

    def cached_result(self, network, attachment):
        """In the version of the list as it is now, or None."""
        network = _list(network)
        try:
            with open(self.cache_file(network, attachment), encoding="utf-8") as file:
                return results.convert(json.load(file)["result"], network.version)
        except FileNotFoundError:
            return None

    def forget(self):
        """A runtime that lost its cache (a reboot, another runtime)."""
        directory = os.path.join(self.cache_dir, "results")
        for name in os.listdir(directory) if os.path.isdir(directory) else []:
            os.unlink(os.path.join(directory, name))

    def _cache_add(self, network, attachment, result):
        path = self.cache_file(network, attachment)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        body = {"kind": "cniCacheV1", "containerId": attachment.container_id,
                "config": base64.b64encode(json.dumps(network.raw).encode()).decode(),
                "ifName": attachment.ifname, "networkName": network.name, "netns": attachment.netns,
                "cniArgs": attachment.cni_args, "capabilityArgs": attachment.capability_args,
                "result": result}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(body, file)

    def _cache_delete(self, network, attachment):
        path = self.cache_file(network, attachment)
        if os.path.exists(path):
            os.unlink(path)

    def _delete_stale(self, network, keep):
        errors = []
        directory = os.path.join(self.cache_dir, "results")
        for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                body = json.load(file)
            key = {"containerID": body["containerId"], "ifname": body["ifName"]}
            if body["networkName"] != network.name or key in keep:
                continue
            try:
                self.delete(network, Attachment(body["containerId"], body["netns"], body["ifName"],
                                                body["cniArgs"], body["capabilityArgs"]))
            except PluginError as error:
                errors.append(error)
        return errors

    # Running

    def _run(self, command, plugin, config, attachment):
        call = call_plugin(self.node, self.find(plugin["type"]), self.env_of(command, attachment), config)
        self.calls.append(call)
        if call.status:
            raise PluginError(call)
        return call

    @staticmethod
    def _result(call, config):
        """fixupResultVersion() and a round trip through the version's own type."""
        raw = dict(call.json)
        raw["cniVersion"] = raw.get("cniVersion") or config.get("cniVersion") or "0.1.0"
        return results.convert(raw, raw["cniVersion"])


def _list(network):
    return network if isinstance(network, NetworkList) else NetworkList(network)


class Multus:
    """Several networks for one pod: the first as eth0, the others as net1, net2, ...; one container id.

    As Multus does it: in order at ADD, all that were added taken back when one fails, reversed at DEL.
    """

    def __init__(self, runtime, networks):
        self.runtime = runtime
        self.networks = [_list(network) for network in networks]

    def attachments(self, attachment):
        return [attachment.replace(ifname="eth0" if i == 0 else f"net{i}")
                for i in range(len(self.networks))]

    def add(self, attachment):
        done, answers = [], []
        for network, one in zip(self.networks, self.attachments(attachment)):
            done.append((network, one))
            try:
                answers.append(self.runtime.add(network, one))
            except PluginError:
                self._delete(done)
                raise
        return answers

    def check(self, attachment):
        for network, one in zip(self.networks, self.attachments(attachment)):
            self.runtime.check(network, one)

    def delete(self, attachment):
        """All of them, whatever one says; the first error comes out at the end."""
        errors = self._delete(list(zip(self.networks, self.attachments(attachment))))
        if errors:
            raise errors[0]

    def _delete(self, pairs):
        errors = []
        for network, one in reversed(pairs):
            try:
                self.runtime.delete(network, one)
            except PluginError as error:
                errors.append(error)
        return errors
