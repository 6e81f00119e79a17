# SPDX-License-Identifier: GPL-2.0-or-later
"""A row of the table, and the expected result of each version written down independently of the harness.

Placeholders in results: HOSTIF, HOSTMAC, PODMAC and NETNS stand for what the kernel and the call say.
"""
import dataclasses
import ipaddress

VERSIONS = ("0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0")
WITH_INTERFACES = VERSIONS[2:]
WITH_CHECK = VERSIONS[4:]
BEFORE_CHECK = VERSIONS[:4]
WITH_GC = VERSIONS[6:]
BEFORE_GC = VERSIONS[:6]
NEWEST = "1.1.0"

HOSTIF, HOSTMAC, PODMAC, NETNS = "$HOSTIF", "$HOSTMAC", "$PODMAC", "$NETNS"
GATEWAY = {4: "169.254.1.1", 6: "fe80::1"}
ABSENT = "$ABSENT"

A4 = {"address": "10.1.0.2/24", "gateway": "10.1.0.1"}
A6 = {"address": "fd00:1::2/64", "gateway": "fd00:1::1"}
R4 = {"dst": "0.0.0.0/0"}
R6 = {"dst": "::/0"}
DUAL = {"ips": [A4, A6], "routes": [R4, R6]}
ONLY_V4 = {"ips": [A4], "routes": [R4]}
ONLY_V6 = {"ips": [A6], "routes": [R6]}


@dataclasses.dataclass(frozen=True)
class Row:
    """One call, what it is given and what must come of it.

    env       variables changed (ABSENT takes one away)
    config    dotted keys changed in the plugin's config (ABSENT takes one away); "" replaces all of it
    stdin     bytes instead of the config
    ipam      {"answer": MODEL} | {"raw": JSON} | {"fail": (code, msg, details)} | {"print": (text, status)}
              | {"die": signal}, with "versions"; for the verb of the row.  None: no ipam key at all
    before    "attached": a successful ADD comes first and its result is the prevResult;
              "occupied": the pod has an eth0 already
    code      expected error code(s); None: success
    message   texts or compiled expressions that the error must hold
    result    the exact result; None: nothing on stdout
    calls     the verbs that the IPAM saw in this call (VERSION left out)
    asked     the cniVersion that the IPAM was asked in (the last time)
    notes     a log line that a success may leave on stderr; else that is empty
    spoke     the cniVersion of the error object, where it isn't the config's
    mac       what the pod's interface must have in the kernel
    """
    name: str
    verb: str = "ADD"
    version: str = "1.0.0"
    env: dict = dataclasses.field(default_factory=dict)
    config: dict = dataclasses.field(default_factory=dict)
    stdin: bytes = None
    ipam: dict = dataclasses.field(default_factory=lambda: {"answer": DUAL})
    before: str = ""
    code: object = None
    message: tuple = ()
    result: object = None
    calls: tuple = None
    asked: str = None
    spoke: str = None
    mac: str = None
    notes: object = None


def family(address):
    return ipaddress.ip_interface(address).version


def add_result(version, ips, routes=(), dns=None, mtu=1500, gateway=None, mac=PODMAC, previous=None):
    """ADD's result in a version, from the IPAM's addresses and routes.

    `gateway` is "ipam" when the network says so: then the addresses' own are used and reported, and
    else ours.
    """
    own = gateway == "ipam"
    way = {}
    for ip in ips:
        way.setdefault(family(ip["address"]), ip["gateway"] if own else GATEWAY[family(ip["address"])])
    shown = [dict(route, gw=way[family(route["dst"])]) for route in routes]
    if version in VERSIONS[:2]:
        return _result_02(version, ips, shown, dns, own)
    interfaces = [{"name": HOSTIF, "mac": HOSTMAC}, {"name": "eth0", "mac": mac, "sandbox": NETNS}]
    if version == "1.1.0":
        interfaces = [dict(interface, mtu=mtu) for interface in interfaces]
    else:
        shown = [{key: route[key] for key in ("dst", "gw")} for route in shown]
    addresses = []
    for ip in ips:
        address = {"interface": 1, "address": ip["address"]}
        if version in VERSIONS[2:5]:
            address["version"] = str(family(ip["address"]))
        address["gateway"] = ip["gateway"] if own else GATEWAY[family(ip["address"])]
        addresses.append(address)
    result = {"cniVersion": version, "interfaces": interfaces, "ips": addresses, "routes": shown,
              "dns": dns or {}}
    return _after(previous, result) if previous else result


def _result_02(version, ips, routes, dns, own):
    result = {"cniVersion": version, "dns": dns or {}}
    for key, wanted in (("ip4", 4), ("ip6", 6)):
        first = next((ip for ip in ips if family(ip["address"]) == wanted), None)
        if first:
            result[key] = {"ip": first["address"],
                           "routes": [{"dst": r["dst"], "gw": r["gw"]} for r in routes
                                      if family(r["dst"]) == wanted]}
            result[key]["gateway"] = first["gateway"] if own else GATEWAY[wanted]
    return result


def _after(previous, result):
    """Ours behind what the plugins before us said."""
    offset = len(previous.get("interfaces", []))
    moved = [dict(ip, interface=ip["interface"] + offset) for ip in result["ips"]]
    return {"cniVersion": result["cniVersion"],
            "interfaces": previous.get("interfaces", []) + result["interfaces"],
            "ips": previous.get("ips", []) + moved,
            "routes": previous.get("routes", []) + result["routes"],
            "dns": previous.get("dns") or result["dns"]}
