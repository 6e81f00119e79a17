#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""D-Bus introspection as something to compare: introspection.py DEFINITION LIVE

Exit status 0 when LIVE, what an object says of itself, has the interfaces of the file DEFINITION and no
other of org.podwire1's, and all of it is documented; else 1, and each fault is a line.

Two texts mean the same whatever the order of their members, with or without documentation, and with
what the specification assumes where nothing is said: EmitsChangedSignal is "true", the arguments of a
method come in, those of a signal go out."""
import sys
import xml.etree.ElementTree as ElementTree

DOC = "org.gtk.GDBus.DocString"
EMITS = "org.freedesktop.DBus.Property.EmitsChangedSignal"
OURS = "org.podwire1."


def _annotations(element, **assumed):
    found = {one.get("name"): one.get("value") for one in element.findall("annotation")}
    found.pop(DOC, None)
    for name in [name for name, value in found.items() if value == "false" and name != EMITS]:
        del found[name]  # deprecated, no reply: not said, or said not to be
    return tuple(sorted({**assumed, **found}.items()))


def _arguments(element, direction):
    return tuple((one.get("direction", direction), one.get("type"), one.get("name"), _annotations(one))
                 for one in element.findall("arg"))


def _interface(element):
    assumed = dict(_annotations(element))
    emits = assumed.pop(EMITS, "true")  # an interface may say it for all of its properties
    members = {"": tuple(assumed.items())}
    for one in element.findall("method"):
        members[f"method {one.get('name')}"] = (_arguments(one, "in"), _annotations(one))
    for one in element.findall("signal"):
        members[f"signal {one.get('name')}"] = (_arguments(one, "out"), _annotations(one))
    for one in element.findall("property"):
        members[f"property {one.get('name')}"] = (
            one.get("type"), one.get("access"), _annotations(one, **{EMITS: emits}))
    return members


def canonical(text):
    """{interface: {"method NAME" or the like: what it is}}; equal for texts that mean the same."""
    return {one.get("name"): _interface(one) for one in ElementTree.fromstring(text).findall("interface")}


def ours(text):
    """The canonical form of org.podwire1's interfaces alone."""
    return {name: one for name, one in canonical(text).items() if name.startswith(OURS)}


def differences(definition, live):
    """A line for each difference between two canonical forms."""
    for interface in sorted(set(definition) | set(live)):
        wanted, found = definition.get(interface, {}), live.get(interface, {})
        for member in sorted(set(wanted) | set(found)):
            if wanted.get(member) != found.get(member):
                yield f"{interface} {member}: defined {wanted.get(member)}, there is {found.get(member)}"


def _documented(element):
    return any(one.get("name") == DOC and one.get("value", "").strip() for one in element.findall("annotation"))


def undocumented(text):
    """The names of all that has no documentation: interfaces, members, arguments."""
    for interface in ElementTree.fromstring(text).findall("interface"):
        for one in [interface, *interface]:
            if one.tag == "annotation":
                continue
            name = interface.get("name") if one is interface else f"{interface.get('name')}.{one.get('name')}"
            if not _documented(one):
                yield name
            for argument in one.findall("arg"):
                if not argument.get("name") or not _documented(argument):
                    yield f"{name}({argument.get('name')})"


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    texts = []
    for path in arguments:
        with open(path, encoding="utf-8") as file:
            texts.append(file.read())
    found = [*differences(ours(texts[0]), ours(texts[1])),
             *(f"{name}: isn't documented" for name in undocumented(texts[0]))]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
