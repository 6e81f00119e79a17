# SPDX-License-Identifier: GPL-2.0-or-later
"""podwirectl beside a real agent: its tables and its JSON, byte for byte; and every way in which it can't."""
import json
import os
import re
import signal
import socket
import subprocess
import time
import unicodedata

from ctlcase import DEADLINE, FAILED, NOT_FOUND, NO_AGENT, PODWIRECTL, USAGE, CtlCase, environment, without_colour
from harness import resources
from harness.case import SOURCE_DIR, V4, V6, conflist, host_local, podwire
from harness.resources import PATIENCE

# What the agent may take to answer before it counts as hung, and what the rest of a command takes.
HUNG = 5.0
LONG = "n" * 250
ODD = [("default", "caf\u00e9-\u6f22\u5b57"), ("evil", "\033[31mred\033[2J\u202e\n"), ("long", LONG)]
COMPLETION = os.path.join(SOURCE_DIR, "deploy", "completion", "podwirectl")


def normal(text):
    """What differs from machine to machine, or is counted, becomes a word."""
    def field(labels, value, by):
        return re.sub(rf"(?m)^((?: |\033\[1m)*(?:{labels})(?:\033\[0m)?: ){value}", by, text)
    text = field("Agent", "podwired .*", r"\1podwired VERSION, on BUS")
    text = field("Kernel|Features|CPUs", ".*", r"\1-")
    text = field("Resyncs", r"\d+, for lost events: \d+", r"\1N")
    text = field("(?:in|out)-[a-z-]+", r"\d+", r"\1N")
    text = re.sub(r'("(?:version|kernel)":)"[^"]*"', r'\1"-"', text)
    text = re.sub(r'("(?:features|cpus)":)\[[^]]*\]', r"\1[]", text)
    return re.sub(r'("(?:resyncs|lostEvents|(?:in|out)-[a-z-]+)":)\d+', r"\1N", text)


def columns_of(line):
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 0 if unicodedata.combining(char) else 1
               for char in without_colour(line))


class Pods(CtlCase):
    """A node whose pods are always the same."""

    def setUp(self):
        super().setUp()
        self.agent.start()
        self.net = self.network(V4, V6)
        self.hosts = {}
        for number, (namespace, name) in enumerate(self.pods(), 1):
            self.add(number, namespace, name)

    def pods(self):
        return [("shop", "checkout-worker-7f9c5b6d8-zq4vn"), ("kube-system", "coredns-5d78c9869d-7xk2p")]

    def add(self, number, namespace, name, network=None, ifname="eth0"):
        pod = self.node.pod(name=name, namespace=namespace)
        pod.container_id = f"{number:02x}" * 32
        pod.uid = f"00000000-0000-0000-0000-{number:012d}"
        _, _, _, self.hosts[namespace, name, ifname] = self.wired(network or self.net, pod=pod, ifname=ifname)
        return pod

    def stranger(self):
        """A link of our name that nothing is known of."""
        self.node.ip("link", "add", "vethpwffffffff0", "type", "veth", "peer", "name", "stranger")
        self.agent.wait_for("vethpwffffffff0", State="no-record")


