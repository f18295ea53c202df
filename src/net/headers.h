// The fields of an HTTP message, and the few rules of HTTP's grammar that both the client and the server check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway::net {

// Names are compared without regard to case; order is kept.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}

  void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
  // The first of that name.
  [[nodiscard]] std::optional<std::string> get(std::string_view name) const;
  [[nodiscard]] std::size_t count(std::string_view name) const;
  [[nodiscard]] auto begin() const { return fields_.begin(); }
  [[nodiscard]] auto end() const { return fields_.end(); }
  [[nodiscard]] std::size_t size() const { return fields_.size(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b);  // of ASCII letters
[[nodiscard]] bool is_token(std::string_view text);                              // what a method or a field's name is
[[nodiscard]] bool is_field_value(std::string_view text);                        // no control byte but tab
[[nodiscard]] std::string_view trim_blanks(std::string_view text);               // spaces and tabs at both ends
[[nodiscard]] std::string to_lower(std::string_view text);                       // of ASCII letters

// One line "Name: value" without its end. None when it breaks the grammar (a blank before the colon, a folded line,
// a control byte).
[[nodiscard]] std::optional<std::pair<std::string, std::string>> parse_field(std::string_view line);

}  // namespace slipway::net
