# SPDX-License-Identifier: GPL-2.0-or-later
"""The D-Bus interface as its definition, its errors and its policy have it; and what compares two of them."""
import contextlib
import glob
import io
import os
import re
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from harness import introspection
from harness.case import SOURCE_DIR

TEXT = """<node><interface name="org.podwire1.T">
  <annotation name="org.gtk.GDBus.DocString" value="text"/>
  <property name="P" type="s" access="read"/>
  <property name="Q" type="u" access="read">
    <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
  </property>
  <method name="M"><arg name="a" type="s"/><arg name="r" type="o" direction="out"/></method>
  <signal name="S"><arg name="n" type="t"/></signal>
</interface></node>"""
EMITS = '<annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="{}"/>'


def read(*path):
    with open(os.path.join(SOURCE_DIR, *path), encoding="utf-8") as file:
        return file.read()


def definitions():
    """{interface: text} of the files that define ours."""
    paths = glob.glob(os.path.join(SOURCE_DIR, "agent", "dbus", "*.xml"))
    return {os.path.splitext(os.path.basename(path))[0]: read(path) for path in sorted(paths)}


class Canonical(unittest.TestCase):
    def same(self, *replacements):
        text = TEXT
        for old, new in replacements:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return introspection.canonical(text) == introspection.canonical(TEXT)

    def test_what_is_assumed_may_be_said(self):
        p = '<property name="P" type="s" access="read"'
        self.assertTrue(self.same((p + "/>", f"{p}>{EMITS.format('true')}</property>")))
        self.assertTrue(self.same(('<arg name="a" type="s"/>', '<arg name="a" type="s" direction="in"/>')))
        self.assertTrue(self.same(('<arg name="n" type="t"/>', '<arg name="n" type="t" direction="out"/>')))
        self.assertTrue(self.same(("<method name=\"M\">", '<method name="M"><annotation name='
                                   '"org.freedesktop.DBus.Deprecated" value="false"/>')))

    def test_order_comments_and_documentation_mean_nothing(self):
        q = TEXT[TEXT.index('<property name="Q"'):TEXT.index("<method")]
        self.assertTrue(self.same((q, "<!-- none -->"), ("</interface>", q + "</interface>")))
        self.assertTrue(self.same(('value="text"', 'value="other"')))

    def test_all_else_means_something(self):
        for old, new in (('name="P" type="s"', 'name="P" type="as"'), ('name="P"', 'name="R"'),
                         ('value="false"', 'value="const"'), ('value="false"', 'value="true"'),
                         ('access="read"', 'access="readwrite"'), ('type="o" direction="out"', 'type="o"'),
                         ('<arg name="a" type="s"/>', ""), ('<arg name="a"', '<arg name="b"'),
                         ('<signal name="S">', '<signal name="T">'),
                         ('name="org.podwire1.T"', 'name="org.podwire1.U"'),
                         ('<method name="M">', '<method name="M"><annotation name='
                          '"org.freedesktop.DBus.Deprecated" value="true"/>')):
            with self.subTest(old=old, new=new):
                self.assertFalse(self.same((old, new)))

    def test_arguments_have_an_order(self):
        a, r = '<arg name="a" type="s"/>', '<arg name="r" type="o" direction="out"/>'
        self.assertFalse(self.same((a + r, r + a)))

    def test_interface_may_speak_for_its_properties(self):
        p = '<property name="P" type="s" access="read"'
        text = TEXT.replace('<annotation name="org.gtk', EMITS.format("false") + '<annotation name="org.gtk')
        self.assertNotEqual(introspection.canonical(text), introspection.canonical(TEXT))
        text = text.replace(p + "/>", f"{p}>{EMITS.format('true')}</property>")
        self.assertEqual(introspection.canonical(text), introspection.canonical(TEXT))

    def test_differences_are_named(self):
        other = introspection.canonical(TEXT.replace('name="P" type="s"', 'name="P" type="as"'))
        found = list(introspection.differences(introspection.canonical(TEXT), other))
        self.assertEqual(len(found), 1)
        self.assertIn("org.podwire1.T property P", found[0])

    def test_interfaces_of_others_are_left_out(self):
        text = TEXT.replace("</node>", '<interface name="org.freedesktop.DBus.Peer"/></node>')
        self.assertEqual(introspection.ours(text), introspection.canonical(TEXT))

    def test_what_has_no_documentation_is_named(self):
        self.assertEqual(list(introspection.undocumented(TEXT)), [
            "org.podwire1.T.P", "org.podwire1.T.Q", "org.podwire1.T.M", "org.podwire1.T.M(a)",
            "org.podwire1.T.M(r)", "org.podwire1.T.S", "org.podwire1.T.S(n)"])


