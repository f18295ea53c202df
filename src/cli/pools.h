// Which pool the settings mean, and how it is got: a thin pool by its name, or the folder of files.
//
// volume_backend decides: file, thin, or auto, which is thin where the catalog knows the pool or the kernel runs it,
// and file elsewhere. Where a thin pool stands is in the catalog, as after a reboot only that knows.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "catalog/catalog.h"
#include "cli/command.h"
#include "volumes/pool.h"
#include "volumes/thin/pool_setup.h"

namespace slipway::cli {

struct PoolChoice {
  bool thin = false;
  std::string name{};                         // as the catalog has it
  std::optional<catalog::ThinPool> record{};  // of a thin one
  bool running = true;                        // false: of a thin one, that is to be started or made

  [[nodiscard]] std::optional<volumes::ThinPoolPlace> place() const;  // where it stands, when that is known here
};

// `catalog` may be null: there is none yet. kPermission, kUnsupported: a thin pool is meant, and cannot be looked at.
[[nodiscard]] Result<PoolChoice> choose_pool(const Settings& settings, catalog::Catalog* catalog);
// The same with the catalog that is there.
[[nodiscard]] Result<PoolChoice> choose_pool(const Session& session);
[[nodiscard]] Result<std::string> pool_name(const Session& session);

// To look at: null when it does not run.
[[nodiscard]] Result<std::shared_ptr<volumes::Pool>> open_running_pool(const Settings& settings,
                                                                       const PoolChoice& choice);
// To work with: starts it after a reboot, and makes it where dm_auto_create says so. For the owner of the runs.
[[nodiscard]] Result<std::shared_ptr<volumes::Pool>> open_pool(const Settings& settings, catalog::Catalog& catalog);

// A new thin pool, recorded and running. What an earlier try has left is gone on with. For the owner of the runs.
[[nodiscard]] Result<> create_pool(const volumes::ThinPoolSpec& spec, catalog::Catalog& catalog);
// As the settings have it: files in volume_dir.
[[nodiscard]] volumes::ThinPoolSpec default_pool(const Settings& settings);

}  // namespace slipway::cli
