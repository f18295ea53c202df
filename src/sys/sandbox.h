// Locks this process in: from then on it can compute, read the descriptors it has, and write to one of them, and to a
// volume where it is given one.
//
// It loses, for good: opening files, sockets, new processes and programs, signals to others, root's and other users'
// rights, memory above a limit, and mapping memory to execute. (Where the kernel knows no other user to become, as in a
// user namespace of one, it stays who it is, with no rights.) A call outside the short list ends it (SIGSYS).
// Namespaces of its own are taken where the kernel gives them: a second wall, not the first.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

#include "base/error.h"

namespace slipway::sys {

// A file or block device that the process may change: written and emptied at any place below `size`, and synced.
struct SandboxVolume {
  int fd = -1;
  std::uint64_t size = 0;  // bytes; kept by the kernel for files
};

struct SandboxOptions {
  std::uint64_t address_space = 512ULL << 20;  // bytes; not limited under sanitizers, which reserve terabytes
  std::uint64_t cpu_seconds = 0;               // of processor time: then SIGXCPU, and SIGKILL soon after; 0: no limit
  int output = 1;                              // the one descriptor that may be written to, but for the volume
  std::optional<SandboxVolume> volume{};
  pid_t parent = 0;  // dies with it; kConflict when it is gone already
};

// For a process with one thread. On an error the process may be locked in half: it should end.
[[nodiscard]] Result<> enter_sandbox(const SandboxOptions& options);

}  // namespace slipway::sys
