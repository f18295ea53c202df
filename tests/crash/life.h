// One life of crash_child, from its start to its death. Ends only the process that it has started.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "sys/testing/temp_dir.h"

namespace slipway::crash {

struct LifeOrder {
  std::string folder;
  std::uint64_t seed = 0;
  std::string mode;
  std::string fault{};  // SLIPWAY_FAULT, when not empty
  // When it is killed from outside; never, when not set.
  std::optional<Duration> kill_after{};
  bool from_ready = false;  // counted from when it says that it is ready; else from its start
};

enum class Death : std::uint8_t {
  kExited,   // by itself, with success
  kByOrder,  // killed from outside, as ordered
  kByFault,  // SIGKILL from within
  kStuck,    // no sign of life for long: killed
  kFailed,   // any other exit or signal
};

struct LifeEnd {
  Death death = Death::kFailed;
  int status = 0;  // as of waitpid()
};

// Real time passes here; nothing is asserted about it. Call it from a process with one thread.
[[nodiscard]] LifeEnd live(const LifeOrder& order);

// A fresh folder, removed at the end unless the test failed: then its place is printed.
class CrashFolder {
 public:
  CrashFolder() = default;
  ~CrashFolder();
  CrashFolder(const CrashFolder&) = delete;
  CrashFolder& operator=(const CrashFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return dir_.path(); }

 private:
  sys::TempDir dir_;
};

}  // namespace slipway::crash
