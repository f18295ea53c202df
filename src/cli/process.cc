#include "cli/process.h"

#include <array>
#include <csignal>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "archive/inspector.h"
#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/pipeline_setup.h"
#include "cli/program.h"
#include "scan/inventory/inventory_taker.h"
#include "sys/clock.h"
#include "volumes/ext4/extractor.h"

namespace slipway::cli {
namespace {

// A program that is started with a standard stream closed would get its first file, perhaps a database, under that
// number, and write messages into it. Opened the wrong way round, such a stream fails as a closed one does.
void occupy_standard_streams() {
  constexpr std::array kModes{O_WRONLY, O_RDONLY, O_RDONLY};
  for (int fd = 0; fd < 3; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", kModes[static_cast<std::size_t>(fd)]);
  }
}

}  // namespace

int main_of_process(int argc, char** argv, const std::string& version) {
  if (argc == 2 && std::string_view(argv[1]) == kInspectorWord) return archive::inspector_main();
  if (argc == 2 && std::string_view(argv[1]) == kExtractorWord) return volumes::ext4::extractor_main();
  if (argc == 2 && std::string_view(argv[1]) == kInventoryWord) return scan::inventory_main();
  occupy_standard_streams();
  (void)std::signal(SIGPIPE, SIG_IGN);
  ProgramInput input;
  for (int i = 1; i < argc; ++i) input.words.emplace_back(argv[i]);
  input.environment = process_environment(argc > 0 ? argv[0] : nullptr);
  input.version = version;
  input.rules = setting_rules();
  return run_program(input, all_commands(), sys::system_clock());
}

}  // namespace slipway::cli
