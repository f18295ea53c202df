#include "base/digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway {
namespace {

struct Known {
  HashAlgorithm algorithm;
  std::string_view hex;  // of "123456789"
};

class KnownDigest : public testing::TestWithParam<Known> {};

TEST_P(KnownDigest, OfTheNineDigits) { EXPECT_EQ(to_hex(digest(GetParam().algorithm, "123456789")), GetParam().hex); }

TEST_P(KnownDigest, DoesNotDependOnHowTheBytesAreCut) {
  const std::string text = "the quick brown fox jumps over the lazy dog, again and again";
  const auto whole = digest(GetParam().algorithm, text);
  Hasher hasher(GetParam().algorithm);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    hasher.update(std::string_view(text).substr(0, cut));
    hasher.update(std::string_view(text).substr(cut));
    EXPECT_EQ(hasher.finish(), whole) << "cut at " << cut;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, KnownDigest,
    testing::Values(Known{HashAlgorithm::kMd5, "25f9e794323b453885f5181f1b624d0b"},
                    Known{HashAlgorithm::kSha1, "f7c3bc1d808e04732adf679965ccc34ca7ae3441"},
                    Known{HashAlgorithm::kSha256, "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"},
                    Known{HashAlgorithm::kCrc32, "cbf43926"}, Known{HashAlgorithm::kCrc32c, "e3069283"},
                    Known{HashAlgorithm::kCrc64Nvme, "ae8b14860a799888"}));

TEST(Hmac, IsThatOfRfc4231) {
  const std::string key = "Jefe";
  EXPECT_EQ(to_hex(hmac_sha256(std::span(reinterpret_cast<const std::uint8_t*>(key.data()), key.size()),
                               "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Spelling, HexAndBase64GoThereAndBack) {
  DigestBytes bytes;
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(from_hex(to_hex(bytes)), bytes);
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    bytes.push_back(static_cast<std::uint8_t>(i * 37));
  }
}

TEST(Spelling, AnythingElseIsNothing) {
  for (const char* text : {"a", "0g", "0x00", " 00"}) EXPECT_FALSE(from_hex(text)) << text;
  for (const char* text : {"a", "QQ=", "QR==", "Q Q=", "====", "QQ==\n"}) EXPECT_FALSE(from_base64(text)) << text;
}

}  // namespace
}  // namespace slipway
