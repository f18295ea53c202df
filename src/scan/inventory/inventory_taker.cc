#include "scan/inventory/inventory_taker.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <unistd.h>

#include "archive/inspection_frames.h"
#include "archive/reader_child.h"
#include "scan/inventory_json.h"

namespace slipway::scan {
namespace {

// {"inspection": {...}}, {"part": INVENTORY} as often as it takes, then {"last": INVENTORY}; each as the text of
// inventory_json.h.
class Parts {
 public:
  // True: that was the last.
  Result<bool> take(const Json& word) {
    if (word.contains("inspection")) {
      auto inspection = archive::inspection_from_json(word["inspection"]);
      if (!inspection) return fail(std::move(inspection.error()));
      inspection_ = std::move(*inspection);
      return false;
    }
    const bool last = word.contains("last");
    const auto text = word.find(last ? "last" : "part");
    if (text == word.end() || !text->is_string()) {
      return fail(ErrorKind::kCorrupt, "the reader of packages answers with something else");
    }
    auto part = inventory_from_json(text->get_ref<const std::string&>());
    if (!part) return fail(Error(ErrorKind::kCorrupt, part.error().message()));
    if (!whole_) {
      whole_ = std::move(*part);
    } else {
      whole_->packages.insert(whole_->packages.end(), std::make_move_iterator(part->packages.begin()),
                              std::make_move_iterator(part->packages.end()));
    }
    if (last && !inspection_) return fail(ErrorKind::kCorrupt, "the reader of packages has not inspected the archive");
    return last;
  }

  // After the last.
  [[nodiscard]] Listed whole() { return {std::move(*inspection_), std::move(*whole_)}; }

 private:
  std::optional<archive::Inspection> inspection_;
  std::optional<Inventory> whole_;
};

}  // namespace

Result<Listed> InventoryTaker::take(const archive::ImageFile& file, const archive::Policy& policy,
                                    const archive::InspectOptions& options, std::stop_token stop) const {
  const archive::Order order{
      .policy = policy,
      .parent = ::getpid(),
      .size = file.size,
      .cpu_seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(options.cpu_limit.count(), 1))};
  Parts parts;
  const archive::Listen listen = [&](std::string_view body) -> Result<std::optional<std::uint64_t>> {
    auto word = archive::parse_any_word(body);
    if (!word) return fail(std::move(word.error()));
    if (auto* error = std::get_if<Error>(&*word)) return fail(std::move(*error));
    if (const auto* progress = std::get_if<archive::Progress>(&*word)) return progress->read;
    auto last = parts.take(std::get<Json>(*word));
    if (!last) return fail(std::move(last.error()));
    if (*last) return std::nullopt;
    return std::uint64_t{0};
  };
  const archive::ReaderTask task{.input = file.fd.get(), .size = file.size, .order = archive::order_frame(order)};
  if (auto run = archive::run_reader(program_, task, options, std::move(stop), listen); !run) {
    return run.error().during("list the packages of {}", file.path.native());
  }
  return parts.whole();
}

}  // namespace slipway::scan
