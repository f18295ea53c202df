#include "objects/part_state.h"

#include <cerrno>
#include <fstream>

#include <fcntl.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/json.h"
#include "sys/fault.h"
#include "sys/system_error.h"

namespace slipway::objects {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kMaxState = 1 << 20;

std::filesystem::path with_suffix(const std::filesystem::path& file, const char* suffix) {
  std::filesystem::path out = file;
  out += suffix;
  return out;
}

std::filesystem::path new_state_path(const std::filesystem::path& file) { return with_suffix(file, ".part.state.new"); }

// JSON carries UTF-8 only, keys are any bytes: hexadecimal carries them all.
std::string hex(std::string_view bytes) {
  return to_hex(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

Result<> write_all(int fd, std::string_view text, const std::filesystem::path& path) {
  while (!text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail(local_error("write", path.string(), errno));
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

}  // namespace

std::filesystem::path part_path(const std::filesystem::path& file) { return with_suffix(file, ".part"); }
std::filesystem::path state_path(const std::filesystem::path& file) { return with_suffix(file, ".part.state"); }

Result<std::string> encode_part_state(const PartIdentity& identity, const std::vector<ByteRange>& have) {
  Json ranges = Json::array();
  for (const auto& range : have) ranges.push_back({range.offset, range.length});
  auto text = write_json({{"version", kVersion},
                          {"source", hex(identity.source)},
                          {"key", hex(identity.key)},
                          {"etag", hex(identity.etag)},
                          {"size", identity.size},
                          {"have", std::move(ranges)}});
  if (!text) return text;
  return sha256_hex(*text) + " " + *text + "\n";
}

std::optional<std::vector<ByteRange>> decode_part_state(std::string_view text, const PartIdentity& identity) {
  constexpr std::size_t kDigest = 64;
  if (text.size() < kDigest + 2 || text[kDigest] != ' ' || text.back() != '\n') return std::nullopt;
  const std::string_view body = text.substr(kDigest + 1, text.size() - kDigest - 2);
  if (sha256_hex(body) != text.substr(0, kDigest)) return std::nullopt;
  const auto json = parse_json(body);
  if (!json) return std::nullopt;
  try {
    if (json->at("version") != kVersion || json->at("source") != hex(identity.source) ||
        json->at("key") != hex(identity.key) || json->at("etag") != hex(identity.etag) ||
        json->at("size") != identity.size) {
      return std::nullopt;
    }
    std::vector<ByteRange> have;
    for (const auto& item : json->at("have")) {
      const ByteRange range{item.at(0).get<std::uint64_t>(), item.at(1).get<std::uint64_t>()};
      if (range.offset > identity.size || range.length > identity.size - range.offset) return std::nullopt;
      have.push_back(range);
    }
    return have;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

Result<> write_part_state(const std::filesystem::path& file, const std::string& text) {
  const auto fresh = new_state_path(file);
  if (auto fault = fault::check("objects.state.write")) return fault->during("write {}", fresh.string());
  const sys::Descriptor fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return fail(local_error("create", fresh.string(), errno));
  if (auto written = write_all(fd.get(), text, fresh); !written) return written;
  if (::rename(fresh.c_str(), state_path(file).c_str()) != 0) {
    return fail(local_error("rename", fresh.string(), errno));
  }
  return {};
}

std::string read_part_state(const std::filesystem::path& file) {
  std::ifstream in(state_path(file), std::ios::binary);
  std::string text(kMaxState + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMaxState) return {};
  return text;
}

Result<> remove_part_state(const std::filesystem::path& file) {
  if (auto removed = remove_if_there(new_state_path(file)); !removed) return removed;
  return remove_if_there(state_path(file));
}

Error local_error(std::string_view doing, std::string_view path, int error) {
  Error local = sys::system_error(doing, path, error);
  return local.kind() == ErrorKind::kNotFound ? Error(ErrorKind::kIo, local.message()) : local;
}

Result<> remove_if_there(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return fail(local_error("remove", path.string(), errno));
  return {};
}

}  // namespace slipway::objects
