# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin's own keys: wrong type or range is code 7 with the JSON path, good values are served."""
import re

from .rows import A4, A6, DUAL, ONLY_V4, ONLY_V6, R4, R6, Row, add_result

WRONG = {
    "mtu": ("1500", 1.5, True, [], {}, -1, 1, 67, 65536, 1 << 40, 1 << 70),
    "queues": ("4", 1.5, True, [], {}, -1, 65, 1 << 40),
    "routeMetric": ("1", 1.5, True, [], {}, -1, 1 << 32, 1 << 70),
    "gateway": (1, True, [], {}, "", "nonsense", "IPAM"),
    "fastPath": (1, True, [], {}, "", "on", "AUTO"),
    "netfilter": (1, True, [], {}, "", "ignore"),
    "sourceCheck": ("true", 1, 0, [], {}),
    "ipMasq": ("true", 1, 0, [], {}),
    "requireAgent": ("true", 1, 0, [], {}),
    "allowedSources": ("10.0.0.0/8", 1, True, {}),
    "masqExclude": ("10.0.0.0/8", 1, True, {}),
    "hostAddress": (1, True, {}, "", "banana", "10.0.0.300", "192.0.2.10/24", ["192.0.2.10", "192.0.2.11"],
                    ["2001:db8::10", "2001:db8::11"]),
    "runtimeDir": (1, True, [], {}, "", "relative/path"),
    "stateDir": (1, True, [], {}, "", "relative/path"),
    "ipam": ("host-local", 1, True, []),
    "runtimeConfig": ("x", 1, True, []),
}
# Nested: the key, its value, the path that the message must hold.
NESTED = (
    ("allowedSources", [1], "allowedSources[0]"),
    ("allowedSources", ["10.0.0.0/8", "banana"], "allowedSources[1]"),
    ("allowedSources", ["10.0.0.0/33"], "allowedSources[0]"),
    ("allowedSources", ["fd00::/129"], "allowedSources[0]"),
    ("allowedSources", [None], "allowedSources[0]"),
    ("masqExclude", [1], "masqExclude[0]"),
    ("masqExclude", ["10.0.0.0/8", "fd00::/8", "10.0.0.0/-1"], "masqExclude[2]"),
    ("masqExclude", [["10.0.0.0/8"]], "masqExclude[0]"),
    ("hostAddress", ["192.0.2.10", 5], "hostAddress[1]"),
    ("hostAddress", ["banana"], "hostAddress[0]"),
    ("ipam", {"type": 5}, "ipam.type"),
    ("ipam", {"type": ""}, "ipam.type"),
    ("ipam", {"type": "../x"}, "ipam.type"),
    ("ipam", {"type": "/usr/lib/cni/host-local"}, "ipam.type"),
    ("ipam", {"type": "a/b"}, "ipam.type"),
    ("ipam", {"type": "."}, "ipam.type"),
    ("ipam", {"type": ".."}, "ipam.type"),
    ("runtimeConfig", {"ips": "10.1.0.5"}, "runtimeConfig.ips"),
    ("runtimeConfig", {"ips": [5]}, "runtimeConfig.ips[0]"),
    ("runtimeConfig", {"ips": ["10.1.0.5", "banana"]}, "runtimeConfig.ips[1]"),
    ("runtimeConfig", {"mac": 5}, "runtimeConfig.mac"),
    ("runtimeConfig", {"mac": "zz:00:00:00:00:01"}, "runtimeConfig.mac"),
    ("runtimeConfig", {"mac": "01:00:5e:00:00:01"}, "runtimeConfig.mac"),
    ("runtimeConfig", {"mac": "00:00:00:00:00:00"}, "runtimeConfig.mac"),
    ("runtimeConfig", {"podwire": 5}, "runtimeConfig.podwire"),
    ("runtimeConfig", {"podwire": {"fastPath": "nonsense"}}, "runtimeConfig.podwire.fastPath"),
    ("runtimeConfig", {"podwire": {"fastPath": 1}}, "runtimeConfig.podwire.fastPath"),
    ("args", {"cni": 5}, "args.cni"),
    ("args", {"cni": {"ips": "10.1.0.5"}}, "args.cni.ips"),
    ("args", {"cni": {"ips": ["banana"]}}, "args.cni.ips[0]"),
)
# 0 stands for the default: a generated config says so where it has no opinion.
GOOD = (
    ("mtu", 0, DUAL), ("queues", 0, DUAL),
    ("mtu", 68, ONLY_V4), ("mtu", 1280, DUAL), ("mtu", 1400, DUAL), ("mtu", 9000, DUAL), ("mtu", 65535, DUAL),
    ("queues", 1, DUAL), ("queues", 4, DUAL), ("queues", 64, DUAL),
    ("routeMetric", 0, DUAL), ("routeMetric", 100, DUAL), ("routeMetric", 4294967295, ONLY_V4),
    ("gateway", "linklocal", DUAL),
    ("fastPath", "auto", DUAL), ("fastPath", "xdp", DUAL), ("fastPath", "tc", DUAL), ("fastPath", "off", DUAL),
    ("netfilter", "respect", DUAL), ("netfilter", "bypass", DUAL),
    ("sourceCheck", True, DUAL), ("sourceCheck", False, DUAL),
    ("ipMasq", False, DUAL), ("ipMasq", True, DUAL), ("requireAgent", True, DUAL), ("requireAgent", False, DUAL),
    ("allowedSources", [], DUAL), ("allowedSources", ["10.0.0.0/8", "fd00::/8", "192.0.2.7"], DUAL),
    ("masqExclude", [], DUAL), ("masqExclude", ["10.0.0.0/8", "fd00::/8"], DUAL),
    ("hostAddress", "192.0.2.10", DUAL), ("hostAddress", ["192.0.2.10"], DUAL),
    ("hostAddress", ["192.0.2.10", "2001:db8::10"], DUAL), ("hostAddress", "2001:db8::10", DUAL),
    ("unknownKey", {"deeply": ["nested", 1]}, DUAL),
    ("capabilities", {"ips": True, "mac": True, "podwire": True}, DUAL),
    ("cni.dev/something", [1, 2], DUAL),
    ("args", {}, DUAL), ("args", {"cni": {}}, DUAL), ("args", {"cni": {"labels": [{"key": "a", "value": "b"}]}}, DUAL),
    ("args", {"other": {"x": 1}}, DUAL), ("args", "anybody's", DUAL), ("args", [1], DUAL),
    ("runtimeConfig", {}, DUAL), ("runtimeConfig", {"portMappings": [], "aliases": ["a"]}, DUAL),
    ("runtimeConfig", {"podwire": {}}, DUAL), ("runtimeConfig", {"podwire": {"fastPath": "off"}}, DUAL),
    ("runtimeConfig", {"podwire": {"unknown": 1}}, DUAL),
    ("runtimeConfig", {"io.kubernetes.cri.pod-annotations": {"a": "b"}}, DUAL),
    ("dns", {"nameservers": ["10.0.0.10"]}, DUAL),
)
# The mtu's own floor is IPv6's once the pod has an address of it.
LOW_MTU = (68, 576, 1279)
STATUS_KEYS = ("mtu", "queues", "gateway", "allowedSources", "stateDir")


