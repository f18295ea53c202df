#include "cli/environment.h"

#include <system_error>

#include <unistd.h>

extern char** environ;

namespace slipway::cli {

Environment process_environment(const char* argv0) {
  Environment made;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    made.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  std::error_code gone;  // the folder may have been removed under us: then relative names begin at the root
  if (auto here = std::filesystem::current_path(gone); !gone) made.working_dir = std::move(here);
  made.root = ::geteuid() == 0;
  if (argv0 != nullptr && *argv0 != '\0') made.program = std::filesystem::path(argv0).filename().string();
  if (made.program.empty()) made.program = "slipway";
  return made;
}

}  // namespace slipway::cli
