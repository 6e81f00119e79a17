# SPDX-License-Identifier: GPL-2.0-or-later
"""IPAM plugins that do as they are told: shell scripts written into a node's CNI_PATH directory.

    FakeIpam(node, "ipam", ADD=Answer(MODEL), DEL=Fail(11, "busy"))

Each verb has a behaviour; each call is kept (environment and stdin) and read back by calls().
"""
import json
import os
import re
import shlex
import signal as signals

from . import resources, results

_SCRIPT = """#!/bin/sh
# Written by the test harness. As few processes as can be: a table runs this hundreds of times.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
dir={directory}
config=$dir/call.$$
env -0 > "$dir/env.$$"
cat > "$config"
# The config's own version: what lies in inner objects (prevResult has one as well) is cut away first.
version=$(tr -d '\\n' < "$config" | sed -n -e ':a' -e 's/\\(.\\){{[^{{}}]*}}/\\1/' -e 'ta' \\
	-e 's/.*"cniVersion" *: *"\\([^"]*\\)".*/\\1/p')
[ -n "$version" ] || version={default}
case $CNI_COMMAND in VERSION) ;; *)
	case " {versions} " in *" $version "*) ;; *)
		printf '{{"cniVersion":"%s","code":1,"msg":"incompatible CNI versions","details":"config is \\\\"%s\\\\", plugin supports [{versions}]"}}' "{newest}" "$version"
		exit 1 ;;
	esac ;;
esac
case $CNI_COMMAND in
{cases}
*) printf '{{"code":4,"msg":"unknown CNI_COMMAND: %s"}}' "$CNI_COMMAND"; exit 1 ;;
esac
"""


class Behaviour:
    def script(self, ipam, verb):
        raise NotImplementedError


class Answer(Behaviour):
    """A result given in the newest shape, printed in the version that was asked for.

    `raw=True` prints the value as it is (a dict, or text), whatever the version.
    """

    def __init__(self, result=None, raw=False):
        self.result, self.raw = result, raw

    def script(self, ipam, verb):
        if self.result is None:
            return "exit 0"
        if self.raw:
            text = self.result if isinstance(self.result, str) else json.dumps(self.result)
            return f"cat {shlex.quote(ipam.store(verb, text))}; exit 0"
        for version in ipam.versions:
            try:
                answer = results.from_model(self.result, version)
            except results.ConversionError:
                continue
            ipam.store(f"{verb}.{version}", json.dumps(answer))
        return f'cat "$dir/{verb}.$version"; exit 0'


class Fail(Behaviour):
    """An error object on stdout."""

    def __init__(self, code, msg, details=None, status=1, stderr=""):
        self.body = {"cniVersion": "1.0.0", "code": code, "msg": msg}
        if details is not None:
            self.body["details"] = details
        self.status, self.stderr = status, stderr

    def script(self, ipam, verb):
        return (f"printf %s {shlex.quote(self.stderr)} >&2\n"
                f"cat {shlex.quote(ipam.store(verb, json.dumps(self.body)))}; exit {self.status}")


class Print(Behaviour):
    """Anything at all: garbage, nothing, megabytes."""

    def __init__(self, stdout="", status=0, stderr=""):
        self.stdout, self.status, self.stderr = stdout, status, stderr

    def script(self, ipam, verb):
        return (f"cat {shlex.quote(ipam.store(verb + '.err', self.stderr))} >&2\n"
                f"cat {shlex.quote(ipam.store(verb, self.stdout))}; exit {self.status}")


class Die(Behaviour):
    def __init__(self, number=signals.SIGKILL):
        self.number = int(number)

    def script(self, ipam, verb):
        return f"kill -{self.number} $$"


class Hang(Behaviour):
    """Wait at a Gate, then go on as `then` says."""

    def __init__(self, gate, then):
        self.gate, self.then = gate, then

    def script(self, ipam, verb):
        return f"cat < {shlex.quote(self.gate.path)} > /dev/null\n{self.then.script(ipam, verb)}"


class Exec(Behaviour):
    """Hand the call on to a real plugin (host-local behind a gate, for instance), same stdin."""

    def __init__(self, path):
        self.path = path

    def script(self, ipam, verb):
        return f'exec {shlex.quote(self.path)} < "$config"'


