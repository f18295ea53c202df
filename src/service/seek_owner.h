// Having something done by whoever owns a database: this process when nobody does, else the owner, over its socket.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/log.h"
#include "sys/unix_socket.h"

namespace slipway::service {

// The owner hung up, or nobody is there: whoever owns it now has to be found.
struct OwnerLost {};
// The owner is there and cannot serve us now.
struct OwnerBusy {
  Error why;
};
template <class T>
using FromOwner = std::variant<OwnerLost, OwnerBusy, Result<T>>;

// A connection to an owner: lines to it and from it. One thread, but for shut().
class OwnerConnection {
 public:
  // `on_silence` is told once when a question that is answered at once is not, for so long. None: nobody listens there.
  static std::optional<OwnerConnection> open(const std::filesystem::path& socket, std::chrono::milliseconds silence,
                                             std::function<void()> on_silence);

  // That the other side is gone is heard: it may have said why.
  void say(std::string_view line, bool answered_at_once);
  // Nothing when the owner is gone.
  std::optional<Result<std::string>> hear();

  // Whether we were served at all: to be noted by who understands what is heard.
  void note_served() { served_ = true; }
  [[nodiscard]] bool served() const { return served_; }

  void shut() const { socket_->shut(); }

 private:
  OwnerConnection(sys::Descriptor connection, std::chrono::milliseconds silence, std::function<void()> on_silence);

  std::unique_ptr<sys::LineSocket> socket_;
  std::chrono::milliseconds silence_;
  std::function<void()> on_silence_;
  bool answered_at_once_ = false;
  bool served_ = false;
};

struct OwnerSearch {
  std::string what{};  // is owned: "runs"
  std::filesystem::path socket{};
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

// `open()` gives what is owned, or kConflict; then `here` does it. Else `there` asks the owner, as often as that one is
// lost.
template <class T, class Open, class Here, class There>
[[nodiscard]] Result<T> with_owner(const OwnerSearch& search, const std::stop_token& stop, const Open& open, Here here,
                                   There there) {
  auto give_up = std::chrono::steady_clock::now() + search.patience;
  for (;;) {
    auto owned = open();
    if (owned) {
      if (search.on_owner) search.on_owner(/*here=*/true);
      return here(**owned);
    }
    if (owned.error().kind() != ErrorKind::kConflict) return fail(std::move(owned.error()));
    Error why = std::move(owned.error());  // it names the owner
    const auto on_silence = [&] { search.log.warn("no answer yet, still waiting for it: {}", why.message()); };
    if (auto owner = OwnerConnection::open(search.socket, search.silence, on_silence)) {
      if (search.on_owner) search.on_owner(/*here=*/false);
      FromOwner<T> answer = there(*owner);
      if (auto* said = std::get_if<Result<T>>(&answer)) return std::move(*said);
      if (auto* busy = std::get_if<OwnerBusy>(&answer)) why = std::move(busy->why);
      if (owner->served()) give_up = std::chrono::steady_clock::now() + search.patience;
    }
    if (stop.stop_requested()) {
      return fail(ErrorKind::kCancelled, "told to stop while waiting for the owner of the {}", search.what);
    }
    if (std::chrono::steady_clock::now() > give_up) return fail(std::move(why));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace slipway::service
