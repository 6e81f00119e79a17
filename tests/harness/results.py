# SPDX-License-Identifier: GPL-2.0-or-later
"""CNI results by version, converted as libcni's types do it.

The model is the newest shape (1.1.0).  What a version's type doesn't know is dropped, as a round trip
through libcni's structs drops it: what a plugin sees as prevResult is what these functions print.
"""
import copy
import ipaddress

VERSIONS = ("0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0")
NEWEST = VERSIONS[-1]
_INTERFACE = {"old": ("name", "mac", "sandbox"),
              "new": ("name", "mac", "mtu", "sandbox", "socketPath", "pciID")}
_ROUTE = {"old": ("dst", "gw"), "new": ("dst", "gw", "mtu", "advmss", "priority", "table", "scope")}


class ConversionError(Exception):
    pass


def number(version):
    return tuple(int(part) for part in version.split("."))


def at_least(version, other):
    """An absent or empty version counts as 0.1.0, as in libcni."""
    return number(version or "0.1.0") >= number(other)


def family(address):
    return ipaddress.ip_interface(address).version


def _pick(source, keys):
    return {key: source[key] for key in keys if source.get(key) not in (None, "")}


def to_model(result):
    """Any version's result in the shape of 1.1.0, its own cniVersion kept."""
    version = result.get("cniVersion") or "0.1.0"
    if at_least(version, "0.3.0"):
        model = copy.deepcopy(result)
        for address in model.get("ips", []):
            address.pop("version", None)
        return model
    model = {"cniVersion": version, "ips": [], "routes": [], "dns": result.get("dns", {})}
    for key in ("ip4", "ip6"):
        config = result.get(key)
        if config:
            model["ips"].append({"address": config["ip"], **_pick(config, ("gateway",))})
            model["routes"] += [_pick(route, _ROUTE["old"]) for route in config.get("routes") or []]
    return model


def from_model(model, version):
    """The model as the type of `version` marshals it (Go's omitempty included; dns is never left out)."""
    if not at_least(version, "0.3.0"):
        return _from_model_02(model, version)
    shape = "new" if at_least(version, "1.0.0") else "old"
    result = {"cniVersion": version}
    interfaces = [_pick(entry, _INTERFACE[shape]) for entry in model.get("interfaces") or []]
    addresses = []
    for entry in model.get("ips") or []:
        address = {} if shape == "new" else {"version": str(family(entry["address"]))}
        if entry.get("interface") is not None:
            address["interface"] = entry["interface"]
        address.update(_pick(entry, ("address", "gateway")))
        addresses.append(address)
    routes = [_pick(entry, _ROUTE[shape]) for entry in model.get("routes") or []]
    for key, value in (("interfaces", interfaces), ("ips", addresses), ("routes", routes)):
        if value:
            result[key] = value
    result["dns"] = copy.deepcopy(model.get("dns") or {})
    return result


def _from_model_02(model, version):
    result = {"cniVersion": version}
    for key, wanted in (("ip4", 4), ("ip6", 6)):
        first = next((a for a in model.get("ips") or [] if family(a["address"]) == wanted), None)
        if not first:
            continue
        config = {"ip": first["address"], **_pick(first, ("gateway",))}
        routes = [_pick(r, _ROUTE["old"]) for r in model.get("routes") or [] if family(r["dst"]) == wanted]
        if routes:
            config["routes"] = routes
        result[key] = config
    if "ip4" not in result and "ip6" not in result:
        raise ConversionError("cannot convert: no valid IP addresses")
    result["dns"] = copy.deepcopy(model.get("dns") or {})
    return result


def convert(result, version):
    """GetAsVersion(): what libcni hands to CHECK and DEL from its cache."""
    return from_model(to_model(result), version or "0.1.0")
