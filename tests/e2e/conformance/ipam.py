# SPDX-License-Identifier: GPL-2.0-or-later
"""Every shape of address set in every version, and IPAMs that fail, lie, die or only speak older versions."""
import re
import signal

from .rows import (A4, A6, DUAL, NEWEST, ONLY_V4, ONLY_V6, R4, R6, Row, VERSIONS, WITH_INTERFACES,
                   add_result)

DNS = {"nameservers": ["10.0.0.10", "fd00::10"], "domain": "cluster.local", "search": ["a.local", "b.local"],
       "options": ["ndots:5"]}
SECOND4 = {"address": "10.2.0.9/16", "gateway": "10.2.0.1"}
THIRD4 = {"address": "172.30.5.7/32", "gateway": "10.1.0.1"}
SECOND6 = {"address": "fd00:2::9/112", "gateway": "fd00:2::1"}
SHAPES = {
    "v4": ONLY_V4,
    "v6": ONLY_V6,
    "dual": DUAL,
    "v6_first": {"ips": [A6, A4], "routes": [R6, R4]},
    "two_v4": {"ips": [A4, SECOND4], "routes": [R4]},
    "two_v6": {"ips": [A6, SECOND6], "routes": [R6]},
    "two_of_each": {"ips": [A4, SECOND4, A6, SECOND6], "routes": [R4, R6]},
    "host_prefix": {"ips": [THIRD4], "routes": [R4]},
    "no_routes": {"ips": [A4, A6]},
    "v4_route_only": {"ips": [A4, A6], "routes": [R4]},
    "other_routes": {"ips": [A4, A6], "routes": [{"dst": "192.168.0.0/16"}, {"dst": "fd99::/48"}]},
    "dns": dict(DUAL, dns=DNS),
}
# Attributes that only 1.1.0 can say, but that the kernel route has in any case.
ATTRIBUTES = (
    {"dst": "192.168.0.0/16", "mtu": 1300}, {"dst": "192.168.0.0/16", "priority": 77},
    {"dst": "192.168.0.0/16", "mtu": 1300, "priority": 77}, {"dst": "fd99::/48", "mtu": 1300},
    {"dst": "fd99::/48", "priority": 77}, {"dst": "192.168.0.0/16", "advmss": 1200},
    {"dst": "192.168.0.0/16", "table": 100}, {"dst": "192.168.0.0/16", "scope": 0},
)
FAILURES = (
    (11, "pool is busy", "try again"), (7, "bad range", None), (100, "own code", "details here"),
    (999, "internal", None), (50, "not available", None), (5, "no addresses left in 10.1.0.0-10.1.0.3", None),
)
# What an IPAM prints, its exit status, the code that we answer with: it has no usable error of its own.
GARBAGE = {
    "text_and_success": ("hello", 0), "nothing_and_success": ("", 0), "half_an_object_and_success": ('{"ips":', 0),
    "array_and_success": ("[]", 0), "two_results": ('{"ips":[]}{"ips":[]}', 0),
    "text_and_failure": ("boom", 1), "nothing_and_failure": ("", 1), "nothing_and_status_7": ("", 7),
    "object_without_code": ('{"hello":1}', 1), "code_of_wrong_type": ('{"code":"x","msg":1}', 1),
    "megabytes_and_success": ("x" * (8 << 20), 0), "megabytes_and_failure": ("x" * (8 << 20), 1),
}
BAD_RESULTS = {
    "ips_of_wrong_type": {"ips": "x"},
    "no_ips": {"ips": []},
    "no_ips_key": {"dns": {}},
    "address_is_no_address": {"ips": [{"address": "banana"}]},
    "address_without_prefix": {"ips": [{"address": "10.1.0.2"}]},
    "prefix_too_long": {"ips": [{"address": "10.1.0.2/33"}]},
    "address_of_wrong_type": {"ips": [{"address": 5}]},
    "ip_without_address": {"ips": [{"gateway": "10.1.0.1"}]},
    "gateway_is_no_address": {"ips": [{"address": "10.1.0.2/24", "gateway": "banana"}]},
    "gateway_of_other_family": {"ips": [{"address": "10.1.0.2/24", "gateway": "fd00::1"}]},
    "routes_of_wrong_type": {"ips": [A4], "routes": "x"},
    "route_without_dst": {"ips": [A4], "routes": [{"gw": "10.1.0.1"}]},
    "route_dst_is_no_prefix": {"ips": [A4], "routes": [{"dst": "banana"}]},
    "route_gw_is_no_address": {"ips": [A4], "routes": [{"dst": "0.0.0.0/0", "gw": "banana"}]},
    "multicast_address": {"ips": [{"address": "224.0.0.1/24"}]},
    "unspecified_address": {"ips": [{"address": "0.0.0.0/0"}]},
}

