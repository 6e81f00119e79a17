#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""initramfs.py BUSYBOX INIT ROOT OUT: what a kernel starts with, as a compressed cpio archive.

ROOT is where the kernel's package was unpacked. In the archive are the modules that the tests need, those
that these need, and /modules/order, which lists them so that each comes after what it needs.
"""
import gzip
import lzma
import os
import re
import stat
import sys

# What the tests use of a kernel, by subject. A module that a kernel has built in, or hasn't, is left out.
WANTED = """
    virtio_pci 9pnet_virtio 9p overlay crc32c_generic
    veth bridge tun dummy ifb macvlan 8021q af_packet
    sch_ingress sch_tbf sch_fq sch_fq_codel cls_bpf cls_matchall act_bpf act_mirred act_gact
    nf_conntrack nf_conntrack_netlink nf_nat nfnetlink
    nf_tables nft_ct nft_nat nft_masq nft_chain_nat nft_reject_inet nft_redir nft_limit nft_log
    nft_fib_inet nft_compat xt_conntrack xt_MASQUERADE xt_nat xt_mark xt_comment xt_addrtype xt_tcpudp
    xt_multiport xt_statistic ip_tables ip6_tables iptable_nat iptable_filter
    inet_diag unix_diag netlink_diag
"""


def find_modules(root):
    """{name: path}; in a name - and _ are the same."""
    found = {}
    for directory, _, names in os.walk(root):
        for name in names:
            match = re.fullmatch(r"(.+)\.ko(\.xz)?", name)
            if match:
                found[match.group(1).replace("-", "_")] = os.path.join(directory, name)
    return found


def read_module(path):
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as file:
        return file.read()


def needs(module):
    """Its entry in the section .modinfo."""
    match = re.search(rb"\0depends=([^\0]*)\0", module)
    return [name.replace("-", "_") for name in match.group(1).decode().split(",") if name] if match else []


def choose(modules):
    """{name: content}, in an order in which they can be loaded."""
    chosen = {}

    def take(name):
        if name in chosen or name not in modules:
            return
        content = read_module(modules[name])
        for other in needs(content):
            take(other)
        chosen[name] = content

    for name in WANTED.split():
        take(name)
    return chosen


class Cpio:
    """The format "newc", which the kernel unpacks."""

    def __init__(self):
        self.data, self.inode = bytearray(), 0

    def add(self, name, mode, content=b""):
        self.inode += 1
        encoded = name.encode() + b"\0"
        fields = [self.inode, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(encoded), 0]
        for part in (b"070701" + b"".join(b"%08X" % field for field in fields) + encoded, content):
            self.data += part + b"\0" * (-len(part) % 4)

    def archive(self):
        self.add("TRAILER!!!", 0)
        return bytes(self.data)


def main(busybox, init, root, out):
    modules = choose(find_modules(root))
    cpio = Cpio()
    for directory in ("bin", "dev", "proc", "sys", "modules"):
        cpio.add(directory, stat.S_IFDIR | 0o755)
    for path, name in ((busybox, "busybox"), (init, "init")):
        with open(path, "rb") as file:
            cpio.add(name, stat.S_IFREG | 0o755, file.read())
    for name, content in modules.items():
        cpio.add(f"modules/{name}.ko", stat.S_IFREG | 0o644, content)
    cpio.add("modules/order", stat.S_IFREG | 0o644, "".join(f"{name}.ko\n" for name in modules).encode())
    with open(out, "wb") as file:
        file.write(gzip.compress(cpio.archive(), 1))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
