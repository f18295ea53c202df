#include "pipeline/testing/download_fixture.h"

#include <algorithm>
#include <filesystem>

#include "scan/testing/taker_program.h"
#include "volumes/testing/extractor_program.h"

namespace slipway::pipeline {

DownloadImageFixture::DownloadImageFixture() {
  settings_.images = folder_.file("images");
  settings_.tuning.one_stream = 100'000;
  settings_.tuning.min_part = 100'000;
  settings_.tuning.max_part = 100'000;
  settings_.tuning.checkpoint_bytes = 100'000;
  settings_.tuning.tries = 1;
  catalog_ = *catalog::Catalog::open(folder_.file("catalog.db"), sys::system_clock());
  harness_.options().queues = {{kDownloadsQueue, 5}, {kScanningQueue, 2}, {kUnpackingQueue, 2}};
  harness_.options().log = Logger([this](LogLevel level, std::string_view message, std::span<const LogField> fields) {
    const std::scoped_lock lock(mutex_);
    lines_.push_back(render_log_line(level, message, fields));
  });
  harness_.options().interceptors.push_back(
      [this](const fsm::RunContext& run, const std::function<fsm::EncodedOutcome()>& go_on) -> fsm::EncodedOutcome {
        if (before_ && !before_(run)) return fsm::error(Error(ErrorKind::kCancelled, "cut off"));
        return go_on();
      });
}

void DownloadImageFixture::open() {
  const auto taker = std::make_shared<const scan::InventoryTaker>(scan::test_taker());
  harness_.open([this, &taker](fsm::Manager& manager) {
    machine_ = *add_download_image(
        manager, {.catalog = catalog_,
                  .source_of = [this](const std::string& bucket) -> Result<std::shared_ptr<objects::ObjectSource>> {
                    if (source_ == nullptr) return fail(ErrorKind::kNotFound, "there is no folder");
                    if (bucket != "bucket") return fail(ErrorKind::kInvalid, "there is no bucket {}", bucket);
                    return source_;
                  },
                  .inspector = std::make_shared<const archive::Inspector>(inspector_),
                  .taker = taker,
                  .settings = settings_});
    const auto scan = *add_scan_image(
        manager, {.catalog = catalog_, .taker = taker, .feeds = folder_.file("feeds.db"), .version = "test"});
    const auto unpack = *add_unpack_image(
        manager, {.catalog = catalog_,
                  .pool = pool_,
                  .extractor = std::make_shared<const volumes::ext4::Extractor>(volumes::ext4::test_extractor())});
    const auto activate = *add_activate_image(manager, {.catalog = catalog_, .pool = pool_});
    scan_ = scan;
    process_ = *add_process_image(manager, {*machine_, scan, unpack, activate});
  });
}

fsm::RunVersion DownloadImageFixture::start(bool verify) {
  request_.verify = verify;
  return *machine_->start(request_.image_id, request_, {.queue = kDownloadsQueue});
}

Result<DownloadImageResponse> DownloadImageFixture::fetch_patiently() {
  const auto run = start();
  for (;;) {
    const auto record = harness_.manager().run(run);
    if (fsm::is_finished(record->progress.state)) return wait(run);
    const auto* waits = std::get_if<fsm::BackingOff>(&record->progress.state);
    if (waits != nullptr && waits->due > harness_.clock.now()) harness_.clock.set(waits->due);
    std::this_thread::yield();
  }
}

std::string DownloadImageFixture::image(std::size_t bytes, char fill) {
  auto tar = archive::small_rootfs();
  tar.file("usr/payload", std::string(bytes, fill));
  return tar.finish();
}

std::vector<std::string> DownloadImageFixture::files() const {
  std::vector<std::string> names;
  if (!std::filesystem::exists(settings_.images)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(settings_.images)) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> DownloadImageFixture::log_lines() const {
  const std::scoped_lock lock(mutex_);
  return lines_;
}

int DownloadImageFixture::tries(fsm::RunVersion run, std::string_view transition) {
  int count = 0;
  const auto history = harness_.manager().history(run);
  for (const auto& event : *history) {
    const bool tried = event.event.kind == fsm::EventKind::kErrored || event.event.kind == fsm::EventKind::kCompleted;
    if (tried && event.event.transition == transition) ++count;
  }
  return count;
}

}  // namespace slipway::pipeline