class Program(unittest.TestCase):
    def judge(self, definition, live):
        """(exit status, lines)"""
        with tempfile.TemporaryDirectory() as directory:
            paths = [os.path.join(directory, name) for name in ("definition", "live")]
            for path, text in zip(paths, (definition, live)):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            with contextlib.redirect_stdout(io.StringIO()) as out:
                return introspection.main(paths), out.getvalue().split("\n")[:-1]

    def test_each_definition_agrees_with_itself(self):
        for text in definitions().values():
            self.assertEqual(self.judge(text, text)[0], 0)

    def test_a_difference_is_a_fault(self):
        """Each member of each definition in turn is missing on one side."""
        for name, text in definitions().items():
            root = ElementTree.fromstring(text)
            interface = root.find("interface")
            for member in interface.findall("*"):
                if member.tag == "annotation":
                    continue
                at = list(interface).index(member)
                interface.remove(member)
                less = ElementTree.tostring(root, encoding="unicode")
                interface.insert(at, member)
                for pair in ((text, less), (less, text)):
                    status, lines = self.judge(*pair)
                    self.assertEqual((status, len(lines)), (1, 1), lines)
                    self.assertIn(f"{name} {member.tag} {member.get('name')}: ", lines[0])

    def test_what_is_not_documented_is_a_fault(self):
        """Each DocString of each definition in turn is missing."""
        for name, text in definitions().items():
            documented = re.findall(r' *<annotation name="org\.gtk\.GDBus\.DocString".*/>\n', text)
            self.assertTrue(documented)
            at = 0
            for one in documented:
                at = text.index(one, at)
                status, lines = self.judge(text[:at] + text[at + len(one):], text)
                at += len(one)
                self.assertEqual((status, len(lines)), (1, 1), lines)
                self.assertTrue(lines[0].startswith(name) and lines[0].endswith(": isn't documented"), lines)


class Definition(unittest.TestCase):
    def test_each_file_defines_the_interface_that_it_is_named_after(self):
        self.assertEqual(sorted(definitions()), ["org.podwire1.Attachment", "org.podwire1.Device",
                                                 "org.podwire1.Manager"])
        for name, text in definitions().items():
            self.assertEqual(list(introspection.canonical(text)), [name])

    def test_all_of_it_is_documented(self):
        for text in definitions().values():
            self.assertEqual(list(introspection.undocumented(text)), [])

    def test_each_property_says_whether_it_tells_of_changes(self):
        for name, text in definitions().items():
            for one in ElementTree.fromstring(text).iter("property"):
                self.assertIn(introspection.EMITS, [a.get("name") for a in one], f"{name}.{one.get('name')}")

    def test_errors_are_those_of_the_code(self):
        code = set(re.findall(r'"(org\.podwire1\.Error\.\w+)"', read("agent", "bus", "errors.c")))
        told = set(re.findall(r"org\.podwire1\.Error\.\w+", "".join(definitions().values())))
        self.assertTrue(code)
        self.assertEqual(told, code)


class Policy(unittest.TestCase):
    def test_everyone_may_call_what_only_reads(self):
        policy = ElementTree.fromstring(read("deploy", "dbus", "org.podwire1.conf"))
        everyone = policy.find("policy[@context='default']")
        allowed = {(one.get("send_interface"), one.get("send_member")) for one in everyone.findall("allow")
                   if one.get("send_interface").startswith("org.podwire1.")}
        methods = {(interface, member.split()[1]) for interface, text in definitions().items()
                   for member in introspection.canonical(text)[interface] if member.startswith("method ")}
        self.assertEqual(allowed, methods - {
            ("org.podwire1.Manager", "Reload"), ("org.podwire1.Manager", "SetCpus")})

    def test_root_alone_has_the_name(self):
        policy = ElementTree.fromstring(read("deploy", "dbus", "org.podwire1.conf"))
        owners = [one.attrib for one in policy.findall("policy") if one.find("allow[@own]") is not None]
        self.assertEqual(owners, [{"user": "root"}])


if __name__ == "__main__":
    unittest.main()
