// Writes tar archives whose files hold bytes that do not compress. The same calls give the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway::bench {

inline constexpr std::uint64_t kTarBlock = 512;
inline constexpr std::uint64_t kTarEnd = 2 * kTarBlock;

// splitmix64: fast, and good enough that no filter finds anything to compress.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // At least 0, below 1.
  double share() { return static_cast<double>(next() >> 11) / 9007199254740992.0; }  // 2^53

 private:
  std::uint64_t state_;
};

struct TarEntry {
  std::string name{};
  char type = '0';  // '0' file, '1' hard link, '2' symbolic link, '5' folder
  unsigned mode = 0644;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t size = 0;
  std::string target{};
  std::vector<std::pair<std::string, std::string>> pax{};  // records of an extended header

  [[nodiscard]] std::uint64_t size_in_tar() const;  // with headers and padding
};

// Every failure throws.
class TarWriter {
 public:
  explicit TarWriter(const std::string& path);

  void add(const TarEntry& entry, Noise& noise);
  void noise(std::uint64_t size, Noise& noise);  // outside of any entry
  void end();                                    // of the archive
  void close();
  [[nodiscard]] std::uint64_t written() const { return written_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void write(const void* bytes, std::size_t size);
  void pad();

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::array<std::uint64_t, 8192> words_{};
  std::uint64_t written_ = 0;
};

}  // namespace slipway::bench
