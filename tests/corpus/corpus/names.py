"""Entry names: ways out of the root, and names that only look like one."""

from corpus.registry import case, simple
from corpus.tarball import ROOT, d, entry, f, gnu_long, h, header, l, pax, pax_raw, padded, root, tar

simple(
    # out of the root
    name_dotdot=root(f(b"../x")),
    name_dotdot_inner=root(f(b"a/../../x")),
    name_dotdot_dot_first=root(f(b"./../x")),
    name_dotdot_deep=root(f(b"a/b/../../../x")),
    name_dotdot_alone=root(entry(b"..", kind=b"5", mode=0o755)),
    name_dotdot_alone_slash=root(d(b"..")),
    name_dotdot_trailing=root(d(b"a/../..")),
    name_dotdot_double_slash=root(f(b"..//x")),
    name_dotdot_behind_link=root(d(b"a"), l(b"a/up", b".."), f(b"a/up/../x")),
    name_dotdot_symlink=root(l(b"../x", b"etc")),
    name_dotdot_hardlink=root(h(b"../x", b"etc/passwd")),
    name_dotdot_device=root(entry(b"../null", kind=b"3", major=1, minor=3)),
    name_dotdot_many=root(f(b"../" * 20 + b"etc/cron.d/x")),
    name_dotdot_ustar_prefix=root(f(b"x", prefix=b"a/../..")),
    name_dotdot_in_rootfs=tar(d(b"rootfs"), d(b"rootfs/etc"), d(b"rootfs/usr"), d(b"rootfs/var"), f(b"rootfs/../../x")),
    name_dotdot_out_of_rootfs=tar(d(b"rootfs"), d(b"rootfs/etc"), d(b"rootfs/usr"), d(b"rootfs/var"),
                                  f(b"rootfs/../x")),
    # absolute
    name_absolute=root(f(b"/etc/passwd")),
    name_absolute_double=root(f(b"//x")),
    name_absolute_dot=root(f(b"/./x")),
    name_absolute_root=root(d(b"")),
    name_absolute_dotdot=root(f(b"/../x")),
    name_absolute_symlink=root(l(b"/x", b"etc")),
    name_absolute_ustar_prefix=root(f(b"passwd", prefix=b"/etc")),
    # nothing to name
    name_empty=root(f(b"")),
    name_empty_folder=root(entry(b"", kind=b"5", mode=0o755)),
    name_empty_pax=root(pax({"path": b""}) + f(b"x")),
    name_nul_pax=root(pax({"path": b"x\0/../../y"}) + f(b"x")),
    name_nul_pax_link=root(pax({"linkpath": b"etc\0/../../y"}) + l(b"x", b"etc")),
    # stays inside, whatever it looks like
    name_dotdot_inside=root(d(b"a"), f(b"a/../b")),
    name_four_dots=root(f(b"....//x")),
    name_three_dots=root(f(b".../x")),
    name_dots_and_more=root(f(b"..x"), f(b"x.."), f(b".. /x"), f(b"..\t")),
    name_backslash=root(f(b"..\\..\\x"), f(b"C:\\x"), f(b"a\\b/c")),
    name_percent=root(f(b"%2e%2e/x"), f(b"%2e%2e%2fx"), f(b"..%2fx"), f(b"..%00/x")),
    name_overlong_utf8=root(f(b"\xc0\xae\xc0\xae/x"), f(b"\xe0\x80\xae\xe0\x80\xae/x"), f(b"..\xc0\xafx")),
    name_fullwidth_dots=root(f("．．/x".encode()), f("‥/x".encode()), f("..／x".encode())),
    name_not_utf8=root(f(b"\xff\xfe"), f(b"caf\xe9/x"), l(b"\xe9", b"\xff")),
    name_not_utf8_pax=root(pax({"path": b"caf\xe9"}) + f(b"x")),
    name_not_utf8_pax_binary=root(pax({"hdrcharset": b"BINARY", "path": b"caf\xe9"}) + f(b"x")),
    name_dot=root(entry(b".", kind=b"5", mode=0o755), f(b"./x"), f(b"etc/./y"), f(b"etc//z")),
    name_dot_first=tar(entry(b"./", kind=b"5", mode=0o755), d(b"./etc"), d(b"./usr"), d(b"./var"), f(b"./etc/passwd")),
    name_root_not_a_folder=root(f(b"./", kind=b"0")),
    name_root_a_link=root(l(b".", b"etc")),
    name_spaces=root(f(b" "), f(b"  /x"), f(b"a b"), f(b"-rf"), f(b"~"), f(b"$(id)"), f(b"`id`"), f(b"x;y|z")),
    name_case_pair=root(f(b"Readme"), f(b"README"), f(b"readme")),
    name_unicode_pair=root(f("é".encode()), f("e\u0301".encode())),
    # control bytes are legal in names; where such a name is refused, the message must not carry them
    name_control_bytes=root(f(b"a\nb"), f(b"\x1b[2J"), f(b"\x07\x08\x7f"), f("\u202e".encode())),
    name_control_refused=root(f(b"../\x1b[31mred\x1b[0m\nINFO all is well\r\x07\x9b\xff")),
    name_control_refused_link=root(l(b"x\n\x1b]0;y\x07", b"../\x1b[2J\n")),
    name_bidi_refused=root(f(b"../" + "\u202egpj.exe".encode())),
)


