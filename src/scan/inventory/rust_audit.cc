#include "scan/inventory/rust_audit.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <zlib.h>

#include "base/json.h"

namespace slipway::scan {
namespace {

constexpr std::size_t kPiece = 64UL << 10;

std::unexpected<Error> no_list(std::string_view why) {
  return fail(ErrorKind::kCorrupt, "its list of crates cannot be read: {}", why);
}

class Inflater {
 public:
  explicit Inflater(std::span<const std::byte> packed) : usable_(::inflateInit(&stream_) == Z_OK), out_(kPiece) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  [[nodiscard]] Result<std::string> whole(std::uint64_t most) {
    std::string text;
    for (int status = Z_OK; status != Z_STREAM_END;) {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      status = usable_ ? ::inflate(&stream_, Z_NO_FLUSH) : Z_MEM_ERROR;
      if (status != Z_OK && status != Z_STREAM_END) return no_list("it is damaged");
      text.append(reinterpret_cast<const char*>(out_.data()), out_.size() - stream_.avail_out);
      if (text.size() > most) return fail(ErrorKind::kRejected, "its list of crates has more than {} bytes", most);
    }
    return text;
  }

 private:
  z_stream stream_{};
  bool usable_;
  std::vector<std::byte> out_;
};

std::string text_in(const Json& crate, const char* name) {
  const auto found = crate.find(name);
  return found != crate.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Result<> add_rust_crates(std::span<const std::byte> section, Finds& finds) {
  auto text = Inflater(section.first(std::min<std::size_t>(section.size(), 1UL << 30))).whole(kMostAuditBytes);
  if (!text) return fail(std::move(text.error()));
  const auto list = parse_json(*text);
  if (!list) return no_list(list.error().message());
  const auto crates = list->is_object() ? list->find("packages") : list->end();
  if (!list->is_object() || crates == list->end() || !crates->is_array()) return no_list("it has no packages");
  for (const Json& crate : *crates) {
    if (!crate.is_object()) return no_list("a package is no object");
    const std::string kind = text_in(crate, "kind");
    if (!kind.empty() && kind != "runtime") continue;
    finds.add({.type = PackageType::kCargo, .name = text_in(crate, "name"), .version = text_in(crate, "version")});
  }
  return {};
}

}  // namespace slipway::scan
