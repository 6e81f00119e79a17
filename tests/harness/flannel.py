# SPDX-License-Identifier: GPL-2.0-or-later
"""flannel's CNI plugin as far as a delegate sees it, as an executable in a node's CNI_PATH.

ADD fills the delegate's config from the node's subnet.env, keeps it by container id, and runs the delegate
with its own environment; DEL runs it with the kept config; CHECK isn't passed on to the delegate's config.
"""
import json
import os
import subprocess
import sys

_LAUNCHER = "#!/bin/sh\nexec /usr/bin/python3 -I -S {script} {directory}\n"


def install(node, subnets, networks=(), mtu=1450, masq=False, name="flannel"):
    """Subnets and networks are CIDRs of either family, as in /run/flannel/subnet.env."""
    directory = os.path.join(node.directory, name)
    os.makedirs(os.path.join(directory, "delegates"), exist_ok=True)
    with open(os.path.join(directory, "subnet.json"), "w", encoding="utf-8") as file:
        json.dump({"subnets": list(subnets), "networks": list(networks), "mtu": mtu, "masq": masq}, file)
    path = os.path.join(node.bin_dir, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(_LAUNCHER.format(script=os.path.abspath(__file__), directory=directory))
    os.chmod(path, 0o755)
    return directory


def _delegate_config(config, subnet):
    delegate = dict(config.get("delegate") or {})
    delegate["name"] = config["name"]
    delegate.setdefault("type", "bridge")
    delegate.setdefault("ipMasq", not subnet["masq"])
    delegate.setdefault("mtu", subnet["mtu"])
    if "runtimeConfig" in config:
        delegate["runtimeConfig"] = config["runtimeConfig"]
    if config.get("cniVersion"):
        delegate["cniVersion"] = config["cniVersion"]
    ipam = dict(config.get("ipam") or {})
    ipam.setdefault("type", "host-local")
    ipam["ranges"] = [[{"subnet": cidr}] for cidr in subnet["subnets"]]
    ipam["routes"] = list(ipam.get("routes") or []) + [{"dst": cidr} for cidr in subnet["networks"]]
    delegate["ipam"] = ipam
    return delegate


def _find(plugin):
    for directory in os.environ["CNI_PATH"].split(os.pathsep):
        candidate = os.path.join(directory, plugin)
        if os.path.isfile(candidate):
            return candidate
    raise FileNotFoundError(plugin)


def _run(config):
    """The delegate's streams are ours: what it prints is what we print."""
    return subprocess.run([_find(config["type"])], input=json.dumps(config).encode(), check=False).returncode


def main(directory):
    command = os.environ.get("CNI_COMMAND")
    config = json.load(sys.stdin)
    kept = os.path.join(directory, "delegates", os.environ.get("CNI_CONTAINERID", ""))
    if command == "ADD":
        with open(os.path.join(directory, "subnet.json"), encoding="utf-8") as file:
            delegate = _delegate_config(config, json.load(file))
        with open(kept, "w", encoding="utf-8") as file:
            json.dump(delegate, file)
        return _run(delegate)
    if command == "DEL":
        try:
            with open(kept, encoding="utf-8") as file:
                delegate = json.load(file)
        except FileNotFoundError:
            return 0
        status = _run(delegate)
        if status == 0:
            os.unlink(kept)
        return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
