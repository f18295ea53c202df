// What an image may hold. Each check is a rule with its own action and its own setting; two levels give all of them
// their values, and any one can be set by name. A Policy is a plain value.
//
//   Policy policy = standard_policy();
//   if (auto done = set(policy, "policy_setuid", "refuse"); !done) return done.error().during("read {}", file);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"

namespace slipway::archive {

// kSkip: the entry is left out of the tree, and that is recorded.
enum class Action : std::uint8_t { kAllow, kRecord, kSkip, kRefuse };

[[nodiscard]] std::string_view to_string(Action action);

enum class Rule : std::uint8_t {
  kTraversal,            // a name with `..` above the root. Not refused: `..` at the root stays there
  kAbsoluteNames,        // a name that begins with `/`. Not refused: taken as below the root
  kBadNames,             // NUL or empty names or targets, names no file system can hold
  kSymlinkEscape,        // a symbolic link whose target leaves the root. Not refused: kept as it is, never followed out
  kAbsoluteSymlinks,     // a symbolic link with an absolute target. Not refused: taken as below the image's root
  kHardLinkOutside,      // a hard link to what is not in the image
  kHardLinkSymlink,      // a hard link to or through a symbolic link. Not refused: resolved inside the root
  kWriteThroughSymlink,  // an entry below an earlier symbolic link. Not refused: resolved inside the root, else refused
  kSetuid,               // setuid and setgid files
  kDevices,              // character and block devices
  kFifos,                // FIFOs and sockets
  kWorldWritable,        // `etc` or `usr` that everybody may write to
  kMissingFolders,       // no `etc`, `usr` or `var`
  kMixedLayout,          // layers and a root file system at the top. Not refused: taken as a plain root file system
  kWhiteouts,            // names of the form .wh. that hide nothing: of plain file systems, aufs's own, malformed
};
inline constexpr std::size_t kRules = 15;

// "setuid": as findings name it. Its setting is "policy_setuid".
[[nodiscard]] std::string_view to_string(Rule rule);

// The mildest action that a rule knows: what a setting must say for its refusals to go.
[[nodiscard]] Action mildest(Rule rule);

struct Limits {
  std::uint64_t max_files = 100'000;           // entries of all layers
  std::uint64_t max_file_size = 1ULL << 30;    // bytes of one file, holes included
  std::uint64_t max_total_size = 10ULL << 30;  // bytes of all files of all layers, holes included
  std::uint64_t max_compression_ratio = 100;   // unpacked to packed; nothing below kRatioFloor is measured

  friend bool operator==(const Limits&, const Limits&) = default;
};

// The sum and the product of numbers that may be settings: at most the largest number there is.
[[nodiscard]] constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
[[nodiscard]] constexpr std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

// Not settable: what Linux itself can hold, and what keeps a reader's memory bounded.
inline constexpr std::uint64_t kRatioFloor = 1ULL << 20;  // a tar of many tiny files packs far better than 1 to 100
inline constexpr std::size_t kMaxName = 4096;
inline constexpr std::size_t kMaxComponent = 255;
inline constexpr std::size_t kMaxDepth = 1024;
inline constexpr std::size_t kMaxTarget = 4095;
inline constexpr std::uint64_t kMaxNameBytes = 64ULL << 20;  // all names and targets of an image together
inline constexpr std::uint64_t kMaxSteps = 16ULL << 20;      // parts of its names and links walked, all together

struct Policy {
  std::string level = "standard";
  std::array<Action, kRules> actions{};
  Limits limits{};

  [[nodiscard]] Action action(Rule rule) const { return actions[static_cast<std::size_t>(rule)]; }
  friend bool operator==(const Policy&, const Policy&) = default;
};

[[nodiscard]] Policy standard_policy();
[[nodiscard]] Policy strict_policy();
// "standard" or "strict"; kInvalid else.
[[nodiscard]] Result<Policy> named_policy(std::string_view level);

// Every name that set() takes: policy_* and max_*.
[[nodiscard]] std::vector<std::string> setting_names();
// The present value of a setting, as set() takes it. kInvalid: no such setting.
[[nodiscard]] Result<std::string> get(const Policy& policy, std::string_view name);
// policy_*: allow, record, skip or refuse, where the rule knows that action. max_*: a whole number above 0; sizes also
// with KiB, MiB, GiB, TiB. kInvalid names the setting, the value and what is possible.
[[nodiscard]] Result<> set(Policy& policy, std::string_view name, std::string_view value);

[[nodiscard]] Json to_json(const Policy& policy);
// Everything must be there and known; kCorrupt else.
[[nodiscard]] Result<Policy> policy_from_json(const Json& json);

// What was seen and let pass.
struct Finding {
  std::string rule{};
  std::string entry{};   // printable()
  std::string detail{};  // printable, one sentence

  friend bool operator==(const Finding&, const Finding&) = default;
};

}  // namespace slipway::archive
