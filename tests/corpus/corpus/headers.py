"""Header fields: sizes, numbers, types, modes, checksums, sparse maps, attributes."""

import random
import struct

from corpus.registry import simple
from corpus.tarball import END, ROOT, base256, d, entry, f, header, octal, padded, pax, root, tar

EVIL = header(b"../evil", size=0)  # a header that hides in a file's data

simple(
    # sizes
    size_octal_no_nul=root(header(b"x", size=b"777777777777")),
    size_base256_small=root(header(b"x", size=base256(3, 12)) + padded(b"abc")),
    size_base256_terabyte=root(header(b"x", size=base256(1 << 40, 12))),
    size_base256_2_63=root(header(b"x", size=base256(1 << 63, 12))),
    size_base256_2_63_minus_1=root(header(b"x", size=base256((1 << 63) - 1, 12))),
    size_base256_2_64=root(header(b"x", size=base256(1 << 64, 12))),
    size_base256_huge=root(header(b"x", size=b"\x80" + b"\xff" * 11)),
    size_base256_negative=root(header(b"x", size=base256(-1, 12))),
    size_base256_very_negative=root(header(b"x", size=base256(-(1 << 63), 12))),
    size_negative_block=root(header(b"x", size=base256(-512, 12)), f(b"y")),
    size_minus_sign=root(header(b"x", size=b"-0000000001\0")),
    size_garbage=root(header(b"x", size=b"not a number")),
    size_empty=root(header(b"x", size=bytes(12)), f(b"y")),
    size_spaces=root(header(b"x", size=b"          3 ") + padded(b"abc")),
    size_on_folder=root(header(b"x/", kind=b"5", mode=0o755, size=512) + EVIL),
    size_on_link=root(header(b"x", kind=b"2", link=b"etc", size=512) + EVIL),
    size_on_device=root(header(b"x", kind=b"3", major=1, minor=3, size=512) + EVIL),
    size_beyond_the_end=root(header(b"x", size=1 << 20)),

    # extended headers that say another size; the extended one counts
    pax_size_same=root(pax({"size": b"3"}) + f(b"x", b"abc")),
    pax_size_bigger=root(pax({"size": b"512"}) + header(b"x", size=0) + EVIL),
    pax_size_smaller=root(pax({"size": b"0"}) + header(b"x", size=512) + EVIL),
    pax_size_terabyte=root(pax({"size": b"1099511627776"}) + header(b"x", size=0)),
    pax_size_2_63=root(pax({"size": b"9223372036854775808"}) + header(b"x", size=0)),
    pax_size_huge=root(pax({"size": b"9" * 40}) + header(b"x", size=0)),
    pax_size_negative=root(pax({"size": b"-512"}) + header(b"x", size=0)),
    pax_size_garbage=root(pax({"size": b"many"}) + header(b"x", size=0)),
    pax_size_trailing_garbage=root(pax({"size": b"3 apples"}) + f(b"x", b"abc")),
    pax_size_empty=root(pax({"size": b""}) + f(b"x", b"abc")),
    pax_size_hex=root(pax({"size": b"0x200"}) + header(b"x", size=0)),
    pax_size_global=root(pax({"size": b"512"}, kind=b"g") + header(b"x", size=0) + EVIL),

    # other numbers
    uid_huge=root(f(b"x", uid=base256(1 << 40, 8))),
    uid_2_32_minus_1=root(f(b"x", more={"uid": b"4294967295", "gid": b"4294967295"})),
    uid_pax_huge=root(f(b"x", more={"uid": b"9" * 30})),
    uid_negative=root(f(b"x", uid=base256(-1, 8), gid=base256(-2, 8))),
    uid_large_legal=root(f(b"x", more={"uid": b"2000000000", "gid": b"2000000000"})),
    mtime_negative=root(f(b"x", mtime=base256(-86400, 12))),
    mtime_huge=root(f(b"x", mtime=base256(1 << 60, 12))),
    mtime_octal_max=root(f(b"x", mtime=b"77777777777\0")),
    mtime_pax_fraction=root(f(b"x", more={"mtime": b"1700000000.123456789", "atime": b"1.5", "ctime": b"-1.5"})),
    mtime_pax_huge=root(f(b"x", more={"mtime": b"9" * 60})),
    mtime_pax_garbage=root(f(b"x", more={"mtime": b"yesterday"})),
    mode_garbage=root(f(b"x", mode=b"rwxr-xr\0")),
    mode_all_bits=root(header(b"x", mode=b"7777777\0")),
    mode_none=root(f(b"x", mode=0)),
    owner_names_control=root(f(b"x", more={"uname": b"\x1b[2J\nroot", "gname": b"\xff"})),

    # types
    type_old_nul=root(f(b"x", kind=b"\0", magic=bytes(8)), entry(b"old/", kind=b"\0", magic=bytes(8), mode=0o755)),
    type_contiguous=root(f(b"x", kind=b"7")),
    type_unknown=root(f(b"x", kind=b"Z")),
    type_unknown_high=root(f(b"x", kind=b"\xff")),
    type_volume_label=tar(header(b"label", kind=b"V", magic=b"ustar  \0"), ROOT),
    type_multivolume=root(header(b"x", kind=b"M", size=3, magic=b"ustar  \0") + padded(b"abc")),
    type_char_device=root(entry(b"null", kind=b"3", major=1, minor=3, mode=0o666)),
    type_block_device=root(entry(b"sda", kind=b"4", major=8, minor=0, mode=0o660)),
    type_char_device_0_0=root(entry(b"x", kind=b"3", major=0, minor=0)),
    type_device_numbers_garbage=root(entry(b"x", kind=b"4", major=b"\xff" * 8, minor=b"zzzzzzz\0")),
    type_devices_in_dev=root(d(b"dev"), *[entry(b"dev/" + n, kind=b"3", major=1, minor=i, mode=0o666)
                                         for i, n in ((3, b"null"), (5, b"zero"), (8, b"random"), (9, b"urandom"))]),
    type_fifo=root(entry(b"pipe", kind=b"6")),
    type_socket_mode=root(f(b"sock", b"", mode=0o140755)),
    type_socket_solaris=root(entry(b"sock", kind=b"s")),
    type_folder_without_slash=root(entry(b"x", kind=b"5", mode=0o755), f(b"x/y")),
    type_file_with_slash=root(f(b"x/", b"data", kind=b"0")),
    type_device_as_etc=tar(entry(b"etc", kind=b"3", major=1, minor=3), d(b"usr"), d(b"var")),

    # modes that the policy knows
    mode_setuid=root(f(b"usr/bin/su", mode=0o4755)),
    mode_setgid=root(f(b"usr/bin/wall", mode=0o2755)),
    mode_setuid_setgid=root(f(b"usr/bin/x", mode=0o6755)),
    mode_setgid_folder=root(d(b"var/mail", mode=0o2775)),
    mode_sticky_folder=root(d(b"tmp", mode=0o1777)),
    mode_setuid_pax_name=root(f(b"n" * 150, mode=0o4755)),
    mode_etc_world_writable=tar(d(b"etc", mode=0o777), d(b"usr"), d(b"var")),
    mode_etc_world_writable_sticky=tar(d(b"etc", mode=0o1777), d(b"usr"), d(b"var")),
    mode_etc_other_write_only=tar(d(b"etc", mode=0o702), d(b"usr"), d(b"var")),
    mode_usr_world_writable=tar(d(b"etc"), d(b"./usr", mode=0o777), d(b"var")),
    mode_etc_world_writable_rootfs=tar(d(b"rootfs"), d(b"rootfs/etc", mode=0o777), d(b"rootfs/usr"), d(b"rootfs/var")),
    mode_etc_group_writable=tar(d(b"etc", mode=0o775), d(b"usr"), d(b"var")),
    mode_etc_opened_then_closed=tar(d(b"etc", mode=0o777), d(b"usr"), d(b"var"), d(b"etc", mode=0o755)),
    mode_var_world_writable=tar(d(b"etc"), d(b"usr"), d(b"var", mode=0o777)),
    mode_file_world_writable=root(f(b"etc/motd", mode=0o666)),

    # broken framing
    checksum_bad=root(header(b"x", checksum=b"000000\0 ")),
    checksum_bad_first=tar(header(b"etc/", kind=b"5", checksum=b"777777\0 "), ROOT),
    checksum_garbage=root(header(b"x", checksum=b"zzzzzzzz")),
    checksum_empty=root(header(b"x", checksum=bytes(8))),
    header_all_ff=root(b"\xff" * 512, f(b"x")),
    header_text=root(b"<html>not a header</html>".ljust(512, b" "), f(b"x")),
    header_magic_gnu=root(f(b"x", magic=b"ustar  \0")),
    header_magic_none=root(f(b"x", magic=bytes(8))),
    end_missing=ROOT + f(b"x"),
    end_one_block=ROOT + f(b"x") + bytes(512),
    end_padded_to_record=root(f(b"x")) + bytes(-len(root(f(b"x"))) % 10240),
    end_then_text=root(f(b"x")) + b"trailing text that is no archive".ljust(512, b"\n"),
    end_then_evil_archive=root(f(b"x")) + tar(f(b"../evil")),
    end_then_honest_archive=root(f(b"x")) + root(f(b"y")),
    end_lone_zero_block_inside=ROOT + bytes(512) + f(b"../evil") + END,
    end_only=END,
    end_no_padding_of_last_file=ROOT + header(b"x", size=3) + b"abc",
    size_cut_in_data=root(header(b"x", size=4096) + b"abc" * 100)[:-1324],
)


