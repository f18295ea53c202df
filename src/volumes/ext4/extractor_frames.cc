#include "volumes/ext4/extractor_frames.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/json.h"

namespace slipway::volumes::ext4 {
namespace {

using archive::number_in;

std::unexpected<Error> misshapen(std::string_view what) {
  return fail(ErrorKind::kCorrupt, "the volume filler's answer is malformed: {}", what);
}

Json to_json(const Counts& counts) {
  return {{"files", counts.files},       {"bytes", counts.bytes},   {"folders", counts.folders},
          {"symlinks", counts.symlinks}, {"others", counts.others}, {"names", counts.names}};
}

std::optional<Counts> parse_counts(const Json& json) {
  if (!json.is_object() || !json.contains("counts") || !json["counts"].is_object()) return std::nullopt;
  Counts out;
  for (const auto& [name, place] :
       {std::pair{"files", &out.files}, std::pair{"bytes", &out.bytes}, std::pair{"folders", &out.folders},
        std::pair{"symlinks", &out.symlinks}, std::pair{"others", &out.others}, std::pair{"names", &out.names}}) {
    const auto value = number_in(json["counts"], name);
    if (!value) return std::nullopt;
    *place = *value;
  }
  return out;
}

Json to_json(const std::optional<Place>& place) {
  if (!place) return nullptr;
  return {{"folder", place->folder}, {"mode", place->mode}, {"uid", place->uid}, {"gid", place->gid}};
}

// False: malformed.
bool parse_place(const Json& json, const char* name, std::optional<Place>& out) {
  const auto found = json.find(name);
  if (found == json.end()) return false;
  if (found->is_null()) return true;
  if (!found->is_object() || !found->contains("folder") || !(*found)["folder"].is_boolean()) return false;
  const auto mode = number_in(*found, "mode");
  const auto uid = number_in(*found, "uid");
  const auto gid = number_in(*found, "gid");
  if (!mode || *mode > 07777 || !uid || *uid > UINT32_MAX || !gid || *gid > UINT32_MAX) return false;
  out = Place{.folder = (*found)["folder"].get<bool>(),
              .mode = static_cast<std::uint16_t>(*mode),
              .uid = static_cast<std::uint32_t>(*uid),
              .gid = static_cast<std::uint32_t>(*gid)};
  return true;
}

Result<ExtractorWord> parse_layout(const Json& json) {
  const auto counts = parse_counts(json);
  if (!counts) return misshapen("layout");
  Layout out{.counts = *counts};
  for (const auto& [name, place] : {std::pair{"rootfs", &out.rootfs}, std::pair{"etc", &out.etc},
                                    std::pair{"usr", &out.usr}, std::pair{"var", &out.var}}) {
    if (!parse_place(json, name, *place)) return misshapen("layout");
  }
  return out;
}

Result<ExtractorWord> parse_filled(const Json& json) {
  const auto counts = parse_counts(json);
  if (!counts) return misshapen("filled");
  const auto written = number_in(json, "written");
  const auto left_out = number_in(json, "xattrs_left_out");
  if (!written || !left_out) return misshapen("filled");
  return Filled{.counts = *counts, .written = *written, .xattrs_left_out = *left_out};
}

Result<ExtractorWord> parse_written(const Json& json) {
  const auto whole = [](const Json& number) { return number.is_number_unsigned(); };
  if (!json.is_array() || json.size() != 2 || !std::ranges::all_of(json, whole)) return misshapen("written");
  return Written{json[0].get<std::uint64_t>(), json[1].get<std::uint64_t>()};
}

std::unexpected<Error> no_order() { return fail(ErrorKind::kCorrupt, "no order"); }

Result<FillOrder> parse_fill(const Json& json) {
  const auto text = [&](const char* name) { return json.contains(name) && json[name].is_string(); };
  if (!json.is_object() || !text("label") || !text("uuid") || !json.contains("zeroed")) return no_order();
  const auto size = number_in(json, "size");
  if (!size || !json["zeroed"].is_boolean() || !json.contains("time") || !json["time"].is_number_integer()) {
    return no_order();
  }
  FillOrder out{.size = *size,
                .zeroed = json["zeroed"].get<bool>(),
                .label = json["label"].get<std::string>(),
                .time = from_micros(json["time"].get<std::int64_t>())};
  const auto uuid = from_hex(json["uuid"].get<std::string>());
  if (!uuid || uuid->size() != out.uuid.size()) return no_order();
  std::ranges::copy(*uuid, out.uuid.begin());
  return out;
}

}  // namespace

std::string order_frame(const ExtractorOrder& order) {
  Json json = archive::order_to_json(order.common);
  if (const auto* fill = std::get_if<FillOrder>(&order.task)) {
    json["fill"] = {{"size", fill->size},
                    {"zeroed", fill->zeroed},
                    {"label", fill->label},
                    {"uuid", to_hex(fill->uuid)},
                    {"time", to_micros(fill->time)}};
  } else {
    json["look"] = {{"size", std::get<LookOrder>(order.task).size}};
  }
  return archive::json_frame(json);
}

std::string frame(const Written& written) {
  return archive::json_frame({{"written", Json::array({written.bytes, written.most})}});
}

std::string frame(const Filled& filled) {
  return archive::json_frame({{"filled",
                               {{"counts", to_json(filled.counts)},
                                {"written", filled.written},
                                {"xattrs_left_out", filled.xattrs_left_out}}}});
}

std::string frame(const Layout& layout) {
  return archive::json_frame({{"layout",
                               {{"counts", to_json(layout.counts)},
                                {"rootfs", to_json(layout.rootfs)},
                                {"etc", to_json(layout.etc)},
                                {"usr", to_json(layout.usr)},
                                {"var", to_json(layout.var)}}}});
}

Result<ExtractorOrder> parse_extractor_order(std::string_view body) {
  auto json = parse_json(body);
  if (!json) return fail(std::move(json.error()));
  auto common = archive::order_from_json(*json);
  if (!common) return fail(std::move(common.error()));
  if (json->contains("fill")) {
    auto fill = parse_fill((*json)["fill"]);
    if (!fill) return no_order();
    return ExtractorOrder{std::move(*common), std::move(*fill)};
  }
  if (!json->contains("look") || !(*json)["look"].is_object()) return no_order();
  const auto size = number_in((*json)["look"], "size");
  if (!size) return no_order();
  return ExtractorOrder{std::move(*common), LookOrder{*size}};
}

Result<ExtractorWord> parse_extractor_word(std::string_view body) {
  auto word = archive::parse_any_word(body);
  if (!word) return fail(std::move(word.error()));
  if (const auto* progress = std::get_if<archive::Progress>(&*word)) return *progress;
  if (auto* error = std::get_if<Error>(&*word)) return std::move(*error);
  const Json& json = std::get<Json>(*word);
  if (json.contains("written")) return parse_written(json["written"]);
  if (json.contains("filled")) return parse_filled(json["filled"]);
  if (json.contains("layout")) return parse_layout(json["layout"]);
  return misshapen("it is no word that is known");
}

}  // namespace slipway::volumes::ext4
