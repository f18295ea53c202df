// The child of the tests' Extractor, and one that crashes.
#include <string_view>

#include "volumes/ext4/extractor.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "crash") __builtin_trap();
  return slipway::volumes::ext4::extractor_main();
}
