#include "base/ulid.h"

#include <algorithm>

namespace slipway {
namespace {

constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

int digit_value(char c) {
  if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  const auto at = kAlphabet.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

constexpr std::uint64_t with_time(TimePoint now, std::uint64_t random16) {
  const auto millis = std::max<std::int64_t>(0, to_micros(now) / 1000);
  return (static_cast<std::uint64_t>(millis) << 16) | (random16 & 0xFFFF);
}

}  // namespace

Result<Ulid> Ulid::parse(std::string_view text) {
  if (text.size() != kTextLength) {
    return fail(ErrorKind::kInvalid, "\"{}\" is not a ULID: it has {} characters, not {}", text, text.size(),
                kTextLength);
  }
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  for (const char c : text) {
    const int value = digit_value(c);
    if (value < 0) return fail(ErrorKind::kInvalid, "\"{}\" is not a ULID: '{}' is not one of its letters", text, c);
    if ((high >> 59) != 0) return fail(ErrorKind::kInvalid, "\"{}\" is not a ULID: it is over 128 bits", text);
    high = (high << 5) | (low >> 59);
    low = (low << 5) | static_cast<std::uint64_t>(value);
  }
  return Ulid(high, low);
}

Ulid Ulid::from_bytes(const Bytes& big_endian) {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    high = (high << 8) | big_endian[i];
    low = (low << 8) | big_endian[i + 8];
  }
  return {high, low};
}

Ulid::Bytes Ulid::to_bytes() const {
  Bytes bytes{};
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<std::uint8_t>(high_ >> (56 - 8 * i));
    bytes[i + 8] = static_cast<std::uint8_t>(low_ >> (56 - 8 * i));
  }
  return bytes;
}

std::string Ulid::to_string() const {
  std::string text(kTextLength, '0');
  std::uint64_t high = high_;
  std::uint64_t low = low_;
  for (auto c = text.rbegin(); c != text.rend(); ++c) {
    *c = kAlphabet[low & 31];
    low = (low >> 5) | (high << 59);
    high >>= 5;
  }
  return text;
}

TimePoint Ulid::made_at() const { return from_micros(static_cast<std::int64_t>(high_ >> 16) * 1000); }

UlidSource::UlidSource() {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device(), device(), device(), device(), device()};
  random_.seed(seed);
}

Ulid UlidSource::next(TimePoint now) {
  const std::scoped_lock lock(mutex_);
  const Ulid fresh(with_time(now, random_()), random_());
  if ((fresh.high() >> 16) > (last_.high() >> 16)) {
    last_ = fresh;
  } else {
    // Same millisecond or an earlier one: a random stride keeps the order and stays hard to guess.
    const std::uint64_t stride = 1 + (random_() >> 32);
    const std::uint64_t low = last_.low() + stride;
    last_ = Ulid(last_.high() + (low < stride ? 1 : 0), low);
  }
  return last_;
}

void UlidSource::stay_above(Ulid seen) {
  const std::scoped_lock lock(mutex_);
  last_ = std::max(last_, seen);
}

}  // namespace slipway
