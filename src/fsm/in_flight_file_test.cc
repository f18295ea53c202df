#include "fsm/in_flight_file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/testing/temp_dir.h"

namespace slipway::fsm {
namespace {

namespace fs = std::filesystem;
using Versions = std::vector<RunVersion>;

const RunVersion kOne(Ulid(1, 2));
const RunVersion kTwo(Ulid(3, 4));

class InFlightFileTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return directory_.file("marks"); }
  [[nodiscard]] std::unique_ptr<InFlightFile> open(std::size_t slots = 8) const {
    auto opened = InFlightFile::open(path(), slots);
    EXPECT_TRUE(opened) << opened.error().describe();
    return opened ? std::move(*opened) : nullptr;
  }

  sys::TempDir directory_;
};

TEST_F(InFlightFileTest, ANewFileIsEmptyAllocatedAndPrivate) {
  const auto marks = open(512);
  ASSERT_TRUE(marks);
  EXPECT_EQ(marks->slots(), 512U);
  EXPECT_TRUE(marks->found().empty());
  struct stat status{};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_size, 512 * 16);
  EXPECT_GE(status.st_blocks * 512, 512 * 16) << "a hole would be a SIGBUS when the disk is full";
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(InFlightFileTest, MarksOutliveAKilledProcess) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto marks = InFlightFile::open(path(), 8);
    if (!marks) ::_exit(1);
    (*marks)->enter(7, kTwo);
    (*marks)->enter(0, kTwo);
    (*marks)->enter(3, kOne);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(open()->found(), (Versions{kOne, kTwo})) << "each once, sorted";
  open()->clear();
  EXPECT_TRUE(open()->found().empty()) << "they stay until they are cleared";
}

TEST_F(InFlightFileTest, TheNumberOfSlotsMayChange) {
  open(8)->enter(7, kOne);
  const auto fewer = open(2);  // what stood beyond is known, and gone from the file
  EXPECT_EQ(fewer->found(), Versions{kOne});
  fewer->enter(1, kTwo);
  EXPECT_EQ(open(1000)->found(), Versions{kTwo});
}

TEST_F(InFlightFileTest, AFileOfAnyLengthIsRead) {
  for (const std::size_t length : {1U, 15U, 17U, 40U, 3'000'000U}) {
    std::ofstream(path(), std::ios::trunc) << std::string(length, '\x5a');
    const auto marks = open();
    ASSERT_TRUE(marks) << length;
    EXPECT_EQ(marks->found().size(), length < 16 ? 0U : 1U) << length;
    EXPECT_EQ(fs::file_size(path()), 8U * 16U);
  }
}

TEST_F(InFlightFileTest, RefusesWhatCannotBe) {
  EXPECT_EQ(InFlightFile::open(path(), 0).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(InFlightFile::open(path(), 1'000'000).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(InFlightFile::open(path() + "/no/file", 8).error().kind(), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace slipway::fsm