class Tables(Pods):
    def assert_shown(self, name, *arguments, widths=(80, 200)):
        pipe = normal(self.ctl(*arguments)[0])
        self.assert_golden(f"{name}-pipe", pipe)
        for width in widths:
            shown = self.on_terminal(width, *arguments)
            self.assert_golden(f"{name}-{width}", normal(shown))
            for line in shown.splitlines():
                self.assertLessEqual(columns_of(line), width, line)

    def test_tables_on_pipes_and_terminals(self):
        self.stranger()
        self.assert_shown("status", "status")
        self.assert_shown("pods", "pods")
        self.assert_shown("pods-shop", "pods", "--namespace", "shop", widths=())
        self.assert_shown("pods-none", "pods", "-n", "nobody", widths=(80,))
        self.assert_shown("pod", "pod", "kube-system/coredns-5d78c9869d-7xk2p")
        self.assert_shown("devices", "devices")

    def test_json(self):
        self.stranger()
        for name, *arguments in (("status", "status"), ("pods", "pods"), ("devices", "devices"),
                                 ("pod", "pod", "shop/checkout-worker-7f9c5b6d8-zq4vn")):
            text, _ = self.ctl("--json", *arguments)
            json.loads(text)
            self.assert_golden(f"{name}.json", normal(text))
            self.assertEqual(normal(self.on_terminal(80, "--json", *arguments)), normal(text))

    def test_json_has_what_the_agent_says(self):
        answer = json.loads(self.ctl("--json", "pods")[0])["attachments"]
        for one in answer:
            said = self.agent.attachment(one["hostInterface"])
            self.assertEqual({key[0].upper() + key[1:]: value for key, value in one.items()}, said)
        self.assertEqual(len(answer), 2)

    def test_nobody_wants_colour(self):
        coloured = self.on_terminal(80, "pods")
        self.assertIn("\033[32mready\033[0m", coloured)
        for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertEqual(self.on_terminal(80, "pods", **variables), without_colour(coloured))
        self.assertEqual(self.on_terminal(80, "pods", NO_COLOR=""), coloured)

    def test_a_narrower_terminal_than_any_table(self):
        shown = self.on_terminal(20, "pods", NO_COLOR="1")
        self.assertIn("STATE", shown)
        self.assertTrue(all(columns_of(line) <= 80 for line in shown.splitlines()), shown)

    def test_cpus_or_that_the_agent_does_not_tell(self):
        answer = self.agent.call("/org/podwire1", "Manager", "ListCpus", check=False)
        if not isinstance(answer, dict):
            self.assertIn("doesn't tell", self.ctl("cpus", status=FAILED)[1])
            return
        said = [{"cpu": cpu, "queue": queue} for cpu, queue in answer["data"][0]]
        self.assertEqual(json.loads(self.ctl("--json", "cpus")[0]), {"cpus": said})
        rows = [line.split() for line in self.ctl("cpus")[0].splitlines()]
        self.assertEqual(rows, [["CPU", "QUEUE"]] + [[str(one["cpu"]), str(one["queue"])] for one in said])


class OddNames(Pods):
    def pods(self):
        return ODD

    def test_no_name_moves_the_cursor_or_breaks_a_line(self):
        for width in (80, 200):
            shown = self.on_terminal(width, "pods", NO_COLOR="1")
            self.assert_golden(f"odd-pods-{width}", shown)
            lines = shown.splitlines()
            self.assertEqual(len(lines), 4)
            for line in lines:
                self.assertLessEqual(columns_of(line), width, line)
                self.assertTrue(line.isprintable(), ascii(line))
        for arguments in (("pods",), ("pod", self.hosts["evil", ODD[1][1], "eth0"])):
            text, _ = self.ctl(*arguments)
            self.assertTrue(text.replace("\n", "").isprintable(), ascii(text))
        self.assertIn(LONG, self.ctl("pods")[0])

    def test_json_has_them_whole(self):
        text, _ = self.ctl("--json", "pods")
        self.assertTrue(text.rstrip("\n").isprintable(), ascii(text))
        self.assertEqual(sorted(one["name"] for one in json.loads(text)["attachments"]),
                         sorted(name for _, name in ODD))

    def test_without_utf8_there_are_question_marks(self):
        self.assertIn("caf?-??", self.ctl("pods", LC_ALL="C")[0])

    def test_they_can_be_asked_for(self):
        for namespace, name in ODD:
            answer = json.loads(self.ctl("--json", "pod", f"{namespace}/{name}")[0])
            self.assertEqual(answer["attachments"][0]["name"], name)


class Completion(Pods):
    def pods(self):
        return [("shop", "web-1"), ("shop", "web-2"), *ODD]

    def completed(self, line):
        """What bash would offer at the end of the line."""
        script = f"""source {COMPLETION}
            COMP_LINE=$1 COMP_POINT=${{#1}}
            read -ra COMP_WORDS <<<"$1"; [[ $1 == *' ' ]] && COMP_WORDS+=('')
            COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
            _podwirectl "$2"; printf '%s\\n' "${{COMPREPLY[@]}}" """
        done = subprocess.run(["bash", "--norc", "-euc", script, "-", line, PODWIRECTL], capture_output=True, text=True,
                              timeout=DEADLINE, check=False, env=environment())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return sorted(done.stdout.split("\n")[:-1])

    def test_words(self):
        bus = f"podwirectl --bus {self.agent.bus.address}"
        evil, local = (self.hosts[namespace, name, "eth0"] for namespace, name in (ODD[1], ODD[0]))
        for line, words in (("podwirectl st", ["status"]), ("podwirectl --js", ["--json"]),
                            ("podwirectl pods --n", ["--names", "--namespace"]),
                            (f"{bus} pod", ["pod", "pods"]),
                            (f"{bus} pod shop/", ["shop/web-1", "shop/web-2"]),
                            (f"{bus} pod vethpw", sorted([evil, local])),
                            (f"{bus} pods -n s", ["shop"]),
                            (f"{bus} pod shop/web-1 ", [""]),
                            ("podwirectl --bus unix:path=/nowhere pod ", [""])):
            with self.subTest(line=line):
                self.assertEqual(self.completed(line), words)

    def test_nothing_that_a_shell_would_act_on(self):
        offered = self.completed(f"podwirectl --bus {self.agent.bus.address} pod ")
        self.assertEqual(len(offered), 5)
        for word in offered:
            self.assertRegex(word, r"^[a-z0-9/.-]+$")

    def test_what_is_typed_is_never_run(self):
        proof = os.path.join(self.node.directory, "proof")
        self.completed(f"podwirectl --bus $(touch${{IFS}}{proof}) pod `touch {proof}`")
        self.assertFalse(os.path.exists(proof))


