"""What stands around the layers: docker's manifest, OCI's index, manifests and blobs."""

from corpus.compress import bz, gz, xz, zst
from corpus.images import (CONFIG, INDEX, LAYER, MANIFEST, Oci, descriptor, digest, docker_save, encoded, image_config,
                           oci_layout)
from corpus.registry import case, simple
from corpus.tarball import d, f, h, l, root, tar

A = root(f(b"one", b"1"))
B = tar(f(b"two", b"22"))


def manifest(**changes):
    def make(config, names):
        return encoded([{"Config": config, "RepoTags": None, "Layers": names, **changes}])

    return make


FIRST = "%064x/layer.tar" % 1
SECOND = "%064x" % 2
simple(
    docker_manifest_traversal=docker_save([A], manifest=manifest(Layers=["../../etc/passwd"])),
    docker_manifest_traversal_inner=docker_save([A], manifest=manifest(Layers=["x/../../y/layer.tar"])),
    docker_manifest_absolute=docker_save([A], manifest=manifest(Layers=["/etc/passwd"])),
    docker_manifest_control=docker_save([A], manifest=manifest(Layers=["\x1b[2J\n../x"])),
    docker_manifest_config_traversal=docker_save([A], manifest=manifest(Config="../../etc/passwd")),
    docker_manifest_empty_layer_name=docker_save([A], manifest=manifest(Layers=[""])),
    docker_layer_missing=docker_save([A, B], omit=[1]),
    docker_layer_twice=docker_save([A, A], names=[FIRST, FIRST], omit=[1]),
    docker_layer_twice_second_diff_id_wrong=docker_save([A, A], names=[FIRST, FIRST], omit=[1],
                                                        diff_ids=[digest(A), digest(B)]),
    docker_layer_link=docker_save([A, A], replace={1: l(SECOND.encode() + b"/layer.tar", b"../" + FIRST.encode())}),
    docker_layer_link_dangling=docker_save([A, A], replace={1: l(SECOND.encode() + b"/layer.tar", b"../nobody")}),
    docker_layer_link_out=docker_save([A, A],
                                      replace={1: l(SECOND.encode() + b"/layer.tar", b"../../../etc/passwd")}),
    docker_layer_link_absolute=docker_save([A, A], replace={1: l(SECOND.encode() + b"/layer.tar", b"/etc/passwd")}),
    docker_layer_link_cycle=docker_save([A, A], replace={
        1: l(SECOND.encode() + b"/layer.tar", b"../loop") + l(b"loop", SECOND.encode() + b"/layer.tar")}),
    docker_layer_hardlink=docker_save([A, A], replace={1: h(SECOND.encode() + b"/layer.tar", FIRST.encode())}),
    docker_layer_is_folder=docker_save([A, B], replace={1: d(SECOND.encode() + b"/layer.tar")}),
    docker_layer_after_manifest=docker_save([A, B], omit=[1], extra=f(SECOND.encode() + b"/layer.tar", B)),
    docker_layer_stored_twice=docker_save([A], extra=f(FIRST.encode(), tar(f(b"../evil")))),
    docker_layer_gzip=docker_save([gz(A)], diff_ids=[digest(A)]),
    docker_layer_zstd=docker_save([zst(A)], diff_ids=[digest(A)]),
    docker_layer_xz=docker_save([xz(A)], diff_ids=[digest(A)]),
    docker_layer_bzip2=docker_save([bz(A)], diff_ids=[digest(A)]),
    docker_diff_id_wrong=docker_save([A], diff_ids=[digest(B)]),
    docker_diff_id_wrong_gzip=docker_save([gz(A)], diff_ids=[digest(B)]),
    docker_diff_ids_too_few=docker_save([A, B], diff_ids=[digest(A)]),
    docker_diff_ids_too_many=docker_save([A], diff_ids=[digest(A), digest(B)]),
    docker_diff_id_garbage=docker_save([A], diff_ids=["sha256:xyz"]),
    docker_config_missing=docker_save([A], config=False),
    docker_config_not_json=docker_save([A], config=False, manifest=manifest(Config="c.json"),
                                       extra=f(b"c.json", b"<html>")),
    docker_manifest_empty=docker_save([A], manifest=b""),
    docker_manifest_not_json=docker_save([A], manifest=b"[{"),
    docker_manifest_object=docker_save([A], manifest=b"{}"),
    docker_manifest_no_images=docker_save([A], manifest=b"[]"),
    docker_manifest_no_layers=docker_save([A], manifest=b'[{"Config":"c.json"}]', extra=f(b"c.json", b"{}")),
    docker_manifest_layers_empty=docker_save([], manifest=manifest(Layers=[]), diff_ids=[]),
    docker_manifest_layers_null=docker_save([], manifest=manifest(Layers=None), diff_ids=[]),
    docker_manifest_layers_null_with_diff_ids=docker_save([A], manifest=manifest(Layers=None)),
    docker_beside_etc=docker_save([A], first=d(b"etc") + d(b"usr") + d(b"var")),
    docker_manifest_hardlink=docker_save([A], first=f(b"manifest.json", b"[]"), manifest=lambda c, n: b"[]", extra=(
        f(b"real.json", encoded([{"Config": digest(image_config([digest(A)]))[7:] + ".json", "Layers": [FIRST]}])) +
        h(b"manifest.json", b"real.json"))),
    docker_manifest_wrong_types=docker_save([A], manifest=b'[{"Config":7,"Layers":{"0":null}}]'),
    docker_manifest_deep=docker_save([A], manifest=b"[" * 100_000),
    docker_manifest_deep_closed=docker_save([A], manifest=b"[" * 100_000 + b"]" * 100_000),
    docker_manifest_not_utf8=docker_save([A], manifest=b'[{"Config":"\xff\xfe","Layers":["\xff"]}]'),
    docker_manifest_duplicate_key=docker_save(
        [A], manifest=lambda c, n: b'[{"Config":"%s","Layers":["../x"],"Layers":["%s"]}]' % (c.encode(), n[0].encode())),
    docker_manifest_twice=docker_save([A], first=f(b"manifest.json", b"[]")),
    docker_manifest_link=docker_save([A], manifest=False, extra=l(b"manifest.json", b"/etc/passwd")),
    docker_manifest_link_inside=docker_save([A], manifest=False, extra=l(b"manifest.json", b"m") + f(b"m", b"[]")),
    docker_manifest_100000_layers=docker_save([A], manifest=lambda c, n: encoded(
        [{"Config": c, "Layers": n * 100_000}])),
    docker_two_images=docker_save([A, B], manifest=lambda c, n: encoded(
        [{"Config": c, "RepoTags": ["a:1"], "Layers": n}, {"Config": c, "RepoTags": ["b:1"], "Layers": n[:1]}])),
    docker_one_image_two_tags=docker_save([A], manifest=lambda c, n: encoded(
        [{"Config": c, "RepoTags": ["a:1", "b:1"], "Layers": n}])),
    docker_traversal_beside_layers=docker_save([A], extra=f(b"../x")),
    docker_dot_names=docker_save([A], manifest=False, names=["./" + FIRST], extra=b""),
)


