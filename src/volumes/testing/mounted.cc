#include "volumes/testing/mounted.h"

#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "sys/testing/command.h"

namespace slipway::volumes {
namespace {

using Streams = sys::CommandOptions::Streams;

// Why this process cannot have mounts of its own; empty when it can. Threads that are there already keep seeing what
// they saw.
std::string keep_mounts_to_ourselves() {
  if (::geteuid() != 0) return "to mount needs root";
  if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return fmt::format("no mounts of our own: {}", std::strerror(errno));
  }
  return {};
}

}  // namespace

Mounted::Mounted(const std::string& type, const std::string& file, const std::string& options) {
  static const std::string hindrance = keep_mounts_to_ourselves();
  why_ = hindrance;
  if (!why_.empty()) return;
  const auto ended = sys::run_to_end({"mount", "-t", type, "-o", options, file, path()}, {.streams = Streams::kKept});
  if (ended.code != 0) why_ = fmt::format("cannot mount {} here: {}{}", type, ended.out, ended.err);
}

Mounted::~Mounted() {
  if (ok()) (void)sys::run_to_end({"umount", path()}, {.streams = Streams::kKept});
}

}  // namespace slipway::volumes
