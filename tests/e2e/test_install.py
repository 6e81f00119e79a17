# SPDX-License-Identifier: GPL-2.0-or-later
"""podwirectl install and uninstall: each rule of podwirectl-install(8), on a file system below a temporary root."""
import json
import os
import socket
import stat
import subprocess

from harness.case import PODWIRE, SOURCE_DIR
from installcase import BIN, CONF, CONFLIST, PODWIRECTL, V4, V6, InstallCase

FOREIGN = json.dumps({"cniVersion": "1.0.0", "name": "cbr0", "plugins": [{"type": "flannel"}]})


class Install(InstallCase):
    def setUp(self):
        super().setUp()
        self.plugins()

    def test_what_is_written_is_the_shipped_network(self):
        done = self.install()
        self.assert_installed()
        with open(os.path.join(SOURCE_DIR, "deploy", "10-podwire.conflist"), encoding="utf-8") as file:
            self.assertEqual(self.read(CONFLIST), file.read())
        self.assertEqual(done.stdout.splitlines()[-1], f"network   {CONFLIST}: written")

    def test_one_family_has_one_range_and_one_route(self):
        self.install(pods=[V6])
        ipam = json.loads(self.read(CONFLIST))["plugins"][0]["ipam"]
        self.assertEqual((ipam["ranges"], ipam["routes"]), ([[{"subnet": V6}]], [{"dst": "::/0"}]))

    def test_modes_are_whatever_the_umask(self):
        self.install(prefix=["sh", "-c", 'umask 077; exec "$@"', "sh"])
        self.assert_installed()

    def test_a_second_run_changes_nothing(self):
        self.install()
        before = self.picture()
        done = self.install(options=["--json"])
        self.assertFalse(json.loads(done.stdout)["changed"])
        self.assertEqual(self.steps(done), {"bin-dir": "taken", "conf-dir": "taken", "network": "kept",
                                            "plugin": "kept"})
        self.assertEqual(self.picture(), before)
        self.assertEqual(self.install().stdout.count("already as it should be"), 2)

    def test_dry_run_checks_and_writes_nothing(self):
        before = self.picture()
        done = self.install("--dry-run", "--uplink-xdp")
        self.assertEqual(done.stdout.count("would be written"), 3)
        self.assertEqual(self.picture(), before)
        os.unlink(self.path(f"{BIN}/host-local"))
        self.refused("there is no host-local", "--dry-run")

    def test_prefixes_from_a_file(self):
        for text in f"{V4}\n{V6}\n", f" {V4},{V6}", f"{V4} {V6}\r\n":
            self.write("/pods", text)
            self.install("--pod-cidr-file", self.path("/pods"), pods=[])
            self.assertIn(V4, self.read(CONFLIST))
            self.assertIn(V6, self.read(CONFLIST))
        for text in "", "\n", "10.1.0.0/24 and more", "10.1.0.0/24 10.2.0.0/24", "x" * 5000:
            self.write("/pods", text)
            done = self.run_ctl("install", "--pod-cidr-file", self.path("/pods"))
            self.assertIn(done.returncode, (1, 64), text)
            self.assertIn(self.path("/pods"), done.stderr)

    def test_wrong_prefixes_are_wrong_usage(self):
        for pods, text in (([], "--pod-cidr is missing"), (["10.1.0.1/24"], "did you mean 10.1.0.0/24?"),
                           (["10.1.0.0"], "is not ADDRESS/LENGTH"), (["10.1.0.0/31"], "has no room for pods"),
                           (["fd00::/127"], "has no room for pods"), ([V4, "10.2.0.0/24"], "of a family"),
                           ([V4, V6, V4], "of a family"), (["0.0.0.0/0"], "that pods can have"),
                           (["224.0.0.0/8"], "that pods can have"), (["fe80::/64"], "that pods can have")):
            done = self.install(pods=pods, status=64)
            self.assertIn(text, done.stderr)
        self.assertFalse(os.path.exists(self.path(CONF)))

    def test_wrong_options_are_wrong_usage(self):
        for arguments in ["--no-such-option"], ["more"], ["--bin-dir"], ["--bin-dir", "opt/cni/bin"], ["--plugin-only"]:
            self.install(*arguments, status=64)

    def test_uplink_xdp_is_the_agents_key(self):
        path = "/etc/podwire/agent.d/20-uplink-xdp.json"
        self.install("--uplink-xdp")
        self.assertEqual(json.loads(self.read(path)), {"uplinkXdp": "native"})
        before = self.picture()
        self.install("--uplink-xdp")
        self.assertEqual(self.picture(), before)
        self.uninstall()
        self.assertFalse(os.path.exists(self.path(path)))

    def test_plugin_only_writes_no_network(self):
        self.install("--plugin-only", pods=[])
        self.assertTrue(os.path.exists(self.path(f"{BIN}/podwire")))
        self.assertFalse(os.path.exists(self.path(CONF)))

    def test_the_plugin_of_the_package_is_the_default(self):
        os.makedirs(self.path("/usr/bin"))
        os.makedirs(self.path("/usr/lib/podwire"))
        subprocess.run(["cp", PODWIRECTL, self.path("/usr/bin/podwirectl")], check=True)
        subprocess.run(["cp", PODWIRE, self.path("/usr/lib/podwire/podwire")], check=True)
        own = [self.path("/usr/bin/podwirectl")]
        done = subprocess.run([*own, "install", "--root", self.root, "--pod-cidr", V4], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done)
        self.assert_installed()
        # in its own directory there's nothing to copy, and nothing to remove
        self.plugins("/usr/lib/podwire")
        for command, more in ("install", ["--pod-cidr", V4]), ("uninstall", []):
            done = subprocess.run([*own, command, "--root", self.root, "--bin-dir", "/usr/lib/podwire", *more],
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done)
            self.assertTrue(os.path.exists(self.path("/usr/lib/podwire/podwire")))


