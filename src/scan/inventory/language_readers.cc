#include <array>

#include "scan/inventory/language_files.h"

namespace slipway::scan {

std::span<const FileReader> language_readers() {
  static const std::array readers{
      npm_package_reader(),
      npm_lock_reader(),
      yarn_lock_reader(),
      pnpm_lock_reader(),
      bun_lock_reader(),
      python_metadata_reader(),
      pipfile_lock_reader(),
      python_requirements_reader(),
      poetry_lock_reader(),
      uv_lock_reader(),
      pylock_reader(),
      go_mod_reader(),
      pom_reader(),
      gradle_lock_reader(),
      gemspec_reader(),
      gem_lock_reader(),
      cargo_lock_reader(),
      composer_lock_reader(),
      composer_installed_reader(),
  };
  return readers;
}

}  // namespace slipway::scan
