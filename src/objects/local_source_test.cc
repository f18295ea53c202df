#include "objects/local_source.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <future>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "objects/testing/object_source_contract.h"
#include "sys/testing/child_process.h"
#include "sys/testing/temp_dir.h"

namespace slipway::objects {
namespace {

using ::testing::HasSubstr;

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  // A new file each time, as those do who replace objects in one step.
  const auto fresh = path.string() + "~new";
  std::ofstream(fresh, std::ios::binary) << bytes;
  std::filesystem::rename(fresh, path);
}

class LocalBucket final : public TestBucket {
 public:
  LocalBucket() : source_(*LocalSource::open(dir_.path())) {}
  ObjectSource& source() override { return *source_; }
  void put(const std::string& key, const std::string& bytes) override { write_file(dir_.file(key), bytes); }

 private:
  sys::TempDir dir_;
  std::unique_ptr<LocalSource> source_;
};

std::unique_ptr<TestBucket> make_local_bucket() { return std::make_unique<LocalBucket>(); }

INSTANTIATE_TEST_SUITE_P(Local, ObjectSourceContract, ::testing::Values(&make_local_bucket));

class LocalSourceTest : public ::testing::Test {
 protected:
  LocalSourceTest() {
    write_file(dir_.file("outside"), "secret");
    std::filesystem::create_directories(dir_.file("bucket/real"));
    write_file(dir_.file("bucket/real/file"), "plain");
    source_ = *LocalSource::open(dir_.file("bucket"));
  }

  std::vector<std::string> keys() {
    std::vector<std::string> out;
    const auto page = source_->list({}, {});
    for (const auto& object : page->objects) out.push_back(object.key);
    return out;
  }

  sys::TempDir dir_;
  std::unique_ptr<LocalSource> source_;
};

// As a user for whom modes count: another one when this is root. 77: that cannot be tried.
TEST_F(LocalSourceTest, WhatMayNotBeReadIsToldAndTheRestIsListed) {
  write_file(dir_.file("bucket/secret/file"), "x");
  write_file(dir_.file("bucket/z-secret"), "x");
  write_file(dir_.file("bucket/zz"), "x");
  ::chmod(dir_.path().c_str(), 0755);
  ::chmod(dir_.file("bucket/secret").c_str(), 0);
  ::chmod(dir_.file("bucket/z-secret").c_str(), 0);
  sys::ChildProcess looking([this](const sys::ChildProcess::Voice& voice) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 77;
    std::string told;
    ListRequest request{.max_keys = 1};
    do {
      const auto page = source_->list(request, {});
      if (!page) return 1;
      for (const auto& object : page->objects) told += object.key + " ";
      for (const auto& why : page->unreadable) told += "(" + why.message() + ") ";
      request.after = page->next;
    } while (!request.after.empty());
    voice.say(told);
    return source_->list({.prefix = "secret/"}, {}) ? 2 : 0;  // of what was asked for nothing can be told
  });
  const auto told = looking.hear();
  const int code = looking.wait();
  ::chmod(dir_.file("bucket/secret").c_str(), 0755);
  if (code == 77) GTEST_SKIP() << "cannot change to an unprivileged user";
  EXPECT_EQ(code, 0);
  EXPECT_EQ(told, "real/file zz (open folder secret/: Permission denied) (open z-secret: Permission denied) ");
}

TEST_F(LocalSourceTest, LinksAreNotFollowedWhereverTheyPoint) {
  namespace fs = std::filesystem;
  fs::create_symlink(dir_.file("outside"), dir_.file("bucket/absolute"));
  fs::create_symlink("../outside", dir_.file("bucket/relative"));
  fs::create_symlink("real/file", dir_.file("bucket/inside"));
  fs::create_directory_symlink(dir_.path(), dir_.file("bucket/folder"));
  fs::create_directory_symlink("real", dir_.file("bucket/inside-folder"));
  EXPECT_EQ(keys(), std::vector<std::string>{"real/file"});
  for (const char* key : {"absolute", "relative", "inside", "folder/outside", "inside-folder/file"}) {
    EXPECT_EQ(source_->head(key, {}).error().kind(), ErrorKind::kNotFound) << key;
    const auto read = read_range(*source_, {.key = key, .object_size = 6, .length = 6});
    EXPECT_EQ(read.how.error().kind(), ErrorKind::kNotFound) << key;
    EXPECT_EQ(read.bytes, "");
  }
}

