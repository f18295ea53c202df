#include "feeds/formats/xml_cutter.h"

#include <algorithm>

namespace slipway::feeds {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::size_t size_of(const XmlAttributes& attributes) {
  std::size_t size = 0;
  for (const auto& [name, value] : attributes) size += sizeof(XmlAttributes::value_type) + name.size() + value.size();
  return size;
}

}  // namespace

XmlCutter::Role XmlCutter::role_of(std::string_view name) const {
  if (in_record_) return Role::kPart;
  if (std::ranges::find(options_.records, name) != options_.records.end()) return Role::kRecord;
  if (std::ranges::find(options_.containers, name) != options_.containers.end()) return Role::kContainer;
  return Role::kPart;
}

Result<> XmlCutter::begin(std::string_view name, XmlAttributes attributes, std::size_t line) {
  if (++depth_ > options_.deepest) {
    return fail(ErrorKind::kCorrupt, "elements are nested deeper than {}", options_.deepest);
  }
  if (!keeps(name)) return {};
  const Role role = role_of(name);
  if (role != Role::kPart && !open_.empty()) drop_space_at_end(open_.back());
  open_.push_back({.node = {.name = std::string(name)}, .role = role, .line = line, .held_before = held_, .piece = 0});
  const std::size_t head = name.size() + size_of(attributes);
  if (role == Role::kContainer) {
    if (auto held = hold(sizeof(XmlContainer) + head); !held) return held;
    containers_.push_back(std::make_shared<XmlContainer>(std::string(name), attributes));
  }
  if (auto held = hold(sizeof(Open) + head); !held) return held;
  in_record_ = in_record_ || role == Role::kRecord;
  open_.back().node.attributes = std::move(attributes);
  return {};
}

Result<> XmlCutter::text(std::string_view text) {
  if (open_.empty()) return {};
  if (auto held = hold(text.size()); !held) return held;
  open_.back().node.text += text;
  return {};
}

std::optional<XmlRecord> XmlCutter::end() {
  --depth_;
  if (open_.empty()) return {};
  Open ended = std::move(open_.back());
  open_.pop_back();
  if (ended.role == Role::kPart) {  // its parent is open: a part is kept only within something
    Open& parent = open_.back();
    ended.node.place = parent.node.text.size();
    parent.piece = ended.node.place;
    parent.node.children.push_back(std::move(ended.node));
    return {};
  }
  held_ = ended.held_before;
  in_record_ = false;
  if (ended.role == Role::kContainer) containers_.pop_back();
  return XmlRecord{.node = std::move(ended.node), .within = containers_, .line = ended.line};
}

Result<> XmlCutter::hold(std::size_t bytes) {
  if (bytes <= options_.largest - held_) {
    held_ += bytes;
    return {};
  }
  const auto cut =
      std::ranges::find_if(open_.rbegin(), open_.rend(), [](const Open& open) { return open.role != Role::kPart; });
  return fail(ErrorKind::kCorrupt,
              "the element {} that begins in line {} takes, with what is kept of those around it, more than {} bytes",
              cut == open_.rend() ? std::string_view{} : std::string_view(cut->node.name),
              cut == open_.rend() ? 0 : cut->line, options_.largest);
}

// Otherwise a container of very many records would be made of the line breaks between them.
void XmlCutter::drop_space_at_end(Open& parent) {
  std::string& text = parent.node.text;
  if (text.find_first_not_of(kSpace, parent.piece) == std::string::npos) {
    held_ -= text.size() - parent.piece;
    text.resize(parent.piece);
  }
  parent.piece = text.size();
}

}  // namespace slipway::feeds
