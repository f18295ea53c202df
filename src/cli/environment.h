// What the program is told by those who start it, as a value: tests make their own, main() takes the process's.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace slipway::cli {

struct Environment {
  std::map<std::string, std::string, std::less<>> variables{};
  std::filesystem::path working_dir{"/"};
  bool root = false;               // decides where state is kept by default
  std::string program{"slipway"};  // the last part of argv[0]

  [[nodiscard]] std::optional<std::string> get(std::string_view name) const {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  }
  // A variable that is there and not empty.
  [[nodiscard]] std::optional<std::string> get_filled(std::string_view name) const {
    auto value = get(name);
    if (value && value->empty()) return std::nullopt;
    return value;
  }
};

// Of this process. `argv0` may be null.
[[nodiscard]] Environment process_environment(const char* argv0);

}  // namespace slipway::cli