def path_of(length, component):
    """A name of exactly `length` bytes whose components have at most `component` each."""
    name = b""
    while length - len(name) > component + 1:
        name += b"c" * component + b"/"
    name += b"c" * (length - len(name))
    assert len(name) == length and not name.endswith(b"/")
    return name


def folders_to(name):
    parts = name.split(b"/")
    return b"".join(d(b"/".join(parts[:i])) for i in range(1, len(parts)))


simple(
    name_component_255=root(f(b"n" * 255)),
    name_component_256=root(f(b"n" * 256)),
    name_component_256_folder=root(f(b"n" * 256 + b"/x")),
    name_component_255_bytes_utf8=root(f("é".encode() * 127 + b"x")),
    name_4095=root(f(path_of(4095, 200))),
    name_10000=root(f(path_of(10_000, 200))),
    name_10000_gnu=root(gnu_long(b"L", path_of(10_000, 200)) + f(b"c")),
    name_10000_one_component=root(f(b"n" * 10_000)),
    name_900000=root(f(path_of(900_000, 200))),
    name_10000_traversal=root(f(path_of(10_000, 200) + b"/.." * 60 + b"/x")),
    name_dots_10000=root(f(b"./" * 5_000 + b"x")),
    name_slashes_10000=root(f(b"a" + b"/" * 10_000 + b"x")),
    name_depth_2000=root(f(b"d/" * 2_000 + b"x")),
    name_depth_100000=root(f(b"d/" * 100_000 + b"x")),
    link_target_4095=root(l(b"x", path_of(4095, 200))),
    link_target_4096=root(l(b"x", path_of(4096, 200))),
    link_target_10000=root(l(b"x", path_of(10_000, 200))),
)

