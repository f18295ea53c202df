#include "pipeline/pipeline.h"

#include <chrono>
#include <utility>

#include "catalog/identity.h"
#include "fsm/sqlite_run_store.h"
#include "objects/object_source.h"
#include "pipeline/device_ids.h"

namespace slipway::pipeline {
namespace {

// How long handlers may take to notice that they are to stop.
constexpr auto kPatience = std::chrono::seconds(10);

// What is recorded is in another pool than this one, in which nothing was ever made: nothing may be concluded from what
// it has not, and nothing put into it.
Result<> check_there(volumes::Pool& pool, catalog::Catalog& catalog) {
  const auto exists = pool.exists();
  if (!exists) return fail(exists.error());
  if (*exists) return {};
  const auto content = catalog.pool_content(pool.name());
  if (!content) return fail(content.error());
  const auto devices = content->volumes + content->snapshots;
  if (devices == 0) return {};
  const auto status = pool.status();
  const std::string place = status ? status->place : pool.name();
  return fail(
      Error(ErrorKind::kUnavailable, fmt::format("{} devices are recorded in pool {}, and nothing was ever made in {}",
                                                 devices, pool.name(), place))
          .with_hint(fmt::format("mount its disk, or set volume_dir right; if it is lost for good, make the "
                                 "empty folder {}/devices, and remove the images (slipway rm --force)",
                                 place)));
}

}  // namespace

Result<ProcessImageRequest> complete(const ImageRequest& request) {
  if (request.bucket.empty()) return fail(ErrorKind::kInvalid, "no bucket is named");
  if (auto good = objects::check_key(request.key); !good) return fail(std::move(good.error()));
  std::string image_id = request.image_id;
  if (image_id.empty()) image_id = catalog::derive_image_id(request.bucket, request.key);
  if (auto good = catalog::check_image_id(image_id); !good) return fail(std::move(good.error()));
  std::string snapshot = request.snapshot_name;
  if (snapshot.empty()) snapshot = catalog::default_snapshot_name(image_id);
  if (auto good = catalog::check_snapshot_name(snapshot); !good) {
    if (!request.snapshot_name.empty()) return fail(std::move(good.error()));
    return fail(Error(ErrorKind::kInvalid,
                      fmt::format("the image id {} is too long for its snapshot's name, {}", image_id, snapshot))
                    .with_hint("give a shorter id, or a name for the snapshot (--snapshot)"));
  }
  if (auto good = volumes::check_device_name(snapshot); !good) return fail(std::move(good.error()));
  return ProcessImageRequest{.bucket = request.bucket,
                             .key = request.key,
                             .image_id = std::move(image_id),
                             .verify = request.verify,
                             .rules = request.rules,
                             .pool = request.pool,
                             .device_size = request.device_size,
                             .snapshot_name = std::move(snapshot),
                             .scan = request.scan};
}

Result<std::unique_ptr<Pipeline>> Pipeline::open(const PipelineOptions& options) {
  sys::Clock& clock = options.clock != nullptr ? *options.clock : sys::system_clock();
  std::unique_ptr<Pipeline> opened(new Pipeline());

  // The runs first: whoever owns them is the only one that changes images.
  auto store = fsm::SqliteRunStore::open(options.runs, {.clock = &clock});
  if (!store) return fail(std::move(store.error()));
  auto catalog = catalog::Catalog::open(options.catalog, clock);
  if (!catalog) return fail(std::move(catalog.error()));
  opened->catalog_ = std::move(*catalog);
  auto pool = options.open_pool(*opened->catalog_);
  if (!pool) return pool.error().during("open the pool");
  opened->pool_ = std::move(*pool);
  if (auto there = check_there(*opened->pool_, *opened->catalog_); !there) return fail(std::move(there.error()));
  auto adopted = opened->catalog_->adopt_pool(opened->pool_->name());
  if (!adopted) return fail(std::move(adopted.error()));
  opened->log_ = options.log;

  fsm::ManagerOptions manager_options;
  manager_options.queues = {{kDownloadsQueue, options.downloads_at_once},
                            {kScanningQueue, options.scans_at_once},
                            {kUnpackingQueue, options.unpackings_at_once}};
  manager_options.clock = &clock;
  manager_options.log = options.log;
  auto manager = fsm::Manager::open(std::move(*store), std::move(manager_options));
  if (!manager) return fail(std::move(manager.error()));
  opened->manager_ = std::move(*manager);

  if (auto added = opened->add_machines(options); !added) return fail(std::move(added.error()));

  // What a crash has left is tidied up before anything goes on; what unfinished runs have is theirs.
  auto parts = opened->doctor_parts(options);
  parts.thorough = options.thorough_start;
  parts.may_forget = false;
  auto treated = heal(parts, options.log);
  if (!treated) {
    options.log.warn("what an earlier process has left is not looked at: {}", treated.error().message());
  } else {
    for (const auto& treatment : *treated) {
      if (!treatment.healed) options.log.warn("{}: {}", treatment.ailment.sentence, treatment.why_not);
    }
  }

  auto resumed = opened->manager_->resume();
  if (!resumed) return fail(std::move(resumed.error()));
  opened->resumed_ = *resumed;
  return opened;
}

Result<> Pipeline::add_machines(const PipelineOptions& options) {
  const auto taker = std::make_shared<const scan::InventoryTaker>(options.inventory);
  auto download =
      add_download_image(*manager_, {.catalog = catalog_,
                                     .source_of = options.source_of,
                                     .inspector = std::make_shared<const archive::Inspector>(options.inspector),
                                     .taker = taker,
                                     .settings = options.download});
  if (!download) return fail(std::move(download.error()));
  auto scan = add_scan_image(*manager_,
                             {.catalog = catalog_, .taker = taker, .feeds = options.feeds, .version = options.version});
  if (!scan) return fail(std::move(scan.error()));
  auto unpack =
      add_unpack_image(*manager_, {.catalog = catalog_,
                                   .pool = pool_,
                                   .extractor = std::make_shared<const volumes::ext4::Extractor>(options.extractor),
                                   .timeout = options.unpack_timeout});
  if (!unpack) return fail(std::move(unpack.error()));
  auto activate = add_activate_image(*manager_, {.catalog = catalog_, .pool = pool_});
  if (!activate) return fail(std::move(activate.error()));
  auto process = add_process_image(*manager_, {*download, *scan, *unpack, *activate});
  if (!process) return fail(std::move(process.error()));
  scan_.emplace(std::move(*scan));
  process_.emplace(std::move(*process));
  const RemoveParts parts{.catalog = catalog_, .pool = pool_};
  if (auto added = add_remove_image(*manager_, parts); !added) return fail(std::move(added.error()));
  if (auto added = add_deactivate_snapshot(*manager_, parts); !added) return fail(std::move(added.error()));
  auto reconcile = add_reconcile(*manager_, doctor_parts(options));
  if (!reconcile) return fail(std::move(reconcile.error()));
  return {};
}

DoctorParts Pipeline::doctor_parts(const PipelineOptions& options) {
  return {.catalog = catalog_.get(),
          .pool = pool_.get(),
          .runs = [manager = manager_.get()](const fsm::RunFilter& filter) { return manager->runs(filter); },
          .images = options.download.images};
}

Result<std::uint64_t> Pipeline::scan(const std::vector<std::string>& image_ids, const ImageRules& rules,
                                     const ScanRules& scan) {
  std::uint64_t count = 0;
  for (const auto& id : image_ids) {
    const auto image = catalog_->find_image(id);
    if (!image) return fail(image.error());
    if (!*image || (*image)->download_status != catalog::DownloadStatus::kCompleted) continue;
    const auto started = scan_->start(id,
                                      {.image_id = id,
                                       .local_path = (*image)->local_path,
                                       .checksum = (*image)->checksum,
                                       .size = (*image)->size_bytes,
                                       .rules = rules,
                                       .scan = scan},
                                      {.queue = kScanningQueue});
    if (!started) return started.error().during("scan {}", id);
    if (!started->already_running) ++count;
  }
  return count;
}

Result<std::uint64_t> Pipeline::delete_deferred(const std::stop_token& stop) {
  const auto deleted = pipeline::delete_deferred(*catalog_, *pool_, log_, volumes::WhenBusy::kGiveUp,
                                                 [&](const catalog::Reservation&) { return !stop.stop_requested(); });
  if (!deleted) return fail(deleted.error());
  return deleted->gone;
}

Pipeline::~Pipeline() {
  if (manager_) manager_->shutdown(kPatience);
}

}  // namespace slipway::pipeline