class Sequence(Behaviour):
    """One behaviour after the other; the last one stays."""

    def __init__(self, *behaviours):
        self.behaviours = behaviours

    def script(self, ipam, verb):
        lines = [f'n=$(cat "$dir/{verb}.count" 2>/dev/null || echo 0); echo $((n + 1)) > "$dir/{verb}.count"',
                 "case $n in"]
        for i, behaviour in enumerate(self.behaviours):
            pattern = "*" if i == len(self.behaviours) - 1 else str(i)
            ipam.suffix = f".{i}"
            lines.append(f"{pattern}) {behaviour.script(ipam, verb + ipam.suffix)} ;;")
        ipam.suffix = ""
        return "\n".join(lines + ["esac"])


class Gate:
    """A place where another process waits (a FIFO that it reads to its end) until the test lets it go on."""

    def __init__(self, directory, name="gate"):
        self.path = os.path.join(directory, resources.unique(name))
        os.mkfifo(self.path)
        self._fd = None

    def wait(self, timeout=10):
        """Until the other one stands at the gate; it stays there till release()."""
        self._fd = resources.wait_until(self._reader, timeout, f"a reader of {self.path}")
        return self

    def _reader(self):
        try:
            return os.open(self.path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None

    def release(self):
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


class IpamCall:
    def __init__(self, environment, stdin):
        self.environment, self.stdin = environment, stdin
        self.command = environment.get("CNI_COMMAND", "")

    @property
    def config(self):
        return json.loads(self.stdin)

    def __repr__(self):
        return f"<{self.command} {self.stdin.decode(errors='replace')[:200]}>"


class FakeIpam:
    """An executable called `name` in the node's CNI_PATH directory; verbs not named succeed in silence."""

    def __init__(self, node, name="fakeipam", versions=results.VERSIONS, **verbs):
        self.name, self.node = name, node
        self.versions = tuple(versions)
        self.directory = os.path.join(node.directory, f"ipam-{name}")
        self.path = os.path.join(node.bin_dir, name)
        os.makedirs(self.directory, exist_ok=True)
        self.suffix = ""
        self.set(**verbs)

    def set(self, versions=None, **verbs):
        """Behave anew; what isn't named succeeds in silence."""
        self.versions = tuple(versions or self.versions)
        behaviours = {"ADD": Answer(), "DEL": Answer(), "CHECK": Answer(), "GC": Answer(),
                      "STATUS": Answer(), "VERSION": self._version_answer(), **verbs}
        cases = "\n".join(f"{verb})\n{behaviour.script(self, verb)} ;;"
                          for verb, behaviour in behaviours.items())
        text = _SCRIPT.format(directory=shlex.quote(self.directory), versions=" ".join(self.versions),
                              newest=self.versions[-1], default="0.1.0", cases=cases)
        temporary = f"{self.path}.new"
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o755)
        os.rename(temporary, self.path)
        return self

    def _version_answer(self):
        return Answer({"cniVersion": self.versions[-1], "supportedVersions": list(self.versions)}, raw=True)

    def store(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def calls(self, command=None):
        """What it was called with so far, in order; `command` picks one verb. VERSION only when named."""
        found = []
        for entry in os.listdir(self.directory):
            match = re.fullmatch(r"call\.(\d+)", entry)
            if not match:
                continue
            path = os.path.join(self.directory, entry)
            with open(path, "rb") as file:
                stdin = file.read()
            with open(os.path.join(self.directory, f"env.{match.group(1)}"), "rb") as file:
                pairs = file.read().decode(errors="replace").split("\0")
            environment = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
            found.append((os.stat(path).st_mtime_ns, IpamCall(environment, stdin)))
        ordered = [call for _, call in sorted(found, key=lambda pair: pair[0])]
        if command:
            return [call for call in ordered if call.command == command]
        return [call for call in ordered if call.command != "VERSION"]

    def clear(self):
        for entry in os.listdir(self.directory):
            if entry.startswith(("call.", "env.")) or entry.endswith(".count"):
                os.unlink(os.path.join(self.directory, entry))
