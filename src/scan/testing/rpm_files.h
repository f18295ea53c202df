// rpm's headers and databases made in memory, good ones, to be damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "scan/inventory/byte_order.h"
#include "scan/testing/distribution_files.h"
#include "store/database.h"
#include "sys/testing/temp_dir.h"

namespace slipway::scan {

template <class Number>
void put_number(std::string& bytes, std::size_t at, Number number, ByteOrder order) {
  for (std::size_t n = 0; n < sizeof(Number); ++n) {
    const std::size_t place = order == ByteOrder::kLittle ? n : sizeof(Number) - 1 - n;
    bytes.at(at + place) = static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * n));
  }
}

[[nodiscard]] inline std::string number_bytes(std::uint32_t number, ByteOrder order = ByteOrder::kBig) {
  std::string bytes(4, '\0');
  put_number(bytes, 0, number, order);
  return bytes;
}

class RpmHeaderBuilder {
 public:
  RpmHeaderBuilder& entry(std::uint32_t tag, std::uint32_t type, std::uint32_t offset, std::uint32_t count) {
    entries_ += number_bytes(tag) + number_bytes(type) + number_bytes(offset) + number_bytes(count);
    return *this;
  }
  RpmHeaderBuilder& text(std::uint32_t tag, std::string_view text, std::uint32_t type = 6) {
    entry(tag, type, size(), 1);
    data_ += std::string(text) + '\0';
    return *this;
  }
  RpmHeaderBuilder& texts(std::uint32_t tag, const std::vector<std::string>& texts) {
    entry(tag, 8, size(), static_cast<std::uint32_t>(texts.size()));
    for (const auto& text : texts) data_ += text + '\0';
    return *this;
  }
  RpmHeaderBuilder& numbers(std::uint32_t tag, const std::vector<std::uint32_t>& numbers) {
    data_.resize((data_.size() + 3) / 4 * 4);
    entry(tag, 4, size(), static_cast<std::uint32_t>(numbers.size()));
    for (const auto number : numbers) data_ += number_bytes(number);
    return *this;
  }
  [[nodiscard]] std::string build() const {
    return number_bytes(static_cast<std::uint32_t>(entries_.size() / 16)) + number_bytes(size()) + entries_ + data_;
  }

 private:
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(data_.size()); }

  std::string entries_;
  std::string data_;
};

// With a long text in it, where it is to need pages of its own.
[[nodiscard]] inline std::string rpm_header(std::string_view name, std::string_view version, std::size_t longer = 0) {
  return RpmHeaderBuilder()
      .text(1000, name)
      .text(1001, version)
      .text(1002, "1.el9")
      .text(1005, std::string(longer, 'd'), 9)
      .text(1022, "x86_64")
      .build();
}

[[nodiscard]] inline std::string rpm_sqlite_file(const std::vector<std::string>& headers) {
  const sys::TempDir dir;
  const std::string path = dir.file("rpmdb.sqlite");
  {
    auto database = store::Database::open({.path = path}).value();
    database.execute("CREATE TABLE Packages(hnum INTEGER PRIMARY KEY AUTOINCREMENT, blob BLOB NOT NULL)").value();
    auto insert = database.prepare("INSERT INTO Packages(blob) VALUES (?1)").value();
    for (const auto& header : headers) insert.run(store::as_blob(header)).value();
  }
  return file_bytes(path);
}

[[nodiscard]] inline std::string rpm_ndb_file(const std::vector<std::string>& headers) {
  constexpr auto kOrder = ByteOrder::kLittle;
  const std::size_t pages = (headers.size() + 2) / 256 + 1;
  std::string file = "RpmP" + std::string(28, '\0');
  put_number(file, 12, static_cast<std::uint32_t>(pages), kOrder);
  while (file.size() < pages * 4096) file += "Slot" + std::string(12, '\0');
  for (std::uint32_t n = 0; n < headers.size(); ++n) {
    const auto length = static_cast<std::uint32_t>(headers[n].size());
    std::string blob = "BlbS" + number_bytes(n + 1, kOrder) + number_bytes(0, kOrder) + number_bytes(length, kOrder);
    blob += headers[n];
    blob.resize((blob.size() + 12 + 15) / 16 * 16 - 12);
    const auto sum = ::adler32(1, reinterpret_cast<const Bytef*>(blob.data()), static_cast<uInt>(blob.size()));
    blob += number_bytes(static_cast<std::uint32_t>(sum), kOrder) + number_bytes(length, kOrder) + "BlbE";
    const std::size_t slot = 32 + n * std::size_t{16};
    put_number(file, slot + 4, n + 1, kOrder);
    put_number(file, slot + 8, static_cast<std::uint32_t>(file.size() / 16), kOrder);
    put_number(file, slot + 12, static_cast<std::uint32_t>(blob.size() / 16), kOrder);
    file += blob;
  }
  return file;
}

// Pages of 4 KiB and one bucket, page 1; every header is in overflow pages, from page 2 on.
[[nodiscard]] inline std::string rpm_berkeley_file(const std::vector<std::string>& headers,
                                                   ByteOrder order = ByteOrder::kLittle) {
  constexpr std::size_t kPage = 4096;
  std::string file(2 * kPage, '\0');
  for (const auto& [at, number] : {std::pair{12U, 0x061561U}, {16U, 9U}, {20U, 4096U}, {96U, 1U}}) {
    put_number(file, at, number, order);
  }
  put_number(file, kPage + 8, 1U, order);
  put_number(file, kPage + 20, static_cast<std::uint16_t>(headers.size() * 2), order);
  file[kPage + 25] = 13;
  std::size_t end = kPage;
  for (std::uint32_t n = 0; n < headers.size(); ++n) {
    const auto first = static_cast<std::uint32_t>(file.size() / kPage);
    for (const auto& [item, kind] : {std::pair{number_bytes(n + 1, order), '\1'},
                                     std::pair{std::string(3, '\0') + number_bytes(first, order) +
                                                   number_bytes(static_cast<std::uint32_t>(headers[n].size()), order),
                                               '\3'}}) {
      end -= item.size() + 1;
      file.replace(kPage + end, item.size() + 1, kind + item);
      put_number(file, kPage + 26 + n * 4 + (kind == '\3' ? 2 : 0), static_cast<std::uint16_t>(end), order);
    }
    for (std::string_view rest = headers[n]; !rest.empty(); rest.remove_prefix(std::min(rest.size(), kPage - 26))) {
      const std::size_t page = file.size();
      const std::string_view part = rest.substr(0, kPage - 26);
      file.resize(page + kPage);
      put_number(file, page + 8, static_cast<std::uint32_t>(page / kPage), order);
      if (part.size() < rest.size()) put_number(file, page + 16, static_cast<std::uint32_t>(page / kPage + 1), order);
      put_number(file, page + 22, static_cast<std::uint16_t>(part.size()), order);
      file[page + 25] = 7;
      file.replace(page + 26, part.size(), part);
    }
  }
  return file;
}

}  // namespace slipway::scan
