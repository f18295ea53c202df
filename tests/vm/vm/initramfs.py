"""The machine's first files, as the archive that the kernel unpacks (cpio, "newc")."""

import stat


def entry(number, name, mode, data=b""):
    name = name.encode() + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields)
    out = head + name
    out += b"\0" * (-len(out) % 4)
    return out + data + b"\0" * (-len(data) % 4)


def build(init, busybox, kernel, command):
    """`init` and `busybox` are files, `kernel` is what kernel.prepare() gave, `command` the text of a script."""
    folders = ["bin", "dev", "proc", "sys", "modules", "lower", "upper", "root"]
    files = {
        "init": init.read_bytes(),
        "bin/busybox": busybox.read_bytes(),
        "command": command,
    }
    for module in sorted((kernel / "modules").iterdir()):
        files[f"modules/{module.name}"] = module.read_bytes()
    out = [entry(i, name, stat.S_IFDIR | 0o755) for i, name in enumerate(folders, 1)]
    out += [entry(i, name, stat.S_IFREG | 0o755, data) for i, (name, data) in enumerate(files.items(), 100)]
    out.append(entry(0, "TRAILER!!!", 0))
    return b"".join(out)
