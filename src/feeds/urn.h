// The name of one thing among all that the feeds know: "v2e::PUBLISHER::KIND::ID".
//
//   v2e::nvd::cve::CVE-2024-12233    v2e::mitre::attack::T1078    v2e::owasp::asvs::14.1
//
// Publisher and kind are lower-case words. The id is the publisher's own, and may have any characters but control
// characters and spaces: nothing is guessed or mended, and nothing in it has a meaning here.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"

namespace slipway::feeds {

class Urn {
 public:
  static constexpr std::size_t kLongestId = 512;  // bytes

  Urn() = default;  // names nothing

  // kInvalid, with the rule that is broken.
  [[nodiscard]] static Result<Urn> make(std::string_view publisher, std::string_view kind, std::string_view id);
  [[nodiscard]] static Result<Urn> parse(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::string_view publisher() const;
  [[nodiscard]] std::string_view kind() const;
  [[nodiscard]] std::string_view id() const;
  [[nodiscard]] bool empty() const { return text_.empty(); }

  friend auto operator<=>(const Urn&, const Urn&) = default;

 private:
  std::string text_;
  std::size_t kind_at_ = 0;
  std::size_t id_at_ = 0;
};

}  // namespace slipway::feeds

template <>
struct fmt::formatter<slipway::feeds::Urn> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const slipway::feeds::Urn& urn, Context& context) const {
    return fmt::formatter<std::string_view>::format(urn.text(), context);
  }
};
