#include <cstdlib>
#include <tuple>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/json.h"
#include "scan/inventory/finds.h"
#include "scan/reports/formats.h"
#include "scan/testing/sample_report.h"

namespace slipway::scan {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

std::string cyclonedx_of(std::string_view components) {
  return fmt::format(R"({{"bomFormat":"CycloneDX","specVersion":"1.5","version":1,"components":{}}})", components);
}

std::string in_envelope(std::string_view statement) {
  const Json envelope{{"payloadType", "application/vnd.in-toto+json"},
                      {"payload", to_base64(std::vector<std::uint8_t>(statement.begin(), statement.end()))},
                      {"signatures", Json::array()}};
  return envelope.dump();
}

std::string in_statement(std::string_view predicate) {
  return fmt::format(R"({{"_type":"https://in-toto.io/Statement/v1","predicateType":"x","predicate":{}}})", predicate);
}

void expect_same(const Inventory& read, const Inventory& written) {
  EXPECT_EQ(read.distribution, written.distribution);
  EXPECT_EQ(read.layers, written.layers);
  EXPECT_EQ(read.unread, written.unread);
  ASSERT_EQ(read.packages.size(), written.packages.size());
  for (std::size_t at = 0; at < read.packages.size(); ++at) {
    const auto& [a, b] = std::tie(read.packages[at], written.packages[at]);
    EXPECT_EQ(a, b) << a.name << " " << a.version << " " << a.path << " " << a.licence << " / " << b.name << " "
                    << b.version << " " << b.path << " " << b.licence;
  }
}

TEST(ReadSbomTest, CyclonedxGivesBackAllThatWasWritten) {
  for (const auto& [name, report] : sample_reports()) {
    SCOPED_TRACE(name);
    const auto read = read_sbom(cyclonedx_json(report, Vulnerabilities::kListed));
    ASSERT_TRUE(read) << read.error().message();
    expect_same(*read, report.inventory);
  }
}

TEST(ReadSbomTest, SpdxGivesBackAllThatWasWritten) {
  for (const auto& [name, report] : sample_reports()) {
    SCOPED_TRACE(name);
    const auto read = read_sbom(spdx_json(report));
    ASSERT_TRUE(read) << read.error().message();
    expect_same(*read, report.inventory);
  }
}

TEST(ReadSbomTest, EnvelopesAreOpened) {
  const auto sbom = cyclonedx_json(debian_report(), Vulnerabilities::kLeftOut);
  const auto text = parse_json(sbom).value().dump();
  const auto cosigns = Json{{"Data", parse_json(sbom).value()}}.dump();
  const auto cosigns_text = Json{{"Data", text}}.dump();
  for (const auto& wrapped : {in_statement(sbom), in_envelope(in_statement(text)), in_envelope(in_statement(cosigns)),
                              in_envelope(in_statement(cosigns_text)), "\xEF\xBB\xBF \n" + in_envelope(text) + "\n",
                              in_envelope(in_statement(text)) + "\n" + in_envelope("{}")}) {
    EXPECT_TRUE(looks_like_sbom(wrapped.substr(0, 64)));
    const auto read = read_sbom(wrapped);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(*read, debian_report().inventory);
  }
}

TEST(ReadSbomTest, ComponentsWithinComponentsAreFound) {
  const auto read = read_sbom(cyclonedx_of(
      R"([{"type":"application","name":"app","components":[{"type":"library","name":"a","purl":"pkg:npm/a@1",
           "components":[{"type":"library","name":"b","purl":"pkg:npm/b@2"}]}]}])"));
  ASSERT_TRUE(read);
  EXPECT_THAT(read->packages, SizeIs(2));
  EXPECT_TRUE(read->complete());
}

TEST(ReadSbomTest, WhatCannotBeMatchedIsNotedOnlyIfItCouldHaveBeen) {
  const auto read = read_sbom(cyclonedx_of(
      R"([{"type":"file","name":"etc/passwd"},{"type":"application","name":"pom.xml"},{"type":"container","name":"c"},
          {"type":"library","name":"no-url","version":"1"},{"type":"library","name":"bad","purl":"nonsense"},
          {"type":"framework","name":"no-version","purl":"pkg:npm/x"},
          {"type":"library","name":"elsewhere","version":"3","purl":"pkg:npm/elsewhere"},
          {"type":"library","name":"conda","purl":"pkg:conda/pip@22"}, 5])"));
  ASSERT_TRUE(read);
  ASSERT_THAT(read->packages, SizeIs(2));
  EXPECT_EQ(read->packages[0].version, "3");
  EXPECT_EQ(read->packages[1].type, PackageType::kOther);
  std::vector<std::string> unread;
  for (const auto& entry : read->unread) unread.push_back(entry.path);
  EXPECT_THAT(unread, ElementsAre("no-url", "bad", "no-version", ""));
}

