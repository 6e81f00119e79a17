# SPDX-License-Identifier: GPL-2.0-or-later
"""Something else lies where the plugin keeps its files: it never follows, never hangs, and goes on where it can."""
import contextlib
import json
import os
import shutil
import stat

from faults import FaultCase
from harness.case import PODWIRE, conflist, host_local, podwire, reserved
from harness.libcni import Attachment, call_plugin, plugin_environment

SECRET = "root:x:0:0\n"


class HostileCase(FaultCase):
    plugin = PODWIRE

    def setUp(self):
        super().setUp()
        self.net = self.network()
        self.pod = self.node.pod()
        self.attachment = Attachment.of(self.pod)
        self.secret = os.path.join(self.node.directory, "secret")
        with open(self.secret, "w", encoding="ascii") as file:
            file.write(SECRET)
        self.before = self.picture(self.pod)

    def add(self):
        call = self.runtime.call("ADD", self.net, self.attachment)
        self.assertEqual(call.status, 0, repr(call))
        return call.json

    def delete(self, result=None):
        return self.runtime.call("DEL", self.net, self.attachment, result)

    def learn_name(self):
        """The host end that this attachment has each time."""
        result = self.add()
        self.assert_done(self.delete(result))
        return self.host_ifname(result)

    def record_path(self, name):
        return os.path.join(self.node.state_dir, "attachments", f"{name}.json")

    def gc(self):
        network = self.network(version="1.1.0")
        config = dict(network["plugins"][0], name=network["name"], cniVersion="1.1.0")
        config["cni.dev/valid-attachments"] = []
        return call_plugin(self.node, self.runtime.find("podwire"),
                           plugin_environment("GC", cni_path=os.pathsep.join(self.runtime.path)), config)

    def assert_refused(self, call, *texts):
        self.assertEqual((call.status, call.json["code"]), (1, 5), repr(call))
        for text in texts:
            self.assertIn(text, call.json["msg"], repr(call))

    def assert_secret_kept(self):
        with open(self.secret, encoding="ascii") as file:
            self.assertEqual(file.read(), SECRET)
        self.assertTrue(stat.S_ISREG(os.lstat(self.secret).st_mode))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Record(HostileCase):
    """One lies in place of the record of a pod that is there."""

    def oddities(self):
        """name -> what puts it at a path; the path holds a good record before that."""
        def replaced(make):
            def put(path):
                os.unlink(path)
                make(path)
            return put

        def moved(path):
            os.rename(path, self.secret + ".record")
            os.symlink(self.secret + ".record", path)

        def newer(path):
            write(path, json.dumps({**json.loads(read(path)), "version": 99, "addresses": "elsewhere"}))

        def someone_elses(path):
            _, _, result = self.attach(self.net)
            shutil.copy(self.record_path(self.host_ifname(result)), path)

        return {
            "link_to_a_secret": replaced(lambda path: os.symlink(self.secret, path)),
            "link_to_nothing": replaced(lambda path: os.symlink("/nonexistent/x", path)),
            "link_to_itself": replaced(lambda path: os.symlink(path, path)),
            "link_to_the_record": moved,
            "fifo": replaced(os.mkfifo),
            "nothing_at_all": os.unlink,
            "empty": lambda path: write(path, ""),
            "garbage": lambda path: write(path, "\0\1\2 not JSON"),
            "half": lambda path: write(path, read(path)[:len(read(path)) // 2]),
            "no_object": lambda path: write(path, "[]"),
            "empty_object": lambda path: write(path, "{}"),
            "wrong_types": lambda path: write(path, json.dumps({key: 5 for key in json.loads(read(path))})),
            "newer_version": newer,
            "huge": lambda path: write(path, read(path) + " " * 200_000),
            "someone_elses": someone_elses,
            "no_permissions": lambda path: os.chmod(path, 0),
        }

    def assert_gone(self, others=()):
        kept = {line for line in self.picture(self.pod) if not any(name in line for name in others)}
        self.assertEqual(self.node.host_ends(), sorted(others))
        if not others:
            self.assert_same(kept, self.before)
        self.assertEqual(sorted(self.node.records()), sorted(others))
        self.assert_secret_kept()

    def test_del_succeeds_with_and_without_what_the_runtime_kept(self):
        for name, put in self.oddities().items():
            for kept in (True, False):
                with self.subTest(record=name, kept=kept):
                    result = self.add()
                    mine = self.host_ifname(result)
                    put(self.record_path(mine))
                    others = [end for end in self.node.host_ends() if end != mine]
                    held = {address: owner for address, owner in reserved(self.node).items()
                            if owner[0] != self.attachment.container_id}

                    self.assert_done(self.delete(result if kept else None))
                    self.assert_gone(others)
                    self.assertEqual(reserved(self.node), held)
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(self.secret + ".record")

    def test_someone_elses_record_does_not_harm_them(self):
        _, other, theirs = self.attach(self.net)
        before = self.picture(self.pod)
        result = self.add()
        shutil.copy(self.record_path(self.host_ifname(theirs)), self.record_path(self.host_ifname(result)))
        self.assert_done(self.delete())
        self.assert_same(self.picture(self.pod), before)
        self.runtime.check(self.net, other)

    def test_gc_takes_what_it_can_read_and_leaves_the_rest(self):
        net = self.network(version="1.1.0")
        for name, put in self.oddities().items():
            if name == "someone_elses":
                continue
            with self.subTest(record=name):
                _, odd, result = self.attach(net)
                self.attach(net)
                put(self.record_path(self.host_ifname(result)))
                call = self.gc()
                self.assertEqual((call.status, call.stdout), (0, b""), repr(call))
                if name != "no_permissions":  # which is nothing to root
                    self.assertEqual(self.node.host_ends(), [self.host_ifname(result)])
                if name != "nothing_at_all":
                    self.assert_secret_kept()
                self.runtime.forget()
                self.assert_done(self.runtime.call("DEL", net, odd, result))
                self.assert_nothing_left()
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self.secret + ".record")

    def test_check_does_not_need_it(self):
        result = self.add()
        path = self.record_path(self.host_ifname(result))
        os.unlink(path)
        os.mkfifo(path)
        self.assert_done(self.runtime.call("CHECK", self.net, self.attachment, result))

    def test_add_over_it_makes_a_record_of_its_own(self):
        path = self.record_path(self.learn_name())
        write(path, "{}")
        for name, put in self.oddities().items():
            if name in ("link_to_the_record", "someone_elses", "newer_version", "wrong_types", "half"):
                continue  # of a record that was good: those are AddKilledThenAdd's
            with self.subTest(record=name):
                write(path, "{}")
                put(path)
                result = self.add()
                self.assertTrue(stat.S_ISREG(os.lstat(path).st_mode))
                self.assertEqual(json.loads(read(path))["state"], "ready")
                self.assert_secret_kept()
                self.assert_done(self.delete(result))
                self.assert_gone()

    def test_directory_in_its_place_is_an_error_that_names_it(self):
        result = self.add()
        name = self.host_ifname(result)
        path = self.record_path(name)
        os.unlink(path)
        os.mkdir(path)
        self.assert_refused(self.delete(result), name)
        self.assertEqual((self.node.host_ends(), reserved(self.node)), ([], {}))
        self.assert_refused(self.runtime.call("ADD", self.net, self.attachment), name)
        self.assertEqual((self.node.host_ends(), reserved(self.node)), ([], {}))
        os.rmdir(path)
        self.assert_done(self.delete(result))
        self.assert_gone()

    def test_temporary_name_that_leads_elsewhere(self):
        name = self.learn_name()
        temporary = os.path.join(os.path.dirname(self.record_path(name)), f".{name}.json.tmp")
        for make in (lambda: os.symlink(self.secret, temporary), lambda: os.mkfifo(temporary),
                     lambda: os.link(self.secret, temporary)):
            make()
            result = self.add()
            self.assert_secret_kept()
            self.assert_done(self.delete(result))
            self.assert_gone()


class Directory(HostileCase):
    """stateDir, runtimeDir and what is below them."""

    def paths(self):
        return {"stateDir": self.node.state_dir, "runtimeDir": self.node.runtime_dir,
                "attachments": os.path.join(self.node.state_dir, "attachments"),
                "lock": os.path.join(self.node.runtime_dir, "lock")}

    def oddities(self):
        target = os.path.join(self.node.directory, "target")
        os.makedirs(target, exist_ok=True)

        def directory(mode=0o755, owner=0):
            def make(path):
                os.mkdir(path)
                os.chmod(path, mode)
                os.chown(path, owner, owner)
            return make

        return {
            "link_to_a_directory": lambda path: os.symlink(target, path),
            "link_to_nothing": lambda path: os.symlink("/nonexistent/x", path),
            "for_all_to_write": directory(0o777),
            "for_all_to_write_but_sticky": directory(0o1777),
            "for_a_group_to_write": directory(0o775),
            "of_another_user": directory(owner=65534),
            "file": lambda path: write(path, "x"),
            "fifo": os.mkfifo,
        }

    @contextlib.contextmanager
    def in_place_of(self, path, make):
        """While the block runs, the good directory is aside and the odd thing in its place."""
        aside = path + ".aside"
        if os.path.isdir(path):
            os.rename(path, aside)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        make(path)
        try:
            yield
            self.assertEqual(os.listdir(os.path.join(self.node.directory, "target")), [])
        finally:
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
            if os.path.isdir(aside):
                os.rename(aside, path)

    def test_add_is_refused_and_makes_nothing(self):
        for key, path in self.paths().items():
            for name, make in self.oddities().items():
                with self.subTest(directory=key, is_a=name), self.in_place_of(path, make):
                    call = self.runtime.call("ADD", self.net, self.attachment)
                    self.assert_refused(call, os.path.basename(path))
                    self.assertEqual((self.node.host_ends(), reserved(self.node)), ([], {}))
                    self.assertEqual(self.pod.ifnames(), ["lo"])
        self.assert_same(self.picture(self.pod), self.before)

    def test_del_does_the_rest_where_records_cannot_be_used(self):
        for key in ("stateDir", "attachments"):
            path = self.paths()[key]
            for name, make in self.oddities().items():
                with self.subTest(directory=key, is_a=name):
                    result = self.add()
                    with self.in_place_of(path, make):
                        self.assert_refused(self.delete(result), os.path.basename(path))
                        self.assertEqual((self.node.host_ends(), reserved(self.node)), ([], {}))
                        self.assertIsNone(self.node.nft_table("podwire"))
                    # What couldn't be done is the record.
                    self.assertEqual(len(self.node.records()), 1)
                    self.assert_done(self.delete(result))
                    self.assert_same(self.picture(self.pod), self.before)

    def test_del_without_its_locks_is_refused_and_does_nothing(self):
        for key in ("runtimeDir", "lock"):
            path = self.paths()[key]
            for name, make in self.oddities().items():
                with self.subTest(directory=key, is_a=name):
                    result = self.add()
                    there = self.picture(self.pod)
                    with self.in_place_of(path, make):
                        self.assert_refused(self.delete(result), os.path.basename(path))
                    self.assert_same(self.picture(self.pod), there)
                    self.assert_done(self.delete(result))
                    self.assert_same(self.picture(self.pod), self.before)

    def test_status_says_that_add_would_fail(self):
        net = self.network(version="1.1.0")
        for key, path in self.paths().items():
            for name, make in self.oddities().items():
                with self.subTest(directory=key, is_a=name), self.in_place_of(path, make):
                    self.assert_fails(50, os.path.basename(path), self.runtime.status, net)

    def test_a_parent_may_be_a_link(self):
        # As /var/run is one to /run.
        os.mkdir(os.path.join(self.node.directory, "real"))
        os.symlink("real", os.path.join(self.node.directory, "link"))
        self.node.state_dir = os.path.join(self.node.directory, "link", "a", "lib")
        self.node.runtime_dir = os.path.join(self.node.directory, "link", "b", "run")
        self.net = self.network()
        result = self.add()
        self.assertEqual(list(self.node.records()), [self.host_ifname(result)])
        self.assert_done(self.delete(result))
        self.assert_same(self.picture(self.pod), self.before)


class Lock(HostileCase):
    def test_what_is_no_file_is_refused_and_hangs_nobody(self):
        name = self.learn_name()
        kinds = {"link": lambda path: os.symlink(self.secret, path), "fifo": os.mkfifo, "directory": os.mkdir}
        for entry in (f"lock/{name}.lock", "masq.lock", "sysctl.lock"):
            path = os.path.join(self.node.runtime_dir, entry)
            for kind, make in kinds.items():
                with self.subTest(lock=entry, is_a=kind):
                    self.node.forwarding(4, False)
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(path)
                    make(path)
                    call = self.runtime.call("ADD", self.net, self.attachment)
                    self.assert_refused(call, os.path.basename(path))
                    self.assert_secret_kept()
                    self.assertEqual((self.node.host_ends(), reserved(self.node)), ([], {}))
                    (os.rmdir if kind == "directory" else os.unlink)(path)
                    self.assert_done(self.delete())
                    self.assert_same(self.picture(self.pod), self.before)

    def test_old_values_that_are_garbage_count_as_none(self):
        self.learn_name()
        path = os.path.join(self.node.runtime_dir, "sysctl.lock")
        for text in ("garbage", "[]", '{"ipv4/ip_forward":', "\0" * 100, "x" * 1000):
            with self.subTest(text=text[:20]):
                write(path, text)
                self.node.forwarding(4, False)
                self.add()
                self.assertEqual(json.loads(read(path)), {"ipv4/ip_forward": "0"})
                self.assertTrue(self.node.forwarding(4))
                self.assert_done(self.delete())

    def test_agents_lock_is_not_followed_and_hangs_nobody(self):
        self.learn_name()
        net = conflist(podwire(self.node, host_local(self.node), requireAgent=True), version="1.1.0")
        path = os.path.join(self.node.runtime_dir, "agent.lock")
        for make in (lambda: os.symlink(self.secret, path), lambda: os.mkfifo(path)):
            make()
            call = self.runtime.call("STATUS", net, Attachment("", "", ""))
            self.assertIn(call.status, (0, 1), repr(call))
            self.assert_secret_kept()
            os.unlink(path)


class Namespace(HostileCase):
    def test_path_that_is_no_namespace(self):
        fifo = os.path.join(self.node.directory, "fifo")
        os.mkfifo(fifo)
        for path in (fifo, self.secret, self.node.directory, "/dev/null", "/proc/self/ns/mnt"):
            with self.subTest(path=path):
                attachment = self.attachment.replace(netns=path)
                call = self.runtime.call("ADD", self.net, attachment)
                self.assertEqual((call.status, call.json["code"]), (1, 8), repr(call))
                self.assert_done(self.runtime.call("DEL", self.net, attachment))
                self.assert_same(self.picture(self.pod), self.before)