class Found(Pods):
    def test_one_that_is_not_there(self):
        for name in ("nobody", "shop/nobody", "", "/", "\033[2J", b"\xff\xfe", "x" * 100000):
            with self.subTest(name=name):
                _, said = self.ctl("pod", name, status=NOT_FOUND)
                self.assertTrue(said.rstrip("\n").isprintable(), ascii(said))

    def test_a_pod_on_two_networks_is_ambiguous(self):
        pod = self.add(3, "shop", "two")
        ipam = host_local(self.node, {"subnet": "10.2.0.0/24"}, routes=(), network="other-ipam")
        other = conflist(podwire(self.node, ipam), name="other")
        _, _, _, second = self.wired(other, pod=pod, ifname="net1")
        _, said = self.ctl("pod", "shop/two", status=NOT_FOUND)
        for host in (self.hosts["shop", "two", "eth0"], second):
            self.assertIn(host, said)
            self.assertEqual(json.loads(self.ctl("--json", "pod", host)[0])["attachments"][0]["hostInterface"], host)
        names = self.ctl("pods", "--names")[0].split()
        self.assertEqual(names[:2], ["kube-system/coredns-5d78c9869d-7xk2p", "shop/checkout-worker-7f9c5b6d8-zq4vn"])
        self.assertEqual(names[2:], [self.hosts["shop", "two", "eth0"], second])


