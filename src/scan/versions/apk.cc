// The order of apk-tools 3. It also covers what apk does not accept and Alpine has published all the same
// ("5.7.1p1-r0", "0..8"): a number after a letter counts, and a number that is missing is below all others.
#include <cstdint>

#include "scan/versions/schemes.h"
#include "scan/versions/text.h"

namespace slipway::scan::versions {
namespace {

// Where two versions differ in kind, the one whose kind stands further down is the newer.
enum class Kind : std::uint8_t {
  kPreSuffix,  // _alpha
  kInvalid,    // nothing after it counts
  kNoNumber,
  kEnd,
  kRevision,
  kCommit,
  kSuffixNumber,
  kPostSuffix,  // _p
  kLetter,
  kNumber,
  kFirstNumber,
};

struct Suffix {
  std::string_view name;
  Kind kind;
};

constexpr Suffix kSuffixes[] = {
    {"alpha", Kind::kPreSuffix}, {"beta", Kind::kPreSuffix}, {"pre", Kind::kPreSuffix},
    {"rc", Kind::kPreSuffix},    {"cvs", Kind::kPostSuffix}, {"svn", Kind::kPostSuffix},
    {"git", Kind::kPostSuffix},  {"hg", Kind::kPostSuffix},  {"p", Kind::kPostSuffix},
};

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

class Tokens {
 public:
  explicit Tokens(std::string_view text) : rest_(text) {}

  // After kEnd and kInvalid there is nothing more to ask for.
  void next();

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t suffix() const { return suffix_; }
  // Whether apk accepts all that came so far.
  [[nodiscard]] bool accepted() const { return accepted_; }

 private:
  [[nodiscard]] bool in_numbers() const { return started_ && (kind_ >= Kind::kNumber || kind_ == Kind::kNoNumber); }
  [[nodiscard]] bool before_suffixes_end() const {
    return in_numbers() || kind_ == Kind::kLetter || kind_ == Kind::kPreSuffix || kind_ == Kind::kPostSuffix ||
           kind_ == Kind::kSuffixNumber;
  }
  void become(Kind kind, std::string_view text = {}) {
    kind_ = kind;
    text_ = text;
  }
  void fail() {
    become(Kind::kInvalid);
    accepted_ = false;
  }
  void take_number(Kind kind);
  void take_suffix();
  void take_commit();
  void take_revision();
  void take_digit_run();

  std::string_view rest_;
  bool started_ = false;
  bool accepted_ = true;
  Kind kind_ = Kind::kFirstNumber;
  std::string_view text_;
  std::size_t suffix_ = 0;
};

void Tokens::take_number(Kind kind) {
  const auto digits = take_digits(rest_);
  if (digits.empty()) accepted_ = false;
  become(digits.empty() ? Kind::kNoNumber : kind, digits);
}

void Tokens::take_suffix() {
  const auto name = take_while(rest_, is_lower);
  for (suffix_ = 0; suffix_ < std::size(kSuffixes); ++suffix_) {
    if (kSuffixes[suffix_].name == name) return become(kSuffixes[suffix_].kind);
  }
  fail();
}

void Tokens::take_commit() {
  const auto hash = take_while(rest_, is_hex);
  if (hash.empty()) return fail();
  become(Kind::kCommit, hash);
}

// "-r" alone stands for "-r0", but only where the version ends, or another part is tried.
void Tokens::take_revision() {
  if (!take(rest_, 'r')) return fail();
  const auto digits = take_digits(rest_);
  if (digits.empty()) {
    accepted_ = false;
    if (!rest_.empty() && rest_.front() != '-') return fail();
  }
  become(Kind::kRevision, digits);
}

void Tokens::take_digit_run() {
  if (kind_ == Kind::kPreSuffix || kind_ == Kind::kPostSuffix) return become(Kind::kSuffixNumber, take_digits(rest_));
  if (kind_ != Kind::kLetter) return fail();
  accepted_ = false;
  become(Kind::kNumber, take_digits(rest_));
}

void Tokens::next() {
  if (!started_) {
    started_ = true;
    return take_number(Kind::kFirstNumber);
  }
  if (rest_.empty()) return become(Kind::kEnd);
  const char c = rest_.front();
  if (is_digit(c)) return take_digit_run();
  const auto first = rest_.substr(0, 1);
  rest_.remove_prefix(1);
  if (is_lower(c) && in_numbers()) return become(Kind::kLetter, first);
  if (c == '.' && in_numbers()) return take_number(Kind::kNumber);
  if (c == '_' && before_suffixes_end()) return take_suffix();
  if (c == '~' && before_suffixes_end()) return take_commit();
  if (c == '-' && kind_ != Kind::kRevision) return take_revision();
  fail();
}

Order compare_tokens(const Tokens& a, const Tokens& b) {
  switch (a.kind()) {
    case Kind::kPreSuffix:
    case Kind::kPostSuffix: return a.suffix() <=> b.suffix();
    case Kind::kLetter:
    case Kind::kCommit: return a.text() <=> b.text();
    case Kind::kNumber:
      // Gentoo's rule: with a zero in front it is read as a fraction.
      if (a.text().starts_with('0') || b.text().starts_with('0')) return a.text() <=> b.text();
      return compare_numbers(a.text(), b.text());
    default: return compare_numbers(a.text(), b.text());
  }
}

}  // namespace

bool is_apk(std::string_view text) {
  Tokens tokens(text);
  do {
    tokens.next();
  } while (tokens.accepted() && tokens.kind() != Kind::kEnd);
  return tokens.accepted();
}

std::strong_ordering compare_apk(std::string_view a, std::string_view b) {
  Tokens left(a);
  Tokens right(b);
  for (;;) {
    left.next();
    right.next();
    if (left.kind() != right.kind()) return left.kind() <=> right.kind();
    if (left.kind() == Kind::kEnd || left.kind() == Kind::kInvalid) return Order::equal;
    if (const auto order = compare_tokens(left, right); order != Order::equal) return order;
  }
}

}  // namespace slipway::scan::versions
