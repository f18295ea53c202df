"""One run of the machine: qemu, what it says, and how it ended."""

import os
import selectors
import subprocess
import sys
import time

PROGRAM = "qemu-system-x86_64"
CONSOLE_TAIL = 6000  # bytes
PROCESSOR = "max,-erms,-fsrm"  # else the kernel and libc move memory by instructions that are emulated byte by byte
# no_timer_check and the rest of its line: on a busy host, an emulated processor that stands still for a while is no fault.
APPENDED = " ".join([
    "console=ttyS0 quiet loglevel=3 panic=-1",
    "no_timer_check nowatchdog rcupdate.rcu_cpu_stall_suppress=1 tsc=unstable",
    "mitigations=off cryptomgr.notests random.trust_cpu=on",
])


class Failed(Exception):
    """The machine ended without saying the command's exit code."""


class Machine:
    """Has the machine's three voices: its console, the command's output, and the status that /init says."""

    def __init__(self, kernel, initramfs, options):
        self.kill_at = options.kill_at.encode() if options.kill_at else None
        self.kill_after = options.kill_after
        self.cut = None  # when the power is to be cut
        self.killed = False
        self.console = b""
        self.status = b""
        self.line = b""  # the unfinished last line of the output
        self.selector = selectors.DefaultSelector()
        ends = {name: self.pipe(name) for name in ("console", "output", "status")}
        words = self.words(kernel, initramfs, options, ends)
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, pass_fds=list(ends.values()))
        for end in ends.values():
            os.close(end)

    def pipe(self, name):
        reader, writer = os.pipe()
        self.selector.register(reader, selectors.EVENT_READ, name)
        return writer

    @staticmethod
    def words(kernel, initramfs, options, ends):
        words = [PROGRAM, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-machine", "q35",
                 "-accel", "tcg,thread=multi", "-cpu", PROCESSOR, "-smp", str(options.processors),
                 "-m", str(options.memory),
                 "-kernel", str(kernel / "linux"), "-initrd", str(initramfs),
                 "-append", APPENDED,
                 "-fsdev", "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap",
                 "-device", "virtio-9p-pci,fsdev=root,mount_tag=host",
                 "-device", "virtio-serial-pci"]
        for name, end in ends.items():
            words += ["-chardev", f"file,id={name},path=/dev/fd/{end}"]
        words += ["-serial", "chardev:console"]
        for name in ("output", "status"):
            words += ["-device", f"virtserialport,chardev={name},name={name}"]
        for i, disk in enumerate(options.disk):
            # What the guest has been told is written is in the file: it stays there when qemu is killed.
            escaped = str(disk).replace(",", ",,")
            words += ["-drive", f"file={escaped},if=none,id=disk{i},format=raw,cache=writethrough,discard=unmap",
                      "-device", f"virtio-blk-pci,drive=disk{i}"]
        return words

    def kill(self):
        """As if the power were cut."""
        self.killed = True
        self.process.kill()

    def output(self, data):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        if self.cut is None and self.kill_at is not None:
            lines = (self.line + data).split(b"\n")
            self.line = lines.pop()
            if any(self.kill_at in line for line in lines):
                self.cut = time.monotonic() + (self.kill_after or 0)

    def hear(self, name, data):
        if name == "output":
            self.output(data)
        elif name == "console":
            self.console = (self.console + data)[-CONSOLE_TAIL:]
        else:
            self.status += data
            if self.cut is None and self.kill_at is None and self.kill_after is not None and b"begin\n" in self.status:
                self.cut = time.monotonic() + self.kill_after

    def run(self, timeout):
        """Until the machine is off. False: it was not in time, and was killed."""
        deadline = time.monotonic() + timeout
        while self.selector.get_map():
            now = time.monotonic()
            if now >= deadline and not self.killed:
                self.kill()
                return False
            if self.cut is not None and now >= self.cut and not self.killed:
                self.kill()
            due = deadline if self.cut is None or self.killed else min(self.cut, deadline)
            for key, _ in self.selector.select(max(due - now, 0.001)):
                data = os.read(key.fd, 65536)
                if data:
                    self.hear(key.data, data)
                else:
                    self.selector.unregister(key.fd)
                    os.close(key.fd)
        self.process.wait()
        return True

    def exit_code(self):
        lines = self.status.decode("ascii", "replace").splitlines()
        if len(lines) == 2 and lines[0] == "begin" and lines[1].startswith("exit "):
            return int(lines[1][5:])
        said = self.process.stderr.read().decode("utf-8", "replace").strip()
        reached = "ran the command" if lines else "did not come as far as the command"
        raise Failed(f"the machine {reached}, and went off without an exit code. {said}")
