// The readers on what the feeds really publish; skipped where these files are not.
#include <cstdlib>
#include <filesystem>
#include <map>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/byte_source.h"
#include "archive/decompress.h"
#include "feeds/formats/csv_rows.h"
#include "feeds/formats/xml_elements.h"
#include "sys/descriptor.h"

namespace slipway::feeds {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::filesystem::path data(const std::string& name) {
  const char* given = std::getenv("SLIPWAY_DATA");
  return std::filesystem::path(given != nullptr ? given : SLIPWAY_TEST_DATA) / name;
}

#define SKIP_WITHOUT(name) \
  if (!std::filesystem::exists(data(name))) GTEST_SKIP() << "there is no " << data(name)

// A file, unpacked when it is packed with xz.
class RealFile {
 public:
  explicit RealFile(const std::string& name)
      : file_(::open(data(name).c_str(), O_RDONLY | O_CLOEXEC)),
        bytes_(file_.get(), std::filesystem::file_size(data(name)), {}),
        unpacked_(bytes_, archive::Compression::kXz),
        packed_(name.ends_with(".xz")) {}
  archive::ByteSource& source() { return packed_ ? static_cast<archive::ByteSource&>(unpacked_) : bytes_; }

 private:
  sys::Descriptor file_;
  archive::FileSource bytes_;
  archive::DecompressSource unpacked_;
  bool packed_;
};

struct Seen {
  std::map<std::string, int> counts;
  std::map<std::string, XmlRecord> by_id;
  XmlRoot root;
};

Seen read_xml(const std::string& name, XmlElements::Options options) {
  RealFile file(name);
  XmlElements elements(file.source(), std::move(options));
  Seen seen;
  for (;;) {
    auto record = elements.next();
    EXPECT_TRUE(record) << record.error().message();
    if (!record || !*record) break;
    const XmlNode& node = (*record)->node;
    ++seen.counts[node.name];
    const std::string id(node.attribute(node.attribute("ID").empty() ? "id" : "ID"));
    seen.by_id[node.name + " " + id] = std::move(**record);
  }
  seen.root = elements.root();
  return seen;
}

const XmlElements::Options kXccdf{.records = {"Rule", "Profile", "Value"}, .containers = {"Benchmark", "Group"}};

TEST(RealFiles, Cwe) {
  SKIP_WITHOUT("cwe/cwec_v4.15.xml.xz");
  const Seen seen = read_xml("cwe/cwec_v4.15.xml.xz",
                             {.records = {"Weakness", "Category", "View", "External_Reference"}, .containers = {}});
  EXPECT_THAT(seen.counts, UnorderedElementsAre(Pair("Weakness", 964), Pair("Category", 409), Pair("View", 54),
                                                Pair("External_Reference", 945)));
  EXPECT_EQ(seen.root.name, "Weakness_Catalog");
  EXPECT_EQ(seen.root.name_space, "http://cwe.mitre.org/cwe-7");
  EXPECT_EQ(find_attribute(seen.root.attributes, "Version"), "4.15");
  const XmlNode& xss = seen.by_id.at("Weakness 79").node;
  ASSERT_NE(xss.child("Extended_Description"), nullptr);
  EXPECT_THAT(xss.child("Extended_Description")->all_text(), HasSubstr("\n- "));
}

TEST(RealFiles, Capec) {
  SKIP_WITHOUT("capec/capec_contents_latest.xml.xz");
  const Seen seen =
      read_xml("capec/capec_contents_latest.xml.xz",
               {.records = {"Attack_Pattern", "Category", "View", "External_Reference"}, .containers = {}});
  EXPECT_THAT(seen.counts, UnorderedElementsAre(Pair("Attack_Pattern", 615), Pair("Category", 78), Pair("View", 13),
                                                Pair("External_Reference", 440)));
  EXPECT_EQ(seen.root.name_space, "http://capec.mitre.org/capec-3");
}

TEST(RealFiles, ScapDataStreams) {
  for (const std::string name : {"ssg/0.1.65-ssg-debian11-ds.xml.xz", "ssg/0.1.65-ssg-debian11-xccdf.xml.xz"}) {
    SKIP_WITHOUT(name);
    const Seen seen = read_xml(name, kXccdf);
    EXPECT_THAT(seen.counts, UnorderedElementsAre(Pair("Rule", 355), Pair("Group", 250), Pair("Profile", 5),
                                                  Pair("Value", 452), Pair("Benchmark", 1)))
        << name;
  }
  SKIP_WITHOUT("ssg/0.1.82-ssg-firefox-ds.xml.xz");
  const Seen seen = read_xml("ssg/0.1.82-ssg-firefox-ds.xml.xz", kXccdf);
  EXPECT_THAT(seen.counts, UnorderedElementsAre(Pair("Rule", 36), Pair("Group", 2), Pair("Profile", 2),
                                                Pair("Value", 1), Pair("Benchmark", 1)));
}

TEST(RealFiles, AScapRuleKnowsItsGroups) {
  SKIP_WITHOUT("ssg/0.1.65-ssg-rhel8-ds.xml.xz");
  const Seen seen = read_xml("ssg/0.1.65-ssg-rhel8-ds.xml.xz", kXccdf);
  EXPECT_EQ(seen.counts.at("Rule"), 1520);
  EXPECT_EQ(seen.counts.at("Profile"), 19);
  const XmlRecord& rule = seen.by_id.at("Rule xccdf_org.ssgproject.content_rule_aide_build_database");
  std::vector<std::string_view> within;
  for (const auto& container : rule.within) within.push_back(container->attribute("id"));
  const std::string group = "xccdf_org.ssgproject.content_group_";
  EXPECT_THAT(within, ::testing::ElementsAre("xccdf_org.ssgproject.content_benchmark_RHEL-8", group + "system",
                                             group + "software", group + "integrity", group + "software-integrity",
                                             group + "aide"));
  const auto aide = seen.by_id.find("Group " + group + "aide");
  ASSERT_NE(aide, seen.by_id.end());
  EXPECT_EQ(aide->second.node.child("title")->text, "Verify Integrity with AIDE");
}

// Rows without the header, all of them as wide as it.
int count_rows(const std::string& name) {
  RealFile file(name);
  CsvRows rows(file.source());
  int count = -1;
  std::size_t columns = 0;
  for (;;) {
    auto row = rows.next();
    EXPECT_TRUE(row) << row.error().message();
    if (!row || !*row) return count;
    if (++count == 0) columns = (*row)->cells.size();
    EXPECT_EQ((*row)->cells.size(), columns) << name << ", line " << (*row)->line;
  }
}

TEST(RealFiles, Asvs) {
  SKIP_WITHOUT("asvs/asvs-4.0.3-en.csv");
  EXPECT_EQ(count_rows("asvs/asvs-4.0.3-en.csv"), 286);
  EXPECT_EQ(count_rows("asvs/asvs-5.0.0-en.csv"), 345);
  EXPECT_EQ(count_rows("asvs/asvs-5.0.0-en.legacy.csv"), 345);
}

}  // namespace
}  // namespace slipway::feeds
