#include "cli/testing/sample_state.h"

#include <memory>
#include <stdexcept>
#include <utility>

#include "catalog/catalog.h"
#include "fsm/sqlite_run_store.h"
#include "sys/testing/manual_clock.h"

namespace slipway::cli {
namespace {

constexpr std::int64_t kNoon = 1'762'948'800'000'000;  // 2025-11-12T12:00:00Z

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().describe());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

catalog::DownloadedImage downloaded(const std::string& id, char digit) {
  return {.source = {id, "bucket", "images/" + id + ".tar"},
          .etag = "\"etag\"",
          .local_path = "/state/images/" + id + ".tar",
          .checksum = std::string(64, digit),
          .size_bytes = 3'276'800,
          .archive = catalog::ArchiveFacts{.kind = "docker-save",
                                           .layers = 2,
                                           .entries = 90,
                                           .files = 80,
                                           .total_size = 7'000'000,
                                           .policy = R"({"level":"standard"})"},
          .policy_findings = {{"setuid", "bin/su", "mode 4755"}}};
}

void make_images(const SampleState& sample, const std::string& path) {
  sys::ManualClock clock(from_micros(kNoon));
  const auto catalog = must(catalog::Catalog::open(path, clock));
  const auto pool = std::string("pool");
  (void)must(catalog->store_image(downloaded(sample.ready, 'a')));
  must(catalog->record_scan(
      {.image_id = sample.ready, .checksum = std::string(64, 'a'), .scanned_at = clock.now(), .engine = "builtin 1"},
      {}));
  (void)must(catalog->store_volume({.image_id = sample.ready,
                                    .pool = pool,
                                    .device_id = {7},
                                    .device_name = "thin-7",
                                    .device_path = "/dev/mapper/thin-7",
                                    .size_bytes = 10ULL << 30,
                                    .file_count = 80,
                                    .layout_verified = true,
                                    .source_checksum = std::string(64, 'a')}));
  (void)must(catalog->register_snapshot({.image_id = sample.ready,
                                         .pool = pool,
                                         .snapshot_id = {8},
                                         .name = "snap-alpine",
                                         .device_path = "/dev/mapper/snap-alpine",
                                         .origin = {7}}));
  clock.advance(std::chrono::minutes(1));
  (void)must(catalog->store_image(downloaded(sample.vulnerable, 'b')));
  const catalog::Finding finding{.package = "openssl",
                                 .version = "1.0",
                                 .vulnerability = "CVE-2014-0160",
                                 .severity = Severity::kCritical,
                                 .fixed_version = "1.0.1g",
                                 .title = "Heartbleed"};
  must(catalog->record_scan({.image_id = sample.vulnerable,
                             .checksum = std::string(64, 'b'),
                             .scanned_at = clock.now(),
                             .has_critical = true,
                             .vuln_count = 1,
                             .blocked = true,
                             .engine = "builtin 1"},
                            std::span(&finding, 1)));
  (void)must(catalog->mark_downloading({sample.failed, "bucket", "images/broken.tar"}));
  (void)must(catalog->mark_download_failed(sample.failed, {.reason = "access denied"}));
}

// One run, written as the runtime would have.
class RunWriter {
 public:
  explicit RunWriter(fsm::RunStore& store)
      : store_(store),
        plan_(std::make_shared<fsm::Plan>(fsm::Plan{{"check-exists", "download", "validate"}, "complete"})) {}

  fsm::RunVersion start(const std::string& id) {
    fsm::RunSpec spec;
    spec.version = fsm::RunVersion(ids_.next(now_));
    spec.machine = "download-image";
    spec.id = id;
    spec.plan = plan_;
    spec.queue = "downloads";
    spec.started_at = now_;
    const fsm::RunState state = fsm::Running{};
    const std::string request = R"({"key":"images/x.tar"})";
    commit(fsm::StartWrite{&spec, &state, &request, {{.kind = fsm::EventKind::kStarted, .at = now_}}});
    seq_ = 1;
    return spec.version;
  }

  void move(fsm::RunVersion version, const fsm::Progress& progress, fsm::Event event) {
    now_ += std::chrono::milliseconds(1500);
    event.at = now_;
    commit(fsm::MoveWrite{version, seq_++, &progress, nullptr, {std::move(event)}});
  }

  [[nodiscard]] TimePoint now() const { return now_; }

 private:
  void commit(fsm::Write write) {
    const auto results = must(store_.commit(std::span(&write, 1)));
    if (!std::holds_alternative<fsm::Applied>(results.front())) throw std::runtime_error("a run was refused");
  }

  fsm::RunStore& store_;
  std::shared_ptr<const fsm::Plan> plan_;
  UlidSource ids_{42};
  TimePoint now_ = from_micros(kNoon);
  std::uint64_t seq_ = 0;
};

void make_runs(SampleState& sample, const std::string& path) {
  using enum fsm::EventKind;
  const auto store = must(fsm::SqliteRunStore::open(path));
  RunWriter writer(*store);
  sample.completed = writer.start(sample.ready);
  writer.move(sample.completed, {fsm::Running{}, 1, 1},
              {.kind = kCompleted, .transition = "check-exists", .took = std::chrono::milliseconds(12)});
  writer.move(sample.completed, {fsm::Running{}, 2, 2},
              {.kind = kCompleted, .transition = "download", .took = std::chrono::seconds(4)});
  writer.move(sample.completed, {fsm::Finished{fsm::Ending::kCompleted, {}, writer.now()}, 3, 3},
              {.kind = kFinished, .ending = fsm::Ending::kCompleted});
  sample.errored = writer.start(sample.failed);
  const Error denied = Error(ErrorKind::kPermission, "access denied").with_hint("check the credentials");
  writer.move(sample.errored, {fsm::BackingOff{writer.now()}, 1, 1, 1},
              {.kind = kErrored, .transition = "download", .error = denied});
  writer.move(sample.errored, {fsm::Finished{fsm::Ending::kAborted, denied, writer.now()}, 1, 1, 1},
              {.kind = kFinished, .error = denied, .ending = fsm::Ending::kAborted});
  sample.running = writer.start("evil\x1b[2J\xff");
}

}  // namespace

SampleState make_sample_state(const std::string& folder) {
  SampleState sample;
  make_images(sample, folder + "/catalog.db");
  make_runs(sample, folder + "/fsm.db");
  return sample;
}

}  // namespace slipway::cli
