# SPDX-License-Identifier: GPL-2.0-or-later
"""D-Bus on a socket, byte by byte: for tests that have to say what no library would.

    with Connection(path) as peer:                 # bus=True: says Hello to a bus daemon
        peer.call("/org/podwire1", "org.podwire1.Manager", "GetAttachment", "s", "default/web")

Little endian only; variants are (signature, value), dictionaries are dict."""
import socket
import struct
import time

from .resources import PATIENCE

CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
NO_REPLY = 1
_FIXED = {"y": "B", "b": "I", "n": "h", "q": "H", "i": "i", "u": "I", "x": "q", "t": "Q", "d": "d"}
_FIELDS = {1: "path", 2: "interface", 3: "member", 4: "error", 5: "reply_to", 6: "destination", 7: "sender",
           8: "signature"}


class DBusError(Exception):
    def __init__(self, name, text=""):
        super().__init__(f"{name}: {text}")
        self.name, self.text = name, text


class Closed(Exception):
    """The other side has ended the connection."""


def types(signature):
    """The complete types that a signature is made of."""
    at, found = 0, []
    while at < len(signature):
        end = _end_of_type(signature, at)
        found.append(signature[at:end])
        at = end
    return found


def _end_of_type(signature, at):
    if signature[at] == "a":
        return _end_of_type(signature, at + 1)
    if signature[at] not in "({":
        return at + 1
    depth = 0
    while True:
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(signature[at], 0)
        at += 1
        if depth == 0:
            return at


def _alignment(kind):
    if kind[0] in "({":
        return 8
    if kind[0] in "gv":
        return 1
    return struct.calcsize(_FIXED[kind[0]]) if kind[0] in _FIXED else 4


class Writer:
    def __init__(self):
        self.data = bytearray()

    def align(self, to):
        self.data += b"\0" * (-len(self.data) % to)

    def put(self, kind, value):
        self.align(_alignment(kind))
        if kind in _FIXED:
            self.data += struct.pack("<" + _FIXED[kind], value)
        elif kind in ("s", "o", "g"):
            text = value if isinstance(value, bytes) else value.encode()
            self.data += struct.pack("<B" if kind == "g" else "<I", len(text)) + text + b"\0"
        elif kind == "v":
            self.put("g", value[0])
            self.put(*value)
        elif kind[0] == "a":
            self._put_array(kind[1:], value)
        else:
            for one, part in zip(types(kind[1:-1]), value):
                self.put(one, part)

    def _put_array(self, kind, value):
        length_at = len(self.data)
        self.data += b"\0\0\0\0"
        self.align(_alignment(kind))
        begin = len(self.data)
        for one in value.items() if isinstance(value, dict) else value:
            self.put(kind, one)
        struct.pack_into("<I", self.data, length_at, len(self.data) - begin)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def get(self, kind):
        self.at += -self.at % _alignment(kind)
        if kind in _FIXED:
            value, = struct.unpack_from("<" + _FIXED[kind], self.data, self.at)
            self.at += struct.calcsize(_FIXED[kind])
            return bool(value) if kind == "b" else value
        if kind in ("s", "o", "g"):
            size = self.get("y" if kind == "g" else "u")
            self.at += size + 1
            return bytes(self.data[self.at - size - 1:self.at - 1]).decode(errors="replace")
        if kind == "v":
            return self.get(self.get("g"))
        if kind[0] == "a":
            size, values = self.get("u"), []
            self.at += -self.at % _alignment(kind[1:])
            end = self.at + size
            while self.at < end:
                values.append(self.get(kind[1:]))
            return dict(values) if kind[1] == "{" else values
        return tuple(self.get(one) for one in types(kind[1:-1]))


def message(serial, kind=CALL, flags=0, signature="", body=b"", **fields):
    """The bytes of a message; `fields` by the names of the specification's header fields."""
    names = {name: code for code, name in _FIELDS.items()}
    kinds = {"path": "o", "reply_to": "u", "signature": "g"}
    if signature:
        fields["signature"] = signature
    out = Writer()
    out.data += struct.pack("<cBBBII", b"l", kind, flags, 1, len(body), serial)
    out.put("a(yv)", [(names[name], (kinds.get(name, "s"), value)) for name, value in fields.items()])
    out.align(8)
    return bytes(out.data) + body


