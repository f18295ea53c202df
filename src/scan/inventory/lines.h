// Text files, a line at a time: no more is held than one line and what the source has given last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "archive/byte_source.h"
#include "base/error.h"

namespace slipway::scan {

struct LineLimits {
  std::uint64_t file = 64ULL << 20;  // bytes
  std::size_t line = 1U << 20;
};

// One thread. The source must outlive it.
class Lines {
 public:
  explicit Lines(archive::ByteSource& content, LineLimits limits = {}) : content_(content), limits_(limits) {}

  // Without its end, LF or CR LF, which the last one need not have; nothing after the last. Valid until the next call.
  // kRejected: a line or the file is longer than it may be.
  [[nodiscard]] Result<std::optional<std::string_view>> next();

 private:
  Result<bool> fetch();
  std::optional<std::string_view> give_kept();

  archive::ByteSource& content_;
  LineLimits limits_;
  std::uint64_t seen_ = 0;
  std::string_view rest_{};  // of what the source has given
  std::string kept_{};       // the beginning of a line that goes on there
  bool given_ = false;       // kept_ was given as a line
};

// What names, versions and architectures are made of: printable ASCII without blanks, and not without end. All that is
// read of an image may be shown and stored.
[[nodiscard]] bool is_word(std::string_view text);

// For licences and titles: what is not printable ASCII becomes a question mark, and there is an end to it.
[[nodiscard]] std::string plain_text(std::string_view text);

[[nodiscard]] std::string_view trimmed(std::string_view text);  // without blanks at its ends

}  // namespace slipway::scan
