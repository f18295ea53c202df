#include "volumes/testing/same_tree.h"

#include <array>
#include <fstream>
#include <functional>

#include <fcntl.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "sys/testing/command.h"

namespace slipway::volumes::ext4 {
namespace {

namespace fs = std::filesystem;

constexpr timespec kTime{.tv_sec = 1'000'000'000, .tv_nsec = 0};  // of what TarBuilder makes

int complaints(const fs::path& root, const Seen& seen) {
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter silent(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    expect_same_tree(root, seen);
  }
  int count = 0;
  for (int i = 0; i < results.size(); ++i) count += results.GetTestPartResult(i).failed() ? 1 : 0;
  return count;
}

void set_time(const std::string& path, const timespec& time) {
  const std::array<timespec, 2> times{timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, time};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW), 0);
}

// Each by itself is seen, and nothing is when nothing differs.
TEST(SameTreeTest, EveryDifferenceIsSeen) {
  const auto put = [](const std::string& path, const std::string& text) { std::ofstream(path) << text; };
  using Change = std::function<void(const std::string& root)>;
  std::vector<std::pair<const char*, Change>> changes{
      {"nothing", [](const std::string&) {}},
      {"mode", [](const std::string& root) { ::chmod((root + "/usr/file").c_str(), 0600); }},
      {"root's mode", [](const std::string& root) { ::chmod(root.c_str(), 0700); }},
      {"nanoseconds", [](const std::string& root) { set_time(root + "/usr/file", {kTime.tv_sec, 1}); }},
      {"folder's time", [](const std::string& root) { set_time(root + "/usr", {5, 0}); }},
      {"content",
       [&](const std::string& root) {
         put(root + "/usr/file", "cont3nt");
         set_time(root + "/usr/file", kTime);
       }},
      {"hole",
       [](const std::string& root) {
         ASSERT_EQ(::truncate((root + "/usr/zeros").c_str(), 0), 0);
         ASSERT_EQ(::truncate((root + "/usr/zeros").c_str(), 8192), 0);
         set_time(root + "/usr/zeros", kTime);
       }},
      {"target",
       [](const std::string& root) {
         fs::remove(root + "/bin");
         fs::create_symlink("usr/bin/", root + "/bin");
         set_time(root + "/bin", kTime);
         set_time(root, kTime);
       }},
      {"missing",
       [](const std::string& root) {
         fs::remove(root + "/usr/other");
         set_time(root + "/usr", kTime);
       }},
      {"added",
       [&](const std::string& root) {
         put(root + "/usr/more", "");
         set_time(root + "/usr", kTime);
       }},
      {"link broken",
       [&](const std::string& root) {
         fs::remove(root + "/usr/linked");
         fs::copy_file(root + "/usr/file", root + "/usr/linked");
         set_time(root + "/usr/linked", kTime);
         set_time(root + "/usr", kTime);
       }},
  };
  if (::geteuid() == 0) {
    changes.emplace_back("owner",
                         [](const std::string& root) { ASSERT_EQ(::lchown((root + "/usr/other").c_str(), 7, 0), 0); });
    changes.emplace_back("attribute", [](const std::string& root) {
      ASSERT_EQ(::lsetxattr((root + "/usr/other").c_str(), "trusted.more", "x", 1, 0), 0);
    });
  }
  const std::string image = archive::small_rootfs()
                                .file("usr/file", "content")
                                .hard_link("usr/linked", "usr/file")
                                .file("usr/other", "o")
                                .file("usr/zeros", std::string(8192, '\0'))
                                .finish();
  TestVolume volume;
  ASSERT_TRUE(volume.fill(image));
  const Seen seen = volume.read();
  for (const auto& [name, change] : changes) {
    const sys::TempDir folder;
    std::ofstream(folder.file("image"), std::ios::binary) << image;
    fs::create_directory(folder.file("out"));
    sys::run_command({"tar", "-xpf", folder.file("image"), "--numeric-owner", "--delay-directory-restore", "-C",
                      folder.file("out")});
    change(folder.file("out"));
    EXPECT_EQ(complaints(folder.file("out"), seen) > 0, std::string_view(name) != "nothing") << name;
  }
}

}  // namespace
}  // namespace slipway::volumes::ext4
