#include "archive/names.h"

#include <algorithm>

namespace slipway::archive {
namespace {

constexpr std::string_view kWhiteout = ".wh.";
constexpr std::string_view kOpaque = ".wh..wh..opq";

template <class Visit>
void for_each_part(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const auto slash = text.find('/');
    const std::string_view part = text.substr(0, slash);
    text.remove_prefix(slash == std::string_view::npos ? text.size() : slash + 1);
    if (!part.empty() && part != ".") visit(part);
  }
}

}  // namespace

PlainName take_apart(std::string_view name) {
  PlainName out;
  if (name.empty()) out.bad = "the name is empty";
  if (name.find('\0') != std::string_view::npos) out.bad = "the name holds a NUL byte";
  if (name.size() > kMaxName) out.bad = "the name is longer than 4096 bytes";
  if (!out.bad.empty()) return out;
  out.absolute = name.front() == '/';
  for_each_part(name, [&](std::string_view part) {
    if (part != "..") {
      if (part.size() > kMaxComponent) out.bad = "a part of the name is longer than 255 bytes";
      out.parts.push_back(part);
    } else if (out.parts.empty()) {
      out.leaves_root = true;
    } else {
      out.parts.pop_back();
    }
  });
  if (out.parts.size() > kMaxDepth) out.bad = "the name is more than 1024 folders deep";
  return out;
}

bool leads_out(std::string_view target, std::size_t depth) {
  if (target.starts_with('/')) depth = 0;
  bool out = false;
  for_each_part(target, [&](std::string_view part) {
    if (part != "..") {
      ++depth;
    } else if (depth == 0) {
      out = true;
    } else {
      --depth;
    }
  });
  return out;
}

std::string_view bad_target(std::string_view target) {
  if (target.empty()) return "the link's target is empty";
  if (target.find('\0') != std::string_view::npos) return "the link's target holds a NUL byte";
  if (target.size() > kMaxTarget) return "the link's target is longer than 4095 bytes";
  return {};
}

WhiteoutForm whiteout_form(const std::vector<std::string_view>& parts) {
  if (parts.empty()) return WhiteoutForm::kNone;
  const auto marked = [](std::string_view part) { return part.starts_with(kWhiteout); };
  if (std::any_of(parts.begin(), parts.end() - 1, marked)) return WhiteoutForm::kReserved;
  const std::string_view last = parts.back();
  if (!marked(last)) return WhiteoutForm::kNone;
  if (last == kOpaque) return WhiteoutForm::kOpaque;
  const std::string_view hidden = hidden_name(last);
  if (hidden.empty() || hidden == "." || hidden == ".." || marked(hidden)) return WhiteoutForm::kReserved;
  return WhiteoutForm::kHides;
}

std::string_view hidden_name(std::string_view last_part) { return last_part.substr(kWhiteout.size()); }

}  // namespace slipway::archive