# GNU long names and extended headers: each can say another name than the header does.
TRAVERSAL = b"../" * 50 + b"x"
simple(
    gnu_longname=root(gnu_long(b"L", b"n" * 200) + f(b"n")),
    gnu_longname_short=root(gnu_long(b"L", b"short") + f(b"other")),
    gnu_longname_traversal=root(gnu_long(b"L", TRAVERSAL) + f(b"innocent")),
    gnu_longname_absolute=root(gnu_long(b"L", b"/" + b"n" * 200) + f(b"innocent")),
    gnu_longname_hides_traversal=root(gnu_long(b"L", b"innocent") + f(b"../x")),
    gnu_longname_nul_inside=root(gnu_long(b"L", b"good\0/../../x") + f(b"good")),
    gnu_longname_no_nul=root(header(b"././@LongLink", size=5, kind=b"L", magic=b"ustar  \0") + padded(b"right") +
                             f(b"wrong")),
    gnu_longname_empty=root(header(b"././@LongLink", size=0, kind=b"L", magic=b"ustar  \0") + f(b"x")),
    gnu_longname_twice=root(gnu_long(b"L", b"first") + gnu_long(b"L", b"second") + f(b"x")),
    gnu_longname_twice_traversal=root(gnu_long(b"L", b"first") + gnu_long(b"L", TRAVERSAL) + f(b"x")),
    gnu_longname_at_end=root(gnu_long(b"L", b"nobody")),
    gnu_longname_cut=root()[:-1024] + gnu_long(b"L", b"n" * 2000)[:1024],
    gnu_longname_huge=root(header(b"././@LongLink", size=8 ** 11 - 1, kind=b"L", magic=b"ustar  \0")),
    gnu_longname_negative=root(header(b"././@LongLink", size=b"\xff" * 12, kind=b"L", magic=b"ustar  \0")),
    gnu_longlink=root(gnu_long(b"K", b"etc/" + b"n" * 200) + l(b"x", b"y")),
    gnu_longlink_traversal=root(gnu_long(b"K", TRAVERSAL) + l(b"x", b"etc")),
    gnu_longlink_hard_traversal=root(gnu_long(b"K", TRAVERSAL) + h(b"x", b"etc/passwd")),
    gnu_longname_then_pax=root(gnu_long(b"L", b"gnu") + pax({"path": b"pax"}) + f(b"x")),
    gnu_longname_then_pax_traversal=root(gnu_long(b"L", b"gnu") + pax({"path": b"../pax"}) + f(b"x")),
    gnu_longname_1000_in_a_row=root(*[gnu_long(b"L", b"n" * 200)] * 1000, f(b"x")),

    pax_path=root(pax({"path": b"n" * 200}) + f(b"x")),
    pax_path_traversal=root(pax({"path": b"../x"}) + f(b"innocent")),
    pax_path_absolute=root(pax({"path": b"/etc/shadow"}) + f(b"innocent")),
    pax_path_hides_traversal=root(pax({"path": b"innocent"}) + f(b"../x")),
    pax_path_twice_traversal=root(pax([("path", b"good"), ("path", b"../x")]) + f(b"x")),
    pax_path_newline=root(pax({"path": b"a\n12 path=../x\n"}) + f(b"x")),
    pax_global_path_traversal=root(pax({"path": b"../x"}, kind=b"g") + f(b"innocent")),
    pax_global_comment=tar(pax({"comment": b"0123456789abcdef"}, kind=b"g"), ROOT, f(b"x")),
    pax_linkpath_out=root(pax({"linkpath": b"../../x"}) + l(b"link", b"etc")),
    pax_linkpath_hard_out=root(pax({"linkpath": b"../../x"}) + h(b"link", b"etc/passwd")),
    pax_linkpath_on_file=root(pax({"linkpath": b"../../x"}) + f(b"file")),
    pax_two_headers=root(pax({"path": b"one"}) + pax({"path": b"../two"}) + f(b"x")),
    pax_at_end=root(pax({"path": b"nobody"})),
    pax_cut=root()[:-1024] + pax({"path": b"n" * 2000})[:1024],
    pax_empty=root(pax_raw(b"") + f(b"x")),
    pax_garbage=root(pax_raw(b"this is no record at all, is it?") + f(b"x")),
    pax_length_zero=root(pax_raw(b"0 path=x\n") + f(b"x")),
    pax_length_short=root(pax_raw(b"8 path=x\n") + f(b"x")),
    pax_length_beyond=root(pax_raw(b"999 path=x\n") + f(b"x")),
    pax_length_huge=root(pax_raw(b"99999999999999999999 path=x\n") + f(b"x")),
    pax_length_negative=root(pax_raw(b"-9 path=x\n") + f(b"x")),
    pax_no_newline=root(pax_raw(b"9 path=xy") + f(b"x")),
    pax_no_equals=root(pax_raw(b"9 pathxy\n") + f(b"x")),
    pax_huge=root(header(b"PaxHeaders/x", size=8 ** 11 - 1, kind=b"x")),
    pax_of_2_mib=root(pax({"comment": b"c" * (2 << 20)}) + f(b"x")),
    pax_1000_in_a_row=root(*[pax({"path": b"../x"})] * 1000, f(b"x")),
)


@case("pax-100000-records.tar")
def pax_100000_records():
    return root(pax([("c%d" % i, b"") for i in range(70_000)]) + f(b"x"))
