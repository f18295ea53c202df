// The providers of Slipway: which there are, where their publishers keep the data, and what each needs.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "feeds/macro_machine.h"

namespace slipway::net {
class HttpClient;
}

namespace slipway::feeds {

struct StandardProvider {
  std::string_view id;       // also its type
  std::string_view summary;  // one line, for people
  std::string_view source;   // by default, in the form of parse_parts(); empty: none is published in one place
};

// In the order in which they are listed.
[[nodiscard]] std::span<const StandardProvider> standard_providers();

// What may be set for each; what is not stays as it is by default.
struct ProviderSettings {
  std::string source{};  // see parse_parts()
  std::string api_key{};
};

struct ProviderSetup {
  std::map<std::string, ProviderSettings> settings{};  // by id
  std::filesystem::path cache_dir{};                   // of what was downloaded; made when it is missing
  // Items in a transaction. More than the usual hundred: files bring thousands in a second, and a commit of more costs
  // little more.
  int batch_size = 1000;
};

// All of them, ready for a MacroMachine. The client must outlive them. kInvalid: a source that is none, with the
// provider's name.
[[nodiscard]] Result<std::vector<Registration>> make_standard_providers(const ProviderSetup& setup,
                                                                        net::HttpClient& client);

}  // namespace slipway::feeds
