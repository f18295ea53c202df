#include "scan/policy/vex_match.h"

#include <string>

#include <gtest/gtest.h>

namespace slipway::scan {
namespace {

const std::string kDigest(64, 'a');
const std::string kOtherDigest(64, 'b');

VexDocument parse(const std::string& statements) {
  auto made = parse_openvex(R"({"@context": "https://openvex.dev/ns/v0.2.0", "timestamp": "2024-01-01T00:00:00Z",
                                "statements": [)" +
                                statements + "]}",
                            "x.json");
  EXPECT_TRUE(made) << made.error().describe();
  return made ? *made : VexDocument{};
}

std::string statement(const std::string& products, const std::string& status = "fixed", const std::string& more = "") {
  return R"({"vulnerability": {"name": "CVE-1-2", "aliases": ["GHSA-x"]}, "products": [)" + products +
         R"(], "status": ")" + status + "\"" + more + "}";
}

// Whether a statement on `products` speaks of openssl in an image that is known by name, file and digest.
bool speaks_of_openssl(const std::string& products) {
  const std::vector<VexDocument> documents{parse(statement(products))};
  const VexArtifact artifact({.names = {"example.org/team/App:1.2", "images/5.tar"}, .digests = {"sha256:" + kDigest}});
  const auto package = split_purl("pkg:deb/debian/openssl@1.1.1d-0?arch=amd64").value();
  return VexIndex(documents).last_word({.id = "CVE-1-2"}, package, artifact).statement != nullptr;
}

TEST(VexMatchTest, AProductIsThePackage) {
  EXPECT_TRUE(speaks_of_openssl(R"("pkg:deb/debian/openssl")"));
  EXPECT_TRUE(speaks_of_openssl(R"({"@id": "urn:x", "identifiers": {"purl": "pkg:deb/debian/openssl@1.1.1d-0"}})"));
  EXPECT_TRUE(speaks_of_openssl(R"("other", "pkg:deb/debian/openssl")"));
  EXPECT_FALSE(speaks_of_openssl(R"("pkg:deb/debian/openssl@1.1.1d-1")"));
  EXPECT_FALSE(speaks_of_openssl(R"("openssl")"));
}

TEST(VexMatchTest, AProductIsTheArtifactByNameFileOrDigest) {
  EXPECT_TRUE(speaks_of_openssl(R"("images/5.tar")"));
  EXPECT_TRUE(speaks_of_openssl(R"("example.org/team/App:1.2")"));
  EXPECT_TRUE(speaks_of_openssl("\"sha256:" + kDigest + "\""));
  EXPECT_TRUE(speaks_of_openssl(R"({"hashes": {"sha-256": ")" + kDigest + "\"}}"));
  EXPECT_FALSE(speaks_of_openssl(R"("images/6.tar")"));
  EXPECT_FALSE(speaks_of_openssl(R"({"hashes": {"sha-256": ")" + kOtherDigest + "\"}}"));
  EXPECT_FALSE(speaks_of_openssl(R"({"hashes": {"sha-256": ""}})"));
  EXPECT_FALSE(speaks_of_openssl(R"("")"));
}

TEST(VexMatchTest, AnImagesUrlIsTheArtifactByItsDigestOrAllThatItStates) {
  EXPECT_TRUE(speaks_of_openssl("\"pkg:oci/renamed@sha256%3A" + kDigest + "\""));
  EXPECT_TRUE(speaks_of_openssl(R"("pkg:oci/app")"));
  EXPECT_TRUE(speaks_of_openssl(R"("pkg:oci/app?tag=1.2&repository_url=example.org/team/app")"));
  EXPECT_TRUE(speaks_of_openssl(R"("pkg:oci/app?repository_url=example.org/team/")"));
  EXPECT_FALSE(speaks_of_openssl("\"pkg:oci/app@sha256:" + kOtherDigest + "\""));
  EXPECT_FALSE(speaks_of_openssl(R"("pkg:oci/app?tag=1.3")"));
  EXPECT_FALSE(speaks_of_openssl(R"("pkg:oci/app?repository_url=example.org/other")"));
  EXPECT_FALSE(speaks_of_openssl(R"("pkg:oci/other")"));
}

TEST(VexMatchTest, OfAnArtifactWithPartsOnlyThosePartsAreMeant) {
  const auto with = [](const std::string& parts) {
    return R"({"@id": "pkg:oci/app", "subcomponents": [)" + parts + "]}";
  };
  EXPECT_TRUE(speaks_of_openssl(with("")));
  EXPECT_TRUE(speaks_of_openssl(with(R"("pkg:deb/debian/bash", {"@id": "pkg:deb/debian/openssl"})")));
  EXPECT_FALSE(speaks_of_openssl(with(R"("pkg:deb/debian/bash")")));
  EXPECT_FALSE(speaks_of_openssl(with(R"("what?")")));
  EXPECT_FALSE(speaks_of_openssl(R"({"@id": "pkg:oci/other", "subcomponents": ["pkg:deb/debian/openssl"]})"));
}

