// What the readers of languages' files share: limits, lines of text, and the way into Finds.
//
// Packages hold valid UTF-8, since they are sent as JSON. JSON, YAML, TOML and XML are refused by their parsers when
// they are not; in plain text, a name or version that is not makes its package
// unread, and a licence is mended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "archive/byte_source.h"
#include "base/error.h"
#include "base/utf8.h"
#include "scan/inventory/finds.h"
#include "scan/inventory/lines.h"

namespace slipway::scan {

// What the parsers make of them has to fit into the scanner's 64 MiB, too.
inline constexpr std::uint64_t kLargestManifest = 1UL << 20;   // tells of one package; parsed as a whole
inline constexpr std::uint64_t kLargestLockFile = 16UL << 20;  // parsed in pieces
inline constexpr std::uint64_t kLargestYaml = 8UL << 20;       // there is a second copy of it
inline constexpr std::uint64_t kLargestPom = 2UL << 20;        // becomes a tree

// For a TapSource: kRejected once more than so many bytes have passed.
[[nodiscard]] archive::TapSource::Watch at_most(std::uint64_t most);

// The lines of a text, without their ends (LF or CR LF) and without a byte order mark. The lines live as long as it.
class TextLines {
 public:
  // kCorrupt: there is a zero byte in it, so it is no text. kUnsupported: UTF-16. kRejected: more than `most` bytes.
  [[nodiscard]] static Result<TextLines> read(archive::ByteSource& content, std::uint64_t most);
  explicit TextLines(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] std::optional<std::string_view> next();

 private:
  std::string text_;
  std::size_t at_ = 0;
};

[[nodiscard]] std::string_view without_mark(std::string_view text);  // that of the byte order
// The first word, which is taken off `text`; empty when there is none.
[[nodiscard]] std::string_view take_word(std::string_view& text);

// Whether one of the folders of `path` is `folder`, which may be several: "pkg/mod". Lock files in the folders of
// installed packages tell what their makers had installed, which is not here.
[[nodiscard]] bool is_within(std::string_view path, std::string_view folder);

// "name@version" at its '@', which may not be the first character; none: no version.
struct NameAndVersion {
  std::string_view name{};
  std::string_view version{};
};
[[nodiscard]] NameAndVersion split_at_sign(std::string_view text);

// One that is kept until it is known whether it counts: a third of a Package.
struct Locked {
  std::string key{};  // by which it is needed
  std::string name{};
  std::string version{};
};

// Adds it, or notes why not: no name, no version, not UTF-8, or longer than any real one.
void add_package(Finds& finds, Package package);

// The same, with bytes that are no text shown as hex: parsers put what they read into their words.
[[nodiscard]] Error readable(const Error& error);

// What `what` tells of could not be read, and the rest was.
void note_unread(Finds& finds, std::string_view what, std::string_view reason);

}  // namespace slipway::scan
