#include "service/seek_owner.h"

#include "service/wire.h"

namespace slipway::service {

OwnerConnection::OwnerConnection(sys::Descriptor connection, std::chrono::milliseconds silence,
                                 std::function<void()> on_silence)
    : socket_(std::make_unique<sys::LineSocket>(std::move(connection), kMaxLine)),
      silence_(silence),
      on_silence_(std::move(on_silence)) {}

std::optional<OwnerConnection> OwnerConnection::open(const std::filesystem::path& socket,
                                                     std::chrono::milliseconds silence,
                                                     std::function<void()> on_silence) {
  auto connection = sys::connect_to(socket);
  if (!connection) return std::nullopt;
  return OwnerConnection(std::move(*connection), silence, std::move(on_silence));
}

void OwnerConnection::say(std::string_view line, bool answered_at_once) {
  answered_at_once_ = answered_at_once;
  (void)socket_->write_line(line);
}

std::optional<Result<std::string>> OwnerConnection::hear() {
  if (std::exchange(answered_at_once_, false) && !socket_->wait(silence_)) on_silence_();
  auto line = socket_->read_line();
  if (!line && line.error().kind() == ErrorKind::kUnavailable) return std::nullopt;
  return line;
}

}  // namespace slipway::service
