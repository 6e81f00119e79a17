# SPDX-License-Identifier: GPL-2.0-or-later
"""The tests' agent as a service with the sandbox of the unit that is shipped.

The unit is taken as it is, word for word, under another name; a drop-in says what a test needs to be
otherwise: which program with which options on which node, where it may write, and that its notifications go
to the test. What confines the agent is in no drop-in.
"""
import os
import select
import signal
import subprocess

from harness import agent
from harness.resources import PATIENCE, HarnessError, wait_until

UNIT = "/usr/lib/systemd/system/podwired.service"
UNITS = "/run/systemd/system"
REFUSING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "refusing.py")

DROPIN = """[Unit]
StartLimitIntervalSec=0
[Service]
Type=exec
Restart=no
WatchdogSec=0
ExecStartPre=
ExecStart=
ExecStart={command}
RuntimeDirectory=
StateDirectory=
ConfigurationDirectory=
ReadWritePaths=
ReadWritePaths={directory}
NetworkNamespacePath={netns}
StandardOutput=append:{log}
StandardError=append:{log}
{environment}
"""


def systemctl(*arguments, check=True):
    done = subprocess.run(["systemctl", *arguments], capture_output=True, text=True, timeout=60 * PATIENCE,
                          check=False)
    if check and done.returncode:
        raise HarnessError(f"systemctl {' '.join(arguments)}: {done.stderr}")
    return done


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def quoted(word):
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$") + '"'


class Service:
    """A started service, with as much of subprocess.Popen as the harness makes use of."""

    stdin = stdout = stderr = None

    def __init__(self, name):
        self.name, self.returncode = name, None
        systemctl("start", name)
        self.pid = int(self._show("ExecMainPID"))
        try:
            self._pidfd = os.pidfd_open(self.pid)
        except ProcessLookupError:
            self._pidfd = None

    def _show(self, what):
        return systemctl("show", "-P", what, self.name).stdout.strip()

    def _status(self):
        wait_until(lambda: self._show("ActiveState") in ("inactive", "failed"), what=f"the end of {self.name}")
        status = int(self._show("ExecMainStatus"))
        exited = self._show("ExecMainCode") in ("0", "1")  # of a service that is forgotten nothing went wrong
        systemctl("reset-failed", self.name, check=False)
        return status if exited else -status

    def _ended(self, timeout):
        if self._pidfd is not None:
            poll = select.poll()
            poll.register(self._pidfd, select.POLLIN)
            if not poll.poll(timeout * 1000):
                return False
            os.close(self._pidfd)
            self._pidfd = None
        return True

    def poll(self):
        return self.wait(0, quiet=True)

    def wait(self, timeout=60, quiet=False):
        if self.returncode is None:
            if not self._ended(timeout):
                if quiet:
                    return None
                raise subprocess.TimeoutExpired(self.name, timeout)
            self.returncode = self._status()
        return self.returncode

    def send_signal(self, number):
        if self._pidfd is not None:
            signal.pidfd_send_signal(self._pidfd, number)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def kill(self):
        self.send_signal(signal.SIGKILL)


class Agent(agent.Agent):
    def launch(self, command, environment):
        if self.prepare:
            error, what = self.prepare.arguments
            command = ["/usr/bin/python3", REFUSING, str(error), str(what), *command]
        name = f"{self.node.name}.service"
        text = DROPIN.format(
            command=" ".join(map(quoted, command)), directory=self.node.directory, netns=self.node.path,
            log=self.log_path,
            environment="\n".join(f"Environment={quoted(f'{key}={value}')}" for key, value in environment.items()))
        if self._install(name, text):
            systemctl("daemon-reload")
        return Service(name)

    def _install(self, name, text):
        """Returns whether there was something to write."""
        unit, dropin = os.path.join(UNITS, name), os.path.join(UNITS, f"{name}.d", "test.conf")
        if os.path.exists(dropin) and _read(dropin) == text:
            return False
        if not os.path.exists(unit):
            self.test.addCleanup(self._remove, unit, dropin)
        for path, content in ((unit, _read(UNIT)), (dropin, text)):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        return True

    def _remove(self, unit, dropin):
        for path in (dropin, unit):
            os.unlink(path)
        os.rmdir(os.path.dirname(dropin))
