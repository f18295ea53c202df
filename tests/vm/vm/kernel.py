"""Debian's kernel, as a file to boot and the modules to load: unpacked from its package, which is not installed."""

import fcntl
import lzma
import pathlib
import re
import shutil
import struct
import subprocess
import tarfile
import tempfile

# What the machine and the tests need, in the order to load it; what a module depends on comes before it.
# crc32c_generic is asked for by libcrc32c when that is loaded, without being named as a dependency.
WANTED = """virtio_pci virtio_blk virtio_console 9pnet_virtio 9p overlay loop crc32c_generic libcrc32c
    dm-mod dm-thin-pool dm-flakey dm-delay dm-log-writes ext4""".split()
FOLDERS = re.compile(r"\./lib/modules/[^/]+/kernel/(arch/x86|crypto|drivers/(block|char|dax|md|virtio)|fs|lib|net/9p)/")


class Missing(Exception):
    """The kernel is not here and cannot be had: a reason to skip, not a failure."""


def run(words, folder=None):
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise Missing(f"there is no {words[0]} here") from error
    if done.returncode != 0:
        raise Missing(f"{' '.join(words)}: {done.stderr.strip()[-500:]}")
    return done.stdout


def package_name():
    for line in run(["apt-cache", "depends", "linux-image-amd64"]).splitlines():
        found = re.fullmatch(r"\s*Depends: (linux-image-[0-9.-]+-amd64)\s*", line)
        if found:
            return found.group(1)
    raise Missing("the package lists have no linux-image-amd64: run apt-get update")


def dependencies(module):
    """The names in the module's own list, as the kernel spells them (with underscores)."""
    found = re.search(rb"\0depends=([^\0]*)\0", module)
    return [name for name in found.group(1).decode().split(",") if name] if found else []


def in_load_order(modules):
    order = []

    def add(name):
        name = name.replace("-", "_")
        if name in order:
            return
        if name not in modules:
            raise Missing(f"the kernel's package has no module {name}")
        for other in dependencies(modules[name]):
            add(other)
        order.append(name)

    for name in WANTED:
        add(name)
    return order


def decompressed(image):
    """The kernel inside `image`, which qemu boots as well: unpacking it is slow work for an emulated processor."""
    start = (image[0x1F1] + 1) * 512  # behind the real-mode part; these fields are the kernel's "boot protocol"
    offset, length = struct.unpack_from("<II", image, 0x248)
    payload = image[start + offset:start + offset + length]
    if not payload.startswith(b"\xfd7zXZ\0"):
        return image
    return lzma.LZMADecompressor().decompress(payload)


def unpack(package, folder):
    modules = {}
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as unpacker:
        with tarfile.open(fileobj=unpacker.stdout, mode="r|") as files:
            for entry in files:
                if entry.name.startswith("./boot/vmlinuz-"):
                    (folder / "linux").write_bytes(decompressed(files.extractfile(entry).read()))
                elif entry.isfile() and entry.name.endswith(".ko") and FOLDERS.match(entry.name):
                    name = pathlib.PurePath(entry.name).stem.replace("-", "_")
                    modules[name] = files.extractfile(entry).read()
    (folder / "modules").mkdir()
    order = in_load_order(modules)
    for name in order:
        (folder / "modules" / f"{name}.ko").write_bytes(modules[name])
    (folder / "modules" / "order").write_text("".join(f"{name}.ko\n" for name in order))


def download(packages, folder):
    """With newer package lists when these do not know the packages, or know versions that are gone."""
    try:
        run(["apt-get", "-q", "download"] + packages(), folder)
    except Missing:
        run(["apt-get", "-q", "update"])
        run(["apt-get", "-q", "download"] + packages(), folder)


def unpacked(cache, name, packages, unpack_one):
    """The folder `name`, made of packages once; several callers at a time share one download."""
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / name
    with open(cache / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            return folder
        work = pathlib.Path(tempfile.mkdtemp(dir=cache))
        try:
            download(packages, work)
            made = work / name
            made.mkdir()
            for package in work.glob("*.deb"):
                unpack_one(package, made)
            made.rename(folder)
        finally:
            shutil.rmtree(work)
    return folder


def prepare(cache):
    """The folder with `linux` and `modules/`."""
    return unpacked(cache, "kernel", lambda: [package_name()], unpack)


def prepare_udev(cache):
    """A folder with udev and the libraries that are its own."""
    return unpacked(cache, "udev", lambda: ["udev", "libsystemd-shared", "libkmod2"],
                    lambda package, folder: run(["dpkg-deb", "-x", package, folder]))
