#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The two things a container runtime does with a conflist.

  cni_config.py keep-in DIR CONFLIST          prints it with all of its state below DIR
  cni_config.py plugin CONFLIST [PREVRESULT]  prints what the first plugin gets on stdin
"""
import json
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def keep_in(directory, path):
    conflist = load(path)
    plugin = conflist["plugins"][0]
    plugin["stateDir"] = f"{directory}/state"
    plugin["runtimeDir"] = f"{directory}/run"
    plugin["ipam"]["dataDir"] = f"{directory}/ipam"
    return conflist


def plugin_config(path, previous=None):
    conflist = load(path)
    config = dict(conflist["plugins"][0])
    # A capability is for the runtime: it hands the plugin a runtimeConfig when it has one to give.
    config.pop("capabilities", None)
    config["name"] = conflist["name"]
    config["cniVersion"] = conflist["cniVersion"]
    if previous:
        config["prevResult"] = load(previous)
    return config


ACTIONS = {"keep-in": keep_in, "plugin": plugin_config}

if len(sys.argv) < 3 or sys.argv[1] not in ACTIONS:
    sys.exit(__doc__)
print(json.dumps(ACTIONS[sys.argv[1]](*sys.argv[2:]), indent=2))