def capability():
    return struct.pack("<IIIII", 0x02000001, 1 << 13, 0, 0, 0)  # cap_net_raw+ep


def random_bytes(count, seed=7):
    return random.Random(seed).randbytes(count)


simple(
    xattr_capability=root(f(b"usr/bin/ping", mode=0o755, more={"SCHILY.xattr.security.capability": capability()})),
    xattr_capability_libarchive=root(
        f(b"usr/bin/ping", mode=0o755, more={"LIBARCHIVE.xattr.security.capability": b"AQAAAgAgAAAAAAAAAAAAAAAAAAA"})),
    xattr_user=root(f(b"x", more={"SCHILY.xattr.user.comment": b"hello", "SCHILY.xattr.user.empty": b""})),
    xattr_64_kib=root(f(b"x", more={"SCHILY.xattr.user.big": random_bytes(65_536)})),
    xattr_900_kib=root(f(b"x", more={"SCHILY.xattr.user.big": random_bytes(900 << 10)})),
    xattr_2_mib=root(f(b"x", more={"SCHILY.xattr.user.big": random_bytes(2 << 20)})),
    xattr_10000=root(f(b"x", more={"SCHILY.xattr.user.a%d" % i: b"v" for i in range(10_000)})),
    xattr_name_300=root(f(b"x", more={"SCHILY.xattr.user." + "n" * 300: b"v"})),
    xattr_no_name=root(f(b"x", more={"SCHILY.xattr.": b"v"})),
    xattr_base64_garbage=root(f(b"x", more={"LIBARCHIVE.xattr.user.a": b"%%%%"})),
    acl_posix=root(f(b"x", more={"SCHILY.acl.access": b"user::rwx,group::r-x,other::r-x,user:bin:r--:2"})),
    acl_garbage=root(f(b"x", more={"SCHILY.acl.access": b"user:::::,,,::" + b"x" * 1000})),
)


