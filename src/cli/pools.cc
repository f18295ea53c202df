#include "cli/pools.h"

#include <utility>

#include "sys/directories.h"
#include "volumes/file/file_pool.h"
#include "volumes/thin/thin_pool.h"

namespace slipway::cli {
namespace {

constexpr const char* kFiles = "files";

Result<std::shared_ptr<volumes::Pool>> open_files(const Settings& settings) {
  auto opened = volumes::FilePool::open({.folder = settings.volume_dir, .name = kFiles});
  if (!opened) return fail(std::move(opened.error()));
  return std::shared_ptr<volumes::Pool>(std::move(*opened));
}

Result<std::shared_ptr<volumes::Pool>> open_thin(const Settings& settings) {
  auto opened = volumes::ThinPool::open({.name = settings.dm_pool_name,
                                         .least_free_data = static_cast<int>(settings.dm_min_free_data),
                                         .least_free_metadata = static_cast<int>(settings.dm_min_free_metadata)});
  if (!opened) return fail(std::move(opened.error()));
  return std::shared_ptr<volumes::Pool>(std::move(*opened));
}

// Running, and afterwards in the catalog.
Result<> start(const Settings& settings, const PoolChoice& choice, catalog::Catalog& catalog) {
  auto spec = default_pool(settings);
  if (const auto place = choice.place()) {
    auto started = volumes::start_thin_pool(*place);
    if (started || started.error().kind() != ErrorKind::kNotFound || !settings.dm_auto_create) return started;
    // Its making was cut off; but a pool that held something was whole, and is lost: no other takes its place unasked.
    auto content = catalog.pool_content(choice.name);
    if (!content) return fail(std::move(content.error()));
    if (content->volumes > 0 || content->snapshots > 0) return started;
    spec.place = *place;
  }
  if (settings.dm_auto_create) return create_pool(spec, catalog);
  return fail(Error(ErrorKind::kNotFound, fmt::format("there is no thin pool {}", choice.name))
                  .with_hint("`slipway pool create` makes one; so does the setting dm_auto_create when it is first "
                             "needed; volume_backend: file does without"));
}

// What another program has set up is known from then on.
Result<> record(volumes::Pool& pool, const PoolChoice& choice, catalog::Catalog& catalog) {
  if (choice.record || choice.place()) return {};
  auto known = catalog.find_pool(choice.name);
  if (!known) return fail(std::move(known.error()));
  if (*known) return {};
  auto status = pool.status();
  if (!status) return fail(std::move(status.error()));
  return catalog.store_pool({.name = choice.name, .transaction_id = status->transaction_id.value_or(0)});
}

}  // namespace

std::optional<volumes::ThinPoolPlace> PoolChoice::place() const {
  if (!record || record->data_path.empty()) return std::nullopt;
  return volumes::ThinPoolPlace{.name = name, .data = record->data_path, .metadata = record->metadata_path};
}

Result<PoolChoice> choose_pool(const Settings& settings, catalog::Catalog* catalog) {
  PoolChoice files{.name = kFiles};
  if (settings.volume_backend == "file") return files;
  PoolChoice thin{.thin = true, .name = settings.dm_pool_name};
  if (catalog != nullptr) {
    auto known = catalog->find_pool(thin.name);
    if (!known) return fail(std::move(known.error()));
    thin.record = std::move(*known);
  }
  const bool open_choice = settings.volume_backend == "auto" && !thin.record;
  auto running = volumes::thin_pool_runs(thin.name);
  if (!running) {
    if (open_choice) return files;
    return fail(
        std::move(running.error())
            .with_hint("thin pools need root and a kernel with device-mapper; volume_backend: file does without"));
  }
  thin.running = *running;
  return open_choice && !thin.running ? files : thin;
}

Result<PoolChoice> choose_pool(const Session& session) {
  if (session.settings.volume_backend == "file") return choose_pool(session.settings, nullptr);
  auto catalog = catalog::Catalog::open_reader(session.settings.sqlite_path.string(), session.clock);
  // One that is still to be brought up to date, as when its making was cut off, knows of no pools. (What another
  // program's or a newer one's is, whoever opens it to work with tells.)
  const bool none =
      !catalog && (catalog.error().kind() == ErrorKind::kNotFound || catalog.error().kind() == ErrorKind::kUnsupported);
  if (!catalog && !none) return fail(std::move(catalog.error()));
  return choose_pool(session.settings, none ? nullptr : catalog->get());
}

Result<std::string> pool_name(const Session& session) {
  auto choice = choose_pool(session);
  if (!choice) return fail(std::move(choice.error()));
  return std::move(choice->name);
}

Result<std::shared_ptr<volumes::Pool>> open_running_pool(const Settings& settings, const PoolChoice& choice) {
  if (!choice.running) return std::shared_ptr<volumes::Pool>();
  return choice.thin ? open_thin(settings) : open_files(settings);
}

Result<std::shared_ptr<volumes::Pool>> open_pool(const Settings& settings, catalog::Catalog& catalog) {
  auto choice = choose_pool(settings, &catalog);
  if (!choice) return fail(std::move(choice.error()));
  if (!choice->thin) return open_files(settings);
  if (!choice->running) {
    if (auto started = start(settings, *choice, catalog); !started) return fail(std::move(started.error()));
  }
  auto pool = open_thin(settings);
  if (!pool) return pool;
  if (auto known = record(**pool, *choice, catalog); !known) return fail(std::move(known.error()));
  return pool;
}

volumes::ThinPoolSpec default_pool(const Settings& settings) {
  return {.place = {.name = settings.dm_pool_name,
                    .data = settings.volume_dir / (settings.dm_pool_name + ".data"),
                    .metadata = settings.volume_dir / (settings.dm_pool_name + ".metadata")},
          .data_size = settings.dm_data_size,
          .metadata_size = settings.dm_meta_size};
}

// The catalog first: what a crash leaves of a pool is then known by its place.
Result<> create_pool(const volumes::ThinPoolSpec& spec, catalog::Catalog& catalog) {
  const auto& place = spec.place;
  auto before = catalog.find_pool(place.name);
  if (!before) return fail(std::move(before.error()));
  if (*before && ((*before)->data_path != place.data || (*before)->metadata_path != place.metadata)) {
    const auto& known = **before;
    const auto where = known.data_path.empty() ? std::string("set up by another program")
                                               : fmt::format("on {} and {}", known.data_path, known.metadata_path);
    return fail(
        Error(ErrorKind::kConflict, fmt::format("the pool {} is known already, {}", place.name, where))
            .with_hint("`slipway doctor --fix` starts it; `slipway pool destroy` forgets it; dm_pool_name gives "
                       "another name"));
  }
  for (const auto& path : {place.data, place.metadata}) {
    if (auto made = sys::make_directories(path.parent_path()); !made) return made;
  }
  if (!*before) {
    auto noted = catalog.store_pool({.name = place.name, .data_path = place.data, .metadata_path = place.metadata});
    if (!noted) return noted;
  }
  auto made = *before ? volumes::start_thin_pool(place) : Result<>(fail(ErrorKind::kNotFound, "{} is new", place.name));
  if (!made && made.error().kind() == ErrorKind::kNotFound) made = volumes::create_thin_pool(spec);
  if (made || *before) return made;
  if (auto forgotten = catalog.forget_pool(place.name); !forgotten) return forgotten;
  return made;
}

}  // namespace slipway::cli
