// What boots_test has done in the virtual machine: a thin pool in files of an ext4 file system on /dev/vda, over
// several boots. Says each thing that is done, after it is done; what was said must be there in the next boot.
//
//   thin_story first             makes the file system, the pool, a volume and its snapshot
//   thin_story again FACT...     finds what was said before, takes it away, and goes on until the power is cut
//   thin_story last FACT...      finds it, and finds nothing wrong with the pool
//
// A FACT is "7", a volume, or "9-7", a snapshot of it.
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "volumes/thin/pool_setup.h"
#include "volumes/thin/thin_pool.h"

namespace slipway::volumes {
namespace {

constexpr std::uint64_t kMiB = 1ULL << 20;
constexpr std::uint64_t kSize = 32 * kMiB;
constexpr std::uint32_t kRounds = 200;

[[noreturn]] void give_up(const std::string& why) { throw std::runtime_error(why); }

template <class T>
T need(Result<T> result) {
  if (!result) give_up(result.error().describe());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

void say(const std::string& text) {
  std::puts(text.c_str());
  std::fflush(stdout);
}

void shell(const std::string& command) {
  if (std::system(command.c_str()) != 0) give_up(command);
}

DeviceSpec spec(std::uint32_t id) { return {{id}, fmt::format("story-{}", id), kSize}; }
std::string text_of(std::uint32_t id) { return fmt::format("this is volume {:06}", id); }

class Story {
 public:
  Story()
      : folder_(std::string(std::getenv("TMPDIR")) + "/disk"),
        place_{"story", folder_ + "/data", folder_ + "/metadata"} {}

  void first() {
    shell("mkfs.ext4 -q /dev/vda && mkdir " + folder_ + " && mount /dev/vda " + folder_);
    need(create_thin_pool({.place = place_, .data_size = 512 * kMiB}));
    pool_ = need(ThinPool::open({.name = place_.name}));
    round(6);
  }

  void again(const std::vector<std::string>& facts) {
    open();
    check(facts);
    for (std::uint32_t id = 100; id < 100 + 10 * kRounds; id += 10) round(id);
  }

  void last(const std::vector<std::string>& facts) {
    open();
    check(facts);
    need(stop_thin_pool(place_));
    shell("thin_check -q " + place_.metadata.native());
    shell("umount " + folder_ + " && e2fsck -fn /dev/vda >/dev/null");
    say("well");
  }

 private:
  void open() {
    shell("mkdir " + folder_ + " && mount /dev/vda " + folder_);
    need(start_thin_pool(place_));
    pool_ = need(ThinPool::open({.name = place_.name}));
    if (!need(pool_->leftovers()).empty()) give_up("there are leftovers after a boot");
    if (!need(pool_->status()).problems.empty()) give_up("the pool has problems");
  }

  // A volume with a text on it, a snapshot of it, and the volume overwritten.
  void round(std::uint32_t id) {
    say("begin create");
    need(pool_->create(spec(id)));
    const auto path = need(pool_->activate(spec(id)));
    say("begin write");
    write(path, text_of(id));
    say(fmt::format("fact {}", id));
    say("begin snapshot");
    need(pool_->snapshot(spec(id + 1), spec(id)));
    say(fmt::format("fact {}-{}", id + 1, id));
    say("begin remove");
    need(pool_->create(spec(id + 2)));
    need(pool_->remove(spec(id + 2)));
    need(pool_->deactivate(spec(id)));
    say("round");
  }

  void check(const std::vector<std::string>& facts) {
    for (const auto& fact : facts) {
      const auto dash = fact.find('-');
      const auto id = number(fact.substr(0, dash));
      const auto written = dash == std::string::npos ? id : number(fact.substr(dash + 1));
      if (!need(pool_->find({id}))) give_up(fmt::format("{} was said to be there, and is not", fact));
      const auto got = read(need(pool_->activate(spec(id))), text_of(written).size());
      if (got != text_of(written)) give_up(fmt::format("{} has \"{}\"", fact, got));
    }
    for (const auto& device : need(pool_->list())) need(pool_->remove({device.id, device.name, kSize}));
    if (!need(pool_->list()).empty()) give_up("what was removed is there");
    if (need(pool_->status()).data.used != 0) give_up("an empty pool has blocks in use");
    say(fmt::format("found {}", facts.size()));
  }

  static std::uint32_t number(const std::string& text) {
    std::uint32_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  static void write(const std::string& path, const std::string& text) {
    const sys::Descriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (::pwrite(fd.get(), text.data(), text.size(), kMiB) != static_cast<ssize_t>(text.size()))
      give_up("write " + path);
    if (::fsync(fd.get()) != 0) give_up("sync " + path);
  }
  static std::string read(const std::string& path, std::size_t length) {
    const sys::Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text(length, '?');
    if (::pread(fd.get(), text.data(), length, kMiB) != static_cast<ssize_t>(length)) give_up("read " + path);
    return text;
  }

  std::string folder_;
  ThinPoolPlace place_;
  std::unique_ptr<ThinPool> pool_;
};

int tell(const std::vector<std::string>& words) {
  const std::vector<std::string> facts(words.begin() + 1, words.end());
  Story story;
  if (words[0] == "first") story.first();
  if (words[0] == "again") story.again(facts);
  if (words[0] == "last") story.last(facts);
  return 0;
}

}  // namespace
}  // namespace slipway::volumes

int main(int argc, char** argv) {
  try {
    if (argc < 2) throw std::runtime_error("which part of the story?");
    return slipway::volumes::tell({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::printf("wrong: %s\n", error.what());
    return 1;
  }
}
