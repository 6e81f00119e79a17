# SPDX-License-Identifier: GPL-2.0-or-later
"""Good and bad network lists: what `podwire --validate` prints of each, and whether the JSON schema agrees.

A row with no findings is good. `schema` says why the schema can't see the fault that the plugin sees.
"""
from typing import NamedTuple

HOST_LOCAL = {"type": "host-local", "ranges": [[{"subnet": "10.1.0.0/24"}]]}
VERSIONS = "0.1.0, 0.2.0, 0.3.0, 0.3.1, 0.4.0, 1.0.0, 1.1.0"
RANGE_U32 = "is not in 0..4294967295"
FAST_PATHS = '"auto", "xdp", "tc", "off"'

INTEGER_WITH_FRACTION = "to JSON Schema 1500.0 is an integer"
HOST_BITS = "JSON Schema has no arithmetic on addresses"
BYTES = "JSON Schema counts characters, a file name's limit is in bytes"


class Row(NamedTuple):
    name: str
    body: object  # text is written as it is
    findings: tuple = ()
    status: int = 0
    schema: str = ""  # empty: the schema agrees
    stderr: str = ""  # how it begins, with status 2

    @property
    def good(self):
        return not self.findings and self.status == 0


def conflist(*plugins, **keys):
    return {"cniVersion": "1.0.0", "name": "podnet", "plugins": list(plugins), **keys}


def podwire(**keys):
    return {"type": "podwire", "ipam": HOST_LOCAL, **keys}


def without(body, key):
    return {k: v for k, v in body.items() if k != key}


def good(name, body):
    return Row(name, body)


def bad(name, body, *findings, schema=""):
    return Row(name, body, findings, 1, schema)


def unreadable(name, text, byte):
    """What comes behind the place is json-c's own wording."""
    return Row(name, text, (), 2, "", f"podwire: config is not JSON: byte {byte}: ")


def good_keys(**keys):
    """One row a value: podwire with this key set to it."""
    return [good(f"{key}_good_{i}", conflist(podwire(**{key: value})))
            for key, values in keys.items() for i, value in enumerate(values)]


def bad_key(key, value, finding, at="", name="", schema=""):
    """podwire's `key` is at fault; `at` is what goes behind it in the path."""
    label = name or "_".join(filter(None, (key, at.strip("[].").replace("][", "_").replace(".", "_"))))
    return bad(label, conflist(podwire(**{key: value})), f"plugins[0].{key}{at}: {finding}", schema=schema)


def wrong_types(key, want, *values):
    """None of these values has the type that the key wants."""
    said = {str: "a string", bool: "a boolean", int: "an integer", float: "a number with a fraction",
            list: "an array", dict: "an object"}
    return [bad_key(key, value, f"expected {want}, got {said[type(value)]}",
                    name=f"{key}_is_{said[type(value)].split()[1]}") for value in values]


