// What main() does: everything about this being a process of its own.
#pragma once

#include <string>

namespace slipway::cli {

// Either the program as people know it, or, told so by its first word, the sandboxed reader of one archive.
[[nodiscard]] int main_of_process(int argc, char** argv, const std::string& version);

}  // namespace slipway::cli
