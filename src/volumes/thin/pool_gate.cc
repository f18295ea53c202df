#include "volumes/thin/pool_gate.h"

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>

#include "sys/system_error.h"

namespace slipway::volumes {
namespace {

constexpr auto kPause = std::chrono::milliseconds(1);
constexpr int kTries = 30'000;

Result<sys::Descriptor> open_node(const std::string& pool) {
  const auto path = dm::path_of(pool);
  sys::Descriptor node(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!node && errno == ENOENT && dm::make_node(pool)) {
    node = sys::Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }
  if (!node) return fail(sys::system_error("open", path, errno));
  return node;
}

}  // namespace

Result<PoolGate> PoolGate::enter(const std::string& pool) {
  const auto look = [&] { return dm::info(pool); };
  const auto none = [&](const auto& info) { return !*info || !(*info)->has_table; };
  const auto missing = [&] {
    return fail(Error(ErrorKind::kNotFound, fmt::format("there is no thin pool {}", pool))
                    .with_hint("slipway pool create makes one"));
  };
  auto info = look();
  if (!info) return fail(dm::error("look at", pool, info.error()));
  if (none(info)) return missing();
  auto node = open_node(pool);
  if (!node) return fail(std::move(node.error()));
  for (int tries = 0; ::flock(node->get(), LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (errno != EWOULDBLOCK && errno != EINTR) return fail(sys::system_error("lock", dm::path_of(pool), errno));
    if (tries == kTries) {
      return fail(ErrorKind::kUnavailable, "the thin pool {} is being changed by another process, and still is", pool);
    }
    std::this_thread::sleep_for(kPause);
  }
  info = look();  // of now: a crash may have left it suspended
  if (!info) return fail(dm::error("look at", pool, info.error()));
  if (none(info)) return missing();
  if ((*info)->suspended) {
    if (auto resumed = dm::resume(pool); !resumed) return fail(dm::error("resume", pool, resumed.error()));
  }
  return PoolGate(std::move(*node), (*info)->number);
}

}  // namespace slipway::volumes
