#include "archive/policy.h"

#include <charconv>
#include <optional>
#include <utility>

namespace slipway::archive {
namespace {

struct RuleInfo {
  Rule rule;
  std::string_view name;
  Action standard;
  Action strict;
  std::string_view actions;  // the first letters of those it knows
};

constexpr std::array<RuleInfo, kRules> kTable{{
    {Rule::kTraversal, "traversal", Action::kRefuse, Action::kRefuse, "arf"},
    {Rule::kAbsoluteNames, "absolute_names", Action::kRefuse, Action::kRefuse, "arf"},
    {Rule::kBadNames, "bad_names", Action::kRefuse, Action::kRefuse, "sf"},
    {Rule::kSymlinkEscape, "symlink_escape", Action::kRefuse, Action::kRefuse, "arsf"},
    {Rule::kAbsoluteSymlinks, "absolute_symlinks", Action::kAllow, Action::kRefuse, "arsf"},
    {Rule::kHardLinkOutside, "hard_link_outside", Action::kRefuse, Action::kRefuse, "sf"},
    {Rule::kHardLinkSymlink, "hard_link_symlink", Action::kRefuse, Action::kRefuse, "arsf"},
    {Rule::kWriteThroughSymlink, "write_through_symlink", Action::kAllow, Action::kRefuse, "arsf"},
    {Rule::kSetuid, "setuid", Action::kRecord, Action::kRefuse, "arf"},
    {Rule::kDevices, "devices", Action::kSkip, Action::kRefuse, "arsf"},
    {Rule::kFifos, "fifos", Action::kRecord, Action::kRefuse, "arsf"},
    {Rule::kWorldWritable, "world_writable", Action::kRefuse, Action::kRefuse, "arf"},
    {Rule::kMissingFolders, "missing_folders", Action::kRecord, Action::kRefuse, "arf"},
    {Rule::kMixedLayout, "mixed_layout", Action::kRecord, Action::kRefuse, "arf"},
    {Rule::kWhiteouts, "whiteouts", Action::kSkip, Action::kSkip, "sf"},
}};

constexpr std::array<std::pair<Action, std::string_view>, 4> kActions{
    {{Action::kAllow, "allow"}, {Action::kRecord, "record"}, {Action::kSkip, "skip"}, {Action::kRefuse, "refuse"}}};

constexpr std::string_view kPrefix = "policy_";

struct LimitInfo {
  std::string_view name;
  std::uint64_t Limits::* value;
  bool size;  // takes units
};

constexpr std::array<LimitInfo, 4> kLimits{{
    {"max_files", &Limits::max_files, false},
    {"max_file_size", &Limits::max_file_size, true},
    {"max_total_size", &Limits::max_total_size, true},
    {"max_compression_ratio", &Limits::max_compression_ratio, false},
}};

char letter(Action action) {
  switch (action) {
    case Action::kAllow: return 'a';
    case Action::kRecord: return 'r';
    case Action::kSkip: return 's';
    case Action::kRefuse: return 'f';
  }
  return '?';
}

bool knows(const RuleInfo& info, Action action) { return info.actions.find(letter(action)) != std::string_view::npos; }

std::string possible_actions(const RuleInfo& info) {
  std::string out;
  for (const auto& [action, name] : kActions) {
    if (!knows(info, action)) continue;
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out;
}

std::optional<Action> parse_action(std::string_view text) {
  for (const auto& [action, name] : kActions) {
    if (name == text) return action;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> parse_amount(std::string_view text, bool units) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number == 0) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.empty()) return number;
  if (!units) return std::nullopt;
  if (unit.front() == ' ') unit.remove_prefix(1);
  unsigned shift = 0;
  for (const std::string_view known : {"KiB", "MiB", "GiB", "TiB"}) {
    shift += 10;
    if (unit == known) return number > (UINT64_MAX >> shift) ? std::nullopt : std::optional(number << shift);
  }
  return std::nullopt;
}

const RuleInfo* find_rule(std::string_view setting) {
  if (!setting.starts_with(kPrefix)) return nullptr;
  for (const RuleInfo& info : kTable) {
    if (info.name == setting.substr(kPrefix.size())) return &info;
  }
  return nullptr;
}

const LimitInfo* find_limit(std::string_view setting) {
  for (const LimitInfo& info : kLimits) {
    if (info.name == setting) return &info;
  }
  return nullptr;
}

std::unexpected<Error> no_such_setting(std::string_view name) {
  return fail(ErrorKind::kInvalid, "there is no setting {}", name);
}

Policy level(std::string_view name, Action RuleInfo::* actions) {
  Policy policy;
  policy.level = name;
  for (const RuleInfo& info : kTable) policy.actions[static_cast<std::size_t>(info.rule)] = info.*actions;
  return policy;
}

}  // namespace

std::string_view to_string(Action action) {
  for (const auto& [value, name] : kActions) {
    if (value == action) return name;
  }
  return "unknown";
}

std::string_view to_string(Rule rule) { return kTable[static_cast<std::size_t>(rule)].name; }

Action mildest(Rule rule) {
  const RuleInfo& info = kTable[static_cast<std::size_t>(rule)];
  for (const auto& [action, name] : kActions) {
    if (knows(info, action)) return action;
  }
  return Action::kRefuse;
}

Policy standard_policy() { return level("standard", &RuleInfo::standard); }
Policy strict_policy() { return level("strict", &RuleInfo::strict); }

Result<Policy> named_policy(std::string_view level) {
  if (level == "standard") return standard_policy();
  if (level == "strict") return strict_policy();
  return fail(ErrorKind::kInvalid, "there is no policy {}: it is standard or strict", level);
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  for (const RuleInfo& info : kTable) names.push_back(std::string(kPrefix).append(info.name));
  for (const LimitInfo& info : kLimits) names.emplace_back(info.name);
  return names;
}

Result<std::string> get(const Policy& policy, std::string_view name) {
  if (const RuleInfo* rule = find_rule(name)) return std::string(to_string(policy.action(rule->rule)));
  if (const LimitInfo* limit = find_limit(name)) return std::to_string(policy.limits.*(limit->value));
  return no_such_setting(name);
}

Result<> set(Policy& policy, std::string_view name, std::string_view value) {
  if (const RuleInfo* rule = find_rule(name)) {
    const auto action = parse_action(value);
    if (!action || !knows(*rule, *action)) {
      return fail(ErrorKind::kInvalid, "{} cannot be \"{}\": it is one of {}", name, value, possible_actions(*rule));
    }
    policy.actions[static_cast<std::size_t>(rule->rule)] = *action;
    return {};
  }
  if (const LimitInfo* limit = find_limit(name)) {
    const auto amount = parse_amount(value, limit->size);
    if (!amount) {
      return fail(ErrorKind::kInvalid, "{} cannot be \"{}\": it is a whole number above 0{}", name, value,
                  limit->size ? ", with KiB, MiB, GiB or TiB if you like" : "");
    }
    policy.limits.*(limit->value) = *amount;
    return {};
  }
  return no_such_setting(name);
}

Json to_json(const Policy& policy) {
  Json settings = Json::object();
  for (const std::string& name : setting_names()) settings[name] = *get(policy, name);
  return {{"level", policy.level}, {"settings", std::move(settings)}};
}

Result<Policy> policy_from_json(const Json& json) {
  const auto wrong = [](std::string_view what) { return fail(ErrorKind::kCorrupt, "policy: {}", what); };
  if (!json.is_object() || !json.contains("level") || !json["level"].is_string()) return wrong("level is missing");
  if (!json.contains("settings") || !json["settings"].is_object()) return wrong("settings are missing");
  auto policy = named_policy(json["level"].get_ref<const std::string&>());
  if (!policy) return wrong(policy.error().message());
  for (const std::string& name : setting_names()) {
    const auto found = json["settings"].find(name);
    if (found == json["settings"].end() || !found->is_string()) return wrong(name + " is missing");
    if (auto done = set(*policy, name, found->get_ref<const std::string&>()); !done)
      return wrong(done.error().message());
  }
  return policy;
}

}  // namespace slipway::archive
