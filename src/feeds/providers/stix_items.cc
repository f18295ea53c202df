#include "feeds/providers/stix_items.h"

#include <utility>

#include "feeds/sources/feed_files.h"

namespace slipway::feeds {

std::unique_ptr<Items> stix_items(const std::string& file, archive::ByteSource& bytes, const StixOutline& outline,
                                  ReadStix read) {
  return json_items(file, bytes, {.lists = {"objects"}},
                    [&outline, read](const JsonItem& item) -> Result<std::vector<Record>> {
                      if (item.kind == JsonElement::Kind::kWhole) {
                        return fail(ErrorKind::kCorrupt, "it is no STIX bundle: it has no list \"objects\"");
                      }
                      auto record = read(item.root, outline);
                      if (!record) return fail(std::move(record.error()));
                      std::vector<Record> records;
                      if (*record) records.push_back(std::move(**record));
                      return records;
                    });
}

Result<StixOutline> survey_stix(const Fetched& source, const StixNames& names, const std::stop_token& stop) {
  StixOutline outline(names);
  for (const auto& part : source.parts) {
    auto files = FeedFiles::open(part.path, part.name);
    if (!files) return files.error().during("read {}", part.place);
    for (;;) {
      if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "it is to stop");
      auto file = files->next();
      if (!file) return file.error().during("read {}", part.place);
      if (!*file) break;
      if ((*file)->name.ends_with(".xml") || ((*file)->one_of_many && !(*file)->name.ends_with(".json"))) continue;
      if (auto read = outline.read(*(*file)->bytes); !read) {
        return read.error().during("read {}: {}", part.place, (*file)->name);
      }
    }
  }
  return outline;
}

}  // namespace slipway::feeds