TEST_F(LocalSourceTest, WhatIsNoRegularFileIsNotThere) {
  ASSERT_EQ(::mkfifo(dir_.file("bucket/fifo").c_str(), 0600), 0);
  std::filesystem::create_directory(dir_.file("bucket/empty"));
  EXPECT_EQ(keys(), std::vector<std::string>{"real/file"});
  EXPECT_EQ(source_->head("fifo", {}).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(source_->head("empty", {}).error().kind(), ErrorKind::kNotFound);
}

TEST_F(LocalSourceTest, NamesThatAreNoKeysAreLeftOut) {
  write_file(dir_.file("bucket/new\nline"), "x");
  write_file(dir_.file("bucket/bell\x07/file"), "x");
  EXPECT_EQ(keys(), std::vector<std::string>{"real/file"});
}

TEST_F(LocalSourceTest, AFileWrittenToInPlaceIsAnotherObject) {
  const auto before = source_->head("real/file", {});
  std::ofstream(dir_.file("bucket/real/file"), std::ios::app) << "more";
  const auto read = read_range(*source_, range_of(*before, 0, 5));
  ASSERT_FALSE(read.how);
  EXPECT_EQ(read.how.error().kind(), ErrorKind::kConflict);
}

// Replaces the file as soon as the first bytes of it were read.
class Replacer final : public RangeReceiver {
 public:
  explicit Replacer(std::function<void()> replace) : replace_(std::move(replace)) {}
  Result<> bytes(std::span<const std::byte> piece) override {
    if (got_ == 0) replace_();
    got_ += piece.size();
    return {};
  }
  void done(Result<> how) override {
    told_ = true;
    how_.set_value(std::move(how));
  }
  Result<> wait() { return how_.get_future().get(); }
  std::size_t got_ = 0;
  bool told_ = false;

 private:
  std::function<void()> replace_;
  std::promise<Result<>> how_;
};

TEST_F(LocalSourceTest, AFileReplacedWhileItIsReadIsNoticedBeforeItsLastBytesAreGiven) {
  write_file(dir_.file("bucket/big"), std::string(1 << 20, 'a'));
  const auto info = source_->head("big", {});
  const auto renamed =
      std::make_shared<Replacer>([&] { write_file(dir_.file("bucket/big"), std::string(1 << 20, 'b')); });
  source_->read(range_of(*info, 0, info->size), renamed, {});
  EXPECT_EQ(renamed->wait().error().kind(), ErrorKind::kConflict);
  EXPECT_LT(renamed->got_, info->size);

  const auto again = source_->head("big", {});
  const auto cut = std::make_shared<Replacer>([&] { std::filesystem::resize_file(dir_.file("bucket/big"), 300'000); });
  source_->read(range_of(*again, 0, again->size), cut, {});
  EXPECT_EQ(cut->wait().error().kind(), ErrorKind::kConflict);
}

TEST_F(LocalSourceTest, AFolderThatIsNotThereSaysSo) {
  EXPECT_EQ(LocalSource::open(dir_.file("none")).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(LocalSource::open(dir_.file("outside")).error().kind(), ErrorKind::kInvalid);
  EXPECT_THAT(LocalSource::open(dir_.file("none")).error().message(), HasSubstr(dir_.file("none")));
}

TEST_F(LocalSourceTest, EveryReaderHasBeenToldWhenTheSourceIsClosed) {
  write_file(dir_.file("bucket/big"), std::string(1 << 20, 'a'));
  const auto info = source_->head("big", {});
  std::vector<std::shared_ptr<Replacer>> receivers;
  for (int i = 0; i < 20; ++i) {
    receivers.push_back(std::make_shared<Replacer>([] {}));
    source_->read(range_of(*info, 0, info->size), receivers.back(), {});
  }
  source_.reset();
  for (const auto& receiver : receivers) {
    ASSERT_TRUE(receiver->told_);
    const auto how = receiver->wait();
    EXPECT_TRUE(how || how.error().kind() == ErrorKind::kCancelled);
  }
}

}  // namespace
}  // namespace slipway::objects
