// What the commands that have work to run share: who does it, its progress, and Ctrl-C.
#pragma once

#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/progress_display.h"
#include "fsm/manager.h"
#include "service/perform.h"
#include "sys/interrupts.h"

namespace slipway::cli {

template <class Response>
struct Answer {
  fsm::RunVersion run{};
  Response response{};
};

// Made first thing in a command: from then on Ctrl-C is a wish.
class Workplace {
 public:
  explicit Workplace(const Session& session);

  // Has the work done, here or by the owner of the runs, and shows how it goes. `title` is what people call it. An
  // unhappy end is its error, also when somebody cancelled it; an interruption of this process is one, with a hint of
  // how to go on.
  [[nodiscard]] std::expected<fsm::RunResult, Failure> perform(const service::Task& task, const std::string& title);
  // The same with a request and an answer of its machine's own types.
  template <class Response, class Request>
  [[nodiscard]] std::expected<Answer<Response>, Failure> ask(const std::string& machine, const std::string& id,
                                                             const Request& request, const std::string& title);
  // The same of a machine that answers with a device. A run that goes on after a reboot has made its device before,
  // perhaps, and it is not active any more: what is not there is asked for once more.
  template <class Response, class Request>
  [[nodiscard]] std::expected<Answer<Response>, Failure> ask_for_device(const std::string& machine,
                                                                        const std::string& id, const Request& request,
                                                                        const std::string& title);
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

template <class Response, class Request>
std::expected<Answer<Response>, Failure> Workplace::ask(const std::string& machine, const std::string& id,
                                                        const Request& request, const std::string& title) {
  auto encoded = encode_json(request);
  if (!encoded) return fail(std::move(encoded.error()));
  auto result = perform(service::Work{.machine = machine, .id = id, .request = std::move(*encoded)}, title);
  if (!result) return std::unexpected(std::move(result.error()));
  auto response = decode_json<Response>(result->response);
  if (!response) return response.error().during("response of run {}", result->version);
  return Answer<Response>{result->version, std::move(*response)};
}

template <class Response, class Request>
std::expected<Answer<Response>, Failure> Workplace::ask_for_device(const std::string& machine, const std::string& id,
                                                                   const Request& request, const std::string& title) {
  auto answer = ask<Response>(machine, id, request, title);
  std::error_code ignored;
  if (!answer || std::filesystem::exists(answer->response.device_path, ignored)) return answer;
  return ask<Response>(machine, id, request, title);
}

}  // namespace slipway::cli
