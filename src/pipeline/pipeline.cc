#include "pipeline/pipeline.h"

#include <chrono>
#include <utility>

#include "catalog/identity.h"
#include "fsm/sqlite_run_store.h"
#include "objects/object_source.h"

namespace slipway::pipeline {
namespace {

// How long handlers may take to notice that they are to stop.
constexpr auto kPatience = std::chrono::seconds(10);

}  // namespace

Result<ProcessImageRequest> complete(const ImageRequest& request) {
  if (request.bucket.empty()) return fail(ErrorKind::kInvalid, "no bucket is named");
  if (auto good = objects::check_key(request.key); !good) return fail(std::move(good.error()));
  std::string image_id = request.image_id;
  if (image_id.empty()) image_id = catalog::derive_image_id(request.bucket, request.key);
  if (auto good = catalog::check_image_id(image_id); !good) return fail(std::move(good.error()));
  return ProcessImageRequest{request.bucket, request.key, std::move(image_id), request.verify, request.rules};
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

  fsm::ManagerOptions manager_options;
  manager_options.queues = {{kDownloadsQueue, options.downloads_at_once}};
  manager_options.clock = &clock;
  manager_options.log = options.log;
  auto manager = fsm::Manager::open(std::move(*store), std::move(manager_options));
  if (!manager) return fail(std::move(manager.error()));
  opened->manager_ = std::move(*manager);

  auto download =
      add_download_image(*opened->manager_, {.catalog = opened->catalog_,
                                             .source_of = options.source_of,
                                             .inspector = std::make_shared<const archive::Inspector>(options.inspector),
                                             .settings = options.download});
  if (!download) return fail(std::move(download.error()));
  auto process = add_process_image(*opened->manager_, *download);
  if (!process) return fail(std::move(process.error()));
  opened->process_.emplace(std::move(*process));

  auto resumed = opened->manager_->resume();
  if (!resumed) return fail(std::move(resumed.error()));
  opened->resumed_ = *resumed;
  return opened;
}

Pipeline::~Pipeline() {
  if (manager_) manager_->shutdown(kPatience);
}

}  // namespace slipway::pipeline
