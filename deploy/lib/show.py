#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints for people, on 80 columns, what the quickstart made.

  show.py interfaces NETNS PATTERN   links of that name, with addresses, routes and neighbours
  show.py json FILE                  JSON, each object on one line where it fits
  show.py text                       standard input, indented, long lines wrapped
  show.py result FILE                the node's end, IPv4 and IPv6 address, for a shell's read
  show.py iperf FILE                 what an iperf3 --json report says, in one line

and of what busctl --json=short answers:

  show.py value                      standard input: the one value
  show.py rows                       standard input: a list of structures, each on a line
  show.py properties                 standard input: the properties that are not empty
  show.py counters BEFORE AFTER      both; status 1 where none of the packets and bytes moved
  show.py difference NAME BEFORE AFTER   by how much a counter rose
"""
import fnmatch
import json
import re
import subprocess
import sys
import textwrap

WIDTH = 80


def ip(netns, *arguments):
    command = ["ip", "-json", "-netns", netns, *arguments]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(output or "[]")


def row(kind, text):
    print(f"    {kind:<10} {text}")


def route_text(route):
    words = [route["dst"]]
    for key, word in (("gateway", "via"), ("prefsrc", "src"), ("metric", "metric")):
        # 1024 is what the kernel gives an IPv6 route that names none.
        if route.get(key) not in (None, 1024):
            words += [word, str(route[key])]
    words += route.get("flags", [])
    if route.get("scope") == "link":
        words += ["scope", "link"]
    return " ".join(words)


def show_interface(netns, link):
    name = link["ifname"]
    state = "up" if "UP" in link["flags"] else "down"
    print(f"  {name}")
    row("link", f"{link['address']}, mtu {link['mtu']}, {state}")
    if link.get("ifalias"):
        row("alias", link["ifalias"])
    for entry in ip(netns, "address", "show", "dev", name):
        for address in entry.get("addr_info", []):
            row("address", f"{address['local']}/{address['prefixlen']}")
    for family in "-4", "-6":
        for route in ip(netns, family, "route", "show", "dev", name):
            # The kernel makes this one on each interface that has IPv6.
            if route["dst"] != "fe80::/64":
                row("route", route_text(route))
    for neighbour in ip(netns, "neighbour", "show", "dev", name, "nud", "permanent"):
        row("neighbour", f"{neighbour['dst']} at {neighbour['lladdr']} permanent")


def interfaces(netns, pattern):
    for link in ip(netns, "link", "show"):
        if fnmatch.fnmatch(link["ifname"], pattern):
            show_interface(netns, link)


def compact(value, indent, room):
    """JSON as a person would write it: on one line what fits there, else a member a line."""
    line = json.dumps(value)
    if len(line) <= room or not isinstance(value, (dict, list)) or not value:
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        begin, end = "{", "}"
        members = [(f"{json.dumps(key)}: ", member) for key, member in value.items()]
    else:
        begin, end = "[", "]"
        members = [("", member) for member in value]
    lines = [inner + key + compact(member, indent + 2, WIDTH - indent - 3 - len(key))
             for key, member in members]
    return begin + "\n" + ",\n".join(lines) + "\n" + " " * indent + end


def show_json(path):
    with open(path, encoding="utf-8") as file:
        print("  " + compact(json.load(file), 2, WIDTH - 2))


def text():
    for line in filter(str.strip, sys.stdin):
        line = re.sub(r"^\t+", lambda tabs: "  " * len(tabs.group()), line.rstrip())
        indent = "  " + re.match(" *", line).group()
        print(textwrap.fill(line.strip(), WIDTH, initial_indent=indent, subsequent_indent=indent + "    ",
                            break_long_words=False, break_on_hyphens=False))


def result(path):
    with open(path, encoding="utf-8") as file:
        answer = json.load(file)
    addresses = [ip["address"].split("/")[0] for ip in answer["ips"]]
    print(next(link["name"] for link in answer["interfaces"] if not link.get("sandbox")),
          next(address for address in addresses if "." in address),
          next(address for address in addresses if ":" in address))


def iperf(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    if "error" in report:
        sys.exit(report["error"])
    end = report["end"]
    if "sum" in end:
        total = end["sum"]
        print(f"{total['bits_per_second'] / 1e6:.0f} Mbit/s, "
              f"{total['lost_packets']} of {total['packets']} lost")
    else:
        print(f"{end['sum_received']['bits_per_second'] / 1e9:.1f} Gbit/s, "
              f"{end['sum_received']['bytes'] / 1e6:.0f} MB")


def answer(path=None):
    if path is None:
        return json.load(sys.stdin)["data"][0]
    with open(path, encoding="utf-8") as file:
        return json.load(file)["data"][0]


def value():
    print(answer())


def rows():
    lines = answer()
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print("    " + "  ".join(word.ljust(width) for word, width in zip(line, widths)).rstrip())


def properties():
    for name, entry in answer().items():
        value = entry["data"]
        if value:
            print(f"    {name:<15} {', '.join(value) if isinstance(value, list) else value}")


def counters(before, after):
    first, last = answer(before), answer(after)
    for name, count in last.items():
        print(f"    {name:<15} {first[name]:>15,} {count:>15,}")
    if not all(last[name] > first[name] for name in ("in-packets", "in-bytes", "out-packets", "out-bytes")):
        sys.exit(1)


def difference(name, before, after):
    print(answer(after)[name] - answer(before)[name])


ACTIONS = {"interfaces": (interfaces, 2), "json": (show_json, 1), "text": (text, 0),
           "result": (result, 1), "iperf": (iperf, 1), "value": (value, 0), "rows": (rows, 0),
           "properties": (properties, 0), "counters": (counters, 2), "difference": (difference, 3)}

action, count = ACTIONS.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
if action is None or len(sys.argv) != count + 2:
    sys.exit(__doc__)
action(*sys.argv[2:])