def arguments(signature, *values):
    out = Writer()
    for kind, value in zip(types(signature), values):
        out.put(kind, value)
    return bytes(out.data)


class Connection:
    def __init__(self, path, bus=False, destination=None, authenticate=True, timeout=10):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.timeout = timeout * PATIENCE
        self.socket.settimeout(self.timeout)
        self.destination, self.serial, self.received = destination, 0, bytearray()
        self.signals = []  # (path, interface, member, arguments)
        self.socket.connect(path)
        if authenticate:
            try:
                self.authenticate()
            except ConnectionError as error:
                raise Closed from error
        if bus:
            self.name = self.call("/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello",
                                  destination="org.freedesktop.DBus")[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def authenticate(self, uid=b""):
        self.socket.sendall(b"\0AUTH EXTERNAL" + (b" " + uid if uid else b"") + b"\r\n")
        line = self._line()
        if line == b"DATA":
            self.socket.sendall(b"DATA\r\n")
            line = self._line()
        if not line.startswith(b"OK "):
            raise DBusError("refused", repr(line))
        self.socket.sendall(b"BEGIN\r\n")

    def _line(self):
        while b"\r\n" not in self.received:
            self._receive()
        line, _, rest = bytes(self.received).partition(b"\r\n")
        self.received = bytearray(rest)
        return line

    def _receive(self):
        try:
            data = self.socket.recv(65536)
        except (ConnectionError, BrokenPipeError) as error:
            raise Closed from error
        if not data:
            raise Closed
        self.received += data

    def send(self, path, interface, member, signature="", *values, flags=0, destination=None):
        """Returns the serial."""
        self.serial += 1
        fields = {"path": path, "interface": interface, "member": member}
        if destination or self.destination:
            fields["destination"] = destination or self.destination
        try:
            self.socket.sendall(message(self.serial, CALL, flags, signature, arguments(signature, *values), **fields))
        except (ConnectionError, BrokenPipeError) as error:
            raise Closed from error
        return self.serial

    def read(self):
        """The next message: (type, fields, arguments)."""
        while len(self.received) < 16:
            self._receive()
        body, _, fields = struct.unpack_from("<III", self.received, 4)
        begin = 16 + fields + -fields % 8
        while len(self.received) < begin + body:
            self._receive()
        data, self.received = bytes(self.received[:begin + body]), self.received[begin + body:]
        reader = Reader(data[:begin])
        reader.at = 12
        named = {_FIELDS.get(code, code): value for code, value in reader.get("a(yv)")}
        reader = Reader(data[begin:])
        return data[1], named, [reader.get(one) for one in types(named.get("signature", ""))]

    def wait(self, serial):
        """The arguments of the answer to a call; signals that come before it are kept."""
        end = time.monotonic() + self.timeout
        while time.monotonic() < end:
            kind, fields, values = self.read()
            if kind == SIGNAL:
                self.signals.append((fields["path"], fields["interface"], fields["member"], values))
            elif fields.get("reply_to") == serial:
                if kind == ERROR:
                    raise DBusError(fields["error"], values[0] if values else "")
                return values
        raise TimeoutError(f"no answer to {serial}")

    def call(self, *message_of, **options):
        return self.wait(self.send(*message_of, **options))

    def get(self, path, interface, name):
        return self.call(path, "org.freedesktop.DBus.Properties", "Get", "ss", interface, name)[0]

    def set(self, path, interface, name, signature, value):
        self.call(path, "org.freedesktop.DBus.Properties", "Set", "ssv", interface, name, (signature, value))

    def wait_signal(self, member, deadline=10):
        end = time.monotonic() + deadline * PATIENCE
        while time.monotonic() < end:
            for signal in self.signals:
                if signal[2] == member:
                    self.signals.remove(signal)
                    return signal
            kind, fields, values = self.read()
            if kind == SIGNAL:
                self.signals.append((fields["path"], fields["interface"], fields["member"], values))
        raise TimeoutError(f"no signal {member}")
