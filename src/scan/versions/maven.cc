// ComparableVersion, by the "Version Order Specification" of Maven's POM reference, with the lists that it keeps laid
// flat. Maven compares a few odd groups in a circle (2.9.0 < 2.9.0-1 < 2.9.0.RC1 < 2.9.0): here what makes a prerelease
// is always below the release, and what does not is above.
#include <cstdint>
#include <utility>

#include "scan/versions/schemes.h"
#include "scan/versions/text.h"

namespace slipway::scan::versions {
namespace {

// In their order. What is left out or means nothing ("ga") is kRelease.
enum class Kind : std::uint8_t { kBefore, kRelease, kAfter, kHyphenNumber, kDotNumber };

struct Token {
  Kind kind = Kind::kRelease;
  // Of words: what stands in front of them counts for more than what they are. Upwards: a dot, a hyphen, ".0." and more
  // zeros.
  std::size_t front = 0;
  int rank = 0;
  std::string_view text{};  // of numbers, and of words without a rank

  [[nodiscard]] bool is_number() const { return kind >= Kind::kHyphenNumber; }
  [[nodiscard]] bool is_null() const { return is_number() ? is_zero(text) : kind == Kind::kRelease; }
};

constexpr std::size_t kDot = 0;
constexpr std::size_t kHyphen = 1;
constexpr int kNoRank = 1;

struct Qualifier {
  std::string_view name;
  Kind kind;
  int rank;
};

constexpr Qualifier kQualifiers[] = {
    {"alpha", Kind::kBefore, 0}, {"beta", Kind::kBefore, 1},   {"milestone", Kind::kBefore, 2},
    {"rc", Kind::kBefore, 3},    {"cr", Kind::kBefore, 3},     {"snapshot", Kind::kBefore, 4},
    {"ga", Kind::kRelease, 0},   {"final", Kind::kRelease, 0}, {"release", Kind::kRelease, 0},
    {"sp", Kind::kAfter, 0},
};

// One letter is enough where a number follows at once.
constexpr Qualifier kShort[] = {{"a", Kind::kBefore, 0}, {"b", Kind::kBefore, 1}, {"m", Kind::kBefore, 2}};

Token word_token(std::string_view word, bool number_follows, std::size_t front) {
  for (const auto& [name, kind, rank] : kQualifiers) {
    if (equals_lower(word, name)) return {.kind = kind, .front = front, .rank = rank};
  }
  for (const auto& [name, kind, rank] : kShort) {
    if (number_follows && equals_lower(word, name)) return {.kind = kind, .front = front, .rank = rank};
  }
  return {.kind = Kind::kAfter, .front = front, .rank = kNoRank, .text = word};
}

bool fits_word(char c) { return !is_digit(c) && c != '.' && c != '-'; }

// The tokens as they stand. Between a digit and a letter there is a hyphen that is not written, and an empty token is
// 0.
class RawTokens {
 public:
  explicit RawTokens(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty() && !owes_one_; }

  Token next() {
    Token token{.kind = dot_ ? Kind::kDotNumber : Kind::kHyphenNumber};
    if (const auto word = take_while(rest_, fits_word); !word.empty()) {
      token = word_token(word, /*number_follows=*/!rest_.empty() && is_digit(rest_.front()), dot_ ? kDot : kHyphen);
    } else {
      token.text = take_digits(rest_);
    }
    dot_ = take(rest_, '.');
    owes_one_ = dot_ || take(rest_, '-');
    return token;
  }

 private:
  std::string_view rest_;
  bool dot_ = true;        // what the next token has in front; the first counts as having a dot
  bool owes_one_ = false;  // a separator was read last: after it there is a token, if an empty one
};

// Without the tokens that mean nothing at the end, and before each hyphen and word: "1.0.0-rc" is "1-rc". The first
// stays. After the last it gives kRelease for ever.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : raw_(text) {}

  [[nodiscard]] bool at_end() const { return nulls_ == 0 && !pending_ && raw_.at_end(); }

  Token next() {
    if (first_) {
      first_ = false;
      const auto token = raw_.next();
      return token.is_null() ? Token{.kind = Kind::kDotNumber} : token;
    }
    if (nulls_ == 0 && !pending_) read_on();
    if (nulls_ > 0) {
      --nulls_;
      return std::exchange(null_, Token{.kind = Kind::kDotNumber});
    }
    return std::exchange(pending_, std::nullopt).value_or(Token{});
  }

 private:
  void read_on();

  RawTokens raw_;
  bool first_ = true;
  std::size_t nulls_ = 0;  // so many that mean nothing and stay, before what is pending
  Token null_;             // the first of them
  std::optional<Token> pending_;
};

void Tokens::read_on() {
  while (!raw_.at_end()) {
    auto token = raw_.next();
    const auto nulls = token.kind == Kind::kDotNumber ? nulls_ : std::exchange(nulls_, 0);
    if (!token.is_null()) {
      if (!token.is_number() && token.front == kDot && nulls > 0) token.front = kHyphen + nulls;
      pending_ = token;
      return;
    }
    if (nulls_++ == 0) null_ = token;
  }
  nulls_ = 0;
}

Order compare_tokens(const Token& a, const Token& b) {
  if (a.kind != b.kind) return a.kind <=> b.kind;
  if (a.is_number()) return compare_numbers(a.text, b.text);
  if (a.kind == Kind::kRelease) return Order::equal;
  if (a.front != b.front) return a.front <=> b.front;
  if (a.rank != b.rank) return a.rank <=> b.rank;
  return compare_lower(a.text, b.text);
}

}  // namespace

bool is_maven(std::string_view text) {
  return all_of(text, [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f; });
}

std::strong_ordering compare_maven(std::string_view a, std::string_view b) {
  Tokens left(a);
  Tokens right(b);
  while (!left.at_end() || !right.at_end()) {
    const auto in_a = left.next();
    if (const auto order = compare_tokens(in_a, right.next()); order != Order::equal) return order;
  }
  return Order::equal;
}

}  // namespace slipway::scan::versions