ROWS = []
for _label, _model in SHAPES.items():
    for _v in VERSIONS:
        ROWS.append(Row(f"{_label}_in_{_v}", version=_v, ipam={"answer": _model}, calls=("ADD",), asked=_v,
                        result=add_result(_v, _model["ips"], _model.get("routes", ()), _model.get("dns"))))
for _i, _route in enumerate(ATTRIBUTES):
    for _v in ("1.0.0", "1.1.0"):
        _model = dict(DUAL, routes=[R4, R6, _route])
        ROWS.append(Row(f"route_attributes_{_i}_in_{_v}", version=_v, ipam={"answer": _model},
                        result=add_result(_v, DUAL["ips"], _model["routes"] if _v == "1.1.0"
                                          else [R4, R6, {"dst": _route["dst"]}])))

# Gateways: ours in the default mode, whatever IPAM says; IPAM's own when the network asks for them.
_OWN_GW = {"dst": "192.168.0.0/16", "gw": "10.1.0.254"}
_GATEWAY_MODEL = dict(ONLY_V4, routes=[R4, _OWN_GW])
_BY_IPAM = add_result("1.1.0", [A4], [R4], gateway="ipam")
ROWS += [
    Row("own_gateway_of_a_route_gives_way_to_ours", ipam={"answer": _GATEWAY_MODEL}, version="1.1.0",
        result=add_result("1.1.0", [A4], [R4, _OWN_GW])),
    Row("own_gateway_of_a_route_counts_in_gateway_ipam", ipam={"answer": _GATEWAY_MODEL}, version="1.1.0",
        config={"gateway": "ipam"}, result=dict(_BY_IPAM, routes=_BY_IPAM["routes"] + [_OWN_GW])),
    Row("gateway_ipam_needs_a_gateway_of_ipam", ipam={"answer": {"ips": [{"address": "10.1.0.2/24"}]}},
        config={"gateway": "ipam"}, code=102, message=("10.1.0.2/24", "gateway"), calls=("ADD", "DEL")),
    Row("host_bits_of_a_route_are_dropped", ipam={"answer": dict(ONLY_V4, routes=[{"dst": "192.168.7.9/16"}])},
        result=add_result("1.0.0", [A4], [{"dst": "192.168.0.0/16"}])),
]

# No IPAM: a link and nothing else.
for _v in WITH_INTERFACES:
    ROWS.append(Row(f"no_ipam_in_{_v}", version=_v, ipam=None, result=add_result(_v, [])))
    ROWS.append(Row(f"empty_ipam_object_in_{_v}", version=_v, ipam=None, config={"ipam": {}},
                    result=add_result(_v, [])))
for _v in VERSIONS[:2]:
    ROWS.append(Row(f"no_ipam_cannot_be_said_in_{_v}", version=_v, ipam=None, code=1, message=(_v,)))
ROWS.append(Row("del_without_ipam_is_silent", "DEL", ipam=None, before="attached"))
ROWS.append(Row("check_without_ipam_is_silent", "CHECK", ipam=None, before="attached"))

# Errors of its own are passed on.
for _verb in ("ADD", "DEL", "CHECK"):
    for _code, _msg, _details in FAILURES:
        ROWS.append(Row(f"{_verb.lower()}_passes_on_ipam_code_{_code}", _verb,
                        before="" if _verb == "ADD" else "attached", ipam={"fail": (_code, _msg, _details)},
                        code=_code, message=(_msg,) + ((_details,) if _details else ()),
                        calls=("ADD", "DEL") if _verb == "ADD" else (_verb,)))
for _code, _msg, _details in FAILURES:
    ROWS.append(Row(f"status_passes_on_ipam_code_{_code}", "STATUS", NEWEST, ipam={"fail": (_code, _msg, _details)},
                    code=_code, message=(_msg,), calls=("STATUS",)))
    ROWS.append(Row(f"gc_passes_on_ipam_code_{_code}", "GC", NEWEST, ipam={"fail": (_code, _msg, _details)},
                    config={"cni.dev/valid-attachments": []}, code=_code, message=(_msg,)))
for _label, (_text, _status) in GARBAGE.items():
    ROWS.append(Row(f"add_with_ipam_that_prints_{_label}", ipam={"print": (_text, _status)}, code=102,
                    message=("fakeipam",), calls=("ADD", "DEL")))
    if _status:
        ROWS.append(Row(f"del_with_ipam_that_prints_{_label}", "DEL", ipam={"print": (_text, _status)}, code=102,
                        message=("fakeipam",), before="attached", calls=("DEL",)))