TEST(ReadSbomTest, SyftsWaysOfTellingTheSourceAreUnderstood) {
  const auto read = read_sbom(cyclonedx_of(
      R"([{"type":"library","name":"libssl","purl":"pkg:deb/debian/libssl3@3.0.1-1?arch=amd64&upstream=openssl&distro=debian-12",
           "properties":[{"name":"syft:location:0:path","value":"/var/lib/dpkg/status"}]},
          {"type":"library","name":"x","purl":"pkg:rpm/rhel/libs@1.0-2?epoch=1&upstream=open-ssl-1.0-2.src.rpm"},
          {"type":"library","name":"y","purl":"pkg:deb/debian/y@1?upstream=z%402"}])"));
  ASSERT_TRUE(read);
  ASSERT_THAT(read->packages, SizeIs(3));
  EXPECT_EQ(read->distribution->version, "12");
  EXPECT_EQ(read->packages[0].source, "openssl");
  EXPECT_EQ(read->packages[0].path, "var/lib/dpkg/status");
  EXPECT_EQ(read->packages[1].source, "z");
  EXPECT_EQ(read->packages[1].source_version, "2");
  EXPECT_EQ(read->packages[2].source, "open-ssl");
  EXPECT_EQ(read->packages[2].source_version, "");  // the package's own
}

TEST(ReadSbomTest, PackagesBelowALockFileAreOfThatFile) {
  const auto read = read_sbom(
      R"({"bomFormat":"CycloneDX","specVersion":"1.6","components":[
          {"type":"application","bom-ref":"f","name":"app/pom.xml","properties":[{"name":"aquasecurity:trivy:Class","value":"lang-pkgs"}]},
          {"type":"library","bom-ref":"a","name":"a","purl":"pkg:maven/g/a@1"},
          {"type":"library","bom-ref":"b","name":"b","purl":"pkg:maven/g/b@1"},
          {"type":"library","bom-ref":"c","name":"c","purl":"pkg:maven/g/c@1"}],
          "dependencies":[{"ref":"f","dependsOn":["a"]},{"ref":"a","dependsOn":["b","f",7]},{"ref":"b","dependsOn":["a"]}]})");
  ASSERT_TRUE(read);
  ASSERT_THAT(read->packages, SizeIs(3));
  EXPECT_EQ(read->packages[0].path, "app/pom.xml");
  EXPECT_EQ(read->packages[1].path, "app/pom.xml");
  EXPECT_EQ(read->packages[2].path, "");
}

TEST(ReadSbomTest, ASecondDistributionIsNotedUnlessItIsTheSame) {
  const auto system = [](const char* name, const char* version) {
    return fmt::format(R"({{"type":"operating-system","name":"{}","version":"{}"}})", name, version);
  };
  const auto same = read_sbom(cyclonedx_of(fmt::format("[{0},{0}]", system("redhat", "8"))));
  ASSERT_TRUE(same);
  EXPECT_EQ(same->distribution->id, "rhel");
  EXPECT_TRUE(same->complete());
  const auto other = read_sbom(cyclonedx_of(fmt::format("[{},{}]", system("debian", "12"), system("alpine", "3"))));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->distribution->id, "debian");
  EXPECT_FALSE(other->complete());
}

TEST(ReadSbomTest, TagsAndValuesMaySpanLines) {
  const auto read = read_sbom(
      "# a comment\nSPDXVersion: SPDX-2.3\r\nDocumentName: x\n\n"
      "PackageName: x\nSPDXID: SPDXRef-Root\n\n"
      "PackageName: jq\nSPDXID: SPDXRef-Package-1\nPackageVersion: 1\nPackageComment: <text>two\nlines: here</text>\n"
      "PackageLicenseDeclared: LicenseRef-1\nExternalRef: PACKAGE-MANAGER purl pkg:deb/debian/jq@1.6?distro=debian-12\n"
      "Annotator: Tool: x\nAnnotationDate: 2020-01-01T00:00:00Z\nAnnotationType: OTHER\n"
      "AnnotationComment: <text>slipway:path: a\nb</text>\nSPDXREF: SPDXRef-Package-1\n"
      "FileName: ./f\nSPDXID: SPDXRef-File\n"
      "Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-Root\n"
      "LicenseID: LicenseRef-1\nExtractedText: <text>long\ntext</text>\nLicenseName: Fine\n"
      "PackageName: never-closed\nPackageComment: <text>x");
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_THAT(read->packages, SizeIs(1));
  EXPECT_EQ(read->packages[0].name, "jq");
  EXPECT_EQ(read->packages[0].licence, "Fine");
  EXPECT_EQ(read->packages[0].path, "a\nb");
  EXPECT_EQ(read->distribution->id, "debian");
  EXPECT_THAT(read->unread, ElementsAre(Unread{"never-closed", "it has no package URL"}));
}