LISTS = [
    good("plain", conflist(podwire())),
    good("no_ipam", conflist(without(podwire(), "ipam"))),
    good("in_a_chain", conflist({"type": "tuning", "mtu": "theirs"}, podwire(), {"type": "portmap", "queues": []})),
    good("twice", conflist(podwire(), podwire(mtu=9000))),
    good("check_disabled", conflist(podwire(), disableCheck=True)),
    good("keys_of_others", conflist(podwire(someThing={"a": [1]}), disableGC=True, cniVersions=["1.0.0"])),
    good("no_version", without(conflist(podwire()), "cniVersion")),
    good("empty_version", conflist(podwire(), cniVersion="")),
    good("null_is_absent", conflist(podwire(mtu=None, ipam=None, hostAddress=None), cniVersion=None)),
    *[good(f"version_{v}", conflist(podwire(), cniVersion=v)) for v in VERSIONS.split(", ")],
    good("single", {"cniVersion": "1.0.0", "name": "podnet", **podwire(mtu=1400)}),
    good("single_of_another", {"name": "podnet", "type": "bridge", "mtu": "theirs"}),

    bad("not_an_object", [], "expected an object, got an array"),
    bad("empty_object", {}, "name: missing", "plugins: missing"),
    bad("no_name", without(conflist(podwire()), "name"), "name: missing"),
    bad("null_name", conflist(podwire(), name=None), "name: missing"),
    bad("name_is_number", conflist(podwire(), name=5), "name: expected a string, got an integer"),
    bad("name_leaves_its_folder", conflist(podwire(), name="../x"), 'name: "../x" is not a valid network name'),
    bad("name_is_empty", conflist(podwire(), name=""), 'name: "" is not a valid network name'),
    bad("name_has_NUL", conflist(podwire(), name="a\0b"), "name: contains a NUL character"),
    bad("version_is_newer", conflist(podwire(), cniVersion="2.0.0"), f'cniVersion: "2.0.0" is none of {VERSIONS}'),
    bad("version_is_number", conflist(podwire(), cniVersion=1.5),
        "cniVersion: expected a string, got a number with a fraction"),
    bad("disableCheck_is_text", conflist(podwire(), disableCheck="true"),
        "disableCheck: expected a boolean, got a string"),
    bad("plugins_is_object", conflist(plugins={}), "plugins: expected an array, got an object"),
    bad("plugins_is_null", conflist(plugins=None), "plugins: missing"),
    bad("no_plugins", conflist(), "plugins: is empty"),
    bad("plugin_is_text", conflist("podwire", podwire()), "plugins[0]: expected an object, got a string"),
    bad("plugin_without_type", conflist(podwire(), {}), "plugins[1].type: missing"),
    bad("plugin_is_path", conflist(podwire(), {"type": "/opt/x"}),
        'plugins[1].type: "/opt/x" is not the name of a plugin'),
    bad("podwire_is_missing", conflist({"type": "bridge"}), "plugins: none of them is of type podwire"),
    bad("fault_of_the_second", conflist({"type": "loopback"}, podwire(mtu=1)),
        "plugins[1].mtu: 1 is not in 68..65535"),
    bad("all_faults_at_once", conflist(podwire(mtu="x", queues=65, gateway=5, ipam={"type": ""}), name="-"),
        'name: "-" is not a valid network name',
        "plugins[0].queues: 65 is not in 0..64",
        "plugins[0].mtu: expected an integer, got a string",
        "plugins[0].gateway: expected a string, got an integer",
        'plugins[0].ipam.type: "" is not the name of a plugin'),
    bad("single_with_a_fault", {"cniVersion": "1.0.0", "name": "podnet", **podwire(mtu=1)},
        "mtu: 1 is not in 68..65535"),
    bad("single_without_a_name", podwire(), "name: missing"),
]

