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
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string cyclonedx_of(std::string_view components) {
  return fmt::format(R"({{"bomFormat":"CycloneDX","specVersion":"1.5","version":1,"components":{}}})", components);
}

std::string spdx_of(std::string_view packages, std::string_view relationships = "[]") {
  return fmt::format(R"({{"spdxVersion":"SPDX-2.3","SPDXID":"SPDXRef-DOCUMENT","packages":{},"relationships":{}}})",
                     packages, relationships);
}

Inventory read(std::string_view text) {
  auto made = read_sbom(text);
  EXPECT_TRUE(made) << made.error().describe();
  return made.value_or(Inventory{});
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
                              in_envelope(in_statement(cosigns_text)), "\xEF\xBB\xBF \n" + in_envelope(text) + "\n"}) {
    EXPECT_TRUE(looks_like_sbom(wrapped.substr(0, 64)));
    const auto read = read_sbom(wrapped);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(*read, debian_report().inventory);
  }
}

TEST(ReadSbomTest, OfSeveralDocumentsTheFirstIsReadAndTheRestNoted) {
  const auto first = parse_json(cyclonedx_json(debian_report(), Vulnerabilities::kLeftOut)).value().dump();
  for (const auto& text : {first + "\n" + first, first + "\r\ngarbage that is not JSON\n",
                           in_envelope(in_statement(first)) + "\n" + in_envelope("{}")}) {
    const auto inventory = read(text);
    EXPECT_EQ(inventory.packages, debian_report().inventory.packages);
    EXPECT_THAT(inventory.unread,
                ElementsAre(Unread{"what follows the first line", "of several documents only the first is read"}));
  }
  EXPECT_TRUE(read(first + "\n \t\r\n").complete());
}

TEST(ReadSbomTest, ComponentsWithinComponentsAreFound) {
  const auto inventory = read(cyclonedx_of(
      R"([{"type":"library","name":"app","purl":"pkg:npm/app@1","components":[{"type":"library","name":"a",
           "purl":"pkg:npm/a@1","components":[{"type":"library","name":"b","purl":"pkg:npm/b@2"}]}]}])"));
  EXPECT_THAT(inventory.packages, SizeIs(3));
  EXPECT_TRUE(inventory.complete());
  const auto broken = read(cyclonedx_of(R"([{"name":"ok","purl":"pkg:npm/ok@9","components":{"a":1}}])"));
  EXPECT_THAT(broken.packages, SizeIs(1));
  EXPECT_THAT(broken.unread, ElementsAre(Unread{"ok", "its components are not a list"}));
}

TEST(ReadSbomTest, WhatHasNoUsablePackageUrlIsNotedUnlessItIsAFile) {
  const auto read = read_sbom(cyclonedx_of(
      R"([{"type":"file","name":"etc/passwd"},{"type":"application","name":"openssl"},{"type":"container","name":"c"},
          {"type":"firmware","name":"x"},{"type":"platform","name":"java"},{"type":"application","name":"n","purl":123},
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
  EXPECT_THAT(unread, ElementsAre("openssl", "c", "x", "java", "n", "no-url", "bad", "no-version", ""));
}

TEST(ReadSbomTest, SpdxPackagesWithoutAUrlAreNotedWhateverTheyAreFor) {
  const auto inventory = read(spdx_of(
      R"([{"SPDXID":"SPDXRef-P1","name":"openssl","versionInfo":"1.0.1","primaryPackagePurpose":"SOURCE"},
          {"SPDXID":"SPDXRef-P2","name":"nginx","versionInfo":"1.0.1","primaryPackagePurpose":"APPLICATION"},
          {"SPDXID":"SPDXRef-Application-3","name":"tool","versionInfo":"1.0.1"},
          {"SPDXID":"SPDXRef-Application-4","name":"app/package-lock.json"},
          {"SPDXID":"SPDXRef-P5","name":"readme","primaryPackagePurpose":"FILE"},
          {"SPDXID":"SPDXRef-ContainerImage-6","name":"image","primaryPackagePurpose":"CONTAINER"}])"));
  EXPECT_THAT(inventory.packages, IsEmpty());
  EXPECT_THAT(inventory.unread,
              ElementsAre(Unread{"openssl", "it has no package URL"}, Unread{"nginx", "it has no package URL"},
                          Unread{"tool", "it has no package URL"}));
}

TEST(ReadSbomTest, WhatTheDocumentIsAboutIsAPackageWhereItsUrlSaysSo) {
  const auto about = [](std::string_view artifact) {
    return fmt::format(R"({{"bomFormat":"CycloneDX","specVersion":"1.5","metadata":{{"component":{}}},"components":[
                           {{"type":"library","name":"x","purl":"pkg:npm/x@1"}}]}})",
                       artifact);
  };
  const auto package = read(about(R"({"type":"library","name":"t-vers","purl":"pkg:npm/t-vers@1.0.0"})"));
  ASSERT_THAT(package.packages, SizeIs(2));
  EXPECT_EQ(package.packages[0].name, "t-vers");
  for (const auto* const artifact :
       {R"({"type":"container","name":"image"})", R"({"type":"application","name":"app","version":"1"})",
        R"({"type":"container","name":"image","purl":"pkg:oci/image@sha256:ab"})",
        R"({"type":"platform","name":"k","purl":"pkg:k8s/k8s.io%2Fkubernetes@1.27.0"})"}) {
    EXPECT_THAT(read(about(artifact)).packages, SizeIs(1)) << artifact;
    EXPECT_TRUE(read(about(artifact)).complete()) << artifact;
  }
}

