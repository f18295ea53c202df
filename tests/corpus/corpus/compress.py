"""The four compressions, made so that the same input gives the same bytes on every machine."""

import bz2
import lzma
import struct
import subprocess
import zlib


def gz(data, level=9):
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    return gzip_member(packer.compress(data) + packer.flush(), zlib.crc32(data), len(data))


def gzip_member(deflated, crc, size):
    return b"\x1f\x8b\x08\0\0\0\0\0\x02\xff" + deflated + struct.pack("<II", crc, size & 0xFFFFFFFF)


def zst(data, level=9):
    """With the frame's checksum, so that a flipped byte shows."""
    made = subprocess.run(["zstd", "-q", f"-{level}", "--single-thread", "--check", "-c"], input=data, check=True,
                          stdout=subprocess.PIPE)
    return made.stdout


def xz(data):
    return lzma.compress(data, preset=6)


def bz(data):
    return bz2.compress(data, 9)


ALL = {"gz": gz, "zst": zst, "xz": xz, "bz2": bz}


def gz_zeros(mebibytes, before=b"", after=b""):
    """One member: `before`, that many MiB of zeros, `after`. The zeros are one flushed piece, repeated."""
    zeros = bytes(1 << 20)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    head = packer.compress(before) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    tail = packer.compress(after) + packer.flush()
    crc = zlib.crc32(before)
    for _ in range(mebibytes):
        crc = zlib.crc32(zeros, crc)
    crc = zlib.crc32(after, crc)
    return gzip_member(head + piece * mebibytes + tail, crc, len(before) + (mebibytes << 20) + len(after))


def zst_zeros(mebibytes):
    """One frame of run-length blocks by hand: four bytes for each 128 KiB, 32768 to one."""
    blocks = mebibytes * 8
    block = (128 << 10) << 3 | 1 << 1
    run = struct.pack("<I", block)[:3] + b"\0"
    last = struct.pack("<I", block | 1)[:3] + b"\0"
    return b"\x28\xb5\x2f\xfd" + b"\x00" + b"\x38" + run * (blocks - 1) + last  # window of 128 KiB, no content size


def xz_zeros(mebibytes):
    assert mebibytes % 16 == 0
    return xz(bytes(16 << 20)) * (mebibytes // 16)


def bz_zeros(mebibytes):
    assert mebibytes % 16 == 0
    return bz(bytes(16 << 20)) * (mebibytes // 16)


ZEROS = {"gz": gz_zeros, "zst": zst_zeros, "xz": xz_zeros, "bz2": bz_zeros}