def _word(path):
    return re.compile(r"(?<![\w.])" + re.escape(path) + r"(?![\w])")


def _label(value):
    text = re.sub(r"[^0-9A-Za-z]+", "_", repr(value)).strip("_") or type(value).__name__
    return text[:40]


ROWS = []
for _key, _values in WRONG.items():
    for _i, _value in enumerate(_values):
        ROWS.append(Row(f"wrong_{_key}_{_i}_{_label(_value)}", config={_key: _value}, code=7,
                        message=(_word(_key),), calls=()))
for _key in STATUS_KEYS:
    for _verb in ("STATUS", "GC", "CHECK"):
        ROWS.append(Row(f"wrong_{_key}_is_an_error_of_{_verb.lower()}_too", _verb, "1.1.0",
                        config={_key: WRONG[_key][0]}, code=7, message=(_word(_key),), calls=()))
for _i, (_key, _value, _path) in enumerate(NESTED):
    ROWS.append(Row(f"wrong_nested_{_i}_{_label(_path)}", config={_key: _value}, code=7, message=(_word(_path),),
                    calls=()))
for _i, (_key, _value, _model) in enumerate(GOOD):
    for _v in ("0.4.0", "1.1.0"):
        ROWS.append(Row(f"good_{_key}_{_i}_{_label(_value)}_in_{_v}", version=_v, config={_key: _value},
                        ipam={"answer": _model}, calls=("ADD",),
                        result=add_result(_v, _model["ips"], _model["routes"],
                                          dns=_value if _key == "dns" else None,
                                          mtu=_value if _key == "mtu" and _value else 1500)))
for _mtu in LOW_MTU:
    for _label_, _model in (("v6", ONLY_V6), ("dual", DUAL)):
        ROWS.append(Row(f"mtu_{_mtu}_is_too_low_for_{_label_}", config={"mtu": _mtu}, ipam={"answer": _model},
                        code=7, message=(_word("mtu"), "1280"), calls=("ADD", "DEL")))
    ROWS.append(Row(f"mtu_{_mtu}_is_enough_for_v4", "ADD", "1.1.0", config={"mtu": _mtu}, ipam={"answer": ONLY_V4},
                    result=add_result("1.1.0", [A4], [R4], mtu=_mtu)))
for _v in ("0.2.0", "0.3.1", "1.0.0", "1.1.0"):
    ROWS.append(Row(f"gateway_ipam_is_reported_in_{_v}", version=_v, config={"gateway": "ipam"},
                    result=add_result(_v, [A4, A6], [R4, R6], gateway="ipam")))