TEST(ReadSbomTest, WhatAnSpdxDocumentDescribesIsAPackageWhereItsUrlSaysSo) {
  const auto about = [](std::string_view url, std::string_view how) {
    return spdx_of(fmt::format(R"([{{"SPDXID":"SPDXRef-P","name":"t-vers","versionInfo":"1.0.0","externalRefs":[
                                   {{"referenceType":"purl","referenceLocator":"{}"}}]}},
                                   {{"SPDXID":"SPDXRef-Q","name":"x","externalRefs":[
                                   {{"referenceType":"purl","referenceLocator":"pkg:npm/x@1"}}]}}])",
                               url),
                   how);
  };
  const std::string describes =
      R"([{"spdxElementId":"SPDXRef-DOCUMENT","relationshipType":"DESCRIBES","relatedSpdxElement":"SPDXRef-P"}])";
  const std::string described =
      R"([{"spdxElementId":"SPDXRef-P","relationshipType":"DESCRIBED_BY","relatedSpdxElement":"SPDXRef-DOCUMENT"}])";
  for (const auto& how : {describes, described}) {
    EXPECT_THAT(read(about("pkg:npm/t-vers@1.0.0", how)).packages, SizeIs(2));
    EXPECT_THAT(read(about("pkg:oci/t-vers@sha256:ab", how)).packages, SizeIs(1));
    EXPECT_THAT(read(about("", how)).packages, SizeIs(1));
    EXPECT_TRUE(read(about("", how)).complete());
  }
}

TEST(ReadSbomTest, ADocumentWithoutPackagesIsIncompleteUnlessItSaysThatThisIsAll) {
  const std::string about = R"("metadata":{"component":{"bom-ref":"r","type":"container","name":"scratch"}})";
  const auto composed = [&](std::string_view aggregate, std::string_view of) {
    return fmt::format(
        R"({{"bomFormat":"CycloneDX","specVersion":"1.5",{},"compositions":[{{"aggregate":"{}","assemblies":["{}"]}}]}})",
        about, aggregate, of);
  };
  for (const auto& text :
       {cyclonedx_of("[]"), std::string(R"({"bomFormat":"CycloneDX","specVersion":"1.5","version":1})"),
        std::string(R"({"spdxVersion":"SPDX-2.3"})"), spdx_of("[]"), std::string("SPDXVersion: SPDX-2.3\n"),
        cyclonedx_of(R"([{"type":"operating-system","name":"debian","version":"12"}])"), composed("incomplete", "r"),
        composed("complete", "other")}) {
    EXPECT_THAT(read(text).unread, ElementsAre(Unread{"the SBOM", "it lists no packages"})) << text;
  }
  EXPECT_TRUE(read(composed("complete", "r")).complete());
  EXPECT_TRUE(read(cyclonedx_json(empty_report(), Vulnerabilities::kListed)).complete());
  EXPECT_TRUE(read(spdx_json(empty_report())).complete());
  auto unjudged = empty_report();
  unjudged.unjudged = 1;
  EXPECT_FALSE(read(spdx_json(unjudged)).complete());
}

