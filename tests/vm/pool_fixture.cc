#include "pool_fixture.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "volumes/thin/device_mapper.h"

namespace slipway::volumes {

TestPool::TestPool(const ThinPoolSpec& sizes) : spec_(sizes) {
  spec_.place = {unique_name("swt"), dir_.file("data"), dir_.file("metadata")};
  if (spec_.data_size == 0) spec_.data_size = 64ULL << 20;
  if (spec_.metadata_size == 0) spec_.metadata_size = 8ULL << 20;
  made_ = create_thin_pool(spec_);
}

TestPool::~TestPool() {
  take_down(place());
  const auto gone = destroy_thin_pool(place());
  EXPECT_TRUE(gone) << gone.error().describe();
}

std::unique_ptr<ThinPool> TestPool::open(ThinPoolOptions options) const {
  options.name = name();
  options.busy_tries = 0;
  auto opened = ThinPool::open(options);
  EXPECT_TRUE(opened) << opened.error().describe();
  return opened ? std::move(*opened) : nullptr;
}

void ThinTest::SetUp() {
  if (const auto available = dm::check_available(); !available) GTEST_SKIP() << available.error().describe();
  start();
}

void ThinTest::start(const ThinPoolSpec& sizes) {
  pool_.reset();
  test_.reset();
  test_ = std::make_unique<TestPool>(sizes);
  ASSERT_TRUE(test_->made()) << test_->made().error().describe();
  pool_ = test_->open();
  ASSERT_NE(pool_, nullptr);
}

std::string ThinTest::make(const DeviceSpec& volume) {
  const auto made = pool().create(volume);
  EXPECT_TRUE(made) << made.error().describe();
  const auto path = pool().activate(volume);
  EXPECT_TRUE(path) << path.error().describe();
  return path.value_or("");
}

int ThinTest::fill(const std::string& path, std::uint64_t bytes) {
  // Past the page cache, so that the write that fails is the one that says so.
  const sys::Descriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_DIRECT));
  EXPECT_TRUE(fd) << path;
  constexpr std::size_t kPiece = 1U << 20;
  const std::unique_ptr<void, decltype(&std::free)> data(std::aligned_alloc(4096, kPiece), &std::free);
  std::memset(data.get(), 'x', kPiece);
  for (std::uint64_t at = 0; at < bytes; at += kPiece) {
    if (::pwrite(fd.get(), data.get(), kPiece, static_cast<off_t>(at)) < 0) return errno;
  }
  return ::fsync(fd.get()) == 0 ? 0 : errno;
}

void ThinTest::put(const std::string& path, std::uint64_t offset, const std::string& text) {
  const sys::Descriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(fd) << path;
  ASSERT_EQ(::pwrite(fd.get(), text.data(), text.size(), static_cast<off_t>(offset)),
            static_cast<ssize_t>(text.size()));
  ASSERT_EQ(::fsync(fd.get()), 0);
}

std::string ThinTest::get(const std::string& path, std::uint64_t offset, std::size_t length) {
  const sys::Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(fd) << path;
  std::string text(length, '?');
  EXPECT_EQ(::pread(fd.get(), text.data(), length, static_cast<off_t>(offset)), static_cast<ssize_t>(length));
  return text;
}

}  // namespace slipway::volumes
