# SPDX-License-Identifier: GPL-2.0-or-later
"""prevResult, and what a runtime hands in besides the config: requested addresses and MACs by precedence."""
from .rows import A4, A6, ABSENT, DUAL, ONLY_V4, R4, Row, WITH_CHECK, WITH_INTERFACES, add_result

TAP = {"name": "tap0", "mac": "02:00:00:00:00:07", "sandbox": "$NETNS"}
BAD_PREVIOUS = {
    "text": "x", "number": 5, "array": [], "ips_of_wrong_type": {"ips": 5}, "interfaces_of_wrong_type": {"interfaces": 5},
    "interface_name_of_wrong_type": {"interfaces": [{"name": 5}]},
    "address_is_no_address": {"ips": [{"address": "banana", "interface": 0}], "interfaces": [TAP]},
    "interface_index_out_of_range": {"ips": [{"address": "10.9.0.1/24", "interface": 7}], "interfaces": [TAP]},
    "negative_interface_index": {"ips": [{"address": "10.9.0.1/24", "interface": -1}], "interfaces": [TAP]},
    "route_is_no_prefix": {"routes": [{"dst": "banana"}]},
}
RC, CA, EA = "02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:03"


def _previous(version):
    ip = {"address": "10.99.0.5/24", "interface": 0}
    if version in ("0.3.0", "0.3.1", "0.4.0"):
        ip["version"] = "4"
    return {"cniVersion": version, "interfaces": [TAP], "ips": [ip],
            "routes": [{"dst": "10.98.0.0/16", "gw": "10.99.0.1"}], "dns": {"nameservers": ["10.0.0.53"]}}


ROWS = []
for _v in WITH_INTERFACES:
    ROWS += [
        Row(f"prev_result_in_{_v}_is_passed_on_and_ours_appended", version=_v,
            config={"prevResult": _previous(_v)},
            result=add_result(_v, DUAL["ips"], DUAL["routes"], previous=_previous(_v))),
        Row(f"empty_prev_result_in_{_v}", version=_v, config={"prevResult": {"cniVersion": _v, "dns": {}}},
            result=add_result(_v, DUAL["ips"], DUAL["routes"])),
    ]
for _label, _value in BAD_PREVIOUS.items():
    _body = dict(_value, cniVersion="1.0.0") if isinstance(_value, dict) else _value
    for _verb in ("ADD", "CHECK"):
        ROWS.append(Row(f"{_verb.lower()}_with_prev_result_{_label}", _verb, config={"prevResult": _body},
                        code=(6, 7), message=("prevResult",), calls=()))
for _label in ("ips_of_wrong_type", "address_is_no_address", "interface_index_out_of_range"):
    ROWS.append(Row(f"del_goes_on_with_prev_result_{_label}", "DEL", config={"prevResult": BAD_PREVIOUS[_label]},
                    calls=("DEL",)))
for _v in WITH_CHECK:
    ROWS += [
        Row(f"check_in_{_v}_needs_a_prev_result", "CHECK", _v, before="attached", config={"prevResult": ABSENT},
            code=7, message=("prevResult",)),
        Row(f"del_in_{_v}_does_without_a_prev_result", "DEL", _v, before="attached", config={"prevResult": ABSENT},
            calls=("DEL",)),
    ]

# MAC: runtimeConfig, then args.cni, then CNI_ARGS.
for _v in ("0.2.0", "0.4.0", "1.1.0"):
    ROWS += [
        Row(f"mac_by_runtime_config_in_{_v}", version=_v, config={"runtimeConfig": {"mac": RC}},
            ipam={"answer": ONLY_V4}, mac=RC,
            result=add_result(_v, [A4], [R4], mac=RC)),
        Row(f"mac_by_cni_args_in_{_v}", version=_v, env={"CNI_ARGS": f"MAC={EA}"}, ipam={"answer": ONLY_V4},
            mac=EA,
            result=add_result(_v, [A4], [R4], mac=EA)),
        Row(f"mac_by_runtime_config_wins_over_cni_args_in_{_v}", version=_v, env={"CNI_ARGS": f"MAC={EA};X=y"},
            config={"runtimeConfig": {"mac": RC}}, ipam={"answer": ONLY_V4},
            mac=RC,
            result=add_result(_v, [A4], [R4], mac=RC)),
    ]
# Without IPAM the address that was asked for is the pod's; the same order of precedence.
FIRST, SECOND, THIRD = ({"address": f"10.3.0.{n}/24", "gateway": "10.3.0.1"} for n in (1, 2, 3))
_WANTED = {"runtimeConfig": {"ips": [FIRST["address"]]}, "args": {"cni": {"ips": [SECOND["address"]]}}}
_IN_ARGS = {"CNI_ARGS": f"IP={THIRD['address']}"}
ROWS += [
    Row("address_by_runtime_config_without_ipam", ipam=None, env=_IN_ARGS, config=_WANTED,
        result=add_result("1.0.0", [FIRST])),
    Row("address_by_args_without_ipam", ipam=None, env=_IN_ARGS, config={"args": _WANTED["args"]},
        result=add_result("1.0.0", [SECOND])),
    Row("address_by_cni_args_without_ipam", ipam=None, env=_IN_ARGS, result=add_result("1.0.0", [THIRD])),
    Row("address_without_a_prefix_is_a_host_address", ipam=None, env={"CNI_ARGS": "IP=10.3.0.4"},
        result=add_result("1.0.0", [{"address": "10.3.0.4/32"}])),
    Row("requested_dual_stack_without_ipam", version="0.4.0", ipam=None,
        config={"runtimeConfig": {"ips": ["10.3.0.5/24", "fd00:3::5/64"]}},
        result=add_result("0.4.0", [{"address": "10.3.0.5/24"}, {"address": "fd00:3::5/64"}])),
]
ROWS += [
    Row("mac_in_upper_case_is_taken", "ADD", "1.1.0", config={"runtimeConfig": {"mac": "02:AB:CD:EF:00:01"}},
        ipam={"answer": ONLY_V4}, result=add_result("1.1.0", [A4], [R4], mac="02:ab:cd:ef:00:01")),
    Row("dns_of_ours_replaces_an_earlier_plugins", config={"prevResult": _previous("1.0.0")},
        ipam={"answer": dict(ONLY_V4, dns={"nameservers": ["10.0.0.99"]})},
        result=dict(add_result("1.0.0", [A4], [R4], previous=_previous("1.0.0")),
                    dns={"nameservers": ["10.0.0.99"]})),
    Row("prev_result_of_another_version_than_the_config", version="1.1.0",
        config={"prevResult": _previous("0.4.0")}, ipam={"answer": {"ips": [A6]}},
        result=add_result("1.1.0", [A6], [], previous={
            k: ([{"address": "10.99.0.5/24", "interface": 0}] if k == "ips" else v)
            for k, v in _previous("0.4.0").items()})),
]