TEST(VexMatchTest, OfAPackageWithPartsOnlyThosePartsAreMeant) {
  const auto with = [](const std::string& parts) {
    return R"({"@id": "pkg:deb/debian/openssl", "subcomponents": [)" + parts + "]}";
  };
  EXPECT_TRUE(speaks_of_openssl(with("")));
  EXPECT_FALSE(speaks_of_openssl(with(R"({"@id": "pkg:deb/debian/bash"})")));
  EXPECT_FALSE(speaks_of_openssl(with(R"("what?")")));
  EXPECT_TRUE(speaks_of_openssl(with(R"("pkg:deb/debian/bash", "pkg:deb/debian/openssl@1.1.1d-0")")));
}

TEST(VexMatchTest, AnArtifactMayBeKnownByAUrlOfItsOwn) {
  const std::vector<VexDocument> documents{parse(statement(R"("pkg:golang/example.org/app")"))};
  const VexArtifact artifact({.names = {"pkg:golang/example.org/app@v1.0.0"}});
  EXPECT_NE(VexIndex(documents).last_word({.id = "CVE-1-2"}, {}, artifact).statement, nullptr);
}

TEST(VexMatchTest, NothingIsKnownByAnEmptyName) {
  const std::vector<VexDocument> documents{parse(statement(R"("", {}, {"@id": ""})"))};
  const VexArtifact artifact({.names = {""}, .digests = {"", "sha256:"}});
  EXPECT_EQ(VexIndex(documents).last_word({.id = "CVE-1-2"}, {}, artifact).statement, nullptr);
}

class LastWordTest : public ::testing::Test {
 protected:
  VexStatus last(const std::vector<VexDocument>& documents, const Finding& finding = {.id = "CVE-1-2"}) {
    const auto word = VexIndex(documents).last_word(finding, split_purl("pkg:npm/a@1").value(), VexArtifact({}));
    EXPECT_NE(word.statement, nullptr);
    return word.statement == nullptr ? VexStatus::kUnderInvestigation : word.statement->status;
  }
  static std::string on(const std::string& time) { return R"(, "timestamp": ")" + time + "\""; }

  const std::string a_ = R"("pkg:npm/a")";
};

TEST_F(LastWordTest, TheYoungestStatementWinsWhereverItStands) {
  EXPECT_EQ(last({parse(statement(a_, "affected", on("2024-06-01")) + "," + statement(a_, "fixed", on("2024-05-01")))}),
            VexStatus::kAffected);
  EXPECT_EQ(last({parse(statement(a_, "fixed", on("2024-06-01"))), parse(statement(a_, "affected"))}),
            VexStatus::kFixed);
}

TEST_F(LastWordTest, OfTwoOfTheSameTimeTheLaterOneWins) {
  EXPECT_EQ(last({parse(statement(a_, "affected") + "," + statement(a_, "fixed"))}), VexStatus::kFixed);
  EXPECT_EQ(last({parse(statement(a_, "fixed")), parse(statement(a_, "affected"))}), VexStatus::kAffected);
}

TEST_F(LastWordTest, AnUpdateCountsByItsOwnTime) {
  EXPECT_EQ(last({parse(statement(a_, "fixed", on("2024-01-01") + R"(, "last_updated": "2024-08-01")") + "," +
                        statement(a_, "affected", on("2024-07-01")))}),
            VexStatus::kFixed);
}

TEST_F(LastWordTest, OnlyStatementsOnTheSamePackageCount) {
  EXPECT_EQ(last({parse(statement(a_, "fixed") + "," + statement(R"("pkg:npm/b")", "affected", on("2025-01-01")))}),
            VexStatus::kFixed);
}

TEST_F(LastWordTest, AFindingIsMeantByAnyNameOfItsOwnOrOfTheStatements) {
  const std::vector<VexDocument> documents{parse(statement(a_))};
  EXPECT_EQ(last(documents, {.id = "ghsa-X"}), VexStatus::kFixed);
  EXPECT_EQ(last(documents, {.id = "OSV-1", .aliases = {"cve-1-2"}}), VexStatus::kFixed);
  EXPECT_EQ(
      VexIndex(documents).last_word({.id = "CVE-1-3"}, split_purl("pkg:npm/a").value(), VexArtifact({})).statement,
      nullptr);
}

}  // namespace
}  // namespace slipway::scan
