// The child of the tests' Inspector, and children that misbehave as their argument says.
#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>

#include <time.h>
#include <unistd.h>

#include "archive/inspection_frames.h"
#include "archive/inspector.h"

namespace {

using slipway::archive::frame;
using slipway::archive::Progress;

bool say(std::string_view text) { return ::write(1, text.data(), text.size()) == static_cast<ssize_t>(text.size()); }

int talk(bool in_haste) {
  for (std::uint64_t read = 0; say(frame(Progress{++read}));) {
    const timespec moment{.tv_sec = 0, .tv_nsec = 1'000'000};
    if (!in_haste) ::nanosleep(&moment, nullptr);
  }
  return 0;
}

// 0: no such signal.
int signal_of(std::string_view how) {
  if (how == "killed") return SIGKILL;
  if (how == "terminated") return SIGTERM;
  if (how == "aborted") return SIGABRT;
  if (how == "forbidden") return SIGSYS;
  if (how == "expensive") return SIGXCPU;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "";
  if (how == "crash") __builtin_trap();
  if (how == "hang") {
    for (;;) ::pause();
  }
  if (how == "spin") {
    for (volatile std::uint64_t turns = 0;;) turns = turns + 1;
  }
  if (how == "chatter") return talk(/*in_haste=*/true);
  if (how == "trickle") return talk(/*in_haste=*/false);
  if (const int signal = signal_of(how); signal != 0) return ::raise(signal);
  if (how == "mute") return 7;
  if (how == "babble") {
    while (say({"\x04\x00\x00\x00nope", 8})) {
    }
    return 0;
  }
  if (how == "huge") return say({"\xff\xff\xff\xff{}", 6}) ? 0 : 1;
  return slipway::archive::inspector_main();
}
