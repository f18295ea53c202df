#include <string>
#include <utility>

#include "archive/entry.h"
#include "scan/inventory/distributions.h"
#include "scan/inventory/lines.h"

namespace slipway::scan {
namespace {

// A package as far as it was read: lines "P:busybox", each with a letter of its own, and an empty one at the end.
class Entry {
 public:
  void take(std::string_view line, Finds& finds) {
    any_ = true;
    broken_ = broken_ || line.size() < 2 || line[1] != ':';
    if (broken_) return;
    const std::string_view value = line.substr(2);
    switch (line[0]) {
      case 'P': package_.name = value; break;
      case 'V': package_.version = value; break;
      case 'A': package_.architecture = value; break;
      case 'L': package_.licence = plain_text(value); break;
      case 'o': origin_ = value; break;
      case 'F': folder_ = value; break;
      case 'R': own(value, finds); break;
      default: break;
    }
  }

  void finish(Finds& finds) {
    Entry done = std::exchange(*this, Entry());
    if (done.any_) done.tell(finds);
  }

 private:
  void own(std::string_view file, Finds& finds) const {
    if (!is_word(package_.name)) return;
    finds.own(folder_.empty() ? std::string(file) : folder_ + '/' + std::string(file), package_.name);
  }

  void tell(Finds& finds) {
    const std::string shown = "package " + archive::printable(package_.name);
    if (broken_) return finds.unread(shown + ": a line of it does not begin with a letter and a colon");
    const bool words =
        (package_.name.empty() || is_word(package_.name)) && (package_.version.empty() || is_word(package_.version)) &&
        (package_.architecture.empty() || is_word(package_.architecture)) && (origin_.empty() || is_word(origin_));
    if (!words) return finds.unread(shown + ": a field of it is not one word");
    set_source(package_, origin_, {});
    finds.add(std::move(package_));
  }

  Package package_{.type = PackageType::kApk};
  std::string origin_{};
  std::string folder_{};
  bool any_ = false;
  bool broken_ = false;
};

}  // namespace

bool wants_apk(const FileInfo& file) {
  return file.path == "lib/apk/db/installed" || file.path == "usr/lib/apk/db/installed";
}

Result<> read_apk(const FileInfo& /*file*/, archive::ByteSource& content, Finds& finds) {
  Entry entry;
  Lines lines(content);
  for (;;) {
    const auto line = lines.next();
    if (!line) return fail(line.error());
    if (!*line || (*line)->empty()) entry.finish(finds);
    if (!*line) return {};
    if (!(*line)->empty()) entry.take(**line, finds);
  }
}

}  // namespace slipway::scan
