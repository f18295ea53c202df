#include "scan/reports/distribution_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace slipway::scan {
namespace {

struct Names {
  std::string_view id;
  std::string_view family;
  std::string_view vendor;
};

// Those that are not called the same everywhere.
constexpr std::array kNames{
    Names{"almalinux", "alma", "alma"},
    Names{"rhel", "redhat", "redhat"},
    Names{"ol", "oracle", "oracle"},
    Names{"amzn", "amazon", "amazon"},
    Names{"mariner", "cbl-mariner", "cbl-mariner"},
    Names{"sles", "sles", "suse"},
    Names{"sl-micro", "slem", "suse"},
    Names{"opensuse-leap", "opensuse-leap", "opensuse"},
    Names{"opensuse-tumbleweed", "opensuse-tumbleweed", "opensuse"},
};

struct OtherName {
  std::string_view name;
  std::string_view id;
};

constexpr std::array kOtherNames{
    OtherName{"suse linux enterprise server", "sles"},
    OtherName{"suse linux enterprise micro", "sl-micro"},
    OtherName{"suse", "sles"},
    OtherName{"opensuse.leap", "opensuse-leap"},
    OtherName{"opensuse leap", "opensuse-leap"},
    OtherName{"opensuse.tumbleweed", "opensuse-tumbleweed"},
    OtherName{"opensuse tumbleweed", "opensuse-tumbleweed"},
    OtherName{"red hat enterprise linux", "rhel"},
    OtherName{"oracle linux", "ol"},
    OtherName{"amazon linux", "amzn"},
    OtherName{"rocky linux", "rocky"},
    OtherName{"alpine linux", "alpine"},
    OtherName{"debian gnu/linux", "debian"},
};

const Names* names_of(std::string_view id) {
  const auto* const found = std::ranges::find(kNames, id, &Names::id);
  return found == kNames.end() ? nullptr : found;
}

}  // namespace

std::string_view family_of(std::string_view id) {
  const Names* const names = names_of(id);
  return names == nullptr ? id : names->family;
}

std::string_view vendor_of(std::string_view id) {
  const Names* const names = names_of(id);
  return names == nullptr ? id : names->vendor;
}

std::string distribution_id(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (names_of(lower) != nullptr) return lower;
  if (const auto* found = std::ranges::find(kNames, lower, &Names::family); found != kNames.end()) {
    return std::string(found->id);
  }
  if (const auto* found = std::ranges::find(kOtherNames, lower, &OtherName::name); found != kOtherNames.end()) {
    return std::string(found->id);
  }
  return lower;
}

}  // namespace slipway::scan