class Checks(InstallCase):
    def setUp(self):
        super().setUp()
        self.plugins()

    def test_plugins_that_pods_need(self):
        for name in "loopback", "host-local":
            path = self.path(f"{BIN}/{name}")
            os.rename(path, path + ".away")
            self.refused(f"there is no {name} in {BIN}")
            os.mkdir(path)
            self.refused(f"{BIN}/{name} is not an executable file")
            os.rmdir(path)
            os.rename(path + ".away", path)
            os.chmod(path, 0o644)
            self.refused(f"{BIN}/{name} is not an executable file")
            os.chmod(path, 0o755)

    def test_no_directory_of_plugins(self):
        self.refused("there is no directory /nowhere/bin", "--bin-dir", "/nowhere/bin")

    def test_chained_plugins_of_a_kept_network_are_needed_too(self):
        self.install()
        conflist = json.loads(self.read(CONFLIST))
        conflist["plugins"].append({"type": "portmap", "capabilities": {"portMappings": True}})
        self.write(CONFLIST, json.dumps(conflist))
        self.refused(f"there is no portmap in {BIN}")
        self.plugins(names=["portmap"])
        done = self.install()
        self.assertIn("kept, since it was changed by hand", done.stdout)
        self.assertEqual(json.loads(self.read(CONFLIST)), conflist)

    def test_another_network_that_sorts_first(self):
        os.makedirs(self.path(CONF))
        for name in ("10-flannel.conflist", "05-cilium.conf", "0.json", "10-podwire.conf", ".hidden.conf"):
            self.write(f"{CONF}/{name}", FOREIGN)
            self.refused(f"{CONF}/{name} sorts before 10-podwire.conflist")
            os.unlink(self.path(f"{CONF}/{name}"))
        os.symlink("/nowhere", self.path(f"{CONF}/00-x.conf"))
        self.refused("00-x.conf sorts before")

    def test_networks_that_do_not_sort_first(self):
        for name in "87-podman.conflist", "100-crio-bridge.conflist", "10-flannel.conflist.disabled", "00-readme":
            self.write(f"{CONF}/{name}", FOREIGN)
        os.makedirs(self.path(f"{CONF}/00-directory.conf"))
        self.install()

    def test_multus_may_sort_first(self):
        self.write(f"{CONF}/00-multus.conf", json.dumps({"name": "multus", "type": "multus", "clusterNetwork": "x"}))
        self.assertIn("00-multus.conf: left", self.install().stdout)

    def test_a_network_that_the_plugin_refuses(self):
        self.install()
        self.write(CONFLIST, self.read(CONFLIST).replace('"ipMasq": true', '"ipMasq": 1'))
        self.refused("refuses the network: plugins[0].ipMasq")

    def test_a_plugin_that_does_not_run(self):
        for name, body in ("garbage", "\x7fELF nothing"), ("other", "#!/bin/sh\necho other 1.0\n"), \
                ("fails", "#!/bin/sh\necho podwire 1\nexit 3\n"), ("hangs", "#!/bin/sh\nexec sleep 600\n"):
            with self.subTest(plugin=name):
                self.write(f"/{name}", body, 0o755)
                self.refused("does not run here", plugin=self.path(f"/{name}"))
        self.refused("cannot open /nowhere: No such file or directory (--plugin names another)", plugin="/nowhere")
        self.write("/plain", "")
        self.refused("is not an executable file", plugin=self.path("/plain"))

    def test_two_at_a_time(self):
        os.makedirs(self.path(CONF))
        for directory in CONF, BIN:
            done = self.run_ctl("install", "--pod-cidr", V4, prefix=["flock", self.path(directory)])
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"installing or uninstalling in {directory}", done.stderr)


