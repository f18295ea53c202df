// The owner's door: whoever owns a run store listens at a socket beside it, so that other commands of the same user can
// have their work done by the owner instead of waiting for it to end. See service/wire.h for what is said.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/log.h"
#include "fsm/manager.h"
#include "service/wire.h"

namespace slipway::service {

class LineServer;

// Where the owner of a database (of runs, of feeds) listens.
[[nodiscard]] std::filesystem::path socket_beside(const std::filesystem::path& owned);

struct OwnerOptions {
  Settings settings{};  // that this process works with
  std::size_t max_clients = 64;
  Logger log{};
};

// The manager must outlive it. Serves from open() on, each client on a thread of its own, up to `max_clients` at once:
// the next one is told so (kUnavailable) and may come again. A client that goes makes room, also while its run goes on.
class OwnerServer {
 public:
  // The caller owns the run store: that is what makes it safe to take the socket's place.
  [[nodiscard]] static Result<std::unique_ptr<OwnerServer>> open(fsm::Manager& manager,
                                                                 const std::filesystem::path& socket,
                                                                 OwnerOptions options);
  // Hangs up on every client, and waits until nobody is served any more. They will look for the next owner.
  ~OwnerServer();
  OwnerServer(const OwnerServer&) = delete;
  OwnerServer& operator=(const OwnerServer&) = delete;

 private:
  explicit OwnerServer(std::unique_ptr<LineServer> lines);
  std::unique_ptr<LineServer> lines_;
};

}  // namespace slipway::service
