# SPDX-License-Identifier: GPL-2.0-or-later
"""Variables that are missing or malformed: code 4, all of them named at once, nothing created."""
import itertools

from .rows import ABSENT, ONLY_V4, R4, A4, Row, add_result

REQUIRED = {
    "ADD": ("CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME"),
    "CHECK": ("CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME"),
    "DEL": ("CNI_CONTAINERID", "CNI_IFNAME"),
}
BAD_CONTAINER_IDS = ("../escape", "-leading", ".hidden", "_under", "with space", "with/slash", "semi;colon",
                     "new\nline", "uml\u00e4ut")
BAD_IFNAMES = ("sixteencharsname", "a/b", "a:b", "a b", "a\tb", ".", "..", "new\nline", "x" * 4000)
BAD_ARGS = ("NOEQUALS", "A=1=2", "K8S_POD_NAME=a;oops", "A=1;=;B=2", "IP=banana", "IP=10.1.0.300",
            "MAC=zz:zz", "MAC=01:02:03:04:05", "MAC=01:00:5e:00:00:01", "=x")
GOOD_ARGS = ("FOO=BAR;K8S_POD_UID=x", "IgnoreUnknown=1;X=y", "IgnoreUnknown=0;X=y", "", "FOO=",
             "K8S_POD_NAMESPACE=ns;K8S_POD_NAME=name;K8S_POD_INFRA_CONTAINER_ID=1;K8S_POD_UID=2;IgnoreUnknown=1")

ROWS = []


def _subsets(names):
    for size in range(1, len(names) + 1):
        yield from itertools.combinations(names, size)


for _verb, _names in REQUIRED.items():
    for _missing in _subsets(_names):
        _label = "_".join(name.removeprefix("CNI_").lower() for name in _missing)
        for _how, _value in (("unset", ABSENT), ("empty", "")):
            ROWS.append(Row(f"{_verb.lower()}_with_{_label}_{_how}_names_each", _verb,
                            env={name: _value for name in _missing}, code=4, message=_missing, calls=()))
for _verb in ("ADD", "DEL", "CHECK"):
    for _i, _value in enumerate(BAD_CONTAINER_IDS):
        ROWS.append(Row(f"{_verb.lower()}_with_bad_container_id_{_i}", _verb, env={"CNI_CONTAINERID": _value},
                        code=4, message=("CNI_CONTAINERID",), calls=()))
    for _i, _value in enumerate(BAD_IFNAMES):
        ROWS.append(Row(f"{_verb.lower()}_with_bad_ifname_{_i}", _verb, env={"CNI_IFNAME": _value},
                        code=4, message=("CNI_IFNAME",), calls=()))
    ROWS.append(Row(f"{_verb.lower()}_names_a_missing_and_a_malformed_one_together", _verb,
                    env={"CNI_CONTAINERID": ABSENT, "CNI_IFNAME": "a/b"}, code=4,
                    message=("CNI_CONTAINERID", "CNI_IFNAME"), calls=()))
    ROWS.append(Row(f"{_verb.lower()}_names_two_malformed_ones_together", _verb,
                    env={"CNI_CONTAINERID": "../x", "CNI_IFNAME": ".."}, code=4,
                    message=("CNI_CONTAINERID", "CNI_IFNAME"), calls=()))
for _i, _value in enumerate(BAD_ARGS):
    ROWS.append(Row(f"add_with_malformed_cni_args_{_i}", env={"CNI_ARGS": _value}, code=4,
                    message=("CNI_ARGS",), calls=()))
for _i, _value in enumerate(GOOD_ARGS):
    ROWS.append(Row(f"add_ignores_unknown_cni_args_{_i}", env={"CNI_ARGS": _value}, ipam={"answer": ONLY_V4},
                    result=add_result("1.0.0", [A4], [R4]), calls=("ADD",)))
for _verb in ("ADD", "GC"):
    ROWS.append(Row(f"{_verb.lower()}_without_cni_path_names_it", _verb, "1.1.0", env={"CNI_PATH": ABSENT},
                    config={"cni.dev/valid-attachments": []}, code=4, message=("CNI_PATH",), calls=()))
for _i, _value in enumerate(("FOO", "add", "ADD ", "UPDATE", "ADDDEL")):
    ROWS.append(Row(f"unknown_command_{_i}_is_named", _value, code=4, message=("CNI_COMMAND",), calls=()))

# The namespace.
ROWS += [
    Row("add_with_missing_netns", env={"CNI_NETNS": "/run/netns/pw-there-is-none"}, code=8,
        message=("/run/netns/pw-there-is-none",), calls=()),
    Row("add_with_a_file_that_is_no_netns", env={"CNI_NETNS": "/etc/hostname"}, code=8,
        message=("/etc/hostname",), calls=()),
    Row("add_with_a_directory_as_netns", env={"CNI_NETNS": "/tmp"}, code=8, message=("/tmp",), calls=()),
    Row("add_with_another_kind_of_namespace", env={"CNI_NETNS": "/proc/self/ns/uts"}, code=8,
        message=("/proc/self/ns/uts",), calls=()),
    Row("add_into_the_nodes_own_netns", env={"CNI_NETNS": "$NODE"}, code=8, calls=()),
    Row("add_into_the_nodes_own_netns_by_proc", env={"CNI_NETNS": "/proc/self/ns/net"}, code=8, calls=()),
    Row("check_with_missing_netns", "CHECK", env={"CNI_NETNS": "/run/netns/pw-there-is-none"},
        before="attached", code=(3, 8, 103), message=("/run/netns/pw-there-is-none",)),
    Row("del_with_missing_netns_is_silent", "DEL", env={"CNI_NETNS": "/run/netns/pw-there-is-none"},
        calls=("DEL",)),
    Row("del_with_empty_netns_is_silent", "DEL", env={"CNI_NETNS": ""}, before="attached", calls=("DEL",)),
    Row("del_with_unset_netns_is_silent", "DEL", env={"CNI_NETNS": ABSENT}, before="attached", calls=("DEL",)),
    Row("del_with_a_file_that_is_no_netns_is_silent", "DEL", env={"CNI_NETNS": "/etc/hostname"},
        before="attached", calls=("DEL",)),
    Row("ifname_of_fifteen_characters_is_served", env={"CNI_IFNAME": "fifteen-chars.x"},
        ipam={"answer": ONLY_V4}, result=add_result("1.0.0", [A4], [R4])),
    Row("container_id_with_every_kind_of_character", env={"CNI_CONTAINERID": "aZ0_.-x"},
        ipam={"answer": ONLY_V4}, result=add_result("1.0.0", [A4], [R4])),
    Row("occupied_interface_is_named_and_left_alone", before="occupied", code=101, message=("eth0",),
        calls=()),
    Row("trace_variables_are_tolerated", env={"TRACEPARENT": "00-0af7651916cd43dd-b7ad6b7169203331-01",
                                              "TRACESTATE": "a=b", "BAGGAGE": "k=v"},
        ipam={"answer": ONLY_V4}, result=add_result("1.0.0", [A4], [R4])),
]
