#include <algorithm>

#include "cli/commands.h"
#include "cli/suggest.h"

namespace slipway::cli {
namespace {

OrderedJson value_json(const EffectiveSetting& setting, const Settings& settings) {
  if (setting.spec == nullptr) return json_text(setting.value);
  const auto& spec = *setting.spec;
  switch (spec.kind) {
    case SettingKind::kText:
    case SettingKind::kChoice:
    case SettingKind::kPath: return json_filled(setting.value);
    case SettingKind::kBool: return settings.*std::get<bool Settings::*>(spec.member);
    case SettingKind::kCount:
    case SettingKind::kSize: return settings.*std::get<std::uint64_t Settings::*>(spec.member);
    case SettingKind::kDuration:
      return static_cast<double>((settings.*std::get<std::chrono::milliseconds Settings::*>(spec.member)).count()) /
             1e3;
  }
  return nullptr;
}

OrderedJson setting_json(const EffectiveSetting& setting, const Settings& settings) {
  const auto& origin = setting.origin;
  return {{"key", json_text(setting.key)},
          {"value", value_json(setting, settings)},
          {"origin",
           {{"kind", to_string(origin.kind)},
            {"name", json_filled(origin.name)},
            {"line", origin.line > 0 ? OrderedJson(origin.line) : OrderedJson(nullptr)}}}};
}

std::string origin_text(const Origin& origin) {
  if (origin.kind == Origin::Kind::kFile) return fmt::format("{}:{}", origin.name, origin.line);
  return origin.describe();
}

CommandResult show_one(const Session& session, const std::string& key) {
  const auto& all = session.loaded.effective;
  const auto found = std::ranges::find(all, key, &EffectiveSetting::key);
  if (found == all.end()) {
    std::vector<std::string> known;
    for (const auto& setting : all) known.push_back(setting.key);
    const auto near = nearest(key, known);
    return wrong_use(fmt::format("there is no setting {}", key),
                     near ? fmt::format("did you mean {}?", *near) : "`slipway config` lists the settings");
  }
  if (session.output.json()) {
    session.output.write_json(setting_json(*found, session.settings));
  } else {
    session.output.line(printable(found->value));
  }
  return ExitCode::kDone;
}

CommandResult config(const Session& session, const Arguments& arguments) {
  if (const auto key = arguments.get("KEY")) return show_one(session, *key);
  auto& output = session.output;
  if (output.json()) {
    auto settings = OrderedJson::array();
    for (const auto& setting : session.loaded.effective) settings.push_back(setting_json(setting, session.settings));
    auto files = OrderedJson::array();
    for (const auto& file : session.loaded.files) files.push_back(json_text(file));
    output.write_json({{"settings", std::move(settings)}, {"files", std::move(files)}});
    return ExitCode::kDone;
  }
  Table table({{.title = "KEY", .importance = 100},
               {.title = "VALUE", .importance = 60, .least = 24, .cut = Cut::kMiddle},
               {.title = "ORIGIN", .importance = 40, .least = 16, .cut = Cut::kMiddle}});
  for (const auto& setting : session.loaded.effective) {
    const bool is_default = setting.origin.kind == Origin::Kind::kDefault;
    table.add({Cell(setting.key), Cell(setting.value.empty() ? std::string(output.dash()) : setting.value),
               Cell(origin_text(setting.origin), is_default ? Style::kDim : Style::kCyan)});
  }
  output.write_table(table);
  return ExitCode::kDone;
}

}  // namespace

CommandSpec config_command() {
  return {
      .name = "config",
      .summary = "Show the settings in force, and where each came from",
      .description = "With KEY, only the value of that setting.",
      .arguments =
          {{.name = "KEY", .help = "one setting", .values = {}, .completes = Completes::kSettings, .required = false}},
      .examples = {"slipway config", "slipway config s3_bucket", "slipway --json config"},
      .run = config};
}

}  // namespace slipway::cli
