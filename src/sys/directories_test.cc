#include "sys/directories.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "sys/testing/temp_dir.h"

namespace slipway::sys {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(DirectoriesTest, AllThatIsMissingIsMadeForThisUserOnly) {
  const TempDir temp;
  ASSERT_TRUE(make_directories(temp.file("a/b/c")));
  for (const char* name : {"a", "a/b", "a/b/c"}) {
    struct stat status{};
    ASSERT_EQ(::stat(temp.file(name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_mode & 07777, 0700U) << name;
  }
  EXPECT_TRUE(make_directories(temp.file("a/b/c/")));
}

TEST(DirectoriesTest, OneThatIsThereKeepsItsMode) {
  const TempDir temp;
  fs::permissions(temp.path(), fs::perms(0750));
  ASSERT_TRUE(make_directories(temp.path()));
  EXPECT_EQ(fs::status(temp.path()).permissions(), fs::perms(0750));
}

TEST(DirectoriesTest, AFileInTheWayIsNamed) {
  const TempDir temp;
  std::ofstream(temp.file("file")) << "x";
  for (const char* name : {"file", "file/below"}) {
    const auto made = make_directories(temp.file(name));
    ASSERT_FALSE(made) << name;
    EXPECT_EQ(made.error().kind(), ErrorKind::kInvalid) << name;
    EXPECT_THAT(made.error().message(), HasSubstr(temp.file("file") + ": Not a directory"));
  }
}

TEST(DirectoriesTest, OneThatIsNotThereCannotBeSynced) {
  const TempDir temp;
  const auto synced = sync_directory(temp.file("nowhere"));
  ASSERT_FALSE(synced);
  EXPECT_EQ(synced.error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(synced.error().message(), HasSubstr("open " + temp.file("nowhere") + ": No such file"));
}

}  // namespace
}  // namespace slipway::sys
