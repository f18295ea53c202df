#include "volumes/testing/ext4_volume.h"

#include <array>
#include <random>
#include <stdexcept>
#include <vector>

#include <ext2fs/ext2fs.h>
#include <fcntl.h>
#include <unistd.h>

#include "archive/testing/survey_helpers.h"
#include "base/digest.h"
#include "sys/testing/command.h"

namespace slipway::volumes::ext4 {
namespace {

void check(errcode_t code, const std::string& what) {
  if (code != 0) throw std::runtime_error(fmt::format("{}: {}", what, ::error_message(code)));
}

std::int64_t full_time(std::uint32_t seconds, std::uint32_t extra) {
  return static_cast<std::int32_t>(seconds) + (static_cast<std::int64_t>(extra & 3U) << 32U);
}

class VolumeReader {
 public:
  explicit VolumeReader(const std::string& file) {
    check(::ext2fs_open(file.c_str(), EXT2_FLAG_64BITS, 0, 0, unix_io_manager, &fs_), file);
  }
  ~VolumeReader() { ::ext2fs_free(fs_); }
  VolumeReader(const VolumeReader&) = delete;
  VolumeReader& operator=(const VolumeReader&) = delete;

  Seen run() {
    folder(EXT2_ROOT_INO, "");
    return std::move(seen_);
  }

  SeenInode at(const std::string& path) { return inode(number_of(path), path); }

  std::vector<std::string> names_in(const std::string& path) {
    std::vector<std::string> out;
    for (auto& [name, _] : names(number_of(path), path).all) out.push_back(std::move(name));
    return out;
  }

 private:
  struct Names {
    std::vector<std::pair<std::string, ext2_ino_t>> all;
    static int take(ext2_ino_t /*folder*/, int kind, ext2_dir_entry* entry, int /*offset*/, int /*size*/,
                    char* /*block*/, void* self) {
      if (kind != DIRENT_OTHER_FILE) return 0;
      static_cast<Names*>(self)->all.emplace_back(
          std::string(entry->name, static_cast<std::size_t>(ext2fs_dirent_name_len(entry))), entry->inode);
      return 0;
    }
  };

  ext2_ino_t number_of(const std::string& path) {
    ext2_ino_t number = 0;
    check(::ext2fs_namei(fs_, EXT2_ROOT_INO, EXT2_ROOT_INO, path.c_str(), &number), path);
    return number;
  }

  Names names(ext2_ino_t number, const std::string& path) {
    Names found;
    check(::ext2fs_dir_iterate2(fs_, number, 0, nullptr, Names::take, &found), path);
    return found;
  }

  void folder(ext2_ino_t number, const std::string& path) {
    for (const auto& [name, child] : names(number, path).all) {
      const std::string full = path.empty() ? name : path + "/" + name;
      const auto [at, fresh] = seen_.emplace(full, inode(child, full));
      if (!fresh) throw std::runtime_error(full + " is there twice");
      if (LINUX_S_ISDIR(at->second.mode)) folder(child, full);
    }
  }

  SeenInode inode(ext2_ino_t number, const std::string& path) {
    ext2_inode_large raw{};
    check(::ext2fs_read_inode_full(fs_, number, EXT2_INODE(&raw), sizeof raw), path);
    SeenInode out{.number = number,
                  .mode = raw.i_mode,
                  .uid = inode_uid(raw),
                  .gid = inode_gid(raw),
                  .links = raw.i_links_count,
                  .size = EXT2_I_SIZE(&raw),
                  .blocks = raw.i_blocks / 8,
                  .mtime = full_time(raw.i_mtime, raw.i_mtime_extra),
                  .mtime_ns = raw.i_mtime_extra >> 2U,
                  .ctime = full_time(raw.i_ctime, raw.i_ctime_extra),
                  .indexed = (raw.i_flags & EXT2_INDEX_FL) != 0};
    if (LINUX_S_ISCHR(raw.i_mode) || LINUX_S_ISBLK(raw.i_mode)) out.device = device(raw);
    if (LINUX_S_ISREG(raw.i_mode)) {
      read_content(number, out, path);
      check(
          ::ext2fs_block_iterate3(fs_, number, BLOCK_FLAG_DATA_ONLY | BLOCK_FLAG_READ_ONLY, nullptr, take_block, &out),
          path);
    }
    if (LINUX_S_ISLNK(raw.i_mode)) read_target(number, raw, out, path);
    read_xattrs(number, out, path);
    return out;
  }

  static std::uint32_t device(const ext2_inode_large& raw) {
    if (raw.i_block[0] != 0) return (raw.i_block[0] >> 8U) << 20U | (raw.i_block[0] & 0xffU);
    const std::uint32_t value = raw.i_block[1];
    return (value >> 8U & 0xfffU) << 20U | (value & 0xffU) | (value >> 12U & 0xfff00U);
  }

  static int take_block(ext2_filsys /*fs*/, blk64_t* /*block*/, e2_blkcnt_t number, blk64_t /*ref*/, int /*offset*/,
                        void* self) {
    auto& data = static_cast<SeenInode*>(self)->data;
    const auto first = static_cast<std::uint64_t>(number);
    if (!data.empty() && data.back().second == first) {
      ++data.back().second;
    } else {
      data.emplace_back(first, first + 1);
    }
    return 0;
  }

