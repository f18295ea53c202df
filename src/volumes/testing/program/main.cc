// The child of the tests' Extractor, and children that misbehave as their argument says.
#include <string_view>

#include <unistd.h>

#include "volumes/ext4/extractor.h"

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "";
  if (how == "crash") __builtin_trap();
  if (how == "hang") {
    for (;;) ::pause();
  }
  return slipway::volumes::ext4::extractor_main();
}