def old_sparse(name, real, pieces, data, extended=False):
    """GNU's old form: the map stands in the header, numbers in octal or base 256."""

    def number(value):
        return octal(value, 12) if 0 <= value < 8 ** 11 else base256(value, 12)

    tail = bytes(41) + b"".join(number(a) + number(b) for a, b in pieces[:4]).ljust(96, b"\0")
    tail += (b"\1" if extended else b"\0") + number(real)
    block = header(name, size=len(data), kind=b"S", magic=b"ustar  \0", tail=tail.ljust(167, b"\0"))
    return block + padded(data)


def sparse_00(name, real, pieces, data):
    records = [("GNU.sparse.size", b"%d" % real), ("GNU.sparse.numblocks", b"%d" % len(pieces))]
    for offset, count in pieces:
        records += [("GNU.sparse.offset", b"%d" % offset), ("GNU.sparse.numbytes", b"%d" % count)]
    return pax(records) + header(name, size=len(data)) + padded(data)


def sparse_01(name, real, pieces, data):
    numbers = b",".join(b"%d,%d" % piece for piece in pieces)
    return pax({"GNU.sparse.name": name, "GNU.sparse.size": b"%d" % real, "GNU.sparse.numblocks": b"%d" % len(pieces),
                "GNU.sparse.map": numbers}) + header(b"GNUSparseFile.0/x", size=len(data)) + padded(data)