  void read_content(ext2_ino_t number, SeenInode& out, const std::string& path) {
    ext2_file_t file = nullptr;
    check(::ext2fs_file_open(fs_, number, 0, &file), path);
    Hasher sha(HashAlgorithm::kSha256);
    for (;;) {
      unsigned got = 0;
      check(::ext2fs_file_read(file, buffer_.data(), static_cast<unsigned>(buffer_.size()), &got), path);
      if (got == 0) break;
      sha.update(std::string_view(buffer_.data(), got));
      if (out.size <= 65536) out.content.append(buffer_.data(), got);
    }
    ::ext2fs_file_close(file);
    out.sha256 = to_hex(sha.finish());
  }

  void read_target(ext2_ino_t number, const ext2_inode_large& raw, SeenInode& out, const std::string& path) {
    if (::ext2fs_is_fast_symlink(EXT2_INODE(const_cast<ext2_inode_large*>(&raw))) != 0) {
      out.content.assign(reinterpret_cast<const char*>(raw.i_block), out.size);
    } else {
      read_content(number, out, path);
    }
  }

  static int take_name(char* name, char* /*value*/, std::size_t /*size*/, void* self) {
    static_cast<std::vector<std::string>*>(self)->emplace_back(name);
    return 0;
  }
  void read_xattrs(ext2_ino_t number, SeenInode& out, const std::string& path) {
    ext2_xattr_handle* handle = nullptr;
    std::vector<std::string> names;
    check(::ext2fs_xattrs_open(fs_, number, &handle), path);
    check(::ext2fs_xattrs_read(handle), path);
    check(::ext2fs_xattrs_iterate(handle, take_name, &names), path);
    for (const std::string& name : names) {
      void* value = nullptr;
      std::size_t size = 0;
      check(::ext2fs_xattr_get(handle, name.c_str(), &value, &size), path + " " + name);
      out.xattrs.emplace(name, std::string(static_cast<const char*>(value), size));
      ::ext2fs_free_mem(&value);
    }
    ::ext2fs_xattrs_close(&handle);
  }

  ext2_filsys fs_ = nullptr;
  Seen seen_;
  std::vector<char> buffer_ = std::vector<char>(1U << 18U);  // one for all: sanitizers take long over new ones
};

}  // namespace

Seen read_volume(const std::string& file) { return VolumeReader(file).run(); }

SeenInode TestVolume::read_at(const std::string& path) const { return VolumeReader(file_).at(path); }

std::vector<std::string> TestVolume::names_in(const std::string& path) const {
  return VolumeReader(file_).names_in(path);
}

FillOptions test_options() {
  FillOptions options{.label = "test", .uuid = {}, .time = TimePoint(std::chrono::seconds(1'700'000'000))};
  for (std::size_t i = 0; i < options.uuid.size(); ++i) options.uuid[i] = static_cast<std::uint8_t>(i * 7 + 1);
  return options;
}

archive::Policy generous_policy() {
  archive::Policy policy = archive::standard_policy();
  for (const auto& [name, value] :
       {std::pair{"policy_devices", "allow"}, std::pair{"max_files", "10000000"}, std::pair{"max_file_size", "1TiB"},
        std::pair{"max_total_size", "4TiB"}, std::pair{"max_compression_ratio", "1000000000"}}) {
    if (auto set = archive::set(policy, name, value); !set) throw std::runtime_error(set.error().message());
  }
  return policy;
}

TestVolume::TestVolume(std::uint64_t size)
    : file_(folder_.file("volume")), size_(size), fd_(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (!fd_ || ::ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) throw std::runtime_error("no volume");
}

Result<Filled> TestVolume::fill_with(const archive::Input& image, const FillOptions& options) const {
  auto seen = archive::survey(image, generous_policy());
  if (!seen) return fail(std::move(seen.error()));
  return ext4::fill(target(), image, *seen, options);
}

Result<Filled> TestVolume::fill(std::string_view archive, const FillOptions& options) {
  return fill_with(archive::MemoryFile(archive).input(), options);
}

Result<Filled> TestVolume::fill_from(const std::filesystem::path& image) {
  const sys::Descriptor file(::open(image.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw std::runtime_error("cannot open " + image.native());
  return fill_with({.fd = file.get(), .size = std::filesystem::file_size(image), .tick = {}}, test_options());
}

void TestVolume::litter() {
  std::mt19937_64 random(4711);
  std::vector<std::uint64_t> noise(1U << 17U);
  for (auto& word : noise) word = random();
  for (std::uint64_t at = 0; at < size_; at += noise.size() * 8) {
    const std::size_t piece = std::min<std::uint64_t>(noise.size() * 8, size_ - at);
    if (::pwrite(fd_.get(), noise.data(), piece, static_cast<off_t>(at)) != static_cast<ssize_t>(piece)) {
      throw std::runtime_error("no room for litter");
    }
  }
  zeroed_ = false;
}

std::optional<std::string> TestVolume::complaints() const {
  const std::string e2fsck = sys::find_program("e2fsck");
  if (e2fsck.empty()) return std::nullopt;
  const sys::Ended ended = sys::run_to_end({e2fsck, "-fn", file_}, {.streams = sys::CommandOptions::Streams::kKept});
  return ended.code == 0 ? "" : fmt::format("{}: {}{}", ended.code, ended.out, ended.err);
}

std::string bytes(std::size_t size, std::uint32_t seed) {
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>((seed = seed * 1103515245 + 12345) >> 16U);
  return out;
}

}  // namespace slipway::volumes::ext4