@case("docker-manifest-16-mib.tar")
def docker_manifest_huge():
    return docker_save([A], manifest=lambda c, n: b" " * (16 << 20) + manifest()(c, n))


def oci(build):
    """A layout of one image with the layers A and B; `build` gets the parts and returns the whole."""
    layout = Oci()
    layers = [layout.blob(A, LAYER + "tar"), layout.blob(gz(B), LAYER + "tar+gzip")]
    return build(layout, layers, [digest(A), digest(B)])


def changed_manifest(**changes):
    return oci(lambda o, layers, ids: o.tar(o.index([o.image(layers, ids, lambda m: m.update(changes))])))


def changed_layer(**changes):
    return oci(lambda o, layers, ids: o.tar(o.index([o.image([layers[0], {**layers[1], **changes}], ids)])))


def without(kind):
    def build(o, layers, ids):
        image = o.image(layers, ids)
        gone = {"layer": layers[1], "manifest": image, "config": descriptor(image_config(ids), CONFIG)}[kind]
        del o.blobs[gone["digest"].split(":")[1]]
        return o.tar(o.index([image]))

    return oci(build)


def swapped(kind, data):
    """The blob's name stays, its bytes do not."""

    def build(o, layers, ids):
        image = o.image(layers, ids)
        target = {"layer": layers[0], "manifest": image, "config": descriptor(image_config(ids), CONFIG)}[kind]
        o.blobs[target["digest"].split(":")[1]] = data
        return o.tar(o.index([image]))

    return oci(build)