TEST(ReadSbomTest, AGoModuleIsCalledAsItsNameIsSpelt) {
  const auto name = [](std::string_view text) {
    const auto inventory = read(text);
    return inventory.packages.empty() ? std::string("none") : inventory.packages[0].name;
  };
  const std::string url = R"("purl":"pkg:golang/github.com/masterminds/goutils@v1.1.0")";
  EXPECT_EQ(name(cyclonedx_of(R"([{"name":"github.com/Masterminds/goutils",)" + url + "}]")),
            "github.com/Masterminds/goutils");
  EXPECT_EQ(name(cyclonedx_of(R"([{"group":"github.com/Masterminds","name":"goutils",)" + url + "}]")),
            "github.com/Masterminds/goutils");
  EXPECT_EQ(name(cyclonedx_of(R"([{"name":"GoUtils",)" + url + "}]")), "github.com/masterminds/goutils");
  EXPECT_EQ(name(spdx_of(R"([{"SPDXID":"SPDXRef-P","name":"github.com/Masterminds/goutils","externalRefs":[
      {"referenceType":"purl","referenceLocator":"pkg:golang/github.com/masterminds/goutils@v1.1.0"}]}])")),
            "github.com/Masterminds/goutils");
  // A URL that has capital letters is not one that lost them, and other ecosystems' URLs lose none.
  EXPECT_EQ(name(cyclonedx_of(R"([{"name":"github.com/x/y","purl":"pkg:golang/github.com/X/y@v1"}])")),
            "github.com/X/y");
  EXPECT_EQ(name(cyclonedx_of(R"([{"name":"Express","purl":"pkg:npm/express@1"}])")), "express");
}

// Others do not read the properties that tell the name, and may leave them out.
TEST(ReadSbomTest, AGoModuleOfOursComesBackWithoutOurProperties) {
  Report report;
  report.inventory.packages = {
      {.type = PackageType::kGolang, .name = "github.com/Masterminds/goutils", .version = "1"}};
  auto cyclonedx = parse_json(cyclonedx_json(report, Vulnerabilities::kLeftOut)).value();
  for (auto& component : cyclonedx["components"]) component.erase("properties");
  auto spdx = parse_json(spdx_json(report)).value();
  for (auto& package : spdx["packages"]) package.erase("annotations");
  for (const auto& document : {cyclonedx, spdx}) {
    const auto inventory = read(document.dump());
    EXPECT_EQ(inventory.packages, report.inventory.packages);
    EXPECT_TRUE(inventory.complete());
  }
}

TEST(ReadSbomTest, SyftsWaysOfTellingTheSourceAreUnderstood) {
  const auto read = read_sbom(cyclonedx_of(
      R"([{"type":"library","name":"libssl","purl":"pkg:deb/debian/libssl3@3.0.1-1?arch=amd64&upstream=openssl&distro=debian-12",
           "properties":[{"name":"syft:location:0:path","value":"/var/lib/dpkg/status"}]},
          {"type":"library","name":"x","purl":"pkg:rpm/libs@1.0-2?epoch=1&upstream=open-ssl-1.0-2.src.rpm"},
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
  const auto same =
      read_sbom(cyclonedx_of(fmt::format(R"([{0},{0},{{"purl":"pkg:npm/a@1"}}])", system("redhat", "8"))));
  ASSERT_TRUE(same);
  EXPECT_EQ(same->distribution->id, "rhel");
  EXPECT_TRUE(same->complete());
  const auto other = read_sbom(cyclonedx_of(fmt::format("[{},{}]", system("debian", "12"), system("alpine", "3"))));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->distribution->id, "debian");
  EXPECT_FALSE(other->complete());
}

