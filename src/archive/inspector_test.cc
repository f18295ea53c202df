#include "archive/inspector.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "archive/testing/inspector_program.h"
#include "archive/testing/tar_builder.h"
#include "sys/testing/temp_dir.h"

namespace slipway::archive {
namespace {

using ::testing::HasSubstr;

class InspectorTest : public ::testing::Test {
 protected:
  // No inspection may leave a child behind, running or dead.
  void TearDown() override {
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }

  std::string write(const std::string& bytes) {
    std::ofstream(dir_.file("image.tar"), std::ios::binary) << bytes;
    return dir_.file("image.tar");
  }
  Result<Inspection> inspect(const std::string& bytes, const Policy& policy = standard_policy()) {
    return Inspector(test_inspector()).inspect(write(bytes), policy, {}, {});
  }

  sys::TempDir dir_;
};

TEST_F(InspectorTest, SaysWhatAnImageHolds) {
  const auto seen = inspect(small_rootfs().file("usr/bin/su", "12345", 04755).finish());
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->kind, ImageKind::kRootfs);
  EXPECT_EQ(seen->layers, 1);
  EXPECT_EQ(seen->entries, 9);
  EXPECT_EQ(seen->files, 3);
  EXPECT_EQ(seen->total_size, 11);
  EXPECT_EQ(seen->findings, (std::vector<Finding>{{"setuid", "usr/bin/su", "mode 4755"}}));
  EXPECT_EQ(seen->findings_total, 1);
}

TEST_F(InspectorTest, RefusalsNameTheFileTheEntryTheRuleAndTheWayOut) {
  const auto seen = inspect(small_rootfs().file("usr/bin/su", "", 04755).finish(), strict_policy());
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().kind(), ErrorKind::kRejected);
  EXPECT_THAT(seen.error().message(), HasSubstr("image.tar: entry usr/bin/su: mode 4755 (rule setuid)"));
  EXPECT_EQ(seen.error().hint(), "policy_setuid=allow would allow it");
}

TEST_F(InspectorTest, SettingsReachTheChild) {
  Policy policy = strict_policy();
  ASSERT_TRUE(set(policy, "policy_setuid", "record"));
  EXPECT_TRUE(inspect(small_rootfs().file("usr/bin/su", "", 04755).finish(), policy));
  ASSERT_TRUE(set(policy, "max_files", "3"));
  const auto seen = inspect(small_rootfs().finish(), policy);
  ASSERT_FALSE(seen);
  EXPECT_THAT(seen.error().message(), HasSubstr("max_files"));
}

TEST_F(InspectorTest, BytesThatAreNotTextComeBackReadable) {
  const auto seen = inspect(small_rootfs().file("etc/\xff\n\x1b[31m", "", 04755).finish());
  ASSERT_TRUE(seen) << seen.error().message();
  ASSERT_EQ(seen->findings.size(), 1);
  EXPECT_EQ(seen->findings[0].entry, R"(etc/\xff\x0a\x1b[31m)");
}

TEST_F(InspectorTest, KeepsTheFirstThousandFindingsAndCountsAll) {
  TarBuilder tar = small_rootfs();
  for (int i = 0; i < 1500; ++i) tar.file("usr/bin/" + std::to_string(i), "", 04755);
  const auto seen = inspect(tar.finish());
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->findings.size(), 1000);
  EXPECT_EQ(seen->findings_total, 1500);
}

TEST_F(InspectorTest, AFileThatIsNoneIsNamed) {
  const Inspector inspector(test_inspector());
  EXPECT_EQ(inspector.inspect(dir_.file("no"), standard_policy(), {}, {}).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(inspector.inspect(dir_.path(), standard_policy(), {}, {}).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(inspector.inspect(write(""), standard_policy(), {}, {}).error().kind(), ErrorKind::kCorrupt);
  const auto noise = inspector.inspect(write(std::string(5000, 'x')), standard_policy(), {}, {});
  EXPECT_EQ(noise.error().kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(noise.error().message(), HasSubstr("image.tar"));
}

TEST_F(InspectorTest, LooksAtTheFileThatWasOpened) {
  const auto opened = open_image_file(write(small_rootfs().finish()));
  ASSERT_TRUE(opened) << opened.error().message();
  std::filesystem::remove(opened->path);
  write("something else");
  const Inspector inspector(test_inspector());
  EXPECT_TRUE(inspector.inspect(*opened, standard_policy(), {}, {}));
  EXPECT_FALSE(inspector.inspect(opened->path, standard_policy(), {}, {}));
}

TEST_F(InspectorTest, ALinkIsNotFollowed) {
  std::filesystem::create_symlink(write(small_rootfs().finish()), dir_.file("link"));
  EXPECT_EQ(open_image_file(dir_.file("link")).error().kind(), ErrorKind::kInvalid);
}

TEST_F(InspectorTest, AMissingProgramIsAnError) {
  const auto seen = Inspector({.executable = dir_.file("none")}).inspect(write("x"), standard_policy(), {}, {});
  EXPECT_EQ(seen.error().kind(), ErrorKind::kNotFound);
}

TEST_F(InspectorTest, AStopEndsTheChild) {
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  const auto seen = Inspector(test_inspector("hang")).inspect(write("x"), standard_policy(), {}, stop.get_token());
  EXPECT_EQ(seen.error().kind(), ErrorKind::kCancelled);
}

TEST_F(InspectorTest, NothingThatAChildSaysIsBelieved) {
  for (const char* how : {"babble", "huge"}) {
    const auto seen = Inspector(test_inspector(how)).inspect(write("x"), standard_policy(), {}, {});
    ASSERT_FALSE(seen) << how;
    EXPECT_EQ(seen.error().kind(), ErrorKind::kCorrupt) << how;
    EXPECT_THAT(seen.error().message(), HasSubstr("malformed")) << how;
  }
  const auto mute = Inspector(test_inspector("mute")).inspect(write("x"), standard_policy(), {}, {});
  EXPECT_EQ(mute.error().kind(), ErrorKind::kInternal);
}

TEST_F(InspectorTest, TellsHowFarItIs) {
  std::atomic<std::uint64_t> last = 0;
  const InspectOptions telling{.progress = [&](std::uint64_t read, std::uint64_t size) {
    EXPECT_GE(read, last);
    EXPECT_LE(read, size);
    last = read;
  }};
  TarBuilder tar = small_rootfs();
  for (int i = 0; i < 40'000; ++i) tar.folder("usr/" + std::to_string(i));
  const auto seen = Inspector(test_inspector()).inspect(write(tar.finish()), standard_policy(), telling, {});
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_GT(last, 0);
}

TEST_F(InspectorTest, AHundredThousandEntriesPassAndOneMoreDoesNot) {
  TarBuilder tar = small_rootfs();  // 8 entries
  for (int i = 0; i < 99'992; ++i) tar.file("usr/" + std::to_string(i), "");
  EXPECT_TRUE(inspect(tar.finish()));
  const auto more = inspect(tar.file("usr/more", "").finish());
  ASSERT_FALSE(more);
  EXPECT_THAT(more.error().message(), HasSubstr("entry usr/more: more than 100000 entries (rule max_files)"));
}

}  // namespace
}  // namespace slipway::archive
