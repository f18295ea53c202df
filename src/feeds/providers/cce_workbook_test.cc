#include "feeds/providers/cce_workbook.h"

#include <array>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/memory_source.h"
#include "feeds/providers/cce_files.h"
#include "feeds/providers/xml_items_testing.h"
#include "sys/testing/temp_dir.h"

namespace slipway::feeds {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Parts = std::vector<std::pair<std::string, std::string>>;

std::uint32_t crc32_of(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return crc ^ 0xFFFFFFFFU;
}

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

// What local and central headers have in common: version to crc and sizes, without compression.
void put_about(std::string& out, const std::string& name, const std::string& content) {
  put(out, 20, 2);
  for (int i = 0; i < 4; ++i) put(out, 0, 2);
  put(out, crc32_of(content), 4);
  put(out, content.size(), 4);
  put(out, content.size(), 4);
  put(out, name.size(), 2);
  put(out, 0, 2);
}

std::string zip_of(const Parts& parts) {
  std::string out;
  std::string central;
  for (const auto& [name, content] : parts) {
    const auto at = out.size();
    out += "PK\x03\x04";
    put_about(out, name, content);
    out += name + content;
    central += "PK\x01\x02";
    put(central, 20, 2);
    put_about(central, name, content);
    for (int i = 0; i < 3; ++i) put(central, 0, 2);
    put(central, 0, 4);
    put(central, at, 4);
    central += name;
  }
  const auto at = out.size();
  out += central + "PK\x05\x06";
  put(out, 0, 4);
  put(out, parts.size(), 2);
  put(out, parts.size(), 2);
  put(out, central.size(), 4);
  put(out, at, 4);
  put(out, 0, 2);
  return out;
}

const std::string kShared =
    "<sst><si><t>CCE ID</t></si><si><t>CCE Description</t></si><si><r><t>The </t></r><r><t>lid_x000D_</t></r>"
    "<rPh><t>hint</t></rPh></si><si><t>CCE-80876-6</t></si><si><t>CCE-4191-4</t></si></sst>";

std::string sheet(const std::string& rows) { return "<worksheet><sheetData>" + rows + "</sheetData></worksheet>"; }

Parts workbook() {
  const std::string head = R"(<row r="2"><c r="A2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c></row>)";
  return {
      {"[Content_Types].xml", "<Types/>"},
      {"xl/workbook.xml", R"(<workbook xmlns:r="http://r"><sheets><sheet name="kettle" sheetId="9" r:id="rId1"/>
          <sheet name="pot" sheetId="8" r:id="rId2"/><sheet name="cover" sheetId="7" r:id="rId3"/></sheets></workbook>)"},
      {"xl/_rels/workbook.xml.rels", R"(<Relationships><Relationship Id="rId2" Target="worksheets/sheet1.xml"/>
          <Relationship Id="rId1" Target="/xl/worksheets/sheet2.xml"/>
          <Relationship Id="rId3" Target="worksheets/sheet3.xml"/></Relationships>)"},
      {"xl/worksheets/sheet1.xml",
       sheet(R"(<row r="1"><c r="B1" t="inlineStr"><is><t>Last modified</t></is></c></row>)" + head +
             R"(<row r="3"><c r="A3" t="s"><v>3</v></c><c r="B3" s="1"/>
                                                   <c r="C3" t="s"><v>2</v></c></row>)")},
      {"xl/worksheets/sheet2.xml", sheet(head + R"(<row r="3"><c r="A3" t="s"><v>3</v></c><c r="C3"><v>1.5</v></c></row>
                                                   <row r="7"><c t="s"><v>4</v></c></row>)")},
      {"xl/worksheets/sheet3.xml", sheet(R"(<row><c t="str"><v>Welcome</v></c></row>)")},
      {"xl/sharedStrings.xml", kShared},
  };
}

class CceXlsx : public ::testing::Test {
 protected:
  Result<> collect(const Parts& parts) {
    std::ofstream(folder_.file("list.xlsx"), std::ios::binary) << zip_of(parts);
    return collect_cce(folder_.path(), "", *collection_, {});
  }
  ReadItems read() {
    ReadItems all;
    read_all(*cce_items(std::move(collection_)), all);
    return all;
  }

  sys::TempDir folder_;
  std::unique_ptr<CceCollection> collection_ = std::make_unique<CceCollection>();
};

TEST_F(CceXlsx, SheetsAreReadThoughTheirTextsComeLast) {
  const auto collected = collect(workbook());
  ASSERT_TRUE(collected) << collected.error().message();
  const auto all = read();
  ASSERT_THAT(all.records, SizeIs(1));
  EXPECT_EQ(std::get<Cce>(all.records[0].details).platform, "pot, kettle");
  EXPECT_EQ(all.records[0].description, "The lid");
  EXPECT_THAT(std::get<Cce>(all.records[0].details).body, HasSubstr(R"("description":"1.5")"));
  EXPECT_THAT(all.bad, ElementsAre(HasSubstr("kettle: row 7: CCE-4191-4 has a wrong check digit")));
}

TEST_F(CceXlsx, TwoWorkbooksInOneFolderKeepTheirTextsApart) {
  auto other = workbook();
  for (auto& [name, content] : other) {
    if (name == "xl/sharedStrings.xml") {
      content =
          "<sst><si><t>CCE</t></si><si><t>Title</t></si><si><t>Other</t></si><si><t>CCE-4191-3</t></si>"
          "<si><t>CCE-80876-6</t></si></sst>";
    }
  }
  std::ofstream(folder_.file("another.xlsx"), std::ios::binary) << zip_of(other);
  ASSERT_TRUE(collect(workbook()));
  EXPECT_THAT(read().ids(), ElementsAre("CCE-4191-3", "CCE-80876-6"));
}

TEST_F(CceXlsx, WhatDoesNotFitTogetherIsRefused) {
  const auto with_sheet = [](const std::string& rows) {
    auto parts = workbook();
    parts[3].second = sheet(rows);
    return parts;
  };
  EXPECT_THAT(collect(with_sheet(R"(<row r="4"><c r="A4" t="s"><v>5</v></c></row>)")).error().message(),
              HasSubstr("xl/worksheets/sheet1.xml: row 4: cell A4 has text 5 of 5 shared ones"));
  EXPECT_FALSE(collect(with_sheet(R"(<row><c r="A4" t="s"><v>-1</v></c></row>)")));
  EXPECT_THAT(collect(with_sheet(R"(<row><c r="ALM1"><v>1</v></c></row>)")).error().message(),
              HasSubstr("beyond column 1000"));
  EXPECT_THAT(collect(with_sheet(R"(<row><c r="4A"><v>1</v></c></row>)")).error().message(),
              HasSubstr("\"4A\" is no place of a cell"));
  auto cut = workbook();
  cut[3].second.resize(60);
  EXPECT_EQ(collect(cut).error().kind(), ErrorKind::kCorrupt);
}

TEST(CceWorkbook, TheSharedTextsAreLimited) {
  CceWorkbook workbook(/*most_shared=*/80);
  archive::MemorySource source(kShared);
  const auto read = workbook.read_part("xl/sharedStrings.xml", source);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message(), HasSubstr("xl/sharedStrings.xml: its texts take more than 80 bytes"));
}

ReadItems collect_real(const std::string& name) {
  auto collection = std::make_unique<CceCollection>();
  const auto collected = collect_cce(real_data(name), name, *collection, {});
  EXPECT_TRUE(collected) << collected.error().message();
  ReadItems read;
  read_all(*cce_items(std::move(collection)), read);
  return read;
}

// Ids, platforms and descriptions.
std::map<std::string, std::string> platforms_of(const ReadItems& read) {
  std::map<std::string, std::string> all;
  for (const auto& record : read.records) {
    EXPECT_FALSE(record.title.empty()) << record.urn.text();
    EXPECT_FALSE(record.description.empty()) << record.urn.text();
    all.emplace(record.urn.id(), std::get<Cce>(record.details).platform);
  }
  return all;
}

class CceRealData : public ::testing::TestWithParam<std::string> {};

TEST_P(CceRealData, EveryFormHasTheIdsOfTheInventory) {
  SLIPWAY_SKIP_WITHOUT(GetParam());
  const auto read = collect_real(GetParam());
  EXPECT_THAT(read.bad, IsEmpty());
  const auto platforms = platforms_of(read);
  EXPECT_EQ(platforms.size(), read.records.size());
  // The inventory counts numbers of four and five digits; office2k7 has 69 that are shorter, with good check digits.
  const auto is_short = [](const auto& one) { return one.first.size() < std::string_view("CCE-1234-5").size(); };
  EXPECT_EQ(std::ranges::count_if(platforms, std::not_fn(is_short)), 15652);
  EXPECT_EQ(std::ranges::count_if(platforms, is_short), 69);
  EXPECT_EQ(
      std::ranges::count_if(platforms, [](const auto& one) { return one.second.find(", ") != std::string::npos; }), 54);
  std::set<std::string> distinct;
  for (const auto& [id, names] : platforms) distinct.insert(names.substr(0, names.find(',')));
  EXPECT_LE(distinct.size(), 44U);
  EXPECT_GE(distinct.size(), 40U);
  EXPECT_EQ(platforms.at("CCE-80876-6"), "rhel8");
  EXPECT_EQ(read.at("CCE-80876-6").title, "Disable debug-shell SystemD Service");
}

INSTANTIATE_TEST_SUITE_P(Forms, CceRealData,
                         ::testing::Values("cce/cce-COMBINED-5.20220713.xlsx", "cce/cce_csv-44-platforms.tar.xz",
                                           "cce/cce_json-44-platforms.tar.xz"));

}  // namespace
}  // namespace slipway::feeds
