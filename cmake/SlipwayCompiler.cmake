# The language, the warnings, the compiler cache and clang-tidy: what holds for every target.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

find_program(SLIPWAY_CCACHE ccache)
mark_as_advanced(SLIPWAY_CCACHE)
if(SLIPWAY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SLIPWAY_CCACHE})
endif()

add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wno-missing-field-initializers)  # {.times = 1}: the other members have their defaults
if(SLIPWAY_WERROR)
  add_compile_options(-Werror)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 is wrong about std::string (GCC bug 105651) and about std::optional (GCC bug 80635).
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wthread-safety -Werror=thread-safety)
endif()

# clang-tidy runs as a part of each compilation, so a file is checked again only when it or one of its headers has
# changed. The digest makes a change of .clang-tidy count too: it changes the command line.
if(SLIPWAY_TIDY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/.clang-tidy)
  file(MD5 ${PROJECT_SOURCE_DIR}/.clang-tidy tidy_config_digest)
  set(CMAKE_CXX_CLANG_TIDY ${PROJECT_SOURCE_DIR}/tools/clang-tidy-once --quiet
      --extra-arg=-DSLIPWAY_TIDY_CONFIG_${tidy_config_digest})
endif()
