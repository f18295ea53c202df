#include "feeds/testing/ground.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "feeds/intake.h"

namespace slipway::feeds {
namespace {

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().describe());
  return std::move(*result);
}

}  // namespace

Ground::Ground()
    : client_({.proxies = false}),
      fetcher_(client_, {.cache_dir = dir_.file("cache")}),
      store_(must(FeedStore::open(dir_.file("feeds.db"), sys::system_clock()))),
      tables_(dir_.file("feeds.db")) {}

Result<ProviderRow> Ground::sync(const std::string& id, const Make& make, const std::string& parts,
                                 const Options& options) {
  const ProviderConfig config{.id = id,
                              .type = id,
                              .batch_size = options.batch_size,
                              .max_bad_records = options.max_bad_records,
                              .parts = must(parse_parts(parts)),
                              .api_key = options.api_key};
  auto row = must(store_->register_provider(id, id));
  int items = 0;
  Intake intake(config, *store_, row, sys::system_clock(), {},
                {.on_row = [&row](const ProviderRow& now) { row = now; },
                 .interrupted = [&] { return ++items == options.interrupt_after; },
                 .on_checkpoint = [](const Checkpoint&, std::int64_t) {}},
                {});
  const auto provider = make(fetcher_, client_);
  auto result = provider->run(intake);
  auto kept = intake.flush();
  if (result && !kept) result = std::move(kept);
  if (!result) return fail(std::move(result.error()));
  row.state = ProviderState::kTerminated;
  row.outcome = Outcome::kCompleted;
  auto saved = intake.unchanged() ? store_->confirm_sync(row)
                                  : store_->complete_sync(row, intake.source().tag, intake.source().whole);
  if (!saved) return fail(std::move(saved.error()));
  return row;
}

std::string Ground::write(const std::string& name, std::string_view content) const {
  const auto path = dir_.file(name);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

}  // namespace slipway::feeds