class Existing(InstallCase):
    """Something is there already."""

    def setUp(self):
        super().setUp()
        self.plugins()

    def test_other_prefixes_replace_an_unchanged_network(self):
        self.install()
        self.install(pods=["10.9.0.0/16"])
        self.assertIn("10.9.0.0/16", self.read(CONFLIST))

    def test_a_network_changed_by_hand_is_kept_unless_forced(self):
        self.install()
        changed = self.read(CONFLIST).replace('"name": "pods"', '"name": "mine"')
        self.write(CONFLIST, changed)
        done = self.install(options=["--json"])
        self.assertEqual(self.steps(done)["network"], "kept")
        self.assertEqual(self.read(CONFLIST), changed)
        self.install("--force")
        self.assert_installed()
        self.assertNotIn("mine", self.read(CONFLIST))

    def test_without_prefixes_a_network_stays(self):
        self.install()
        before = self.read(CONFLIST)
        self.install(pods=[])
        self.assertEqual(self.read(CONFLIST), before)

    def test_somebody_elses_network_of_that_name(self):
        for body in FOREIGN, "", "not JSON", "[]":
            self.write(CONFLIST, body)
            self.refused(f"{CONFLIST} is no network of podwire's")
        self.install("--force")
        self.assert_installed()

    def test_an_older_plugin_is_replaced(self):
        self.write(f"{BIN}/podwire", "#!/bin/sh\necho podwire 0.0.1: old\n", 0o755)
        self.install()
        self.assert_installed()

    def test_the_mode_of_the_plugin_is_mended(self):
        self.install()
        os.chmod(self.path(f"{BIN}/podwire"), 0o777)
        self.install()
        self.assert_installed()

    def test_something_else_of_the_plugins_name(self):
        secret = self.path("/secret")
        self.write("/secret", "precious")
        path = self.path(f"{BIN}/podwire")
        for name, make in (("other", lambda: self.write(f"{BIN}/podwire", "#!/bin/sh\necho other\n", 0o755)),
                           ("half", lambda: self.write(f"{BIN}/podwire", "\x7fELF", 0o755)),
                           ("link", lambda: os.symlink(secret, path)), ("dangling", lambda: os.symlink("/x", path))):
            with self.subTest(name):
                make()
                self.refused(f"{BIN}/podwire is a link, or doesn't say that it's podwire")
                self.install("--force")
                self.assert_installed()
                self.uninstall()
        os.mkfifo(path)
        self.refused("podwire is not a regular file", "--force")
        self.assertEqual(self.read("/secret"), "precious")

    def test_links_at_the_destinations_are_not_followed(self):
        self.write("/secret", "precious")
        os.makedirs(self.path(CONF))
        for name in f"{BIN}/.podwire.tmp", f"{CONF}/.10-podwire.conflist.tmp":
            os.symlink(self.path("/secret"), self.path(name))
        self.install()
        self.assert_installed()
        self.uninstall()
        os.symlink(self.path("/secret"), self.path(CONFLIST))
        self.refused("10-podwire.conflist: Too many levels of symbolic links", "--force")
        self.assertEqual(self.read("/secret"), "precious")

    def test_what_is_no_file_is_not_waited_for(self):
        os.makedirs(self.path(CONF))
        os.mkfifo(self.path(CONFLIST))
        self.refused("10-podwire.conflist is not a regular file")
        os.unlink(self.path(CONFLIST))
        os.mkfifo(self.path(f"{CONF}/99-x.conf"))
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(self.path(f"{CONF}/98-x.conf"))
        self.install()
        self.uninstall()