class Wrong(CtlCase):
    def test_wrong_usage(self):
        for arguments in ((), ("nothing",), ("pods", "x"), ("pods", "--nothing"), ("pods", "-n"), ("pod",),
                          ("pod", "a", "b"), ("status", "-x"), ("pods", "--names=x"), ("--nothing",), ("--bus",),
                          ("pods", "--bus"), ("status", "--json=x"), ("status", "--", "--json")):
            with self.subTest(arguments=arguments):
                done = subprocess.run([PODWIRECTL, *arguments], capture_output=True, timeout=DEADLINE, check=False)
                self.assertEqual(done.returncode, USAGE, done)

    def test_options_stand_anywhere(self):
        self.agent.start()
        expected, _ = self.ctl("--json", "status")
        for arguments in (("status", "--json"), ("--json", "status", *self.arguments())):
            self.assertEqual(self.ctl(*arguments)[0], expected)
        missing = f"unix:path={self.node.directory}/missing"
        self.ctl("status", f"--bus={missing}", status=NO_AGENT)
        self.ctl("pods", "--bus", missing, "--names", status=NO_AGENT)

    def test_help(self):
        for arguments, said in (((), "podwirectl [OPTION]... COMMAND"), (("pods",), "pods [-n NAMESPACE]"),
                                (("doctor",), "--conf-dir DIR"), (("install", "--dry-run"), "--pod-cidr CIDR")):
            done = subprocess.run([PODWIRECTL, *arguments, "--help"], capture_output=True, text=True, timeout=DEADLINE,
                                  check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(said, done.stdout)

    def test_a_full_disk_is_a_failure(self):
        self.agent.start()
        for arguments in (("status",), ("--json", "pods"), ("pods",), ("devices",)):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([PODWIRECTL, *self.arguments(), *arguments], stdout=full, stderr=subprocess.PIPE,
                                      timeout=DEADLINE, check=False)
            self.assertEqual(done.returncode, FAILED, done)
            self.assertIn(b"standard output", done.stderr)


class Absent(CtlCase):
    """Each is exit 3, within the time that an agent has, and one line that says what is wrong."""

    def assert_absent(self, what, *arguments, where=None, **variables):
        begin = time.monotonic()
        _, said = self.ctl(*(arguments or ("status",)), status=NO_AGENT, where=where, **variables)
        self.assertLess(time.monotonic() - begin, (HUNG + 4) * PATIENCE)
        self.assertIn(what, said)
        self.assertIn("systemctl status podwired", said)

    def test_nobody_on_the_bus(self):
        for command in (("status",), ("pods",), ("pod", "x"), ("devices",), ("cpus",), ("--json", "pods")):
            self.assert_absent("isn't running", *command)

    def test_no_bus_and_no_socket(self):
        missing = os.path.join(self.node.directory, "missing")
        self.assert_absent("isn't running", where=["--bus", f"unix:path={missing}"])
        self.assert_absent("missing/agent.sock: No such file", where=["--runtime-dir", missing],
                           DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={missing}")
        self.assert_absent("can't be reached: on the system bus", where=["--runtime-dir", "/" + "x" * 200],
                           DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={missing}")

    def test_an_agent_that_hangs(self):
        self.agent.start()
        self.agent.signal(signal.SIGSTOP)
        self.assert_absent("doesn't answer")
        self.agent.signal(signal.SIGCONT)
        self.ctl("status")

    def test_a_socket_that_nobody_serves(self):
        os.makedirs(self.node.runtime_dir, exist_ok=True)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(os.path.join(self.node.runtime_dir, "agent.sock"))
            listener.listen(0)
            self.assert_absent("timed out", where=["--runtime-dir", self.node.runtime_dir],
                               DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nowhere")

    def test_somebody_elses_socket_is_no_agent(self):
        os.makedirs(self.node.runtime_dir, exist_ok=True)
        path = os.path.join(self.node.runtime_dir, "agent.sock")
        # who listens is who counts, so another process must
        script = "import socket, sys; s = socket.socket(fileno=0); s.listen(8); print(flush=True); s.accept()"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            other = resources.track(subprocess.Popen(["python3", "-c", script], stdin=listener.fileno(),
                                                     stdout=subprocess.PIPE, user=65534, group=65534,
                                                     extra_groups=[]))
        self.addCleanup(other.stdout.close)
        self.addCleanup(resources.finish, other)
        other.stdout.readline()
        self.assert_absent("is of user 65534", where=["--runtime-dir", self.node.runtime_dir],
                           DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nowhere")

    def test_somebody_elses_name_is_no_agent(self):
        os.chmod(self.node.directory, 0o755)
        script = """if True:
            import ctypes, sys
            lib, bus = ctypes.CDLL("libsystemd.so.0"), ctypes.c_void_p()
            lib.sd_bus_new(ctypes.byref(bus))
            lib.sd_bus_set_address(bus, sys.argv[1].encode())
            lib.sd_bus_set_bus_client(bus, 1)
            lib.sd_bus_start(bus)
            print(lib.sd_bus_request_name(bus, b"org.podwire1", ctypes.c_uint64(0)), flush=True)
            sys.stdin.read()"""
        other = resources.track(subprocess.Popen(["python3", "-c", script, self.agent.bus.address], text=True,
                                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, user=65534,
                                                 group=65534, extra_groups=[]))
        for stream in (other.stdin, other.stdout):
            self.addCleanup(stream.close)
        self.addCleanup(resources.finish, other)
        self.assertEqual(other.stdout.readline(), "1\n")
        self.assert_absent("is of user 65534", where=[], DBUS_SYSTEM_BUS_ADDRESS=self.agent.bus.address)
        self.assert_absent("doesn't answer")  # who names a bus trusts it


class Ways(CtlCase):
    def test_the_system_bus_is_where_the_agent_is(self):
        self.agent.start()
        text, _ = self.ctl("status", where=[], DBUS_SYSTEM_BUS_ADDRESS=self.agent.bus.address)
        self.assertIn("on the system bus", text)

    def test_without_a_bus_its_socket_is(self):
        self.agent.start()
        path = os.path.join(self.node.runtime_dir, "agent.sock")
        if not os.path.exists(path):
            self.skipTest("this agent has no socket of its own")
        _, _, _, host = self.wired()
        where = ["--runtime-dir", self.node.runtime_dir]
        for arguments in (("pods",), ("pod", host), ("--json", "devices")):
            there = self.ctl(*arguments, where=where, DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nowhere")
            self.assertEqual(normal(there[0]), normal(self.ctl(*arguments)[0]))
        text, _ = self.ctl("status", where=where, DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nowhere")
        self.assertIn(f"on {path}", text)
        self.ctl("pod", "nobody", where=where, status=NOT_FOUND, DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nowhere")
