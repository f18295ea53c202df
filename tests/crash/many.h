// Many runs at once, all of one machine. For both sides.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace slipway::crash {

inline constexpr std::size_t kManyRuns = 100'000;
inline constexpr const char* kManyMachine = "many";
inline constexpr std::array<std::string_view, 3> kManyTransitions{"first", "second", "third"};

[[nodiscard]] inline std::string many_id(std::size_t number) { return fmt::format("many-{}", number); }

// What a transition makes of the response before it.
[[nodiscard]] inline std::string many_response(std::string_view before, std::string_view id,
                                               std::string_view transition) {
  return fmt::format("{}{}.{};", before, id, transition);
}

}  // namespace slipway::crash
