# SPDX-License-Identifier: GPL-2.0-or-later
"""podwired on a node of the tests: a bus, a bpf file system and directories of its own.

    agent = Agent(self, node)
    agent.start()                                  # until it says READY=1
    agent.wait_for(host_ifname, State="ready")     # properties of org.podwire1.Attachment
"""
import json
import os
import queue
import signal
import socket
import subprocess
import threading
import time

from . import resources
from .case import BUILD_DIR
from .resources import PATIENCE, HarnessError, wait_until

PODWIRED = os.environ.get("PODWIRED") or os.path.join(BUILD_DIR, "agent", "podwired")
PODWIRED_NEXT = os.environ.get("PODWIRED_NEXT") or os.path.join(BUILD_DIR, "agent", "podwired-next")
NAME, ROOT = "org.podwire1", "/org/podwire1"
READY_DEADLINE = 20

_BUS_CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>custom</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/></policy></busconfig>
"""


class Bus:
    """A private dbus-daemon."""

    def __init__(self, test, directory):
        path = os.path.join(directory, "bus.sock")
        config = os.path.join(directory, "bus.conf")
        with open(config, "w", encoding="ascii") as file:
            file.write(_BUS_CONFIG.format(path=path))
        self.address = f"unix:path={path}"
        self.process = resources.track(subprocess.Popen(
            ["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile"], stderr=subprocess.DEVNULL))
        test.addCleanup(resources.finish, self.process)
        wait_until(lambda: os.path.exists(path), what="dbus-daemon's socket")

    def busctl(self, *arguments, check=True):
        done = subprocess.run(["busctl", f"--address={self.address}", "--json=short", *map(str, arguments)],
                              capture_output=True, text=True, timeout=30 * PATIENCE, check=False)
        if check and done.returncode:
            raise HarnessError(f"busctl {' '.join(map(str, arguments))}: {done.stderr}")
        return json.loads(done.stdout) if done.returncode == 0 and done.stdout.strip() else done


class BpfFs:
    def __init__(self, test, directory):
        self.path = os.path.join(directory, "bpf")
        os.mkdir(self.path)
        subprocess.run(["mount", "-t", "bpf", "bpf", self.path], check=True)
        # lazily: whoever still has it open keeps it alive no longer than that
        test.addCleanup(subprocess.run, ["umount", "-l", self.path], check=False)

    def pins(self, *below):
        top = os.path.join(self.path, *below)
        return sorted(os.path.relpath(os.path.join(directory, name), self.path)
                      for directory, _, names in os.walk(top) for name in names)


class Agent:
    def __init__(self, test, node, program=PODWIRED, config=None, bus=True):
        self.test, self.node, self.program = test, node, program
        self.bpffs = BpfFs(test, node.directory)
        self.bus = Bus(test, node.directory) if bus else None
        self.address = self.bus.address if self.bus else "none"
        self.config = os.path.join(node.directory, "agent.json")
        if config is not None:
            self.configure(config)
        self.process = None
        self.started = 0.0
        self.environment = {}  # more of it, for the next start
        self.prepare = None  # preexec_fn of the next start
        self.heard = []  # (when, line) of all that it told the service manager
        self.log_path = os.path.join(node.directory, "agent.log")
        notify = os.path.join(node.directory, "notify")
        self._notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notify.bind(notify)
        self._notices = queue.Queue()
        # Read by a thread, as systemd would: a full socket would stop the agent.
        self._reader = threading.Thread(target=self._read_notices, daemon=True)
        self._reader.start()
        test.addCleanup(self._close_notify)
        test.addCleanup(self._end)

    def configure(self, config):
        text = config if isinstance(config, str) else json.dumps(config)
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(text)

    def options(self):
        return ["--config", self.config, "--bus", self.address,
                "--runtime-dir", self.node.runtime_dir, "--state-dir", self.node.state_dir,
                "--bpffs", os.path.join(self.bpffs.path, "podwire")]

    def start(self, program=None, ready=True):
        """Returns the seconds that it took to be ready."""
        begin = self.started = time.monotonic()
        self.process = self.launch([program or self.program, *self.options()],
                                   {"NOTIFY_SOCKET": self._notify.getsockname(), **self.environment})
        if ready:
            self.wait_notice("READY=1")
        return time.monotonic() - begin

    def launch(self, command, environment):
        """A process on the node, as subprocess has it; both of what it says go to the log."""
        environment = {**os.environ, **environment}
        environment.pop("JOURNAL_STREAM", None)
        with open(self.log_path, "ab") as log:
            return self.node.popen(*command, stdout=log, stderr=log, env=environment, preexec_fn=self.prepare)

    def _read_notices(self):
        while notice := self._notify.recv(4096):
            for line in notice.decode(errors="replace").splitlines():
                self.heard.append((time.monotonic(), line))
                self._notices.put(line)

    def _close_notify(self):
        # A close alone leaves the thread in recv(), from where it reads of the next agent's socket, which has the
        # same number.
        self._notify.shutdown(socket.SHUT_RD)
        self._reader.join(10 * PATIENCE)
        self._notify.close()

    def wait_notice(self, wanted, deadline=READY_DEADLINE):
        """Until it says a line; what it said before that is gone."""
        end, heard = time.monotonic() + deadline * PATIENCE, []
        while time.monotonic() < end:
            try:
                heard.append(self._notices.get(timeout=0.05))
                if heard[-1] == wanted:
                    return
            except queue.Empty:
                if self.process.poll() is not None:
                    raise HarnessError(f"podwired ended ({self.process.returncode}): {self.log()}") from None
        raise HarnessError(f"podwired did not say {wanted}, but {heard}: {self.log()}")

    def wait_status(self, wanted, deadline=READY_DEADLINE):
        """Until this is its state, which it may have told of before now."""
        def told():
            status = [line for when, line in self.heard if when >= self.started and line.startswith("STATUS=")]
            return status[-1:] == [f"STATUS={wanted}"]
        wait_until(told, deadline, f"podwired's status {wanted}")

    def log(self):
        try:
            with open(self.log_path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    def stop(self):
        self.process.terminate()
        status = self.process.wait(10 * PATIENCE)
        self.test.assertEqual(status, 0, self.log())

    def kill(self):
        self.process.kill()
        self.process.wait(10 * PATIENCE)

    def signal(self, number=signal.SIGHUP):
        self.process.send_signal(number)

    def _end(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGCONT)
        self.stop()

    def uninstall(self, program=None):
        done = self.node.run(program or self.program, *self.options(), "--uninstall")
        return done.stderr

    # What it says

    def call(self, path, interface, method, *arguments, check=True):
        return self.bus.busctl("call", NAME, path, f"{NAME}.{interface}", method, *arguments, check=check)

    def properties(self, path, interface):
        answer = self.bus.busctl("call", NAME, path, "org.freedesktop.DBus.Properties", "GetAll", "s",
                                 f"{NAME}.{interface}")
        return {key: value["data"] for key, value in answer["data"][0].items()}

    def attachment(self, host_ifname):
        """Its properties, or None."""
        answer = self.call(ROOT, "Manager", "GetAttachment", "s", host_ifname, check=False)
        if not isinstance(answer, dict):
            return None
        return self.properties(answer["data"][0], "Attachment")

    def attachments(self):
        """{host interface: object path}"""
        return {entry[3]: entry[0] for entry in self.call(ROOT, "Manager", "ListAttachments")["data"][0]}

    def manager(self):
        return self.properties(ROOT, "Manager")

    def objects(self):
        """{path: properties of ours} of all attachments and devices, in one call."""
        answer = self.bus.busctl("call", NAME, ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        return {path: {key: value["data"] for name, entries in interfaces.items() if name.startswith(f"{NAME}.")
                       for key, value in entries.items()}
                for path, interfaces in answer["data"][0].items()}

    def devices(self):
        return {name: path for path, name in self.call(ROOT, "Manager", "ListDevices")["data"][0]}

    def has_tcx(self):
        """Else programs hang on clsact qdiscs."""
        return "tcx" in self.properties(ROOT, "Manager")["Features"]

    def device(self, name):
        path = self.devices().get(name)
        return path and self.properties(path, "Device")

    def statistics(self, host_ifname):
        path = self.call(ROOT, "Manager", "GetAttachment", "s", host_ifname)["data"][0]
        return self.call(path, "Attachment", "GetStatistics")["data"][0]

    def wait_for(self, host_ifname, deadline=10, **wanted):  # without tcx a pod waits for five seconds
        seen = {}

        def holds():
            seen.clear()
            seen.update(self.attachment(host_ifname) or {})
            return seen and all(seen[key] == value for key, value in wanted.items())
        try:
            wait_until(holds, deadline, f"{host_ifname} with {wanted}")
        except Exception as error:
            raise HarnessError(f"{error}; it is {seen}; log: {self.log()}") from None
        return seen