TEST(ReadSbomTest, PackagesOfASecondDistributionAreLeftOutAndNoted) {
  const auto urls = read(cyclonedx_of(
      R"([{"type":"library","name":"in11only","purl":"pkg:deb/debian/in11only@1.0?distro=debian-11"},
          {"type":"library","name":"in12only","purl":"pkg:deb/debian/in12only@1.0?distro=debian-12"},
          {"type":"library","name":"both","purl":"pkg:npm/both@1.0"}])"));
  ASSERT_THAT(urls.packages, SizeIs(2));
  EXPECT_EQ(urls.packages[0].name, "in11only");
  EXPECT_THAT(urls.unread, ElementsAre(Unread{"packages of debian 12",
                                              "the SBOM is taken as one of debian 11, and they are left out (1)"}));
  // Wherever the operating system stands.
  const auto told = read(cyclonedx_of(
      R"([{"type":"library","name":"bash","purl":"pkg:rpm/almalinux/bash@5.1.8-1.el9?distro=almalinux-9"},
          {"type":"library","name":"a","purl":"pkg:apk/alpine/a@1.0-r0?distro=3.18.4"},
          {"type":"library","name":"b","purl":"pkg:apk/alpine/b@1.0-r0?distro=3.18.4"},
          {"type":"library","name":"c","purl":"pkg:deb/debian/c@1.0?distro=debian-12.4"},
          {"type":"operating-system","name":"debian","version":"12"}])"));
  ASSERT_THAT(told.packages, SizeIs(1));
  EXPECT_EQ(told.packages[0].name, "c");
  EXPECT_THAT(
      told.unread,
      ElementsAre(
          Unread{"packages of alpine 3.18.4", "the SBOM is taken as one of debian 12, and they are left out (2)"},
          Unread{"packages of almalinux 9", "the SBOM is taken as one of debian 12, and they are left out (1)"}));
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
      "PackageName: no-url\nPackageComment: <text>x</text>");
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_THAT(read->packages, SizeIs(1));
  EXPECT_EQ(read->packages[0].name, "jq");
  EXPECT_EQ(read->packages[0].licence, "Fine");
  EXPECT_EQ(read->packages[0].path, "a\nb");
  EXPECT_EQ(read->distribution->id, "debian");
  EXPECT_THAT(read->unread, ElementsAre(Unread{"no-url", "it has no package URL"}));
}

TEST(ReadSbomTest, ATextThatIsNeverClosedIsCorruptSinceItHidesWhatFollows) {
  const auto read = read_sbom(
      "SPDXVersion: SPDX-2.3\nPackageName: a\nExternalRef: PACKAGE-MANAGER purl pkg:npm/a@1\n"
      "PackageComment: <text>unclosed\n\nPackageName: b\nExternalRef: PACKAGE-MANAGER purl pkg:npm/b@1\n");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(read.error().message(), HasSubstr("line 4"));
  EXPECT_THAT(read.error().message(), HasSubstr("PackageComment"));
}

TEST(ReadSbomTest, MoreValuesThanAnyListOfPackagesHasAreRefusedBeforeTheyAreRead) {
  std::string values;
  for (int at = 0; at < 8'000'001; ++at) values += "[],";
  const auto read = read_sbom(R"({"bomFormat":"CycloneDX","specVersion":"1.5","a":[)" + values + "0]}");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind(), ErrorKind::kRejected);
  // In a text they are none.
  const auto text = std::string(17'000'000, ',');
  EXPECT_TRUE(read_sbom(cyclonedx_of(R"([{"name":"a","purl":"pkg:npm/a@1","description":"\"[)" + text + R"("}])")));
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
  std::string tar = "SPDXVersion: SPDX-2.3\nRelationship: SPDXRef-DOCUMENT CONTAINS NONE\n#";
  tar.resize(257, ' ');
  EXPECT_TRUE(looks_like_sbom(tar));
  EXPECT_FALSE(looks_like_sbom(tar + "ustar  ")) << "the first file of an archive may be called so";
  EXPECT_FALSE(looks_like_sbom(tar + '\0'));
  EXPECT_FALSE(looks_like_sbom(std::string_view("\x1f\x8b\x08\0", 4)));
}

}  // namespace
}  // namespace slipway::scan