class Ways(InstallCase):
    """How the directories are reached."""

    def setUp(self):
        super().setUp()
        self.plugins()

    def test_directories_that_others_may_write_to(self):
        os.makedirs(self.path(CONF))
        for directory in BIN, CONF:
            for mode in 0o775, 0o777, 0o1777:
                os.chmod(self.path(directory), mode)
                self.refused(f"{directory} is writable by others (mode {mode:04o})")
            os.chmod(self.path(directory), 0o755)
        os.chmod(self.path("/opt"), 0o777)
        self.refused(f"{BIN}: a directory on the way is writable by others")
        os.chmod(self.path("/opt"), 0o1777)
        self.install()

    def test_directories_of_another_user(self):
        for directory in BIN, "/opt":
            os.chown(self.path(directory), 65534, -1)
            self.refused("belongs to user 65534: refused")
            os.chown(self.path(directory), 0, -1)

    def test_links_are_followed_where_nobody_else_could_have_made_them(self):
        os.rename(self.path("/opt"), self.path("/elsewhere"))
        for target in "elsewhere", "/elsewhere", "../../elsewhere/../elsewhere/.":
            os.symlink(target, self.path("/opt"))
            self.install()
            self.assert_installed("/elsewhere/cni/bin")
            self.uninstall()
            os.unlink(self.path("/opt"))

    def test_a_link_in_a_directory_that_others_may_write_to(self):
        os.mkdir(self.path("/tmp"))
        os.chmod(self.path("/tmp"), 0o1777)
        os.symlink(BIN, self.path("/tmp/bin"))
        self.refused("bin is a link in a directory that others may write to", "--bin-dir", "/tmp/bin")

    def test_links_without_end(self):
        os.symlink("loop", self.path("/loop"))
        self.refused("too many links", "--bin-dir", "/loop/bin")
        os.symlink("/loop2/x", self.path("/loop2"))
        self.refused("too many links", "--conf-dir", "/loop2")

    def test_nothing_leads_out_of_the_root(self):
        self.install("--conf-dir", "/../../../../conf")
        self.assertTrue(os.path.exists(self.path("/conf/10-podwire.conflist")))

    def test_a_file_in_a_directorys_place(self):
        self.write("/etc/cni", "")
        self.refused(f"cannot open directory {CONF}: Not a directory")

    def test_missing_directories_of_networks_are_made(self):
        self.install("--conf-dir", "/a/b/c")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("/a/b")).st_mode), 0o755)


