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
  // unhappy end is its error, also when somebody cancelled it; an interruption of this process is one, with a hint of
  // how to go on.
  [[nodiscard]] std::expected<fsm::RunResult, Failure> perform(const service::Task& task, const std::string& title);
  [[nodiscard]] std::expected<void, Failure> cancel(const service::Cancel& what);

  [[nodiscard]] std::stop_token stop() const { return interrupts_.token(); }

 private:
  [[nodiscard]] service::Runs runs();
  void show(const std::string& title, fsm::RunVersion head, const fsm::RunEvent& of);
  [[nodiscard]] Error after_interruption() const;

  const Session& session_;
  sys::Interrupts interrupts_;
  ProgressDisplay progress_;
  Logger log_;
  bool here_ = true;
  std::optional<fsm::RunVersion> run_;
};

}  // namespace slipway::cli
