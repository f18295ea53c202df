// Having work done, whoever owns the runs: this process when nobody does, else the owner, over its socket. When the
// owner ends before the work has, this process takes over (or turns to the next owner): the run goes on either way.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <variant>

#include "base/error.h"
#include "base/log.h"
#include "fsm/manager.h"
#include "service/follow.h"
#include "service/wire.h"

namespace slipway::service {

// Opens the runs for writing, and takes up what is unfinished. kConflict when another process owns them. What is given
// is closed in an orderly way when it goes.
using OpenRuns = std::function<Result<std::shared_ptr<fsm::Manager>>()>;

struct Runs {
  OpenRuns open{};
  std::filesystem::path socket{};
  Settings settings{};  // that this process works with; an owner must have the same
  // Who does it, as it becomes known, and again when that changes. `here`: this process.
  std::function<void(bool here)> on_owner{};
  Logger log{};
  // How long an owner that cannot be reached or turns us away (it is about to end, has just begun, or has too many
  // clients) is waited for; anew after each answer.
  std::chrono::milliseconds patience{15'000};
  // After how long people are told that the owner, which can be reached, does not answer (it may be stopped). It is
  // waited for all the same: what it was asked for may be under way.
  std::chrono::milliseconds silence{5'000};
};

struct Watching {
  std::function<void(const fsm::Started&)> on_started{};
  OnEvent on_event{};
};

// New work, or a parked run that is to be taken up again.
using Task = std::variant<Work, Unpark>;

// Begins the task and follows its run to the end. An unhappy end is a result, not an error. kCancelled by the stop:
// when the work was done here, it was stopped and is resumable; when elsewhere, it goes on there.
[[nodiscard]] Result<fsm::RunResult> perform(const Runs& runs, const Task& task, const Watching& watching,
                                             std::stop_token stop);

// Cancels a run. Done here, its end is waited for.
[[nodiscard]] Result<> cancel(const Runs& runs, const Cancel& what, std::stop_token stop);

}  // namespace slipway::service
