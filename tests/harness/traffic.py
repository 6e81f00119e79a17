# SPDX-License-Identifier: GPL-2.0-or-later
"""Bytes between namespaces, compared at the far end: a ping alone proves too little."""
import os
import socket
import struct
import threading

from .resources import PATIENCE

TIMEOUT = 10 * PATIENCE


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
