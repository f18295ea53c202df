// One error value for the whole program: what kind it is, a sentence for people, and what they can do about it.
//
//   Result<Blob> open_blob(...) {
//     auto file = files.open(path);
//     if (!file) return file.error().during("open blob {}", path);
//     if (file->empty()) return fail(ErrorKind::kCorrupt, "blob {} is empty", path);
//
// Callers branch on the kind, never on the text. Each layer adds what it was doing with during(); the cause stands
// last in the sentence, so that the first words tell the reader where he is.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace slipway {

// The names (to_string) are stored on disk with failed runs: they may be added to, never renamed.
enum class ErrorKind : std::uint8_t {
  kInvalid,         // bad input: the same call will never work
  kNotFound,        // the thing named is not there
  kAlreadyExists,   // the thing to be made is there already
  kAlreadyRunning,  // a run of this machine and id is active
  kConflict,        // somebody else changed it in between, or owns it
  kUnsupported,     // this program or this data is of the wrong version or kind
  kPermission,      // not allowed
  kUnavailable,     // not now: network, busy, stopping; may work later
  kNoSpace,         // disk, pool or quota is full
  kIo,              // the operating system refused a read or write
  kTimeout,         // took longer than allowed
  kCancelled,       // somebody asked for it to stop
  kCorrupt,         // bytes are not what they must be
  kRejected,        // refused by a policy or a security rule
  kVulnerable,      // blocked for what is known against its packages
  kParked,          // a run that needs a person: it kept taking the process down
  kInternal,        // our own bug, or an exception nobody classified
};

[[nodiscard]] std::string_view to_string(ErrorKind kind);
[[nodiscard]] std::optional<ErrorKind> parse_error_kind(std::string_view name);

class [[nodiscard]] Error {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] const std::string& message() const { return message_; }
  // What to do about it, for people; empty when the message says it all.
  [[nodiscard]] const std::string& hint() const { return hint_; }

  // "message (hint)".
  [[nodiscard]] std::string describe() const;

  [[nodiscard]] Error with_hint(std::string hint) &&;

  // The same error, with what the caller was doing put in front. Converts to any Result.
  template <class... Args>
  [[nodiscard]] std::unexpected<Error> during(fmt::format_string<Args...> doing, Args&&... args) const {
    return std::unexpected(prefixed(fmt::format(doing, std::forward<Args>(args)...)));
  }

  friend bool operator==(const Error&, const Error&) = default;

 private:
  [[nodiscard]] Error prefixed(std::string_view doing) const;

  ErrorKind kind_;
  std::string message_;
  std::string hint_;
};

template <class T = void>
using Result = std::expected<T, Error>;

template <class... Args>
[[nodiscard]] std::unexpected<Error> fail(ErrorKind kind, fmt::format_string<Args...> message, Args&&... args) {
  return std::unexpected(Error(kind, fmt::format(message, std::forward<Args>(args)...)));
}

[[nodiscard]] inline std::unexpected<Error> fail(Error error) { return std::unexpected(std::move(error)); }

}  // namespace slipway