TEST(ReadSbomTest, WhatIsNoSbomIsCorrupt) {
  for (const std::string& text :
       {std::string(),
        std::string("{"),
        std::string("[]"),
        std::string("null"),
        std::string("7"),
        std::string("{}"),
        std::string("text"),
        std::string(R"({"bomFormat":"CycloneDX"})"),
        std::string(R"({"bomFormat":5,"spdxVersion":{}})"),
        std::string(R"({"bomFormat":"CycloneDX","specVersion":"1.5","components":{}})"),
        std::string(R"({"spdxVersion":"SPDX-2.3","packages":"x"})"),
        std::string(R"({"payload":"%%%"})"),
        in_envelope("{"),
        in_envelope("{}"),
        in_statement("5"),
        in_statement("[]"),
        in_statement(in_statement(in_statement(in_statement(in_statement(in_statement("{}")))))),
        cyclonedx_of("[{\"name\":\"\xff\"}]"),
        std::string("SPDXVersion: SPDX-2.3\nPackageName: \xff\n"),
        cyclonedx_of(std::string(10'000, '[') + std::string(10'000, ']'))}) {
    const auto read = read_sbom(text);
    ASSERT_FALSE(read) << text.substr(0, 80);
    EXPECT_EQ(read.error().kind(), ErrorKind::kCorrupt) << text.substr(0, 80);
  }
}

TEST(ReadSbomTest, VersionsThatAreNotKnownAreNamed) {
  for (const auto* const text :
       {R"({"bomFormat":"CycloneDX","specVersion":"2.0"})", R"({"spdxVersion":"SPDX-3.0"})", "SPDXVersion: SPDX-1.2\n",
        R"({"@context":"https://spdx.org/rdf/3.0.1/spdx-context.jsonld"})", "<bom/>"}) {
    const auto read = read_sbom(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind(), ErrorKind::kUnsupported) << text;
  }
}

// Every value of a good document, one after the other, becomes one of another type.
void twist(Json& whole, Json& at, int& twisted) {
  for (const auto& wrong :
       {Json(nullptr), Json(-1), Json(true), Json("\x01"), Json::array({nullptr}), Json::object()}) {
    const Json before = std::exchange(at, wrong);
    const auto read = read_sbom(whole.dump());
    if (!read) {
      EXPECT_THAT(read.error().kind(), testing::AnyOf(ErrorKind::kCorrupt, ErrorKind::kUnsupported));
    }
    at = before;
    ++twisted;
  }
  if (!at.is_structured()) return;
  for (auto& child : at) twist(whole, child, twisted);
}

TEST(ReadSbomTest, WrongTypesAnywhereAreSurvived) {
  Report report = alma_report();
  for (const auto& text : {cyclonedx_json(report, Vulnerabilities::kListed), spdx_json(report)}) {
    auto document = parse_json(text).value();
    int twisted = 0;
    twist(document, document, twisted);
    EXPECT_GT(twisted, 300);
  }
}

TEST(ReadSbomTest, TooManyComponentsAreLeftOutAndNoted) {
  std::string components = "[";
  const std::size_t count = std::getenv("SLIPWAY_LONG") != nullptr ? 1'000'000 : Finds::kMostPackages + 1000;
  for (std::size_t at = 0; at < count; ++at) {
    components += fmt::format(R"({{"bom-ref":"same","type":"library","purl":"pkg:npm/p{}@1"}},)", at);
  }
  components.back() = ']';
  const auto read = read_sbom(cyclonedx_of(components));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->packages.size(), Finds::kMostPackages);
  EXPECT_FALSE(read->complete());
}

TEST(ReadSbomTest, ManyBadComponentsAreCountedAndNotAllListed) {
  std::string components = "[5";
  for (int at = 0; at < 100'000; ++at) components += ",5";
  const auto read = read_sbom(cyclonedx_of(components + "]"));
  ASSERT_TRUE(read);
  EXPECT_LT(read->unread.size(), 2000);
  EXPECT_EQ(read->unread.back().reason, "and 99001 more");
}

TEST(ReadSbomTest, TheSamePackageTwiceIsListedOnce) {
  const auto read = read_sbom(cyclonedx_of(
      R"([{"type":"library","bom-ref":"x","purl":"pkg:npm/a@1"},{"type":"library","bom-ref":"x","purl":"pkg:npm/a@1"}])"));
  ASSERT_TRUE(read);
  EXPECT_THAT(read->packages, SizeIs(1));
}

TEST(ReadSbomTest, BeginningsAreJudged) {
  EXPECT_TRUE(looks_like_sbom("{\"bomFormat\""));
  EXPECT_TRUE(looks_like_sbom("\xEF\xBB\xBF\n {"));
  EXPECT_TRUE(looks_like_sbom("# c\n\nSPDXVersion: SPDX-2.2\n"));
  EXPECT_FALSE(looks_like_sbom("SPDXID: x"));
  EXPECT_FALSE(looks_like_sbom(""));
  EXPECT_FALSE(looks_like_sbom(std::string_view("\x1f\x8b\x08\0", 4)));
}

}  // namespace
}  // namespace slipway::scan
