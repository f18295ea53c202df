"""Docker save archives and OCI layouts around given layers; each part can be left out or replaced."""

import hashlib
import json

from corpus.tarball import d, f, tar

MEDIA = "application/vnd.oci.image."
LAYER = MEDIA + "layer.v1."
MANIFEST = MEDIA + "manifest.v1+json"
INDEX = MEDIA + "index.v1+json"
CONFIG = MEDIA + "config.v1+json"


def encoded(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def image_config(diff_ids):
    return encoded({"architecture": "amd64", "os": "linux", "config": {"Cmd": ["/bin/sh"]},
                    "rootfs": {"type": "layers", "diff_ids": diff_ids}})


def docker_save(layers, *, diff_ids=(), manifest=None, config=True, omit=(), replace=None, extra=b"", first=b"",
                names=None):
    """`layers` are the bytes of each layer.tar. `diff_ids`: () for the right ones, None for what the bytes hash to as
    they are. `replace` maps a layer's place to the entries that stand for it."""
    names = names or ["%064x/layer.tar" % (i + 1) for i in range(len(layers))]
    ids = [digest(layer) for layer in layers] if not diff_ids else diff_ids
    config_bytes = image_config(ids)
    config_name = hashlib.sha256(config_bytes).hexdigest() + ".json"
    parts = [first]
    for i, layer in enumerate(layers):
        if i in omit:
            continue
        folder = names[i].rsplit("/", 1)[0].encode()
        if replace and i in replace:
            parts.append(d(folder) + replace[i])
            continue
        parts.append(d(folder) + f(folder + b"/VERSION", b"1.0") + f(folder + b"/json", b"{}") +
                     f(names[i].encode(), layer))
    if config:
        parts.append(f(config_name.encode(), config_bytes))
    if manifest is None:
        manifest = encoded([{"Config": config_name, "RepoTags": ["sample:latest"], "Layers": names}])
    elif callable(manifest):
        manifest = manifest(config_name, names)
    if manifest is not False:
        parts.append(f(b"manifest.json", manifest))
    parts.append(extra)
    return tar(*parts)


def descriptor(data, media, **more):
    return {"mediaType": media, "digest": digest(data), "size": len(data), **more}


class Oci:
    """An OCI layout that is put together blob by blob."""

    def __init__(self):
        self.blobs = {}
        self.layout = b'{"imageLayoutVersion":"1.0.0"}'

    def blob(self, data, media, **more):
        self.blobs[digest(data).split(":")[1]] = data
        return descriptor(data, media, **more)

    def image(self, layers, diff_ids, change=None, **more):
        """`layers` are descriptors; `change` may alter the manifest. Returns the manifest's descriptor."""
        config = self.blob(image_config(diff_ids), CONFIG)
        manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": layers}
        if change:
            change(manifest)
        return self.blob(encoded(manifest), MANIFEST, **more)

    def index(self, manifests, **more):
        return encoded({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests, **more})

    def tar(self, index, extra=b""):
        parts = [d(b"blobs"), d(b"blobs/sha256")]
        parts += [f(b"blobs/sha256/" + name.encode(), data) for name, data in sorted(self.blobs.items())]
        if self.layout is not None:
            parts.append(f(b"oci-layout", self.layout))
        if index is not None:
            parts.append(f(b"index.json", index))
        return tar(*parts, extra)


def oci_layout(layers, *, diff_of=None, change=None):
    """`layers` are pairs of bytes and the end of the media type; diff ids are of `diff_of`, or of the bytes."""
    oci = Oci()
    described = [oci.blob(data, LAYER + kind) for data, kind in layers]
    plain = diff_of or [data for data, _ in layers]
    return oci.tar(oci.index([oci.image(described, [digest(p) for p in plain], change)]))
