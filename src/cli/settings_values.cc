#include "cli/settings_values.h"

#include <algorithm>
#include <array>

#include "cli/suggest.h"
#include "cli/units.h"

namespace slipway::cli {
namespace {

std::string size_text(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 6> kUnits{"", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", bytes, kUnits[unit]);
}

std::string duration_text(std::chrono::milliseconds length) {
  struct Unit {
    std::string_view name;
    std::int64_t millis;
  };
  static constexpr std::array kUnits{Unit{"d", 86'400'000}, Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1'000},
                                     Unit{"ms", 1}};
  std::string text;
  std::int64_t left = length.count();
  for (const auto& unit : kUnits) {
    if (left / unit.millis == 0) continue;
    text += fmt::format("{}{}", left / unit.millis, unit.name);
    left %= unit.millis;
  }
  return text.empty() ? "0s" : text;
}

std::string number_text(SettingKind kind, std::uint64_t value) {
  if (kind == SettingKind::kSize) return size_text(value);
  if (kind == SettingKind::kDuration) return duration_text(std::chrono::milliseconds(value));
  return fmt::format("{}", value);
}

Result<std::uint64_t> in_range(const SettingSpec& spec, std::uint64_t value) {
  if (value < spec.least) return fail(ErrorKind::kInvalid, "it is at least {}", number_text(spec.kind, spec.least));
  if (value > spec.most) return fail(ErrorKind::kInvalid, "it is at most {}", number_text(spec.kind, spec.most));
  return value;
}

Result<std::string> choose(const SettingSpec& spec, std::string_view text) {
  const auto same = [&](const std::string& value) {
    return std::ranges::equal(value, text, [](char a, char b) { return (a | 0x20) == (b | 0x20); });
  };
  const auto found = std::ranges::find_if(spec.values, same);
  if (found != spec.values.end()) return *found;
  auto error = Error(ErrorKind::kInvalid, fmt::format("it is one of {}", fmt::join(spec.values, ", ")));
  if (auto near = nearest(text, spec.values))
    return fail(std::move(error).with_hint(fmt::format("did you mean {}?", *near)));
  return fail(std::move(error));
}

Result<std::filesystem::path> make_path(std::string_view text, const std::filesystem::path& base,
                                        const std::string& home) {
  if (text.find('\0') != std::string_view::npos) return fail(ErrorKind::kInvalid, "a path has no zero bytes");
  if (text == "~" || text.starts_with("~/")) {
    if (home.empty()) return fail(ErrorKind::kInvalid, "~ stands for HOME, which is not set");
    return (std::filesystem::path(home) / text.substr(std::min<std::size_t>(2, text.size()))).lexically_normal();
  }
  return (base / text).lexically_normal();
}

Result<> assign_number(Settings& settings, const SettingSpec& spec, std::string_view text) {
  auto number = spec.kind == SettingKind::kSize ? parse_size(text) : parse_count(text);
  if (number) number = in_range(spec, *number);
  if (!number) return fail(std::move(number.error()));
  settings.*std::get<std::uint64_t Settings::*>(spec.member) = *number;
  return {};
}

Result<> assign_duration(Settings& settings, const SettingSpec& spec, std::string_view text) {
  const bool never = text == "never" && spec.least == 0;
  const auto length = never ? Result<std::chrono::milliseconds>() : parse_duration(text);
  if (!length) return fail(length.error());
  if (auto fits = in_range(spec, static_cast<std::uint64_t>(length->count())); !fits) return fail(fits.error());
  settings.*std::get<std::chrono::milliseconds Settings::*>(spec.member) = *length;
  return {};
}

}  // namespace

Result<> assign_setting(Settings& settings, const SettingSpec& spec, std::string_view text,
                        const std::filesystem::path& base, const std::string& home) {
  switch (spec.kind) {
    case SettingKind::kText: {
      const auto broken = spec.rule != nullptr ? spec.rule(text) : std::string_view();
      if (!broken.empty()) return fail(ErrorKind::kInvalid, "{}", broken);
      settings.*std::get<std::string Settings::*>(spec.member) = text;
      return {};
    }
    case SettingKind::kChoice: {
      auto value = choose(spec, text);
      if (!value) return fail(std::move(value.error()));
      settings.*std::get<std::string Settings::*>(spec.member) = std::move(*value);
      return {};
    }
    case SettingKind::kPath: {
      auto path = make_path(text, base, home);
      if (!path) return fail(std::move(path.error()));
      settings.*std::get<std::filesystem::path Settings::*>(spec.member) = std::move(*path);
      return {};
    }
    case SettingKind::kBool: {
      const auto value = parse_bool(text);
      if (!value) return fail(value.error());
      settings.*std::get<bool Settings::*>(spec.member) = *value;
      return {};
    }
    case SettingKind::kCount:
    case SettingKind::kSize: return assign_number(settings, spec, text);
    case SettingKind::kDuration: return assign_duration(settings, spec, text);
  }
  return fail(ErrorKind::kInternal, "setting {} is of no kind", spec.name);
}

std::string setting_text(const Settings& settings, const SettingSpec& spec) {
  switch (spec.kind) {
    case SettingKind::kText:
    case SettingKind::kChoice: return settings.*std::get<std::string Settings::*>(spec.member);
    case SettingKind::kPath: return (settings.*std::get<std::filesystem::path Settings::*>(spec.member)).string();
    case SettingKind::kBool: return settings.*std::get<bool Settings::*>(spec.member) ? "true" : "false";
    case SettingKind::kCount:
    case SettingKind::kSize: return number_text(spec.kind, settings.*std::get<std::uint64_t Settings::*>(spec.member));
    case SettingKind::kDuration:
      return duration_text(settings.*std::get<std::chrono::milliseconds Settings::*>(spec.member));
  }
  return "";
}

}  // namespace slipway::cli
