# SPDX-License-Identifier: GPL-2.0-or-later
"""What a node has that a pod could have left behind, in a form that two moments can be compared by."""
import json
import os
import re

# What Debian's portmap and firewall leave in each table that they ever used, by their own design: the
# chains that lead to the pods' own, the jumps to them, and the marking that serves all pods. Nothing here
# names a pod, an address or a port, and the next pod uses it again. All else must be as it was.
KEPT_BY_PLUGINS = {
    # portmap: where host ports are looked up, and the masquerading of hairpins and of the node's localhost
    ":CNI-HOSTPORT-DNAT -",
    ":CNI-HOSTPORT-MASQ -",
    ":CNI-HOSTPORT-SETMARK -",
    "-A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT",
    "-A OUTPUT -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT",
    '-A POSTROUTING -m comment --comment "CNI portfwd requiring masquerade" -j CNI-HOSTPORT-MASQ',
    "-A CNI-HOSTPORT-MASQ -m mark --mark 0x2000/0x2000 -j MASQUERADE",
    '-A CNI-HOSTPORT-SETMARK -m comment --comment "CNI portfwd masquerade mark" '
    "-j MARK --set-xmark 0x2000/0x2000",
    # firewall: where pods are accepted, and the administrator's chain before that
    ":CNI-FORWARD -",
    ":CNI-ADMIN -",
    '-A FORWARD -m comment --comment "CNI firewall plugin rules" -j CNI-FORWARD',
    '-A CNI-FORWARD -m comment --comment "CNI firewall plugin admin overrides" -j CNI-ADMIN',
}

_COUNTERS = re.compile(r"\s*\[\d+:\d+\]")
# iptables-save shows these, and nft can't show all that iptables put there.
_IPTABLES_TABLES = ("filter", "nat", "mangle", "raw", "security")


def _iptables(node, program):
    lines = []
    for line in node.run(program).stdout.splitlines():
        line = _COUNTERS.sub("", line)
        if line and line[0] != "#" and line != "COMMIT":
            lines.append(f"{program}: {line}")
    return lines


def _strip(value):
    """An nft object without what changes by itself."""
    if isinstance(value, dict):
        if set(value) == {"counter"} and isinstance(value["counter"], dict):
            return {"counter": None}
        return {key: _strip(item) for key, item in value.items() if key != "handle"}
    if isinstance(value, list):
        return [_strip(item) for item in value]
    return value


def _nft(node):
    lines = []
    for entry in node.nft():
        kind, body = next(iter(entry.items()))
        table = body["name"] if kind == "table" else body.get("table")
        if body.get("family") not in ("ip", "ip6") or table not in _IPTABLES_TABLES:
            lines.append(f"nft: {kind} {json.dumps(_strip(body), sort_keys=True)}")
    return lines


def _network(node):
    for link in node.links():
        yield f"link {link['ifname']}"
    for address in node.addresses():
        yield f"address {address['ifname']} {address['local']}/{address['prefixlen']}"
    for version in ("-4", "-6"):
        for line in node.ip(version, "route", "show", "table", "all").stdout.splitlines():
            # Each IPv6 subnet of the node has one once the node forwards, and that it may go on doing.
            if not line.startswith("anycast "):
                yield f"route {version} {line.strip()}"
        for line in node.ip(version, "rule", "show").stdout.splitlines():
            yield f"rule {version} {line.strip()}"


def files_below(*directories):
    return sorted(os.path.join(directory, name) for top in directories
                  for directory, _, names in os.walk(top) for name in names)


def of(node):
    """A sorted list of sentences, one a thing."""
    return sorted([*_network(node), *_iptables(node, "iptables-save"), *_iptables(node, "ip6tables-save"),
                   *_nft(node)])


def difference(before, after):
    """What came and what went, as sentences; what the chained plugins keep by design is no difference."""
    came = [line for line in after if line not in before]
    went = [line for line in before if line not in after]
    return ([f"+ {line}" for line in came if line.split("tables-save: ")[-1] not in KEPT_BY_PLUGINS]
            + [f"- {line}" for line in went])
