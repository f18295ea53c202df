#include "archive/testing/tar_builder.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

namespace slipway::archive {
namespace {

constexpr std::size_t kBlock = 512;

void put(std::string& block, std::size_t at, std::size_t room, std::string_view text) {
  if (text.size() > room) throw std::length_error("too long for a tar header: " + std::string(text));
  block.replace(at, text.size(), text);
}

std::string octal(std::uint64_t value, int digits) { return fmt::format("{:0{}o}", value, digits); }

void seal(std::string& block) {
  put(block, 148, 8, "        ");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(block, 148, 8, fmt::format("{:06o}\0 ", sum));
  block[154] = '\0';
}

}  // namespace

TarBuilder& TarBuilder::header(const TarHeader& header) {
  std::string block(kBlock, '\0');
  put(block, 0, 100, header.name);
  put(block, 100, 8, octal(header.mode, 7));
  put(block, 108, 8, octal(header.uid, 7));
  put(block, 116, 8, octal(header.gid, 7));
  put(block, 124, 12, header.size_field.empty() ? octal(header.size, 11) : header.size_field);
  put(block, 136, 12, octal(header.mtime, 11));
  block[156] = header.type;
  put(block, 157, 100, header.link);
  if (!header.v7) {
    put(block, 257, 8, header.gnu ? std::string_view("ustar  \0", 8) : std::string_view("ustar\00000", 8));
    put(block, 329, 8, octal(header.device_major, 7));
    put(block, 337, 8, octal(header.device_minor, 7));
    put(block, 345, 155, header.prefix);
  }
  seal(block);
  return raw(block);
}

TarBuilder& TarBuilder::raw(std::string_view bytes) {
  bytes_ += bytes;
  return *this;
}

TarBuilder& TarBuilder::content(std::string_view bytes) {
  bytes_ += bytes;
  bytes_.append((kBlock - bytes.size() % kBlock) % kBlock, '\0');
  return *this;
}

TarBuilder& TarBuilder::file(std::string_view name, std::string_view content_bytes, std::uint32_t mode) {
  return header({.name = std::string(name), .mode = mode, .size = content_bytes.size()}).content(content_bytes);
}

TarBuilder& TarBuilder::folder(std::string_view name, std::uint32_t mode) {
  return header({.name = std::string(name), .type = '5', .mode = mode});
}

TarBuilder& TarBuilder::symlink(std::string_view name, std::string_view target) {
  return header({.name = std::string(name), .type = '2', .mode = 0777, .link = std::string(target)});
}

TarBuilder& TarBuilder::hard_link(std::string_view name, std::string_view target) {
  return header({.name = std::string(name), .type = '1', .link = std::string(target)});
}

TarBuilder& TarBuilder::special(std::string_view name, char type) {
  return header({.name = std::string(name), .type = type, .device_major = 1, .device_minor = 3});
}

TarBuilder& TarBuilder::pax(const Records& records, char type) {
  std::string body;
  for (const auto& [key, value] : records) {
    const std::size_t rest = key.size() + value.size() + 3;
    std::size_t length = rest + 1;
    while (std::to_string(length).size() + rest != length) ++length;
    body += std::to_string(length) + " " + key + "=" + value + "\n";
  }
  return header({.name = "PaxHeaders/x", .type = type, .size = body.size()}).content(body);
}

TarBuilder& TarBuilder::long_name(std::string_view name, char type) {
  const std::string body = std::string(name) + '\0';
  return header({.name = "././@LongLink", .type = type, .size = body.size(), .gnu = true}).content(body);
}

std::string TarBuilder::finish() const { return bytes_ + std::string(2 * kBlock, '\0'); }

TarBuilder small_rootfs() {
  TarBuilder tar;
  tar.folder("./").folder("etc").file("etc/hostname", "box\n").folder("usr").folder("usr/bin");
  tar.file("usr/bin/true", "#!", 0755).folder("var").symlink("bin", "usr/bin");
  return tar;
}

std::string compress(Compression compression, std::string_view bytes) {
  if (compression == Compression::kNone) return std::string(bytes);
  const std::unique_ptr<struct archive, int (*)(struct archive*)> writer(archive_write_new(), &archive_write_free);
  struct archive* a = writer.get();
  const int filter = compression == Compression::kGzip   ? archive_write_add_filter_gzip(a)
                     : compression == Compression::kZstd ? archive_write_add_filter_zstd(a)
                     : compression == Compression::kXz   ? archive_write_add_filter_xz(a)
                                                         : archive_write_add_filter_bzip2(a);
  std::string out;
  const auto take = [](struct archive*, void* to, const void* data, std::size_t size) -> la_ssize_t {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), size);
    return static_cast<la_ssize_t>(size);
  };
  archive_write_set_bytes_per_block(a, 0);
  if (filter != ARCHIVE_OK || archive_write_set_format_raw(a) != ARCHIVE_OK ||
      archive_write_open(a, &out, nullptr, take, nullptr) != ARCHIVE_OK) {
    throw std::runtime_error("cannot compress");
  }
  const std::unique_ptr<struct archive_entry, void (*)(struct archive_entry*)> entry(archive_entry_new(),
                                                                                     &archive_entry_free);
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_pathname(entry.get(), "data");
  if (archive_write_header(a, entry.get()) != ARCHIVE_OK ||
      archive_write_data(a, bytes.data(), bytes.size()) != static_cast<la_ssize_t>(bytes.size()) ||
      archive_write_close(a) != ARCHIVE_OK) {
    throw std::runtime_error("cannot compress");
  }
  return out;
}

}  // namespace slipway::archive