def layout_file(data):
    def build(o, layers, ids):
        o.layout = data
        return o.tar(o.index([o.image(layers, ids)]))

    return oci(build)


def index_with(make):
    return oci(lambda o, layers, ids: o.tar(make(o, o.image(layers, ids))))


def nested_index(depth):
    def make(o, image):
        for _ in range(depth):
            image = o.blob(o.index([image]), INDEX)
        return o.index([image])

    return index_with(make)


def index_cycle(o, _image):
    """A cycle needs a blob whose name is not its digest."""
    fake = {"mediaType": INDEX, "digest": "sha256:" + "c" * 64, "size": 0}
    fake["size"] = len(o.index([fake]))
    fake["size"] = len(o.index([fake]))
    o.blobs["c" * 64] = o.index([fake])
    return o.index([fake])


def platforms(*names):
    def build(o, layers, ids):
        made = []
        for name in names:
            system, machine = name.split("/")
            made.append(o.image(layers, ids, lambda m, name=name: m.update(annotations={"for": name}),
                                platform={"os": system, "architecture": machine}))
        return o.tar(o.index(made))

    return oci(build)


DOCKER = "application/vnd.docker."
simple(
    oci_good=changed_manifest(),
    oci_digest_wrong_layer=swapped("layer", root(f(b"one", b"2"))),
    oci_digest_wrong_manifest=swapped("manifest", b"{}"),
    oci_digest_wrong_config=swapped("config", b"{}"),
    oci_size_too_small=changed_layer(size=5),
    oci_size_manifest=index_with(lambda o, image: o.index([{**image, "size": image["size"] + 1}])),
    oci_size_config=oci_layout([(A, "tar")], change=lambda m: m["config"].update(size=m["config"]["size"] + 1)),
    oci_size_too_big=changed_layer(size=1 << 20),
    oci_size_negative=changed_layer(size=-1),
    oci_size_text=changed_layer(size="many"),
    oci_size_float=changed_layer(size=1e300),
    oci_digest_traversal=changed_layer(digest="sha256:../../../../etc/passwd"),
    oci_digest_algorithm_traversal=changed_layer(digest="../../etc:" + "a" * 64),
    oci_digest_unknown_algorithm=changed_layer(digest="md5:" + "a" * 32),
    oci_digest_upper_case=changed_layer(digest=digest(gz(B)).upper()),
    oci_digest_short=changed_layer(digest="sha256:abc"),
    oci_digest_empty=changed_layer(digest=""),
    oci_layer_media_type_unknown=changed_layer(mediaType="application/x-squashfs"),
    oci_layer_media_type_encrypted=changed_layer(mediaType=LAYER + "tar+gzip+encrypted"),
    oci_layer_media_type_says_plain=changed_layer(mediaType=LAYER + "tar"),
    oci_layer_foreign_missing=oci(lambda o, layers, ids: o.tar(o.index([o.image(
        [layers[0], {"mediaType": MANIFEST.replace("manifest.v1+json", "layer.nondistributable.v1.tar+gzip"),
                     "digest": "sha256:" + "f" * 64, "size": 10, "urls": ["http://127.0.0.1:1/x"]}], ids)]))),
    oci_layer_urls_but_there=changed_layer(urls=["http://127.0.0.1:1/x"]),
    oci_blob_missing_layer=without("layer"),
    oci_blob_missing_manifest=without("manifest"),
    oci_blob_missing_config=without("config"),
    oci_diff_id_wrong=oci(lambda o, layers, ids: o.tar(o.index([o.image(layers, [ids[0], ids[0]])]))),
    oci_diff_ids_too_few=oci(lambda o, layers, ids: o.tar(o.index([o.image(layers, ids[:1])]))),
    oci_manifest_schema_1=changed_manifest(schemaVersion=1),
    oci_manifest_schema_text=changed_manifest(schemaVersion="2"),
    oci_manifest_no_layers=changed_manifest(layers=[]),
    oci_manifest_layers_wrong=changed_manifest(layers={"a": 1}),
    oci_manifest_config_null=changed_manifest(config=None),
    oci_manifest_media_type_differs=changed_manifest(mediaType=INDEX),
    oci_manifest_not_json=index_with(lambda o, _: o.index([o.blob(b"<html>", MANIFEST)])),
    oci_manifest_deep=index_with(lambda o, _: o.index([o.blob(b'{"a":' * 50_000, MANIFEST)])),
    oci_artifact=changed_manifest(artifactType="application/x-sbom", layers=[]),
    oci_layout_missing=layout_file(None),
    oci_layout_version_2=layout_file(b'{"imageLayoutVersion":"2.0.0"}'),
    oci_layout_not_json=layout_file(b"1.0.0"),
    oci_layout_empty=layout_file(b""),
    oci_index_missing=oci(lambda o, layers, ids: (o.image(layers, ids), o.tar(None))[1]),
    oci_index_not_json=index_with(lambda o, image: b"[1,2"),
    oci_index_deep=index_with(lambda o, image: b'{"manifests":' + b"[" * 100_000),
    oci_index_empty=index_with(lambda o, image: o.index([])),
    oci_index_schema_1=index_with(lambda o, image: o.index([image], schemaVersion=1)),
    oci_index_cycle=index_with(index_cycle),
    oci_index_nested=nested_index(1),
    oci_index_nested_100=nested_index(100),
    oci_index_media_type_unknown=index_with(lambda o, image: o.index([{**image, "mediaType": "text/html"}])),
    oci_index_two_images=oci(lambda o, layers, ids: o.tar(o.index([o.image(layers, ids),
                                                                  o.image(layers[:1], ids[:1])]))),
    oci_platforms_two=platforms("linux/amd64", "linux/arm64"),
    oci_platforms_other_only=platforms("linux/riscv64"),
    oci_platforms_windows_only=platforms("windows/amd64"),
    oci_platforms_attestation=platforms("linux/amd64", "unknown/unknown"),
    oci_platforms_same_twice=platforms("linux/amd64", "linux/amd64"),
    oci_docker_media_types=oci(lambda o, layers, ids: o.tar(o.index([{**o.image(
        [{**layers[0], "mediaType": DOCKER + "image.rootfs.diff.tar"},
         {**layers[1], "mediaType": DOCKER + "image.rootfs.diff.tar.gzip"}], ids,
        lambda m: m.update(mediaType=DOCKER + "distribution.manifest.v2+json")),
        "mediaType": DOCKER + "distribution.manifest.v2+json"}]))),
    oci_blob_traversal_beside=oci(lambda o, layers, ids: o.tar(o.index([o.image(layers, ids)]), f(b"../x"))),
    oci_blob_is_link_out=oci(lambda o, layers, ids: (o.image(layers, ids), o.tar(
        o.index([{"mediaType": MANIFEST, "digest": "sha256:" + "e" * 64, "size": 2}]),
        l(b"blobs/sha256/" + b"e" * 64, b"../../../etc/passwd")))[1]),
    oci_and_docker_both=oci(lambda o, layers, ids: o.tar(o.index([o.image(layers, ids)]), f(
        b"manifest.json", encoded([{"Config": "blobs/sha256/" + descriptor(image_config(ids), CONFIG)["digest"][7:],
                                    "RepoTags": None,
                                    "Layers": ["blobs/sha256/" + x["digest"][7:] for x in layers]}])))),
    oci_layer_twice=oci_layout([(A, "tar"), (A, "tar")]),
    oci_layer_traversal=oci_layout([(A, "tar"), (tar(f(b"../x")), "tar")]),
    oci_layer_sniffed_xz=oci_layout([(xz(A), "tar+gzip")], diff_of=[A]),
)
