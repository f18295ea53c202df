#include "fsm/sqlite_run_store.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "fsm/in_flight_file.h"
#include "fsm/run_schema.h"
#include "fsm/sqlite_run_reader.h"
#include "fsm/sqlite_run_writer.h"
#include "store/private_file.h"
#include "sys/directories.h"
#include "sys/owner_lock.h"

namespace slipway::fsm {
namespace {

namespace fs = std::filesystem;

class OpenStore final : public RunStore {
 public:
  OpenStore(sys::OwnerLock lock, std::unique_ptr<InFlightFile> marks, std::unique_ptr<SqliteRunWriter> writer,
            std::unique_ptr<SqliteRunReader> reader, std::vector<RunVersion> found_in_flight)
      : lock_(std::move(lock)),
        marks_(std::move(marks)),
        writer_(std::move(writer)),
        reader_(std::move(reader)),
        found_in_flight_(std::move(found_in_flight)) {}

  Result<std::optional<RunRecord>> find(RunVersion version) override { return reader_->find(version); }
  Result<std::optional<RunVersion>> latest(const std::string& machine, const std::string& id) override {
    return reader_->latest(machine, id);
  }
  Result<std::vector<RunRecord>> list(const RunFilter& filter) override { return reader_->list(filter); }
  Result<std::vector<RunEvent>> history(RunVersion version) override { return reader_->history(version); }

  Result<std::vector<WriteResult>> commit(std::span<const Write> writes) override { return writer_->commit(writes); }
  Result<> load_active(std::size_t payload_limit, const std::function<void(ActiveRun&&)>& take) override {
    return reader_->load_active(payload_limit, take);
  }
  Result<RunVersion> greatest_version() override { return reader_->greatest_version(); }
  Result<std::size_t> remove_finished(const Retention& keep, TimePoint now, std::size_t most) override {
    return writer_->remove_finished(keep, now, most);
  }
  InFlightMarks& in_flight() override { return *marks_; }
  const std::vector<RunVersion>& found_in_flight() const override { return found_in_flight_; }

 private:
  // In this order: the lock is let go of last, and the writer, which tidies up the WAL, closes after the reader.
  sys::OwnerLock lock_;
  std::unique_ptr<InFlightFile> marks_;
  std::unique_ptr<SqliteRunWriter> writer_;
  std::unique_ptr<SqliteRunReader> reader_;
  const std::vector<RunVersion> found_in_flight_;
};

Result<std::vector<RunVersion>> only_active(SqliteRunReader& reader, const std::vector<RunVersion>& marks) {
  std::vector<RunVersion> found;
  for (const auto version : marks) {
    auto active = reader.is_active(version);
    if (!active) return fail(std::move(active.error()));
    if (*active) found.push_back(version);
  }
  return found;
}

Result<std::unique_ptr<RunStore>> open_owned(const std::string& path, const SqliteOptions& options,
                                             sys::OwnerLock lock) {
  if (auto made = store::make_private_file(path); !made) return fail(std::move(made.error()));
  if (auto guarded = lock.guard(path); !guarded) return fail(std::move(guarded.error()));
  auto writer = SqliteRunWriter::open({.path = path,
                                       .cache_kib = options.cache_kib,
                                       .wal_autocheckpoint_pages = options.wal_autocheckpoint_pages,
                                       .foreign_keys = false,
                                       .application_id = kRunSchema.application_id});
  if (!writer) return fail(std::move(writer.error()));
  auto reader = SqliteRunReader::open(path);
  if (!reader) return fail(std::move(reader.error()));
  auto marks = InFlightFile::open(path + ".inflight", options.slots);
  if (!marks) return fail(std::move(marks.error()));
  auto found = only_active(**reader, (*marks)->found());
  if (!found) return fail(std::move(found.error()));
  return std::make_unique<OpenStore>(std::move(lock), std::move(*marks), std::move(*writer), std::move(*reader),
                                     std::move(*found));
}

}  // namespace

Result<std::unique_ptr<RunStore>> SqliteRunStore::open(const std::string& path, const SqliteOptions& options) {
  // SQLite syncs the directory of its files itself.
  if (auto made = sys::make_directories(fs::path(path).parent_path()); !made) {
    return made.error().during("open run store {}", path);
  }
  // One file has one owner, under whatever name: a link to it must not lead to another lock.
  std::error_code failed;
  const std::string real = fs::weakly_canonical(path, failed).string();
  if (failed) return fail(ErrorKind::kIo, "open run store {}: {}", path, failed.message());
  const sys::Clock& clock = options.clock == nullptr ? sys::system_clock() : *options.clock;
  auto lock = sys::OwnerLock::acquire(real + ".lock", to_iso8601(clock.now()));
  if (!lock) return lock.error().during("open run store {}", path);
  auto opened = open_owned(real, options, std::move(*lock));
  if (!opened) return opened.error().during("open run store {}", path);
  return opened;
}

Result<std::unique_ptr<RunReader>> open_run_reader(const std::string& path) {
  auto reader = SqliteRunReader::open(path);
  if (!reader) return fail(std::move(reader.error()));
  return std::move(*reader);
}

}  // namespace slipway::fsm
