"""Layers and whiteouts: what an upper layer may take away, and what it may not."""

from corpus.images import docker_save
from corpus.registry import simple
from corpus.tarball import ROOT, d, entry, f, h, header, l, root, tar

BASE = root(d(b"a"), f(b"a/one", b"1"), f(b"a/two", b"22"))  # three files: etc/passwd, a/one, a/two


def over(*layers):
    """Those layers over BASE."""
    return docker_save([BASE, *[tar(layer) for layer in layers]])


def wh(name, data=b"", **fields):
    return f(name, data, **fields)


simple(
    whiteout_file=over(wh(b"a/.wh.one")),
    whiteout_folder=over(wh(b".wh.a")),
    whiteout_missing=over(wh(b".wh.nobody")),
    whiteout_in_missing_folder=over(wh(b"no/such/.wh.x")),
    whiteout_opaque=over(wh(b"a/.wh..wh..opq") + f(b"a/three", b"333")),
    whiteout_opaque_after_its_files=over(f(b"a/three", b"333") + wh(b"a/.wh..wh..opq")),
    whiteout_opaque_missing_folder=over(wh(b"no/such/.wh..wh..opq")),
    whiteout_opaque_root=over(d(b"etc") + d(b"usr") + d(b"var") + wh(b".wh..wh..opq")),
    whiteout_before_same_name=over(wh(b"a/.wh.one") + f(b"a/one", b"new")),
    whiteout_after_same_name=over(f(b"a/one", b"new") + wh(b"a/.wh.one")),
    whiteout_folder_then_refill=over(wh(b".wh.a") + d(b"a") + f(b"a/three", b"333")),
    whiteout_then_back=over(wh(b"a/.wh.one"), f(b"a/one", b"back")),
    whiteout_lowest_layer=docker_save([tar(ROOT, wh(b".wh.x"), wh(b"etc/.wh..wh..opq"))]),
    whiteout_etc=over(wh(b".wh.etc")),
    whiteout_empty_name=over(wh(b".wh.")),
    whiteout_empty_name_folder=over(wh(b"a/.wh.")),
    whiteout_dot=over(wh(b".wh..")),
    whiteout_dotdot=over(wh(b".wh...")),
    whiteout_dotdot_folder=over(wh(b"a/.wh...")),
    whiteout_three_dots=over(wh(b".wh....")),
    whiteout_aufs=over(wh(b".wh..wh.aufs") + d(b".wh..wh.plnk") + d(b".wh..wh.orph")),
    whiteout_of_whiteout=over(wh(b".wh..wh.foo")),
    whiteout_as_folder=over(d(b".wh.a")),
    whiteout_parent=over(f(b".wh.a/b")),
    whiteout_as_link=over(l(b".wh.a", b"../../x")),
    whiteout_as_link_inside=over(l(b"a/.wh.one", b"two")),
    whiteout_as_hardlink=over(h(b"a/.wh.one", b"etc/passwd")),
    whiteout_as_device=over(entry(b"a/.wh.one", kind=b"3", major=0, minor=0)),
    whiteout_with_data=over(wh(b"a/.wh.one", b"not empty")),
    whiteout_traversal=over(wh(b"../.wh.x")),
    whiteout_absolute=over(wh(b"/.wh.a")),
    whiteout_through_link=over(l(b"link", b"a") + wh(b"link/.wh.one")),
    whiteout_through_lower_link=docker_save([root(d(b"a"), f(b"a/one"), l(b"link", b"a")), tar(wh(b"link/.wh.one"))]),
    whiteout_overlay_device=over(entry(b"a/one", kind=b"3", major=0, minor=0)),
    whiteout_overlay_opaque_xattr=over(d(b"a", more={"SCHILY.xattr.trusted.overlay.opaque": b"y"})),
    whiteout_upper_case=over(f(b"a/.WH.one")),
    whiteout_in_plain_rootfs=root(f(b"x"), wh(b".wh.x")),
    whiteout_name_256=over(wh(b".wh." + b"n" * 252)),

    # between layers, without whiteouts
    layer_replaces_file=over(f(b"a/one", b"longer now")),
    layer_replaces_folder_by_file=over(f(b"a", b"file")),
    layer_replaces_file_by_folder=over(d(b"a/one") + f(b"a/one/x")),
    layer_replaces_folder_by_link=over(l(b"a", b"etc")),
    layer_replaces_file_by_device=over(entry(b"a/one", kind=b"4", major=8, minor=0)),
    layer_replaces_folder_by_device=over(entry(b"a", kind=b"4", major=8, minor=0)),
    layer_hardlink_to_lower_device=docker_save([root(entry(b"null", kind=b"3", major=1, minor=3), f(b"x")),
                                                tar(h(b"x", b"null"))]),
    layer_folder_again=over(d(b"a", mode=0o700)),
    layer_writes_through_lower_link=docker_save([root(l(b"bin", b"usr/bin")), tar(f(b"bin/x"))]),
    layer_writes_through_lower_link_absolute=docker_save([root(l(b"bin", b"/usr/bin")), tar(f(b"bin/x"))]),
    layer_writes_through_lower_link_out=docker_save([root(l(b"bin", b"../usr/bin")), tar(f(b"bin/x"))]),
    layer_writes_through_own_link_over_lower_folder=over(l(b"a", b"etc") + f(b"a/x")),
    layer_hardlink_to_lower=over(h(b"a/three", b"a/one")),
    layer_hardlink_to_whited_out=over(wh(b"a/.wh.one") + h(b"a/three", b"a/one")),
    layer_hardlink_through_lower_link=docker_save([root(l(b"link", b"etc")), tar(h(b"x", b"link/passwd"))]),
    layer_opens_etc=over(d(b"etc", mode=0o777)),
    layer_closes_etc=docker_save([tar(d(b"etc", mode=0o777), d(b"usr"), d(b"var")), tar(d(b"etc", mode=0o755))]),
    layer_setuid_whited_out=docker_save([root(f(b"su", mode=0o4755)), tar(wh(b".wh.su"))]),
    layer_setuid_replaced=docker_save([root(f(b"su", mode=0o4755)), tar(f(b"su", mode=0o755))]),
    layer_traversal_in_second=over(f(b"../x")),
    layer_traversal_whited_out=docker_save([root(f(b"../x")), tar(wh(b".wh.x"))]),
    layer_truncated=docker_save([BASE, tar(f(b"x"), header(b"y", size=4096))[:-1024]]),
    layer_bad_checksum=docker_save([BASE, tar(header(b"x", checksum=b"000000\0 "))]),
    layer_empty_archive=docker_save([BASE, tar()]),
    layer_empty_file=docker_save([BASE, b""]),
    layer_not_a_tar=docker_save([BASE, b"this is no archive" * 100]),
    layer_is_docker_save=docker_save([BASE, docker_save([root()])]),
    layer_rootfs_folder=docker_save([BASE, tar(d(b"rootfs"), d(b"rootfs/etc"), f(b"rootfs/etc/x"))]),
    layer_200=docker_save([root(), *[tar(f(b"f%d" % i)) for i in range(199)]]),
    layer_missing_parents=over(f(b"deep/er/still/x")),
)