class Choice(InstallCase):
    """Which directories, when nobody says."""

    def assert_taken(self, bin_dir, conf_dir=CONF, source=""):
        self.plugins(bin_dir)
        done = self.install("--dry-run")
        self.assertIn(f"bin-dir   {bin_dir}: taken, {source}", done.stdout)
        self.assertIn(f"conf-dir  {conf_dir}: taken", done.stdout)
        return done

    def test_as_usual(self):
        self.assert_taken(BIN, source="as usual")

    def test_as_on_debian(self):
        self.assert_taken("/usr/lib/cni", source="as on Debian")

    def test_containerd(self):
        bodies = {
            "version 2": '[plugins."io.containerd.grpc.v1.cri".cni]\n  bin_dir = "/x/bin" # here\n'
                         '  conf_dir = "/x/net.d"\n',
            "version 3": "version = 3\n[plugins.'io.containerd.cri.v1.runtime'.cni]\n"
                         "bin_dirs = ['/x/bin/', '/y/bin']\nconf_dir = '/x/net.d'\n",
            "version 1": '[plugins.cri.cni]\nbin_dir="/x/bin"\nconf_dir="/x/net.d"\n',
            "dotted": '[plugins]\n"io.containerd.grpc.v1.cri".cni.bin_dir = "/x/bin"\n'
                      '"io.containerd.grpc.v1.cri" . cni . conf_dir = "/x/net.d"\n',
            "among others": '[plugins."io.containerd.grpc.v1.cri"]\nsandbox_image = "x"\n'
                            '[plugins."io.containerd.grpc.v1.cri".containerd]\nbin_dir = "/no"\n'
                            '[plugins."io.containerd.grpc.v1.cri".cni]\nmax_conf_num = 1\nbin_dir = "/x/bin"\n'
                            'conf_dir = "/x/net.d"\n[proxy_plugins]\nconf_dir = "/no"\n',
        }
        for name, body in bodies.items():
            with self.subTest(name):
                self.write("/etc/containerd/config.toml", body)
                self.assert_taken("/x/bin", "/x/net.d", "containerd's configuration")

    def test_containerd_with_imports(self):
        self.write("/etc/containerd/config.toml", 'imports = ["/etc/containerd/conf.d/*.toml"]\n')
        self.assertIn("imports were not looked at", self.assert_taken(BIN).stdout)

    def test_crio(self):
        self.write("/etc/crio/crio.conf", '[crio]\n[crio.network]\nnetwork_dir = "/c/net.d/"\nplugin_dirs = [\n'
                   '\t"/c/none/", # nothing in it\n\t"/c/bin/",\n]\n')
        self.plugins("/c/bin")
        self.assert_taken("/c/bin", "/c/net.d", "CRI-O's configuration")

    def test_later_files_of_crio_win(self):
        self.write("/etc/crio/crio.conf", '[crio.network]\nnetwork_dir = "/no"\nplugin_dirs = ["/no"]\n')
        self.write("/etc/crio/crio.conf.d/10-a.conf", '[crio.network]\nnetwork_dir = "/c/net.d"\n')
        self.write("/etc/crio/crio.conf.d/20-b.conf", '[crio.network]\nplugin_dirs = ["/c/bin"]\n')
        self.write("/etc/crio/crio.conf.d/30-c.txt", '[crio.network]\nplugin_dirs = ["/no"]\n')
        self.assert_taken("/c/bin", "/c/net.d")

    def test_what_is_said_counts_first(self):
        self.write("/etc/containerd/config.toml", '[plugins.cri.cni]\nbin_dir="/x/bin"\nconf_dir="/x/net.d"\n')
        self.plugins("/y/bin")
        done = self.install("--bin-dir", "/y/bin")
        self.assertIn("bin-dir   /y/bin: taken, as told", done.stdout)
        self.assert_installed("/y/bin", "/x/net.d")

    def test_configurations_that_say_nothing(self):
        for body in "", "garbage\n]]][[\n= =\n", '[plugins.cri.cni]\nbin_dir = "relative"\nconf_dir = 5\n', \
                '[plugins.cri.cni]\nbin_dir = "unended\n', "\0\1\2", '[[plugins.cri.cni]]\nbin_dir="/no"\n':
            self.write("/etc/containerd/config.toml", body)
            self.assert_taken(BIN)

    def test_a_configuration_without_end(self):
        self.write("/etc/containerd/config.toml", "#" * (2 << 20))
        self.plugins()
        self.refused("/etc/containerd/config.toml is larger than")


