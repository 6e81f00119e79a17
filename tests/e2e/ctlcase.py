# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of podwirectl share: running it on a pipe or a terminal, and golden files.

PW_REWRITE_GOLDEN=1 writes golden files anew instead of comparing them."""
import errno
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from agentcase import AgentCase
from harness import resources
from harness.case import BUILD_DIR
from harness.resources import PATIENCE

PODWIRECTL = os.environ.get("PODWIRECTL") or os.path.join(BUILD_DIR, "ctl", "podwirectl")
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden", "ctl")
OK, FAILED, NO_AGENT, NOT_FOUND, USAGE = 0, 1, 3, 4, 64
# Of any command; it gives an agent five seconds, the rest is what sanitizers and a busy machine take.
DEADLINE = 15.0 * PATIENCE


def environment(**more):
    """One that makes output the same everywhere; None takes a variable away."""
    base = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "NO_COLOR": None, **more}
    return {key: value for key, value in base.items() if value is not None}


class CtlCase(AgentCase):
    def arguments(self):
        return ["--bus", self.agent.bus.address]

    def ctl(self, *arguments, status=OK, program=PODWIRECTL, where=None, **variables):
        """On a pipe: what it printed on (standard output, standard error)."""
        done = subprocess.run([program, *(self.arguments() if where is None else where), *arguments],
                              capture_output=True, timeout=DEADLINE, check=False, env=environment(**variables))
        self.assertEqual(done.returncode, status, done)
        if status != OK:
            self.assertEqual(done.stderr.count(b"\n"), 1, done)
        else:
            self.assertEqual(done.stderr, b"")
        return done.stdout.decode(), done.stderr.decode()

    def on_terminal(self, columns, *arguments, **variables):
        """What a terminal of that width gets to see, which is where standard error goes, too."""
        primary, secondary = pty.openpty()
        try:
            fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            process = resources.track(subprocess.Popen(
                [PODWIRECTL, *self.arguments(), *arguments], stdin=secondary, stdout=secondary, stderr=secondary,
                env=environment(**variables)))
            os.close(secondary)
            shown = read_all(primary)
            self.assertEqual(process.wait(DEADLINE), OK, shown)
        finally:
            os.close(primary)
        return shown.decode().replace("\r\n", "\n")

    def assert_golden(self, name, text):
        path = os.path.join(GOLDEN, name)
        if os.environ.get("PW_REWRITE_GOLDEN"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(text, file.read(), f"{name} (PW_REWRITE_GOLDEN=1 makes it anew)")


def read_all(fd):
    """Until the terminal's other end is closed, which is an error here."""
    read = b""
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            piece = b""
        if not piece:
            return read
        read += piece


def without_colour(text):
    return re.sub("\033\\[[0-9]*m", "", text)
