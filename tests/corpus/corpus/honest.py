"""Images as people make them, in every form and compression: all pass `standard`. And files that are no archive."""

import io
import random
import struct
import zipfile
import zlib
import lzma

from corpus.compress import ALL, gz, zst
from corpus.images import docker_save, oci_layout
from corpus.registry import add, simple
from corpus.tarball import d, f, h, l, root, tar

ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0x400078, 64, 0, 0, 64, 56, 1, 0, 0, 0)
BINARY = ELF + random.Random(1).randbytes(60_000)


def minimal():
    return root(f(b"usr/bin/app", BINARY, mode=0o755))


def rootfs_folder():
    return tar(d(b"rootfs"), d(b"rootfs/etc"), f(b"rootfs/etc/hostname", b"sample\n"), d(b"rootfs/usr"),
               d(b"rootfs/usr/bin"), f(b"rootfs/usr/bin/app", BINARY, mode=0o755), d(b"rootfs/var"))


def rootfs_folder_dot():
    return tar(d(b"."), d(b"./rootfs"), d(b"./rootfs/etc"), f(b"./rootfs/etc/hostname", b"sample\n"), d(b"./rootfs/usr"),
               d(b"./rootfs/var"))


def scratch():
    return tar(f(b"app", BINARY, mode=0o755))


def distroless():
    return tar(d(b"."), d(b"./bin"), d(b"./boot"), d(b"./dev"), d(b"./etc"), f(b"./etc/passwd", b"nonroot:x:65532:\n"),
               l(b"./etc/mtab", b"/proc/mounts"), d(b"./home"), d(b"./home/nonroot", mode=0o700, uid=65532, gid=65532),
               d(b"./lib"), d(b"./tmp", mode=0o1777), d(b"./usr"), d(b"./usr/lib"),
               l(b"./usr/lib/os-release", b"../../etc/os-release"), d(b"./usr/share"), d(b"./var"), d(b"./var/lib"),
               d(b"./var/lib/dpkg"), d(b"./var/lib/dpkg/status.d"), f(b"./var/lib/dpkg/status.d/base", b"Package: base\n"),
               l(b"./var/run", b"/run"))


def alpine():
    tools = [l(b"bin/" + name, b"/bin/busybox") for name in (b"sh", b"ls", b"cat", b"cp", b"mount", b"su")]
    return tar(d(b"bin"), f(b"bin/busybox", BINARY, mode=0o755), *tools, f(b"bin/bbsuid", BINARY, mode=0o4111), d(b"dev"),
               d(b"etc"), f(b"etc/alpine-release", b"3.18.4\n"), l(b"etc/mtab", b"../proc/mounts"), d(b"lib"),
               d(b"lib/apk"), d(b"lib/apk/db"), f(b"lib/apk/db/installed", b"P:busybox\nV:1.36.1-r4\n\n"), d(b"proc"),
               d(b"root", mode=0o700), d(b"sbin"), l(b"sbin/init", b"/bin/busybox"), d(b"tmp", mode=0o1777), d(b"usr"),
               d(b"usr/bin"), l(b"usr/bin/env", b"/bin/busybox"), d(b"var"), l(b"var/run", b"../run"),
               l(b"var/spool", b"/var/cache"), d(b"var/cache"))


def debian_base():
    return tar(l(b"bin", b"usr/bin"), d(b"dev"), d(b"etc"), d(b"etc/alternatives"),
               l(b"etc/alternatives/awk", b"/usr/bin/mawk"), f(b"etc/debian_version", b"12.2\n"), l(b"lib", b"usr/lib"),
               l(b"lib64", b"usr/lib64"), l(b"sbin", b"usr/sbin"), d(b"usr"), d(b"usr/bin"),
               l(b"usr/bin/awk", b"/etc/alternatives/awk"), f(b"usr/bin/mawk", BINARY, mode=0o755),
               f(b"usr/bin/passwd", BINARY, mode=0o4755), f(b"usr/bin/wall", BINARY, mode=0o2755),
               f(b"usr/bin/perl", BINARY, mode=0o755), h(b"usr/bin/perl5.36.0", b"usr/bin/perl"), d(b"usr/lib"),
               d(b"usr/lib64"), d(b"usr/local"), d(b"usr/sbin"), d(b"var"), d(b"var/local", mode=0o2775, gid=50),
               d(b"var/mail", mode=0o2775, gid=8), l(b"var/lock", b"/run/lock"), l(b"var/run", b"/run"))


def debian_upper():
    """As a builder writes it that knows nothing of the links below: bin/x, and lib/ named as a folder again."""
    return tar(f(b"bin/x", BINARY, mode=0o755), d(b"lib/udev"), f(b"lib/udev/rules", b"#\n"), d(b"etc"),
               f(b"etc/.wh.debian_version", b""), f(b"var/.wh.lock", b""))


def debian():
    return docker_save([debian_base(), debian_upper()])


def oci():
    return oci_layout([(gz(debian_base()), "tar+gzip"), (zst(debian_upper()), "tar+zstd")],
                      diff_of=[debian_base(), debian_upper()])


