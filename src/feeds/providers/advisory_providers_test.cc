#include "feeds/providers/advisory_providers.h"

#include <gtest/gtest.h>

#include "feeds/testing/ground.h"

namespace slipway::feeds {
namespace {

// A program from before there were ways of reading.
template <class Base>
class Older : public Base {
 public:
  using Base::Base;

 protected:
  [[nodiscard]] int reading() const override { return 0; }
};

template <class T>
std::unique_ptr<Provider> make(Fetcher& fetcher, net::HttpClient& /*client*/) {
  return std::make_unique<T>(fetcher);
}

class AdvisoryProvidersTest : public ::testing::Test {
 protected:
  template <class T>
  std::int64_t generation_after(const std::string& id, const std::string& source, int interrupt_after = -1) {
    const auto row = ground_.sync(id, make<T>, source, {.interrupt_after = interrupt_after});
    EXPECT_EQ(row.has_value(), interrupt_after < 0);
    return ground_.number("SELECT generation FROM provider WHERE id = '" + id + "'");
  }

  Ground ground_;
};

TEST_F(AdvisoryProvidersTest, WhatAnOlderProgramHasLoadedIsReadAgainOnce) {
  const auto osv = ground_.write("a.json", R"({"id": "GHSA-1", "affected": []})");
  const auto alpine = ground_.write(
      "b.json", R"({"reponame": "main", "distroversion": "v3.9", "packages": [{"pkg": {"name": "xen", "secfixes": )"
                R"({"1": ["XSA-1"]}}}]})");
  const auto first = generation_after<Older<OsvProvider>>("osv", osv);
  EXPECT_EQ(generation_after<Older<OsvProvider>>("osv", osv), first);
  EXPECT_EQ(generation_after<OsvProvider>("osv", osv), first + 1);
  EXPECT_EQ(generation_after<OsvProvider>("osv", osv), first + 1);
  const auto second = generation_after<Older<AlpineProvider>>("alpine", alpine);
  EXPECT_EQ(generation_after<AlpineProvider>("alpine", alpine), second + 1);
  EXPECT_EQ(generation_after<AlpineProvider>("alpine", alpine), second + 1);
}

TEST_F(AdvisoryProvidersTest, WhatAnOlderProgramHasHalfLoadedIsReadFromItsBeginning) {
  ground_.write("data/a.json", R"({"id": "GHSA-1", "affected": []})");
  ground_.write("data/b.json", R"({"id": "GHSA-2", "affected": []})");
  const auto folder = ground_.path() + "/data";
  const auto half = generation_after<Older<OsvProvider>>("osv", folder, 1);
  EXPECT_EQ(generation_after<OsvProvider>("osv", folder), half + 1);
  EXPECT_EQ(ground_.number("SELECT processed FROM provider"), 2);
}

}  // namespace
}  // namespace slipway::feeds