class Uninstall(InstallCase):
    def setUp(self):
        super().setUp()
        self.plugins()

    def record(self, name="vethpw012345678.json"):
        self.write(f"/var/lib/podwire/attachments/{name}", "{}")

    def test_nothing_of_ours_is_left(self):
        self.install("--uplink-xdp")
        self.write(f"{CONF}/87-podman.conflist", FOREIGN)
        self.uninstall()
        self.assertEqual(os.listdir(self.path(CONF)), ["87-podman.conflist"])
        self.assertEqual(sorted(os.listdir(self.path(BIN))), ["host-local", "loopback"])
        self.assertEqual(os.listdir(self.path("/etc/podwire/agent.d")), [])

    def test_a_second_run_changes_nothing(self):
        self.install()
        self.uninstall()
        before = self.picture()
        done = self.uninstall(options=["--json"])
        self.assertEqual(json.loads(done.stdout)["changed"], False)
        self.assertEqual(self.steps(done), {"network": "absent", "plugin": "absent"})
        self.assertEqual(self.picture(), before)

    def test_on_a_node_that_never_had_it(self):
        os.rename(self.path("/opt"), self.path("/gone"))
        self.uninstall()

    def test_the_plugin_stays_while_pods_need_it(self):
        self.install()
        self.record()
        self.record("vethpw876543210.json")
        done = self.uninstall(status=1)
        self.assertIn("2 attachments of pods need it", done.stderr)
        self.assertFalse(os.path.exists(self.path(CONFLIST)))
        self.assertTrue(os.path.exists(self.path(f"{BIN}/podwire")))
        self.uninstall("--force")
        self.assertFalse(os.path.exists(self.path(f"{BIN}/podwire")))

    def test_the_plugin_stays_while_another_network_names_it(self):
        self.install()
        self.write(f"{CONF}/20-flannel.conflist", json.dumps(
            {"name": "cbr0", "plugins": [{"type": "flannel", "delegate": {"type": "podwire"}}]}))
        self.assertIn("20-flannel.conflist still names it", self.uninstall(status=1).stderr)
        self.uninstall("--force")

    def test_a_changed_network_is_removed_and_said(self):
        self.install()
        self.write(CONFLIST, self.read(CONFLIST).replace("pods", "mine"))
        self.assertIn("removed, which had been changed by hand", self.uninstall().stdout)

    def test_somebody_elses_things_stay(self):
        self.write(CONFLIST, FOREIGN)
        self.write(f"{BIN}/podwire", "#!/bin/sh\necho other\n", 0o755)
        before = self.picture()
        done = self.uninstall(options=["--json"])
        self.assertEqual(self.steps(done), {"network": "left", "plugin": "left"})
        self.assertEqual(self.picture(), before)

    def test_what_a_killed_one_left(self):
        self.write(f"{BIN}/.podwire.tmp", "half")
        self.write(f"{CONF}/.10-podwire.conflist.tmp", "half")
        self.uninstall()
        self.assertEqual(os.listdir(self.path(CONF)), [])
        self.assertEqual(sorted(os.listdir(self.path(BIN))), ["host-local", "loopback"])
