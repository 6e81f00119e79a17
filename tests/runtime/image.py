# SPDX-License-Identifier: GPL-2.0-or-later
"""The image that the pods run, made of one busybox: nothing is pulled from a registry."""
import hashlib
import io
import json
import os
import platform
import tarfile

REFERENCE = "localhost/podwire-test:1"
PORT = 8080
APPLETS = ("httpd", "nc", "ping", "sh", "sleep")
# The pod's service says who called: that is how the tests see a source address from inside.
WHO_CALLED = b"#!/bin/sh\necho\necho $REMOTE_ADDR\n"
COMMAND = ["/bin/httpd", "-f", "-p", str(PORT), "-h", "/www"]

_ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}


def _add(archive, name, mode=0o644, data=None, link=None):
    entry = tarfile.TarInfo(name)
    entry.mode = mode
    if link:
        entry.type, entry.linkname = tarfile.SYMTYPE, link
    elif data is None:
        entry.type = tarfile.DIRTYPE
    else:
        entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data) if data is not None else None)


def root_tar(busybox):
    """The root filesystem as an uncompressed tar, the only layer."""
    with open(busybox, "rb") as file:
        program = file.read()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for directory in ("bin", "etc", "proc", "sys", "dev", "tmp", "www", "www/cgi-bin"):
            _add(archive, directory, 0o755)
        _add(archive, "bin/busybox", 0o755, program)
        for applet in APPLETS:
            _add(archive, f"bin/{applet}", 0o777, link="busybox")
        _add(archive, "www/cgi-bin/peer", 0o755, WHO_CALLED)
    return buffer.getvalue()


def oci_tar(layer):
    """An OCI image layout as a tar, with the reference in it, for `ctr images import`."""
    blobs = {}

    def blob(media, data):
        name = hashlib.sha256(data).hexdigest()
        blobs[name] = data
        return {"mediaType": f"application/vnd.oci.image.{media}", "digest": f"sha256:{name}",
                "size": len(data)}

    def document(media, **fields):
        return blob(media, json.dumps(fields).encode())

    machine = {"architecture": _ARCHITECTURE.get(platform.machine(), platform.machine()), "os": "linux"}
    filesystem = blob("layer.v1.tar", layer)
    config = document("config.v1+json", **machine, config={"Cmd": COMMAND, "Env": ["PATH=/bin"]},
                      rootfs={"type": "layers", "diff_ids": [filesystem["digest"]]})
    manifest = document("manifest.v1+json", schemaVersion=2, config=config, layers=[filesystem],
                        mediaType="application/vnd.oci.image.manifest.v1+json")
    index = {"schemaVersion": 2, "manifests": [
        {**manifest, "platform": machine, "annotations": {"io.containerd.image.name": REFERENCE}}]}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        _add(archive, "oci-layout", data=b'{"imageLayoutVersion":"1.0.0"}')
        _add(archive, "index.json", data=json.dumps(index).encode())
        for name, data in blobs.items():
            _add(archive, os.path.join("blobs", "sha256", name), data=data)
    return buffer.getvalue()
