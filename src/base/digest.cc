#include "base/digest.h"

#include <array>
#include <cassert>
#include <climits>
#include <concepts>
#include <cstring>
#include <utility>
#include <variant>

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace slipway {

namespace {

// A reflected CRC, eight bytes at a time: table k gives the effect of a byte that is k bytes from the end.
template <std::unsigned_integral Word, Word kPolynomial>
class Crc {
 public:
  void update(std::span<const std::byte> bytes) {
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, &bytes[at], 8);
      eight ^= word_;
      word_ = 0;
      for (std::size_t i = 0; i < 8; ++i) word_ ^= kTables[7 - i][(eight >> (8 * i)) & 0xff];
    }
    for (; at < bytes.size(); ++at) {
      word_ = kTables[0][(word_ ^ static_cast<Word>(bytes[at])) & 0xff] ^ static_cast<Word>(word_ >> 8);
    }
  }

  DigestBytes finish() {
    const Word value = ~std::exchange(word_, static_cast<Word>(~Word{0}));
    DigestBytes bytes(sizeof(Word));
    for (std::size_t i = 0; i < sizeof(Word); ++i) {
      bytes[i] = static_cast<std::uint8_t>(value >> (8 * (sizeof(Word) - 1 - i)));
    }
    return bytes;
  }

 private:
  using Tables = std::array<std::array<Word, 256>, 8>;

  static constexpr Tables make_tables() {
    Tables tables{};
    for (std::size_t byte = 0; byte < 256; ++byte) {
      Word word = static_cast<Word>(byte);
      for (int bit = 0; bit < 8; ++bit) word = static_cast<Word>((word >> 1) ^ ((word & 1) != 0 ? kPolynomial : 0));
      tables[0][byte] = word;
    }
    for (std::size_t k = 1; k < 8; ++k) {
      for (std::size_t byte = 0; byte < 256; ++byte) {
        const Word before = tables[k - 1][byte];
        tables[k][byte] = static_cast<Word>((before >> 8) ^ tables[0][before & 0xff]);
      }
    }
    return tables;
  }

  static constexpr Tables kTables = make_tables();
  Word word_ = static_cast<Word>(~Word{0});
};

using Crc32 = Crc<std::uint32_t, 0xedb88320U>;
using Crc32c = Crc<std::uint32_t, 0x82f63b78U>;
using Crc64Nvme = Crc<std::uint64_t, 0x9a6c9329ac4bc9b5ULL>;

class Evp {
 public:
  explicit Evp(const EVP_MD* kind) : kind_(kind), context_(EVP_MD_CTX_new()) { begin(); }

  void update(std::span<const std::byte> bytes) {
    [[maybe_unused]] const int ok = EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
    assert(ok == 1);
  }

  DigestBytes finish() {
    DigestBytes bytes(EVP_MAX_MD_SIZE);
    unsigned size = 0;
    [[maybe_unused]] const int ok = EVP_DigestFinal_ex(context_.get(), bytes.data(), &size);
    assert(ok == 1);
    bytes.resize(size);
    begin();
    return bytes;
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };

  void begin() {
    [[maybe_unused]] const int ok = EVP_DigestInit_ex(context_.get(), kind_, nullptr);
    assert(ok == 1);
  }

  const EVP_MD* kind_;
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

using AnyHasher = std::variant<Evp, Crc32, Crc32c, Crc64Nvme>;

AnyHasher make_hasher(HashAlgorithm algorithm) {
  switch (algorithm) {
    case HashAlgorithm::kMd5: return Evp(EVP_md5());
    case HashAlgorithm::kSha1: return Evp(EVP_sha1());
    case HashAlgorithm::kSha256: return Evp(EVP_sha256());
    case HashAlgorithm::kCrc32: return Crc32();
    case HashAlgorithm::kCrc32c: return Crc32c();
    case HashAlgorithm::kCrc64Nvme: return Crc64Nvme();
  }
  std::unreachable();
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string_view to_string(HashAlgorithm algorithm) {
  switch (algorithm) {
    case HashAlgorithm::kMd5: return "MD5";
    case HashAlgorithm::kSha1: return "SHA-1";
    case HashAlgorithm::kSha256: return "SHA-256";
    case HashAlgorithm::kCrc32: return "CRC-32";
    case HashAlgorithm::kCrc32c: return "CRC-32C";
    case HashAlgorithm::kCrc64Nvme: return "CRC-64/NVME";
  }
  std::unreachable();
}

struct Hasher::State {
  AnyHasher hasher;
};

Hasher::Hasher(HashAlgorithm algorithm) : state_(new State{make_hasher(algorithm)}) {}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::update(std::span<const std::byte> bytes) {
  std::visit([&](auto& hasher) { hasher.update(bytes); }, state_->hasher);
}

void Hasher::update(std::string_view text) { update(std::as_bytes(std::span(text))); }

DigestBytes Hasher::finish() {
  return std::visit([](auto& hasher) { return hasher.finish(); }, state_->hasher);
}

DigestBytes digest(HashAlgorithm algorithm, std::string_view text) {
  Hasher hasher(algorithm);
  hasher.update(text);
  return hasher.finish();
}

DigestBytes hmac_sha256(std::span<const std::uint8_t> key, std::string_view text) {
  assert(key.size() <= INT_MAX);
  DigestBytes bytes(EVP_MAX_MD_SIZE);
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const std::uint8_t*>(text.data()),
       text.size(), bytes.data(), &size);
  bytes.resize(size);
  return bytes;
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xf];
  }
  return text;
}

std::string to_base64(std::span<const std::uint8_t> bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL ends it with a NUL
  text.resize(static_cast<std::size_t>(
      EVP_EncodeBlock(reinterpret_cast<std::uint8_t*>(text.data()), bytes.data(), static_cast<int>(bytes.size()))));
  return text;
}

std::optional<DigestBytes> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  DigestBytes bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_value(text[i]);
    const int low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  return bytes;
}

// OpenSSL's decoder is lenient about padding and blanks, so the answer is held against its own spelling.
std::optional<DigestBytes> from_base64(std::string_view text) {
  if (text.empty()) return DigestBytes();
  if (text.size() % 4 != 0 || text.size() > INT_MAX) return std::nullopt;
  DigestBytes bytes(text.size() / 4 * 3);
  const int size =
      EVP_DecodeBlock(bytes.data(), reinterpret_cast<const std::uint8_t*>(text.data()), static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(size) - padding);
  if (to_base64(bytes) != text) return std::nullopt;
  return bytes;
}

std::string sha256_hex(std::string_view text) { return to_hex(digest(HashAlgorithm::kSha256, text)); }

}  // namespace slipway
