#include "scan/inventory/first_look.h"

#include <algorithm>
#include <utility>

namespace slipway::scan {
namespace {

// What the archive itself could not give is an error of the whole, not of one file in it.
class NotedSource : public archive::ByteSource {
 public:
  explicit NotedSource(ByteSource& from) : from_(from) {}

  [[nodiscard]] Result<std::span<const std::byte>> next() override {
    auto bytes = from_.next();
    if (!bytes) error_ = bytes.error();
    return bytes;
  }
  [[nodiscard]] Result<std::uint64_t> skip(std::uint64_t count) override {
    auto far = from_.skip(count);
    if (!far) error_ = far.error();
    return far;
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  ByteSource& from_;
  std::optional<Error> error_;
};

const FileReader* find_in(std::span<const FileReader> readers, const FileInfo& file) {
  const auto found = std::ranges::find_if(readers, [&](const FileReader& reader) { return reader.wants(file); });
  return found == readers.end() ? nullptr : &*found;
}

}  // namespace

const FileReader* distribution_reader_of(const FileInfo& file) { return find_in(distribution_readers(), file); }

const FileReader* reader_of(const FileInfo& file) {
  for (const auto& readers : {distribution_readers(), language_readers(), binary_readers()}) {
    if (const auto* reader = find_in(readers, file)) return reader;
  }
  return nullptr;
}

bool is_executable(std::uint16_t mode) {
  constexpr std::uint16_t kAnyExecute = 0111;
  return (mode & kAnyExecute) != 0;
}

Result<> read_file(const FileReader& reader, const FileInfo& file, archive::ByteSource& content, Finds& finds) {
  NotedSource noted(content);
  const auto read = reader.read(file, noted, finds);
  if (noted.error()) return fail(*noted.error());
  if (!read) finds.unread(fmt::format("{}: {}", reader.name, read.error().message()));
  return {};
}

void FirstLook::begin_again() {
  files_.clear();
  packages_ = 0;
  owned_ = 0;
}

Result<> FirstLook::file(archive::Origin place, std::string_view path, const archive::Entry& entry,
                         archive::ByteSource& content) {
  const FileInfo file{.path = path, .size = entry.size, .executable = is_executable(entry.mode)};
  const auto* reader = reader_of(file);
  if (reader == nullptr || packages_ >= Finds::kMostPackages || owned_ >= Finds::kMostOwned) return {};
  auto finds = std::make_unique<Finds>();
  finds->enter(path, place.layer);
  if (auto read = read_file(*reader, file, content, *finds); !read) return read;
  packages_ += finds->packages();
  owned_ += finds->owned();
  if (finds->nothing()) finds.reset();
  files_.push_back({.place = place, .path = std::string(path), .reader = reader, .finds = std::move(finds)});
  sorted_ = false;
  return {};
}

FirstLook::ReadFile* FirstLook::at(archive::Origin place) {
  if (!std::exchange(sorted_, true)) std::ranges::sort(files_, {}, &ReadFile::place);
  const auto found = std::ranges::lower_bound(files_, place, {}, &ReadFile::place);
  return found == files_.end() || found->place != place ? nullptr : &*found;
}

const FileReader* FirstLook::reader_at(archive::Origin place) {
  const auto* file = at(place);
  return file == nullptr ? nullptr : file->reader;
}

std::optional<Finds> FirstLook::take(archive::Origin place, std::string_view path, const FileReader& reader) {
  auto* file = at(place);
  if (file == nullptr || file->taken || file->path != path || file->reader != &reader) return std::nullopt;
  file->taken = true;
  return file->finds ? std::move(*file->finds) : Finds();
}

void FirstLook::each_left(const std::function<void(const Finds&, std::uint32_t layer)>& visit) const {
  for (const auto& file : files_) {
    if (!file.taken && file.finds) visit(*file.finds, file.place.layer);
  }
}

}  // namespace slipway::scan
