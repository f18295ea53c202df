// From settings to the parts of the pipeline.
#pragma once

#include <memory>
#include <string>

#include "archive/policy.h"
#include "base/error.h"
#include "base/log.h"
#include "cli/command.h"
#include "objects/object_source.h"
#include "pipeline/pipeline.h"
#include "service/wire.h"

namespace slipway::cli {

// The word that makes this program an archive inspector; see archive/inspector.h.
inline constexpr const char* kInspectorWord = "__inspect";

// The word that makes it the one that fills a volume; see volumes/ext4/extractor.h.
inline constexpr const char* kExtractorWord = "__extract";

// The word that makes it the one that lists an image's packages; see scan/inventory/inventory_taker.h.
inline constexpr const char* kInventoryWord = "__inventory";

// What the archive library knows of settings.
[[nodiscard]] SettingRules setting_rules();

[[nodiscard]] Result<archive::Policy> policy_of(const Settings& settings);

// The configured bucket's source, for commands that look at it.
[[nodiscard]] Result<std::shared_ptr<objects::ObjectSource>> open_bucket(const Session& session);

[[nodiscard]] Result<pipeline::PipelineOptions> pipeline_options(const Session& session, const Logger& log);

// What another process must have, too, to do the work of this one. (The rules for images are part of each request.)
[[nodiscard]] service::Settings work_settings(const Settings& settings);

// The key as the bucket has it: with the configured prefix, whether or not it was typed.
[[nodiscard]] std::string full_key(const Settings& settings, const std::string& key);

}  // namespace slipway::cli
