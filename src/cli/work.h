// What the commands that have work to run share: who does it, its progress, and Ctrl-C.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "cli/command.h"
#include "cli/progress_display.h"
#include "fsm/manager.h"
#include "service/perform.h"
#include "sys/interrupts.h"

namespace slipway::cli {

// Made first thing in a command: from then on Ctrl-C is a wish.
class Workplace {
 public:
  explicit Workplace(const Session& session);

  // Has the work done, here or by the owner of the runs, and shows how it goes. `title` is what people call it. An
  // unhappy end is its error; an interruption is kCancelled, with a hint of how to go on.
  [[nodiscard]] Result<fsm::RunResult> perform(const service::Task& task, const std::string& title);
  [[nodiscard]] Result<> cancel(const service::Cancel& what);

  [[nodiscard]] std::stop_token stop() const { return interrupts_.token(); }

 private:
  [[nodiscard]] service::Runs runs();
  void show(const std::string& title, fsm::RunVersion head, const fsm::RunEvent& event);
  [[nodiscard]] Error interrupted(const Error& why) const;

  const Session& session_;
  sys::Interrupts interrupts_;
  ProgressDisplay progress_;
  Logger log_;
  bool here_ = true;
  std::optional<fsm::RunVersion> run_;
};

}  // namespace slipway::cli
