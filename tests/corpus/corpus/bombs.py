"""What costs more to unpack than to send: compressed, sparse, counted, or asking for memory."""

import lzma
import random
import zlib

from corpus.compress import ALL, ZEROS, gz, gz_zeros, zst, zst_zeros
from corpus.images import digest, docker_save, oci_layout
from corpus.registry import add, case, simple
from corpus.tarball import END, ROOT, d, f, header, l, pax, root, tar

GIB = 1 << 30
SIZES = {"gz": 512, "zst": 512, "xz": 256, "bz2": 256}  # MiB; enough to be far over 100 to one


def content_bomb(form):
    """A file of zeros; each part is a member, frame or stream of its own, which all four formats allow."""
    mebibytes = SIZES[form]
    return (ALL[form](ROOT + header(b"zeros", size=mebibytes << 20)) + ZEROS[form](mebibytes) + ALL[form](END))


def padding_bomb(form):
    return ALL[form](root(f(b"x"))) + ZEROS[form](SIZES[form])


def headers_bomb(form):
    return ALL[form](ROOT) + ALL[form](f(b"x", b"") * 1000) * 120 + ALL[form](END)


for form in ALL:
    add(f"bomb-content.tar.{form}", lambda form=form: content_bomb(form))
    add(f"bomb-padding.tar.{form}", lambda form=form: padding_bomb(form))
    add(f"bomb-headers.tar.{form}", lambda form=form: headers_bomb(form))


def padded_layers(count):
    """Each unpacks to less than a ratio is measured from, and says so little of it that only the bytes count."""
    return [root(), *[gz(tar(f(b"f%d" % i)) + bytes(1_000_000)) for i in range(count)]]


def padded_image(count):
    plain = [root(), *[tar(f(b"f%d" % i)) + bytes(1_000_000) for i in range(count)]]
    return docker_save(padded_layers(count), diff_ids=[digest(layer) for layer in plain])


add("bomb-many-layers.tar", lambda: padded_image(200))
add("bomb-gzip-in-gzip.tar.gz", lambda: gz(padded_image(50)))
add("bomb-gzip-in-zstd.tar.zst", lambda: zst(padded_image(50)))


@case("bomb-64-gib.tar.zst")
def bomb_64_gib():
    parts = [zst(ROOT)]
    for i in range(64):
        parts += [zst(header(b"zeros%d" % i, size=GIB)), zst_zeros(1024)]
    return b"".join(parts) + zst(END)


@case("bomb-padding-64-gib.tar.zst")
def bomb_padding_64_gib():
    return zst(root(f(b"x"))) + zst_zeros(64 * 1024)


@case("bomb-before-anything.zst")
def bomb_before_anything():
    return zst_zeros(64 * 1024)


@case("bomb-one-member.tar.gz")
def bomb_one_member():
    return gz_zeros(512, ROOT + header(b"zeros", size=512 << 20), END)


@case("bomb-long-name.tar.gz")
def bomb_long_name():
    return gz(ROOT + header(b"././@LongLink", size=512 << 20, kind=b"L", magic=b"ustar  \0")) + gz_zeros(512) + gz(END)


@case("bomb-pax-header.tar.gz")
def bomb_pax_header():
    return gz(ROOT + header(b"PaxHeaders/x", size=512 << 20, kind=b"x")) + gz_zeros(512) + gz(END)


@case("bomb-skipped-link-data.tar.gz")
def bomb_skipped_link_data():
    return gz(ROOT + header(b"x", kind=b"2", link=b"etc", size=512 << 20)) + gz_zeros(512) + gz(END)


@case("bomb-volume-label.tar.gz")
def bomb_volume_label():
    return gz(ROOT + header(b"x", kind=b"V", size=512 << 20, magic=b"ustar  \0")) + gz_zeros(512) + gz(END)


@case("bomb-two-compressions.tar.gz.gz")
def bomb_two_compressions():
    return gz(gz(ROOT + header(b"zeros", size=512 << 20)) + gz_zeros(512) + gz(END))


@case("bomb-quine-like.gz.gz.gz")
def bomb_nested_gz():
    data = gz_zeros(512)
    for _ in range(30):
        data = gz(data)
    return data


def bomb_layer(form):
    mebibytes = SIZES[form]
    return ALL[form](d(b"etc") + header(b"etc/zeros", size=mebibytes << 20)) + ZEROS[form](mebibytes) + ALL[form](END)


