#include "volumes/testing/same_tree.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/digest.h"
#include "sys/descriptor.h"

namespace slipway::volumes::ext4 {
namespace {

namespace fs = std::filesystem;

constexpr off_t kBlock = 4096;

// The number of an entry that names nobody means nothing, and is filled differently by everybody.
std::string settled_acl(std::string value) {
  constexpr std::size_t kHead = 4;
  constexpr std::size_t kEach = 8;
  for (std::size_t at = kHead; at + kEach <= value.size(); at += kEach) {
    const bool named = value[at] == 2 || value[at] == 8;
    if (!named) value.replace(at + 4, 4, "\xff\xff\xff\xff");
  }
  return value;
}

std::string settled(const std::string& name, const std::string& value) {
  return name.starts_with("system.posix_acl_") ? settled_acl(value) : value;
}

class Comparison {
 public:
  Comparison(fs::path root, const Seen& seen) : root_(std::move(root)), seen_(seen) {
    user_xattrs_ = ::setxattr(root_.c_str(), "user.probe", "", 0, 0) == 0;
    if (user_xattrs_) ::removexattr(root_.c_str(), "user.probe");
    if (!user_xattrs_ && errno == EROFS) user_xattrs_ = true;
  }

  void run() {
    compare(root_, "rootfs");
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      compare(entry.path(), "rootfs/" + entry.path().lexically_relative(root_).native());
      ++count;
    }
    const auto below = std::ranges::count_if(seen_, [](const auto& at) { return at.first.starts_with("rootfs/"); });
    EXPECT_EQ(static_cast<std::size_t>(below), count);
    EXPECT_GT(count, 0);
  }

 private:
  void compare(const fs::path& path, const std::string& name) {
    const auto found = seen_.find(name);
    ASSERT_NE(found, seen_.end()) << path << " is not on the volume";
    const SeenInode& inode = found->second;
    struct stat info{};
    ASSERT_EQ(::lstat(path.c_str(), &info), 0) << path;
    EXPECT_EQ(info.st_mode, inode.mode) << path;
    if (root_user_) {
      EXPECT_EQ(info.st_uid, inode.uid) << path;
      EXPECT_EQ(info.st_gid, inode.gid) << path;
    }
    EXPECT_EQ(info.st_mtim.tv_sec, inode.mtime) << path;
    EXPECT_EQ(info.st_mtim.tv_nsec, inode.mtime_ns) << path;
    compare_xattrs(path, inode);
    if (S_ISDIR(info.st_mode)) return;
    EXPECT_EQ(info.st_nlink, inode.links) << path;
    const auto [known, fresh] = numbers_.emplace(info.st_ino, inode.number);
    EXPECT_EQ(known->second, inode.number) << path << (fresh ? "" : " is another file there");
    if (S_ISLNK(info.st_mode)) {
      EXPECT_EQ(fs::read_symlink(path).native(), inode.content) << path;
    }
    if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) {
      EXPECT_EQ(major(info.st_rdev) << 20U | minor(info.st_rdev), inode.device) << path;
    }
    if (S_ISREG(info.st_mode)) compare_content(path, info, inode);
  }

  void compare_content(const fs::path& path, const struct stat& info, const SeenInode& inode) const {
    EXPECT_EQ(static_cast<std::uint64_t>(info.st_size), inode.size) << path;
    const sys::Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd && !root_user_) return;
    ASSERT_TRUE(fd) << path;
    std::ostringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    EXPECT_EQ(sha256_hex(content.str()), inode.sha256) << path;
    if (info.st_blksize <= kBlock) {
      EXPECT_EQ(data_of(fd.get()), inode.data) << path;
    }
  }

  // In blocks, as SeenInode has it.
  static std::vector<std::pair<std::uint64_t, std::uint64_t>> data_of(int fd) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
    for (off_t at = 0; (at = ::lseek(fd, at, SEEK_DATA)) >= 0;) {
      const off_t end = ::lseek(fd, at, SEEK_HOLE);
      const auto first = static_cast<std::uint64_t>(at / kBlock);
      const auto last = static_cast<std::uint64_t>((end + kBlock - 1) / kBlock);
      if (!out.empty() && out.back().second >= first) {
        out.back().second = last;
      } else {
        out.emplace_back(first, last);
      }
      at = end;
    }
    return out;
  }

  [[nodiscard]] bool counts(const std::string& name) const {
    if (name.starts_with("user.")) return user_xattrs_;
    return root_user_ && name != "security.selinux";
  }

  void compare_xattrs(const fs::path& path, const SeenInode& inode) const {
    std::map<std::string, std::string> there;
    std::string names(static_cast<std::size_t>(std::max<ssize_t>(::llistxattr(path.c_str(), nullptr, 0), 0)), '\0');
    const ssize_t length = names.empty() ? 0 : ::llistxattr(path.c_str(), names.data(), names.size());
    for (ssize_t at = 0; at < length;) {
      const std::string name(names.data() + at);
      at += static_cast<ssize_t>(name.size()) + 1;
      if (!counts(name)) continue;
      std::string value(65536, '\0');
      const ssize_t size = ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
      value.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
      there.emplace(name, settled(name, value));
    }
    std::map<std::string, std::string> here;
    for (const auto& [name, value] : inode.xattrs) {
      if (counts(name)) here.emplace(name, settled(name, value));
    }
    EXPECT_EQ(there, here) << path;
  }

  fs::path root_;
  const Seen& seen_;
  bool root_user_ = ::geteuid() == 0;
  bool user_xattrs_ = true;                   // the folder's file system has them
  std::map<ino_t, std::uint32_t> numbers_{};  // there, and on the volume
};

}  // namespace

void expect_same_tree(const fs::path& root, const Seen& seen) { Comparison(root, seen).run(); }

}  // namespace slipway::volumes::ext4
