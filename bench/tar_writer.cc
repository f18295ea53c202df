#include "tar_writer.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace slipway::bench {
namespace {

constexpr std::size_t kMostName = 100;  // of a ustar header; more stands in an extended one
using Block = std::array<char, kTarBlock>;

std::uint64_t padded(std::uint64_t size) { return (size + kTarBlock - 1) / kTarBlock * kTarBlock; }

// A ustar header: POSIX.1-1988, the offsets of its table.
Block header(const TarEntry& entry) {
  Block block{};
  const auto put = [&block](std::size_t at, std::string_view text) {
    std::memcpy(&block.at(at), text.data(), text.size());
  };
  put(0, std::string_view(entry.name).substr(0, kMostName));
  put(100, fmt::format("{:07o}", entry.mode));
  put(108, fmt::format("{:07o}", entry.uid));
  put(116, fmt::format("{:07o}", entry.gid));
  put(124, fmt::format("{:011o}", entry.size));
  put(136, "14371352000");
  put(148, "        ");
  block[156] = entry.type;
  put(157, std::string_view(entry.target).substr(0, kMostName));
  put(257, std::string_view("ustar\00000", 8));
  if (entry.uid == 0) put(265, "root");
  if (entry.gid == 0) put(297, "root");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum));
  block[154] = '\0';
  return block;
}

// "LENGTH KEY=VALUE\n", where the length counts itself.
std::string pax_record(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (length != rest + std::to_string(length).size()) length = rest + std::to_string(length).size();
  return fmt::format("{} {}={}\n", length, key, value);
}

std::string pax_records(const TarEntry& entry) {
  std::string out;
  if (entry.name.size() > kMostName) out += pax_record("path", entry.name);
  if (entry.target.size() > kMostName) out += pax_record("linkpath", entry.target);
  for (const auto& [key, value] : entry.pax) out += pax_record(key, value);
  return out;
}

}  // namespace

std::uint64_t TarEntry::size_in_tar() const {
  const std::string records = pax_records(*this);
  return kTarBlock + padded(size) + (records.empty() ? 0 : kTarBlock + padded(records.size()));
}

TarWriter::TarWriter(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (file_ == nullptr) throw std::runtime_error("cannot make " + path);
}

void TarWriter::write(const void* bytes, std::size_t size) {
  if (std::fwrite(bytes, 1, size, file_.get()) != size) throw std::runtime_error("cannot write " + path_);
  written_ += size;
}

void TarWriter::noise(std::uint64_t size, Noise& noise) {
  while (size > 0) {
    for (auto& word : words_) word = noise.next();
    const auto piece = std::min<std::uint64_t>(size, sizeof words_);
    write(words_.data(), piece);
    size -= piece;
  }
}

void TarWriter::pad() {
  static constexpr Block kZeros{};
  if (written_ % kTarBlock != 0) write(kZeros.data(), kTarBlock - written_ % kTarBlock);
}

void TarWriter::add(const TarEntry& entry, Noise& noise) {
  if (const std::string records = pax_records(entry); !records.empty()) {
    const auto block = header({.name = "PaxHeaders/entry", .type = 'x', .size = records.size()});
    write(block.data(), block.size());
    write(records.data(), records.size());
    pad();
  }
  const auto block = header(entry);
  write(block.data(), block.size());
  this->noise(entry.size, noise);
  pad();
}

void TarWriter::end() {
  static constexpr Block kZeros{};
  for (std::uint64_t done = 0; done < kTarEnd; done += kTarBlock) write(kZeros.data(), kZeros.size());
}

void TarWriter::close() {
  if (std::fclose(file_.release()) != 0) throw std::runtime_error("cannot write " + path_);
}

}  // namespace slipway::bench
