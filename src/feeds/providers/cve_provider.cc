#include "feeds/providers/cve_provider.h"

#include <algorithm>
#include <utility>

#include "feeds/providers/cve_record.h"
#include "feeds/providers/json_items.h"

namespace slipway::feeds {
std::unique_ptr<Items> cve_items(std::string file, archive::ByteSource& bytes) {
  return json_items(std::move(file), bytes, {.lists = {"vulnerabilities", "CVE_Items"}},
                    [](const JsonItem& item) -> Result<std::vector<Record>> {
                      auto record = read_cve(item.root);
                      if (!record) return fail(std::move(record.error()));
                      std::vector<Record> one;
                      one.push_back(std::move(*record));
                      return one;
                    });
}

Result<> CveProvider::run(Intake& intake) {
  const auto& parts = intake.config().parts;
  if (parts.size() == 1 && std::ranges::all_of(parts.front().places, is_nvd_api)) return api_.run(intake);
  return FileProvider::run(intake);
}

// The CVE list keeps a log of changes among its records.
bool CveProvider::wants(std::string_view file) const {
  const auto name = file_name(file);
  if (name == "delta.json" || name == "deltaLog.json" || name == "recent_activities.json") return false;
  return name.ends_with(".json");
}

Result<std::unique_ptr<Items>> CveProvider::open(const FeedFile& file) { return cve_items(file.name, *file.bytes); }

bool CveProvider::tells_all(std::string_view file) const {
  return file.find("modified") == std::string_view::npos && file.find("recent") == std::string_view::npos;
}

}  // namespace slipway::feeds
