// The door of the owner of the feeds: other processes of the same user have it sync, start, pause, resume and stop, and
// look on. See service/feeds_wire.h for what is said.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/log.h"
#include "feeds/macro_machine.h"
#include "service/wire.h"

namespace slipway::service {

class LineServer;

struct FeedsServerOptions {
  Settings settings{};  // that this process works with
  std::size_t max_clients = 64;
  Logger log{};
};

// The machine must outlive it, and must not be shut down before: what it then says of itself is not what will be.
class FeedsServer {
 public:
  // The caller owns the feeds: that is what makes it safe to take the socket's place.
  [[nodiscard]] static Result<std::unique_ptr<FeedsServer>> open(feeds::MacroMachine& machine,
                                                                 const std::filesystem::path& socket,
                                                                 FeedsServerOptions options);
  // Hangs up on every client. They will look for the next owner.
  ~FeedsServer();
  FeedsServer(const FeedsServer&) = delete;
  FeedsServer& operator=(const FeedsServer&) = delete;

 private:
  explicit FeedsServer(std::unique_ptr<LineServer> lines);
  std::unique_ptr<LineServer> lines_;
};

}  // namespace slipway::service
