// A state folder with a few images and runs in it, for tests that look at them.
#pragma once

#include <string>

#include "fsm/version.h"

namespace slipway::cli {

struct SampleState {
  std::string ready = "alpine-3.19";      // downloaded, scanned, unpacked, with a snapshot
  std::string vulnerable = "old-debian";  // blocked for a critical finding
  std::string failed = "broken";          // its download failed
  fsm::RunVersion completed;              // of `ready`
  fsm::RunVersion errored;                // of `failed`: one retry, then the end
  fsm::RunVersion running;                // its id has control bytes in it
};

// Makes catalog.db and fsm.db in `folder`. Throws when that fails.
[[nodiscard]] SampleState make_sample_state(const std::string& folder);

}  // namespace slipway::cli