KEYS = [
    *good_keys(
        mtu=[0, 68, 1280, 65535], queues=[0, 1, 64], routeMetric=[0, 4294967295], gateway=["linklocal", "ipam"],
        fastPath=["auto", "xdp", "tc", "off"], netfilter=["respect", "bypass"], ipMasq=[True, False],
        sourceCheck=[False], requireAgent=[True], allowedSources=[[], ["10.0.0.0/8", "fd00::/8", "192.0.2.7", "::1"]],
        masqExclude=[[], ["10.0.0.0/8", "fd00::/8", "192.0.2.7"], ["0.0.0.0/0", "::/0"]],
        hostAddress=["192.0.2.10", "2001:db8::10", [], ["2001:db8::10", "192.0.2.10"], "::ffff:192.0.2.1",
                     "1:2:3:4:5:6:7::"],
        runtimeDir=["/run/x"], stateDir=["/"], ipam=[{}, {"type": "dhcp"}, {"type": "my.ipam-2"}],
        dns=[{}, {"nameservers": ["10.0.0.10"]}], capabilities=[{"ips": True}],
        args=[{}, "anybody's", {"cni": {"labels": [], "ips": ["10.1.0.5"], "mac": "02:00:00:00:00:01"}}],
        runtimeConfig=[{}, {"ips": ["10.1.0.5/24"], "mac": "AA:bb:00:00:00:01", "podwire": {"fastPath": "off"}}],
        prevResult=[{}], **{"cni.dev/valid-attachments": [[], [{"containerID": "c1", "ifname": "eth0"}]]}),

    *wrong_types("mtu", "an integer", "1500", 1.5, True, [], {}),
    *wrong_types("queues", "an integer", "4"), *wrong_types("routeMetric", "an integer", "1"),
    *wrong_types("gateway", "a string", 1), *wrong_types("fastPath", "a string", True),
    *wrong_types("netfilter", "a string", 1), *wrong_types("sourceCheck", "a boolean", 1, "true"),
    *wrong_types("ipMasq", "a boolean", "true"), *wrong_types("requireAgent", "a boolean", []),
    *wrong_types("allowedSources", "an array", "10.0.0.0/8"), *wrong_types("masqExclude", "an array", {}),
    *wrong_types("hostAddress", "a string", 1), *wrong_types("runtimeDir", "a string", 1),
    *wrong_types("stateDir", "a string", {}), *wrong_types("ipam", "an object", "host-local", []),
    *wrong_types("dns", "an object", "10.0.0.10"), *wrong_types("runtimeConfig", "an object", 1),
    *wrong_types("prevResult", "an object", []), *wrong_types("cni.dev/valid-attachments", "an array", {}),

    bad_key("mtu", 1500.0, "expected an integer, got a number with a fraction", name="mtu_with_fraction_zero",
            schema=INTEGER_WITH_FRACTION),
    bad_key("mtu", 67, "67 is not in 68..65535", name="mtu_too_small"),
    bad_key("mtu", 65536, "65536 is not in 68..65535", name="mtu_too_large"),
    bad_key("mtu", -1, f"-1 {RANGE_U32}", name="mtu_negative"),
    bad_key("mtu", 1 << 40, f"{1 << 40} {RANGE_U32}", name="mtu_huge"),
    bad_key("queues", 65, "65 is not in 0..64", name="queues_too_many"),
    bad_key("routeMetric", 1 << 32, f"{1 << 32} {RANGE_U32}", name="routeMetric_too_large"),
    bad_key("gateway", "IPAM", '"IPAM" is none of "linklocal", "ipam"', name="gateway_in_capitals"),
    bad_key("gateway", "10.1.0.1", '"10.1.0.1" is none of "linklocal", "ipam"', name="gateway_is_address"),
    bad_key("fastPath", "on", f'"on" is none of {FAST_PATHS}', name="fastPath_on"),
    bad_key("netfilter", "", '"" is none of "respect", "bypass"', name="netfilter_empty"),
    bad_key("allowedSources", ["10.0.0.0/8", "banana"], '"banana" is not an address', "[1]"),
    bad_key("allowedSources", [None], "expected a string, got null", "[0]", "allowedSources_null"),
    bad_key("allowedSources", ["10.0.0.0/33"], '"10.0.0.0/33" is not an address', "[0]", "allowedSources_33"),
    bad_key("allowedSources", ["10.0.0.0/08"], '"10.0.0.0/08" is not an address', "[0]", "allowedSources_08"),
    bad_key("allowedSources", ["fd00::/129"], '"fd00::/129" is not an address', "[0]", "allowedSources_129"),
    bad_key("allowedSources", ["1:2:3:4::5:6:7:8"], '"1:2:3:4::5:6:7:8" is not an address', "[0]",
            "allowedSources_nine_groups"),
    bad_key("masqExclude", [1], "expected a string, got an integer", "[0]"),
    bad_key("masqExclude", ["10.0.0.1/8"], "10.0.0.1/8 has host bits set; meant is 10.0.0.0/8?", "[0]",
            "masqExclude_host_bits", HOST_BITS),
    bad_key("masqExclude", ["fd00::1/64"], "fd00::1/64 has host bits set; meant is fd00::/64?", "[0]",
            "masqExclude_host_bits_6", HOST_BITS),
    bad_key("hostAddress", "192.0.2.10/24", '"192.0.2.10/24" is not an IP address', name="hostAddress_with_length"),
    bad_key("hostAddress", "10.0.0.300", '"10.0.0.300" is not an IP address', name="hostAddress_300"),
    bad_key("hostAddress", "010.0.0.1", '"010.0.0.1" is not an IP address', name="hostAddress_octal"),
    bad_key("hostAddress", "fe80::1%eth0", '"fe80::1%eth0" is not an IP address', name="hostAddress_with_zone"),
    bad_key("hostAddress", ["192.0.2.10", 5], "expected a string, got an integer", "[1]"),
    bad_key("hostAddress", ["192.0.2.10", "192.0.2.11"], "more than one address of a family",
            name="hostAddress_two_of_ipv4"),
    bad_key("hostAddress", ["::1", "::2"], "more than one address of a family", name="hostAddress_two_of_ipv6"),
    bad_key("runtimeDir", "run/podwire", '"run/podwire" is not an absolute path', name="runtimeDir_relative"),
    bad_key("stateDir", "", '"" is not an absolute path', name="stateDir_empty"),
    bad_key("stateDir", "/" + "x" * 4040, '"/' + "x" * 99 + '" is not an absolute path', name="stateDir_long"),
    bad_key("ipam", {"ranges": []}, "missing", ".type", "ipam_without_type"),
    bad_key("ipam", {"type": None}, "missing", ".type", "ipam_of_type_null"),
    bad_key("ipam", {"type": 5}, "expected a string, got an integer", ".type", "ipam_of_type_5"),
    bad_key("ipam", {"type": "/bin/sh"}, '"/bin/sh" is not the name of a plugin', ".type", "ipam_is_path"),
    bad_key("ipam", {"type": ".."}, '".." is not the name of a plugin', ".type", "ipam_is_dots"),
    bad_key("ipam", {"type": "é" * 128}, f'"{"é" * 50}" is not the name of a plugin', ".type",
            "ipam_is_long", BYTES),
    bad_key("args", {"cni": 5}, "expected an object, got an integer", ".cni"),
    bad_key("args", {"cni": {"ips": ["10.1.0.5", 5]}}, "expected a string, got an integer", ".cni.ips[1]"),
    bad_key("runtimeConfig", {"ips": "10.1.0.5"}, "expected an array, got a string", ".ips"),
    bad_key("runtimeConfig", {"mac": "01:00:5e:00:00:01"}, '"01:00:5e:00:00:01" is not a unicast MAC address',
            ".mac", "runtimeConfig_mac_of_a_group"),
    bad_key("runtimeConfig", {"mac": "00:00:00:00:00:00"}, '"00:00:00:00:00:00" is not a unicast MAC address',
            ".mac", "runtimeConfig_mac_of_zeros"),
    bad_key("runtimeConfig", {"mac": "02-00-00-00-00-01"}, '"02-00-00-00-00-01" is not a unicast MAC address',
            ".mac", "runtimeConfig_mac_with_dashes"),
    bad_key("runtimeConfig", {"podwire": {"fastPath": "x"}}, f'"x" is none of {FAST_PATHS}', ".podwire.fastPath"),
    bad_key("cni.dev/valid-attachments", [{"ifname": "eth0"}], "missing", "[0].containerID",
            "attachment_without_container"),
]

UNREADABLE = [
    unreadable("empty", "", 0),
    unreadable("cut_off", '{"name":"podnet","plugins":[', 28),
    unreadable("not_json", "cniVersion: 1.0.0\n", 0),
    unreadable("trailing_comma", '{"name":"podnet",}', 17),
    unreadable("more_behind_it", "{} x", 3),
    unreadable("leading_zero", '{"mtu":01500}', 12),
    unreadable("comment", '{"name":"podnet" /* mine */}', 17),
]

ROWS = LISTS + KEYS + UNREADABLE
