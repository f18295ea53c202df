// Digests of bytes that arrive piece by piece, and their spellings.
//
//   Hasher sha(HashAlgorithm::kSha256);
//   while (...) sha.update(piece);
//   std::string checksum = to_hex(sha.finish());
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

// MD5 and SHA-1 are here because servers send them; nothing of ours rests on them.
enum class HashAlgorithm : std::uint8_t { kMd5, kSha1, kSha256, kCrc32, kCrc32c, kCrc64Nvme };

using DigestBytes = std::vector<std::uint8_t>;

[[nodiscard]] std::string_view to_string(HashAlgorithm algorithm);

// One stream of bytes; one thread at a time. A moved-from Hasher may only be assigned to.
class Hasher {
 public:
  explicit Hasher(HashAlgorithm algorithm);
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);

  // The digest of all that came so far, big-endian; the hasher starts afresh.
  [[nodiscard]] DigestBytes finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[nodiscard]] DigestBytes digest(HashAlgorithm algorithm, std::string_view text);
[[nodiscard]] DigestBytes hmac_sha256(std::span<const std::uint8_t> key, std::string_view text);

[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);  // lower case
[[nodiscard]] std::string to_base64(std::span<const std::uint8_t> bytes);
// Nothing when the text is not strictly of that form.
[[nodiscard]] std::optional<DigestBytes> from_hex(std::string_view text);
[[nodiscard]] std::optional<DigestBytes> from_base64(std::string_view text);

// The SHA-256 of a text in lower-case hex.
[[nodiscard]] std::string sha256_hex(std::string_view text);

}  // namespace slipway