def sparse_10(name, real, pieces, data, count=None):
    numbers = b"%d\n" % (len(pieces) if count is None else count) + b"".join(b"%d\n%d\n" % piece for piece in pieces)
    body = padded(numbers) + data
    return pax({"GNU.sparse.major": b"1", "GNU.sparse.minor": b"0", "GNU.sparse.name": name,
                "GNU.sparse.realsize": b"%d" % real}) + header(b"GNUSparseFile.0/x", size=len(body)) + padded(body)


PIECES = [(0, 512), (65_536, 512)]
DATA = b"a" * 512 + b"b" * 512
FORMS = {"old": old_sparse, "0-0": sparse_00, "0-1": sparse_01, "1-0": sparse_10}

for form, make in FORMS.items():
    simple(**{
        f"sparse-{form}": root(make(b"x", 131_072, PIECES + [(131_072, 0)], DATA)),
        f"sparse-{form}-one-piece": root(make(b"x", 1024, [(0, 1024)], DATA)),
        f"sparse-{form}-terabyte": root(make(b"x", 1 << 40, [((1 << 40) - 512, 512)], b"a" * 512)),
        f"sparse-{form}-2-62": root(make(b"x", 1 << 62, [(0, 512), (1 << 62, 0)], b"a" * 512)),
        f"sparse-{form}-hole-terabyte": root(make(b"x", 1 << 40, [(0, 512), (1 << 40, 0)], b"a" * 512)),
        f"sparse-{form}-overlapping": root(make(b"x", 131_072, [(0, 512), (256, 512)], DATA)),
        f"sparse-{form}-unsorted": root(make(b"x", 131_072, [(65_536, 512), (0, 512)], DATA)),
        f"sparse-{form}-beyond-size": root(make(b"x", 1024, PIECES, DATA)),
        f"sparse-{form}-more-than-data": root(make(b"x", 1 << 20, [(0, 1 << 19)], DATA)),
        f"sparse-{form}-gib-eleven": root(*[make(b"x%d" % i, 1 << 30, [(0, 512), (1 << 30, 0)], b"a" * 512)
                                            for i in range(11)]),
    })

simple(
    sparse_old_negative=root(old_sparse(b"x", 1024, [(-512, 512)], DATA)),
    sparse_old_negative_count=root(old_sparse(b"x", 1024, [(0, -512), (512, 512)], DATA)),
    sparse_old_extended_missing=root(old_sparse(b"x", 131_072, PIECES, b"", extended=True)),
    sparse_0_1_garbage=root(pax({"GNU.sparse.map": b"one,two,three", "GNU.sparse.size": b"10"}) + f(b"x")),
    sparse_0_1_odd=root(pax({"GNU.sparse.map": b"0,512,1024", "GNU.sparse.size": b"2048"}) + f(b"x", b"a" * 512)),
    sparse_0_1_name_traversal=root(sparse_01(b"../x", 131_072, PIECES, DATA)),
    sparse_1_0_name_traversal=root(sparse_10(b"../x", 131_072, PIECES, DATA)),
    sparse_1_0_count_huge=root(sparse_10(b"x", 131_072, PIECES, DATA, count=10 ** 15)),
    sparse_1_0_count_negative=root(sparse_10(b"x", 131_072, PIECES, DATA, count=-1)),
    sparse_1_0_map_garbage=root(pax({"GNU.sparse.major": b"1", "GNU.sparse.minor": b"0", "GNU.sparse.name": b"x",
                                     "GNU.sparse.realsize": b"99"}) + f(b"GNUSparseFile.0/x", b"\xff" * 1024)),
    sparse_1_0_many_pieces=root(sparse_10(b"x", 100 << 20, [(i * 1024, 1) for i in range(100_000)], b"z" * 100_000)),
)
