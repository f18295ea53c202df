// Children that hang, die or talk without end: which of that is a verdict on the image, and which is only bad luck.
#include "archive/patience.h"

#include <csignal>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "archive/testing/inspector_program.h"
#include "archive/testing/tar_builder.h"
#include "sys/process.h"
#include "sys/testing/temp_dir.h"

namespace slipway::archive {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class PatienceTest : public ::testing::Test {
 protected:
  PatienceTest() { std::ofstream(dir_.file("image.tar"), std::ios::binary) << small_rootfs().finish(); }

  Result<Inspection> inspect(const InspectorProgram& program, const InspectOptions& options = {}) {
    return Inspector(program).inspect(dir_.file("image.tar"), standard_policy(), options, {});
  }
  ErrorKind fate(const std::string& how, const InspectOptions& options = {}) {
    const auto seen = inspect(test_inspector(how), options);
    EXPECT_FALSE(seen);
    return seen ? ErrorKind::kInternal : seen.error().kind();
  }

  sys::TempDir dir_;
};

TEST_F(PatienceTest, ACrashIsTheImagesFault) {
  for (const char* how : {"crash", "aborted", "forbidden"}) {
    const auto seen = inspect(test_inspector(how));
    ASSERT_FALSE(seen) << how;
    EXPECT_EQ(seen.error().kind(), ErrorKind::kCorrupt) << how;
    EXPECT_THAT(seen.error().message(), HasSubstr("died by signal")) << how;
  }
}

TEST_F(PatienceTest, AChildThatSomebodyElseEndedSaysNothing) {
  EXPECT_EQ(fate("killed"), ErrorKind::kUnavailable);
  EXPECT_EQ(fate("terminated"), ErrorKind::kUnavailable);
}

TEST_F(PatienceTest, TheKernelsLimitIsAVerdict) {
  EXPECT_EQ(fate("expensive"), ErrorKind::kTimeout);
  EXPECT_EQ(death(SIGKILL, 3'599s, {}).kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(death(SIGKILL, 3'600s, {}).kind(), ErrorKind::kTimeout);
}

TEST_F(PatienceTest, AChildThatComputesForEverIsAVerdict) {
  EXPECT_EQ(fate("spin", {.stall_cpu = 50ms}), ErrorKind::kTimeout);
}

TEST_F(PatienceTest, AChildThatDoesNotRunIsNone) {
  EXPECT_EQ(fate("hang", {.idle_timeout = 50ms}), ErrorKind::kUnavailable);
}

// Of a file of one byte nobody can say without end that he got on.
TEST_F(PatienceTest, WordsDoNotProlongALife) {
  std::ofstream(dir_.file("image.tar"), std::ios::binary) << "x";
  EXPECT_EQ(fate("chatter", {.stall_cpu = 50ms}), ErrorKind::kTimeout);
}

// Here every word is a step on, and still it ends.
TEST_F(PatienceTest, SmallStepsDoNotProlongALifeForEver) {
  std::ofstream(dir_.file("image.tar"), std::ios::binary) << std::string(1 << 20, 'x');
  EXPECT_EQ(fate("trickle", {.idle_timeout = 10ms}), ErrorKind::kUnavailable);
}

TEST_F(PatienceTest, ProcessorTimeOfAnotherIsSeen) {
  auto child = sys::Process::start({.executable = test_inspector("spin").executable, .arguments = {"spin"}});
  ASSERT_TRUE(child) << child.error().message();
  const InspectOptions options{.stall_cpu = 1h};
  const Patience patience(child->pid(), options);
  while (patience.cpu_used() < 20ms) ::usleep(1000);
  EXPECT_TRUE(patience.check());
}

// A root that is nobody: it has nothing to drop, and may look all the same.
class FewRightsTest : public PatienceTest {
 protected:
  static bool runs(const InspectorProgram& program) {
    auto started = sys::Process::start({.executable = program.executable, .arguments = program.arguments});
    if (!started) return false;
    const auto end = started->wait();
    return !end.signalled && end.code == 0;
  }
  static InspectorProgram below(std::string wrapper, std::vector<std::string> arguments, const std::string& program) {
    arguments.push_back(program);
    return {.executable = std::move(wrapper), .arguments = std::move(arguments)};
  }
};

TEST_F(FewRightsTest, RootOfAUserNamespaceOfOneCanInspect) {
  const std::vector<std::string> arguments{"-Ur"};
  if (!runs(below("/usr/bin/unshare", arguments, "/bin/true"))) GTEST_SKIP() << "unshare -Ur does not work here";
  const auto seen = inspect(below("/usr/bin/unshare", arguments, test_inspector().executable));
  EXPECT_TRUE(seen) << seen.error().message();
}

TEST_F(FewRightsTest, RootWithoutCapabilitiesCanInspect) {
  const std::vector<std::string> arguments{"--bounding-set=-all", "--inh-caps=-all"};
  if (!runs(below("/usr/bin/setpriv", arguments, "/bin/true"))) GTEST_SKIP() << "setpriv cannot take capabilities here";
  const auto seen = inspect(below("/usr/bin/setpriv", arguments, test_inspector().executable));
  EXPECT_TRUE(seen) << seen.error().message();
}

}  // namespace
}  // namespace slipway::archive
