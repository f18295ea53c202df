// The child of the tests' Inspector, and children that misbehave as their argument says.
#include <cstring>

#include <unistd.h>

#include "archive/inspector.h"

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (std::strcmp(how, "crash") == 0) __builtin_trap();
  if (std::strcmp(how, "hang") == 0) {
    for (;;) ::pause();
  }
  if (std::strcmp(how, "mute") == 0) return 7;
  if (std::strcmp(how, "babble") == 0) {
    for (const char noise[] = "\x04\x00\x00\x00nope"; ::write(1, noise, 8) > 0;) {
    }
    return 0;
  }
  if (std::strcmp(how, "huge") == 0) {
    return ::write(1, "\xff\xff\xff\xff{}", 6) > 0 ? 0 : 1;
  }
  return slipway::archive::inspector_main();
}
