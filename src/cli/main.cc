#include <array>
#include <csignal>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/program.h"
#include "sys/clock.h"

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

int main(int argc, char** argv) {
  occupy_standard_streams();
  (void)std::signal(SIGPIPE, SIG_IGN);
  slipway::cli::ProgramInput input;
  for (int i = 1; i < argc; ++i) input.words.emplace_back(argv[i]);
  input.environment = slipway::cli::process_environment(argc > 0 ? argv[0] : nullptr);
  input.version = SLIPWAY_VERSION;
  return slipway::cli::run_program(input, slipway::cli::all_commands(), slipway::sys::system_clock());
}