add("bomb-docker-layer.tar", lambda: docker_save([root(), bomb_layer("gz")], diff_ids=None))
add("bomb-oci-layer-gzip.tar", lambda: oci_layout([(root(), "tar"), (bomb_layer("gz"), "tar+gzip")]))
add("bomb-oci-layer-zstd.tar", lambda: oci_layout([(root(), "tar"), (bomb_layer("zst"), "tar+zstd")]))


@case("bomb-docker-whole.tar.gz")
def bomb_docker_whole():
    """The layer is not compressed; the archive around it is."""
    mebibytes = 512
    layer_size = 512 + (mebibytes << 20) + 1024
    config = b'{"rootfs":{"type":"layers","diff_ids":["sha256:' + b"0" * 64 + b'"]}}'
    head = (f(b"manifest.json", b'[{"Config":"c.json","RepoTags":null,"Layers":["a/layer.tar"]}]') + f(b"c.json", config) +
            header(b"a/layer.tar", size=layer_size) + header(b"zeros", size=mebibytes << 20))
    return gz(head) + gz_zeros(mebibytes) + gz(END + END)


@case("bomb-docker-manifest.tar.gz")
def bomb_docker_manifest():
    return gz(header(b"manifest.json", size=512 << 20)) + gz_zeros(512) + gz(END)


@case("bomb-oci-index.tar.gz")
def bomb_oci_index():
    return (gz(f(b"oci-layout", b'{"imageLayoutVersion":"1.0.0"}') + header(b"index.json", size=512 << 20)) +
            gz_zeros(512) + gz(END))


# ---- counts and sizes at their limits ----


def many_entries(count):
    """Names that do not compress well, so that the count is what is met first."""
    chance = random.Random(count)
    parts = [ROOT]
    for i in range(count - 5):
        parts.append(header(b"%x-%d" % (chance.getrandbits(256), i)))
    return b"".join(parts) + END


add("entries-100000.tar.gz", lambda: gz(many_entries(100_000), level=1))
add("entries-100001.tar.gz", lambda: gz(many_entries(100_001), level=1))


@case("entries-over-two-layers.tar")
def entries_over_two_layers():
    """Neither layer has too many; together they do, though each name of the second is in the first."""
    half = many_entries(60_000)
    return oci_layout([(gz(half, level=1), "tar+gzip"), (gz(half + b"", level=2), "tar+gzip")], diff_of=[half, half])


def with_holes(*files):
    """An archive whose files are all there, as holes in its own file."""

    def write(path):
        with open(path, "wb") as out:
            out.write(ROOT)
            for name, size in files:
                out.write(header(name, size=size))
                out.seek(size + -size % 512, 1)
            out.write(END)

    return write


add("size-1-gib.tar", with_holes((b"x", GIB)))
add("size-1-gib-and-1.tar", with_holes((b"x", GIB + 1)))
add("size-octal-max.tar", with_holes((b"x", 8 ** 11 - 1)))
add("size-total-over-10-gib.tar", with_holes(*[(b"x%d" % i, GIB) for i in range(11)]))
add("size-total-over-10-gib-duplicates.tar", with_holes(*[(b"x", GIB)] * 11))


# ---- memory ----


@case("memory-zstd-window-2-gib.tar.zst")
def zstd_window():
    """The frame asks for a window of 2 GiB."""
    data = root(f(b"x"))
    block = (len(data) << 3 | 1).to_bytes(3, "little")
    return b"\x28\xb5\x2f\xfd\x00\xa8" + block + data


def xz_with_dictionary(code):
    data = bytearray(lzma.compress(root(f(b"x")), format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC32))
    size = (data[12] + 1) * 4
    assert data[12 + 2:12 + 4] == b"\x21\x01"
    data[12 + 4] = code
    data[12 + size - 4:12 + size] = zlib.crc32(bytes(data[12:12 + size - 4])).to_bytes(4, "little")
    return bytes(data)


add("memory-xz-dictionary-4-gib.tar.xz", lambda: xz_with_dictionary(40))
add("memory-xz-dictionary-64-mib.tar.xz", lambda: xz_with_dictionary(28))
add("memory-zstd-window-128-mib.tar.zst",
    lambda: b"\x28\xb5\x2f\xfd\x00\x88" + (len(root()) << 3 | 1).to_bytes(3, "little") + root())