for _number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
    for _verb in ("ADD", "DEL"):
        ROWS.append(Row(f"{_verb.lower()}_with_ipam_that_dies_by_{_number.name.lower()}", _verb,
                        before="" if _verb == "ADD" else "attached", ipam={"die": _number}, code=102,
                        message=("fakeipam", re.compile(r"(?i)signal|killed|segmentation|terminated")),
                        calls=("ADD", "DEL") if _verb == "ADD" else ("DEL",)))
for _label, _body in BAD_RESULTS.items():
    ROWS.append(Row(f"add_with_ipam_result_{_label}", ipam={"raw": dict(_body, cniVersion="1.0.0")},
                    code=(102, 6, 7), calls=("ADD", "DEL")))
ROWS += [
    Row("ipam_result_of_a_version_that_nobody_knows", ipam={"raw": dict(ONLY_V4, cniVersion="9.9.9")},
        code=(1, 102), message=("9.9.9",), calls=("ADD", "DEL")),
    Row("ipam_result_without_a_version_counts_as_the_configs", ipam={"raw": ONLY_V4},
        result=add_result("1.0.0", [A4], [R4])),
    Row("ipam_result_of_another_version_is_converted", version="1.0.0",
        ipam={"raw": {"cniVersion": "0.2.0", "ip4": {"ip": "10.1.0.2/24", "gateway": "10.1.0.1",
                                                     "routes": [{"dst": "0.0.0.0/0"}]}}},
        result=add_result("1.0.0", [A4], [R4])),
    Row("ipam_binary_that_is_missing", config={"ipam": {"type": "no-such-ipam"}}, code=(5, 7, 102),
        message=("no-such-ipam",), calls=()),
    Row("status_with_ipam_binary_that_is_missing", "STATUS", NEWEST, config={"ipam": {"type": "no-such-ipam"}},
        code=50, message=("no-such-ipam",), calls=()),
    Row("del_with_ipam_binary_that_is_missing", "DEL", config={"ipam": {"type": "no-such-ipam"}},
        code=(5, 7, 102), message=("no-such-ipam",), calls=()),
    Row("ipam_that_writes_to_stderr_and_fails", ipam={"fail": (11, "busy", None), "stderr": "trace of the ipam"},
        code=11, message=("busy",), calls=("ADD", "DEL")),
]

# An IPAM of an older day: asked in the newest that it has, answered in the config's own.
for _i, _v in enumerate(VERSIONS):
    for _j, _newest in enumerate(VERSIONS[:_i]):
        _known = VERSIONS[:_j + 1]
        # Only what knows 1.1.0 is asked for its versions before; an older one is when it has refused.
        ROWS.append(Row(f"config_{_v}_with_ipam_up_to_{_newest}", version=_v, ipam={"answer": DUAL, "versions": _known},
                        result=add_result(_v, DUAL["ips"], DUAL["routes"]), asked=_newest,
                        calls=("ADD",) if _v == NEWEST else ("ADD", "ADD")))
for _newest in VERSIONS[:-1]:
    _known = VERSIONS[:VERSIONS.index(_newest) + 1]
    ROWS += [
        Row(f"del_1.1.0_with_ipam_up_to_{_newest}", "DEL", NEWEST, before="attached",
            ipam={"answer": DUAL, "versions": _known}, calls=("DEL",), asked=_newest),
        Row(f"status_1.1.0_with_ipam_up_to_{_newest}_skips_it", "STATUS", NEWEST,
            ipam={"answer": DUAL, "versions": _known}, calls=(), notes="STATUS"),
        Row(f"gc_1.1.0_with_ipam_up_to_{_newest}_asks_no_gc_of_it", "GC", NEWEST,
            config={"cni.dev/valid-attachments": []}, ipam={"answer": DUAL, "versions": _known}, calls=()),
    ]
    if _newest in ("0.4.0", "1.0.0"):
        ROWS.append(Row(f"check_1.1.0_with_ipam_up_to_{_newest}", "CHECK", NEWEST, before="attached",
                        ipam={"answer": DUAL, "versions": _known}, calls=("CHECK",), asked=_newest))
    else:
        ROWS.append(Row(f"check_1.1.0_with_ipam_up_to_{_newest}_skips_it", "CHECK", NEWEST, before="attached",
                        ipam={"answer": DUAL, "versions": _known}, calls=()))
