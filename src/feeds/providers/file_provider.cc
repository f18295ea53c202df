#include "feeds/providers/file_provider.h"

#include <tuple>
#include <utility>

#include "base/number.h"

namespace slipway::feeds {

std::string Position::text() const { return fmt::format("{}/{}/{}/{}", part, file, item, record); }

std::optional<Position> Position::parse(std::string_view text) {
  Position at;
  for (std::size_t* const field : {&at.part, &at.file, &at.item, &at.record}) {
    const auto slash = text.find('/');
    const bool last = field == &at.record;
    if (last != (slash == std::string_view::npos)) return std::nullopt;
    const auto number = parse_number<std::size_t>(text.substr(0, slash));
    if (!number) return std::nullopt;
    *field = *number;
    if (!last) text.remove_prefix(slash + 1);
  }
  return at;
}

bool FileProvider::wants(std::string_view /*file*/) const { return true; }
Result<> FileProvider::survey(const Fetched& /*source*/, const std::stop_token& /*stop*/) { return {}; }
bool FileProvider::tells_all(std::string_view /*file*/) const { return true; }

// One run: it counts its way to where the last one stopped, then hands over.
class FileProvider::Reading {
 public:
  Reading(FileProvider& provider, Intake& intake, std::optional<Position> done)
      : provider_(provider), intake_(intake), done_(done), found_records_(done.has_value()) {}

  Result<> read(const FetchedPart& part, std::size_t number) {
    at_.part = number;
    if (done_ && number < done_->part) return {};
    auto files = FeedFiles::open(part.path, part.name);
    if (!files) return files.error().during("read {}", part.place);
    for (at_.file = 0;;) {
      auto file = files->next();
      if (!file) return file.error().during("read {}", part.place);
      if (!*file) return {};
      if ((*file)->one_of_many && !provider_.wants((*file)->name)) continue;
      if (!provider_.tells_all(file_name((*file)->name))) intake_.tells_only_of_changes();
      if (auto read = read_file(**file); !read) return read.error().during("read {}", part.place);
      ++at_.file;
    }
  }

  [[nodiscard]] bool found_files() const { return found_files_; }
  [[nodiscard]] bool found_records() const { return found_records_; }

 private:
  // Whether the run that was interrupted had all of the item, or of the file.
  [[nodiscard]] bool file_is_done() const {
    return done_ && std::pair(at_.part, at_.file) < std::pair(done_->part, done_->file);
  }
  [[nodiscard]] bool item_is_done() const {
    return done_ && std::tuple(at_.part, at_.file, at_.item) < std::tuple(done_->part, done_->file, done_->item);
  }
  [[nodiscard]] bool record_is_done() const { return done_ && at_ <= *done_; }

  Result<> read_file(const FeedFile& file) {
    if (intake_.stop().stop_requested()) return fail(ErrorKind::kCancelled, "it is to stop");
    found_files_ = true;
    if (file_is_done()) return {};
    at_.item = 0;
    auto items = provider_.open(file);
    if (!items) return broken(file, items.error());
    if (*items == nullptr) return {};
    for (;; ++at_.item) {
      const auto more = (*items)->advance();
      if (!more) return broken(file, more.error());
      if (!*more) return {};
      if (item_is_done()) continue;
      if (auto taken = take(**items); !taken) return taken;
    }
  }

  Result<> take(Items& items) {
    at_.record = 0;
    auto records = items.records();
    if (!records) {
      if (records.error().kind() == ErrorKind::kCancelled) return fail(std::move(records.error()));
      return record_is_done() ? Result<>() : intake_.put_bad(items.name(), records.error(), at_.text());
    }
    found_records_ |= !records->empty();
    for (auto& record : *records) {
      if (!record_is_done()) {
        if (auto taken = intake_.put(std::move(record), at_.text()); !taken) return taken;
      }
      ++at_.record;
    }
    return {};
  }

  Result<> broken(const FeedFile& file, const Error& error) {
    // One of many that broke before anything came of it is a bad record like others.
    if (file.one_of_many && at_.item == 0 && error.kind() == ErrorKind::kCorrupt) {
      at_.record = 0;
      return record_is_done() ? Result<>() : intake_.put_bad(file.name, error, at_.text());
    }
    return error.during("{}", file.name);
  }

  FileProvider& provider_;
  Intake& intake_;
  std::optional<Position> done_;
  Position at_;
  bool found_files_ = false;
  bool found_records_;
};

namespace {

// What is broken at one place may be whole at the next. False: there is no other.
bool leave_out(std::vector<Part>& parts, const std::string& place) {
  for (auto& part : parts) {
    if (part.places.size() > 1 && std::erase(part.places, place) > 0) return true;
  }
  return false;
}

}  // namespace

Result<> FileProvider::run(Intake& intake) {
  auto parts = intake.config().parts;
  if (parts.empty()) {
    return fail(Error(ErrorKind::kInvalid, fmt::format("{} has no source", intake.config().id))
                    .with_hint(fmt::format("set feed_{}_source", intake.config().id)));
  }
  for (;;) {
    std::string place;
    auto done = run_from(parts, intake, place);
    const bool broken =
        !done && (done.error().kind() == ErrorKind::kCorrupt || done.error().kind() == ErrorKind::kRejected);
    if (!broken || place.empty() || !leave_out(parts, place)) return done;
    intake.log().warn("{}: {}; the next place is tried", intake.config().id, done.error().message());
  }
}

std::string FileProvider::tag_of(const Fetched& source) const {
  return reading() == 0 ? source.tag : fmt::format("{}/{}", source.tag, reading());
}

// `at`: the place of the part that is being read.
Result<> FileProvider::run_from(const std::vector<Part>& parts, Intake& intake, std::string& at) {
  std::optional<Patience> patience;
  auto source = fetcher_.fetch(intake.config().id, parts, intake.clock(), intake.log(), intake.stop(), patience);
  if (!source && patience) return fail(intake.rate_limited(patience->wait, source.error().message()));
  if (!source) return fail(std::move(source.error()));
  const auto begin = intake.begin({.tag = tag_of(*source), .whole = true, .repeats_are_normal = repeats_are_normal()});
  if (!begin) return fail(begin.error());
  if (begin->unchanged) return {};
  if (auto surveyed = survey(*source, intake.stop()); !surveyed) return surveyed;
  Reading reading(*this, intake, Position::parse(begin->position));
  for (std::size_t i = 0; i < source->parts.size(); ++i) {
    at = source->parts[i].place;
    if (!tells_all(file_name(at))) intake.tells_only_of_changes();
    if (auto read = reading.read(source->parts[i], i); !read) return read;
  }
  const auto& place = source->parts.front().place;
  if (!reading.found_files()) {
    return fail(ErrorKind::kCorrupt, "there is no file of {}'s in {}", intake.config().id, place);
  }
  // All that is known would be gone: that is no data, but a fault.
  if (!reading.found_records()) {
    return fail(ErrorKind::kCorrupt, "there is not one record of {}'s in {}", intake.config().id, place);
  }
  return {};
}

}  // namespace slipway::feeds
