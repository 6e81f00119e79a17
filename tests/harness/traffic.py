# SPDX-License-Identifier: GPL-2.0-or-later
"""Bytes between namespaces, compared at the far end: a ping alone proves too little."""
import hashlib
import os
import socket
import struct
import subprocess
import threading

from .resources import PATIENCE

TIMEOUT = 10 * PATIENCE
INTERVAL = 0.01  # of Steady's pings: 100 a second


def _family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def _echo_stream(listener, seen):
    with listener:
        connection, peer = listener.accept()
        seen["peer"] = peer[0]
        with connection:
            connection.settimeout(TIMEOUT)
            while block := connection.recv(65536):
                connection.sendall(block)


def _start(target, *arguments):
    thread = threading.Thread(target=_quiet, args=(target, *arguments), daemon=True)
    thread.start()
    return thread


def _quiet(target, *arguments):
    try:
        target(*arguments)
    except OSError:
        pass  # the client's side says what went wrong


def tcp_echo(client, server, address, size=200_000, source=None):
    """Send `size` bytes from one namespace to `address` in another and compare the echo.

    Returns the client's address as the server saw it; raises OSError when it can't be done.
    """
    seen = {}
    listener = server.socket(_family(address))
    listener.settimeout(TIMEOUT)
    listener.bind((address, 0))
    listener.listen()
    port = listener.getsockname()[1]
    thread = _start(_echo_stream, listener, seen)
    payload = os.urandom(size)
    with client.socket(_family(address)) as stream:
        stream.settimeout(TIMEOUT)
        if source:
            stream.bind((source, 0))
        stream.connect((address, port))
        sender = _start(_send_all, stream, payload)
        answer = bytearray()
        while block := stream.recv(65536):
            answer += block
        sender.join(TIMEOUT)
    thread.join(TIMEOUT)
    if bytes(answer) != payload:
        raise OSError(f"echo differs: {len(answer)} of {size} bytes")
    return seen["peer"]


def _send_all(stream, payload):
    stream.sendall(payload)
    stream.shutdown(socket.SHUT_WR)


def udp_echo(client, server, address, size=1000, source=None):
    """As tcp_echo, with one datagram."""
    with server.socket(_family(address), socket.SOCK_DGRAM) as listener, \
            client.socket(_family(address), socket.SOCK_DGRAM) as sender:
        listener.settimeout(TIMEOUT)
        sender.settimeout(TIMEOUT)
        listener.bind((address, 0))
        if source:
            sender.bind((source, 0))
        payload = os.urandom(size)
        sender.sendto(payload, (address, listener.getsockname()[1]))
        data, peer = listener.recvfrom(65536)
        listener.sendto(data, peer)
        if sender.recv(65536) != payload:
            raise OSError("echo differs")
        return peer[0]


def router_advertisement(router, ifname, lifetime=1800, prefix=None):
    """One RA to all nodes from a router's device, which must have a usable link-local address."""
    message = struct.pack("!BBHBBHII", 134, 0, 0, 64, 0, lifetime, 0, 0)
    if prefix:
        network = socket.inet_pton(socket.AF_INET6, prefix)
        message += struct.pack("!BBBBIII16s", 3, 4, 64, 0xC0, 86400, 86400, 0, network)
    with router.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6) as raw:
        raw.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
        index = router.link(ifname)["ifindex"]
        raw.sendto(message, ("ff02::1", 0, 0, index))


class Stream(threading.Thread):
    """TCP as it goes, until stopped; both sides hash what they had."""

    def __init__(self, client, server, address):
        super().__init__(daemon=True)
        self.listener, self.client = server.socket(), client.socket()
        self.listener.bind((address, 0))
        self.listener.listen()
        self.client.connect((address, self.listener.getsockname()[1]))
        self.server, _ = self.listener.accept()
        self.stopping, self.sent, self.received = threading.Event(), hashlib.sha256(), hashlib.sha256()
        self.bytes = 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.start()

    def run(self):
        block = os.urandom(65536)
        while not self.stopping.wait(0.005):
            self.client.sendall(block)
            self.sent.update(block)
            self.bytes += len(block)
        self.client.shutdown(socket.SHUT_WR)

    def _read(self):
        while data := self.server.recv(1 << 20):
            self.received.update(data)

    def finish(self):
        self.stopping.set()
        self.join(20 * PATIENCE)
        self.reader.join(20 * PATIENCE)
        for one in (self.client, self.server, self.listener):
            one.close()


class Steady:
    """Pings of both families and a TCP stream from pod to pod."""

    def __init__(self, a, b, sources, targets):
        self.pings = [subprocess.Popen(a.argv("ping", "-n", "-q", "-i", INTERVAL, "-I", source, target),
                                       stdout=subprocess.PIPE, text=True)
                      for source, target in zip(sources, targets)]
        self.stream = Stream(a, b, targets[0])

    def assert_nothing_lost(self, test):
        self.stream.finish()
        test.assertEqual(self.stream.sent.hexdigest(), self.stream.received.hexdigest())
        test.assertGreater(self.stream.bytes, 0)
        for ping in self.pings:
            ping.send_signal(2)
            text, _ = ping.communicate(timeout=20 * PATIENCE)
            test.assertIn(" 0% packet loss", text)
            print(text.splitlines()[-2] if "rtt" in text else text, flush=True)
