"""Tar written by hand: every field can be made wrong, nothing is checked, normalised or refused."""

import struct

BLOCK = 512
MTIME = 1_700_000_000
END = bytes(2 * BLOCK)


def octal(value, width):
    return b"%0*o\0" % (width - 1, value)


def base256(value, width):
    """The GNU form for what octal digits cannot say: two's complement, the top bit of the first byte set."""
    raw = bytearray(value.to_bytes(width, "big", signed=True))
    raw[0] = (raw[0] & 0x7F) | 0x80 if value >= 0 else 0xFF
    return bytes(raw)


def padded(data):
    return data + bytes(-len(data) % BLOCK)


def header(name, *, size=0, kind=b"0", link=b"", mode=0o644, uid=0, gid=0, mtime=MTIME, prefix=b"", magic=b"ustar\x0000",
           major=0, minor=0, checksum=None, tail=None):
    """One header block. A number is written in octal; bytes stand as they are. `tail` replaces the last 167 bytes."""
    assert len(name) <= 100 and len(link) <= 100 and len(prefix) <= 155, (name, link, prefix)

    def number(value, width):
        field = value if isinstance(value, bytes) else octal(value, width)
        assert len(field) <= width, field
        return field

    if tail is None:
        tail = struct.pack("155s12x", prefix)
    block = bytearray(struct.pack(
        "100s8s8s8s12s12s8sc100s8s32s32s8s8s167s", name, number(mode, 8), number(uid, 8), number(gid, 8),
        number(size, 12), number(mtime, 12), b" " * 8, kind, link, magic, b"root", b"root", number(major, 8),
        number(minor, 8), tail))
    block[148:156] = b"%06o\0 " % sum(block) if checksum is None else checksum
    return bytes(block)


def pax_record(key, value):
    body = b" %s=%s\n" % (key.encode(), value)
    length = len(body)
    while len(str(length)) + len(body) != length:
        length = len(str(length)) + len(body)
    return str(length).encode() + body


def pax_raw(body, kind=b"x"):
    return header(b"PaxHeaders/x", size=len(body), kind=kind) + padded(body)


def pax(records, kind=b"x"):
    """An extended header; `records` is a dict, or pairs when a key stands more than once."""
    pairs = records.items() if isinstance(records, dict) else records
    return pax_raw(b"".join(pax_record(key, value) for key, value in pairs), kind)


def gnu_long(kind, text):
    """GNU's long name (kind L) or long link target (kind K) for the entry that follows."""
    body = text + b"\0"
    return header(b"././@LongLink", size=len(body), kind=kind, magic=b"ustar  \0") + padded(body)


def entry(name, data=b"", *, link=b"", more=None, **fields):
    """A header and its data; what is too long for the header goes into an extended one, with the records of `more`."""
    records = dict(more or {})
    if len(name) > 100:
        records["path"] = name
        name = name[:100]
    if len(link) > 100:
        records["linkpath"] = link
        link = link[:100]
    fields.setdefault("size", len(data))
    return (pax(records) if records else b"") + header(name, link=link, **fields) + padded(data)


def f(name, data=b"x", **fields):
    return entry(name, data, **fields)


def d(name, mode=0o755, **fields):
    return entry(name + b"/", kind=b"5", mode=mode, **fields)


def l(name, target, **fields):
    return entry(name, kind=b"2", link=target, mode=0o777, **fields)


def h(name, target, **fields):
    return entry(name, kind=b"1", link=target, **fields)


def tar(*parts):
    return b"".join(parts) + END


# A root that `strict` likes: what a case adds to it is the only thing that can be refused.
ROOT = d(b"etc") + f(b"etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n") + d(b"usr") + d(b"usr/bin") + d(b"var")


def root(*parts):
    return tar(ROOT, *parts)
