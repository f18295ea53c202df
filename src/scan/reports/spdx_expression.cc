#include <cstddef>
#include <string_view>

#include "scan/reports/spdx_licences.h"

namespace slipway::scan {
namespace {

// One pass, no recursion: brackets are counted, and between operands there is exactly one operator.
class Expression {
 public:
  explicit Expression(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool valid() {
    bool operand_next = true;
    std::size_t open = 0;
    for (auto token = next(); !token.empty(); token = next()) {
      if (token == "(") {
        if (!operand_next) return false;
        ++open;
      } else if (token == ")") {
        if (operand_next || open == 0) return false;
        --open;
      } else if (token == "AND" || token == "OR") {
        if (operand_next) return false;
        operand_next = true;
      } else {
        if (!operand_next || !operand(token)) return false;
        operand_next = false;
      }
    }
    return !operand_next && open == 0;
  }

 private:
  // A bracket or a word; empty at the end.
  std::string_view next() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    if (rest_.empty()) return {};
    const auto length = rest_.front() == '(' || rest_.front() == ')' ? 1 : rest_.substr(0).find_first_of(" ()");
    const auto token = rest_.substr(0, length);
    rest_.remove_prefix(token.size());
    return token;
  }

  bool operand(std::string_view licence) {
    if (!is_spdx_licence(licence) &&
        !(licence.ends_with('+') && is_spdx_licence(licence.substr(0, licence.size() - 1)))) {
      return false;
    }
    const auto before = rest_;
    if (next() == "WITH") return is_spdx_exception(next());
    rest_ = before;
    return true;
  }

  std::string_view rest_;
};

}  // namespace

bool is_spdx_expression(std::string_view text) { return Expression(text).valid(); }

}  // namespace slipway::scan
