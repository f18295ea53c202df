// The readers of languages' files, one or more for each ecosystem. language_readers() has them all in a table.
#pragma once

#include "scan/inventory/file_reader.h"

namespace slipway::scan {

// npm. Lock files within node_modules are not wanted: they came with a package.
[[nodiscard]] FileReader npm_package_reader();  // node_modules/NAME/package.json
[[nodiscard]] FileReader npm_lock_reader();     // package-lock.json, npm-shrinkwrap.json; without dev
[[nodiscard]] FileReader yarn_lock_reader();    // both forms; dev too, since it does not tell
[[nodiscard]] FileReader pnpm_lock_reader();    // forms 5, 6 and 9; without dev
[[nodiscard]] FileReader bun_lock_reader();     // without dev

// Python.
[[nodiscard]] FileReader python_metadata_reader();      // METADATA, PKG-INFO, *.egg-info
[[nodiscard]] FileReader python_requirements_reader();  // requirements.txt: what is pinned
[[nodiscard]] FileReader pipfile_lock_reader();         // without develop
[[nodiscard]] FileReader poetry_lock_reader();          // the main group
[[nodiscard]] FileReader uv_lock_reader();              // without dev
[[nodiscard]] FileReader pylock_reader();               // pylock.toml, pylock.NAME.toml

[[nodiscard]] FileReader go_mod_reader();

[[nodiscard]] FileReader pom_reader();          // direct dependencies whose versions the file itself tells
[[nodiscard]] FileReader gradle_lock_reader();  // without those of tests alone

[[nodiscard]] FileReader gemspec_reader();  // specifications/*.gemspec
[[nodiscard]] FileReader gem_lock_reader();

[[nodiscard]] FileReader cargo_lock_reader();

[[nodiscard]] FileReader composer_lock_reader();       // without packages-dev
[[nodiscard]] FileReader composer_installed_reader();  // vendor/composer/installed.json

}  // namespace slipway::scan
