#include <array>

#include "scan/inventory/file_reader.h"
#include "scan/inventory/jar_reader.h"
#include "scan/inventory/program_reader.h"

namespace slipway::scan {

// A jar may be executable too: it is a jar first.
std::span<const FileReader> binary_readers() {
  static constexpr std::array<FileReader, 2> kReaders{{
      {.name = "jar", .wants = wants_jar, .read = read_jar},
      {.name = "program", .wants = wants_program, .read = read_program},
  }};
  return kReaders;
}

}  // namespace slipway::scan