IMAGES = {"minimal": minimal, "rootfs-folder": rootfs_folder, "rootfs-folder-dot": rootfs_folder_dot, "scratch": scratch,
          "distroless": distroless, "alpine": alpine, "debian-rootfs": debian_base, "debian-docker": debian, "debian-oci": oci,
          "alpine-docker": lambda: docker_save([alpine()])}
for name, make in IMAGES.items():
    add(f"image-{name}.tar", make)
    for form, pack in ALL.items():
        add(f"image-{name}.tar.{form}", lambda make=make, pack=pack: pack(make()))

add("image-minimal-pzstd.tar.zst", lambda: b"\x50\x2a\x4d\x18\x04\0\0\0" + bytes(4) + zst(minimal()))
add("image-minimal-xz-9.tar.xz", lambda: lzma.compress(minimal(), preset=9 | lzma.PRESET_EXTREME))
add("image-minimal-gzip-named.tar.gz",
    lambda: b"\x1f\x8b\x08\x08\0\0\0\0\0\x03root.tar\0" + gz(minimal())[10:])
add("image-minimal-gzip-stored.tar.gz", lambda: gz(minimal(), level=0))
add("image-zeros-99-to-one.tar.gz",
    lambda: gz(root(f(b"noise", random.Random(3).randbytes(100_000)), f(b"zeros", bytes(8 << 20)))))
simple(
    image_rootfs_folder_and_more=tar(d(b"rootfs"), d(b"rootfs/etc"), f(b"README", b"hello\n"), d(b"etc"), d(b"usr"),
                                     d(b"var")),
    image_rootfs_is_a_link=root(l(b"rootfs", b"etc")),
    image_without_etc=tar(d(b"usr"), d(b"var")),
    image_without_folders_entries=tar(f(b"etc/passwd"), f(b"usr/bin/app"), f(b"var/log/x")),
    image_usr_is_a_link=tar(d(b"etc"), d(b"var"), d(b"system"), l(b"usr", b"system")),
    image_var_is_a_file=tar(d(b"etc"), d(b"usr"), f(b"var")),
    image_case_of_etc=tar(d(b"ETC"), d(b"usr"), d(b"var")),
)


def zipped():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr(zipfile.ZipInfo("etc/passwd", (1980, 1, 1, 0, 0, 0)), "root")
    return out.getvalue()


def png():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b""))


def cpio():
    def one(name, data=b"", mode=0o100644):
        fields = [1, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + b"".join(b"%08X" % x for x in fields) + name + b"\0"
        head += bytes(-len(head) % 4)
        return head + data + bytes(-len(data) % 4)

    return one(b"etc/passwd", b"root") + one(b"TRAILER!!!")


def ar():
    return b"!<arch>\n" + b"%-16s%-12d%-6d%-6d%-8o%-10d`\n" % (b"x/", 0, 0, 0, 0o644, 4) + b"data"


def uuencoded():
    import binascii
    data = root(f(b"x"))
    lines = [binascii.b2a_uu(data[i:i + 45]) for i in range(0, len(data), 45)]
    return b"begin 644 root.tar\n" + b"".join(lines) + b"`\nend\n"


NOT_ARCHIVES = {
    "empty": lambda: b"",
    "one-byte": lambda: b"\0",
    "zeros": lambda: bytes(100_000),
    "zeros-511": lambda: bytes(511),
    "zeros-512": lambda: bytes(512),
    "random": lambda: random.Random(2).randbytes(100_000),
    "text": lambda: b"hello\n" * 1000,
    "html": lambda: b"<!DOCTYPE html><html><head><title>403 Forbidden</title></head><body></body></html>\n",
    "xml": lambda: b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
    "png": png,
    "elf": lambda: BINARY,
    "zip": zipped,
    "cpio": cpio,
    "ar": ar,
    "mtree": lambda: b"#mtree\n/set type=file uid=0 gid=0 mode=0644\n./etc/passwd contents=/etc/passwd\n",
    "shell-archive": lambda: b"#!/bin/sh\n# This is a shell archive\nexit 0\n",
    "uuencoded-tar": uuencoded,
    "lzma-alone-tar": lambda: lzma.compress(root(f(b"x")), format=lzma.FORMAT_ALONE),
    "compress-z": lambda: b"\x1f\x9d\x90" + random.Random(4).randbytes(500),
    "gzip-of-text": lambda: gz(b"hello\n" * 1000),
    "gzip-of-nothing": lambda: gz(b""),
    "zstd-of-nothing": lambda: zst(b""),
    "zstd-skippable": lambda: b"\x50\x2a\x4d\x18\x04\0\0\0abcd",
    "xz-of-nothing": lambda: ALL["xz"](b""),
    "bzip2-of-nothing": lambda: ALL["bz2"](b""),
    "rar": lambda: b"Rar!\x1a\x07\x01\0" + bytes(200),
    "7z": lambda: b"7z\xbc\xaf\x27\x1c\0\x04" + bytes(200),
    "iso": lambda: bytes(32768) + b"\x01CD001\x01" + bytes(4000),
    "rpm": lambda: b"\xed\xab\xee\xdb\x03\0" + bytes(200),
    "warc": lambda: b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
}
for name, make in NOT_ARCHIVES.items():
    add(f"not-{name}", make)