@case("memory-long-names.tar.gz")
def memory_long_names():
    """20,000 names of 50,000 bytes: a gigabyte of names in a merged tree that keeps them whole."""
    stem = b"/".join(b"%03d" % i + b"c" * 196 for i in range(250))
    chance = random.Random(11)
    one = [pax({"path": b"%x/" % chance.getrandbits(128) + stem}) + header(b"x") for _ in range(2_000)]
    return gz(root(*one), level=1)


@case("memory-folder-each.tar.gz")
def memory_folder_each():
    """90,000 entries, each below 20 folders of its own that no entry names: 1.8 million nodes."""
    chance = random.Random(12)
    tail = b"/".join(b"%d" % i for i in range(19))
    return gz(root(*[header(b"%x/" % chance.getrandbits(96) + tail) for _ in range(90_000)]), level=1)


# ---- time ----


def long_way_round():
    """A folder at the end of a path of 4,000 steps, spelled by links whose targets are as long as may be."""
    detour = b"a/../" * 800
    return d(b"a") + d(b"end") + l(b"c2", detour + b"end") + l(b"c1", detour + b"c2")


@case("slow-links.tar.gz")
def slow_links():
    chance = random.Random(13)
    links = [header(b"%x" % chance.getrandbits(256), kind=b"2", link=b"c1", mode=0o777) for _ in range(95_000)]
    return gz(root(long_way_round(), *links), level=1)


@case("slow-deep-names.tar.gz")
def slow_deep_names():
    """20,000 files below 1,000 folders: each is found step by step. The noise keeps the ratio within its limit."""
    chance = random.Random(15)
    stem = b"d/" * 1000
    deep = b"".join(pax({"path": stem + b"%x" % chance.getrandbits(64)}) + header(b"x") for _ in range(20_000))
    noise = chance.getrandbits(8 * 900_000).to_bytes(900_000, "little")
    return gz(root(f(b"noise", noise), deep), level=1)


@case("slow-link-writes.tar.gz")
def slow_link_writes():
    chance = random.Random(14)
    return gz(root(long_way_round(), *[header(b"c1/%x" % chance.getrandbits(256)) for _ in range(30_000)]), level=1)


simple(
    nested_tar=root(f(b"inner.tar", tar(f(b"../evil")))),
    nested_tar_gz=root(f(b"inner.tar.gz", gz(tar(f(b"../evil"))))),
    nested_bomb=lambda: root(f(b"zeros.gz", gz_zeros(512)), f(b"zeros.zst", zst_zeros(64 * 1024))),
    nested_image=lambda: root(f(b"image.tar", docker_save([root()]))),
    nested_manifest_not_at_top=lambda: root(d(b"sub"), f(b"sub/manifest.json", b"[]"), f(b"sub/oci-layout", b"{}")),
)


@case("nested-42-zip-like.tar")
def nested_zip():
    import io
    import zipfile
    data = bytes(1 << 20)
    for level in range(5):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
            for i in range(16):
                packed.writestr(zipfile.ZipInfo(f"lib {i}.zip", (1980, 1, 1, 0, 0, 0)), data,
                                compress_type=zipfile.ZIP_DEFLATED)
        data = out.getvalue()
    return root(f(b"42.zip", data))


# Compressions around a good archive, broken or odd.
def cut(data, keep):
    return data[:int(len(data) * keep)]


def filling(count=200_000):
    return random.Random(5).randbytes(count)


GOOD = root(f(b"noise", filling()))
for form, pack in ALL.items():
    whole = pack(GOOD)
    middle = len(whole) // 2
    add(f"cut-half.tar.{form}", lambda whole=whole: cut(whole, 0.5))
    add(f"cut-last-byte.tar.{form}", lambda whole=whole: whole[:-1])
    add(f"cut-after-magic.tar.{form}", lambda whole=whole: whole[:10])
    add(f"flipped-byte.tar.{form}",
        lambda whole=whole, middle=middle: whole[:middle] + bytes([whole[middle] ^ 0x40]) + whole[middle + 1:])
    add(f"two-members.tar.{form}", lambda pack=pack: pack(GOOD[:5000]) + pack(GOOD[5000:]))
    add(f"trailing-garbage.tar.{form}", lambda whole=whole: whole + b"garbage that is no member" * 40)
    add(f"trailing-zeros.tar.{form}", lambda whole=whole: whole + bytes(4096))
    add(f"trailing-evil-member.tar.{form}", lambda whole=whole, pack=pack: whole + pack(tar(f(b"../evil"))))
    add(f"twice.tar.{form}.{form}", lambda pack=pack: pack(pack(root(f(b"x")))))
