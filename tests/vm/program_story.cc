// What program_boots_test has done in the virtual machine: the program, its state and its thin pool on an ext4 file
// system on /dev/vda, over several boots.
//
//   program_story first        makes all of it, fetches an image and writes to its snapshot; says how long that took
//   program_story rebooted     the doctor tells that the pool does not run, and starts it; the snapshot comes back
//   program_story cut          goes on to the right end from whatever is there, says so, and begins anew; the power is
//                              cut after that
//   program_story last         goes on to the right end, and finds the disk's file system well
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <unistd.h>

#include "catalog/identity.h"
#include "e2e/workshop.h"

namespace slipway {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void give_up(const std::string& why) { throw std::runtime_error(why); }

void say(const std::string& text) {
  std::puts(text.c_str());
  std::fflush(stdout);
}

void shell(const std::string& command) {
  if (std::system(command.c_str()) != 0) give_up(command);
}

class ProgramStory {
 public:
  void first() {
    shell("mkfs.ext4 -q /dev/vda");
    open();
    workshop_->put("x.tar", bytes_);
    workshop_->make_pool();
    const auto begun = Clock::now();
    run({"fetch-and-create", "x.tar", "--quiet"}, 0);
    say(fmt::format("fact {:.3f}", std::chrono::duration<double>(Clock::now() - begun).count()));
    expect_right();
    with_snapshot("echo kept > kept && sync");
  }

  void rebooted() {
    open();
    expect_rules("doctor", 1, {"pool-not-running"});
    run({"doctor", "--fix"}, 0);
    expect_rules("doctor", 0, {});
    const auto image = workshop_->image("x.tar").image_id;
    const auto path = run({"activate", image}, 0).out;
    if (path != device() + "\n") give_up("the snapshot is at " + path);
    with_snapshot("test \"$(cat kept)\" = kept");
    expect_rules("doctor", 0, {});
    say("well");
  }

  void cut() {
    open();
    go_on();
    workshop_->forget();
    ::sync();
    say("begin");
    run({"fetch-and-create", "x.tar", "--quiet"}, 0);
    say("fact done");
    std::this_thread::sleep_for(std::chrono::minutes(10));
  }

  void last() {
    open();
    go_on();
    workshop_->ground().take_down();
    shell("umount " + disk_ + " && e2fsck -fn /dev/vda >/dev/null");
  }

 private:
  void open() {
    shell("mkdir -p " + disk_ + " && mount /dev/vda " + disk_);
    workshop_ = std::make_unique<Workshop>(disk_, "story");
  }
  // What the snapshot has besides, written by an earlier boot, is no matter of the tree.
  void go_on() {
    run({"fetch-and-create", "x.tar", "--quiet"}, 0);
    if (std::filesystem::exists(disk_ + "/changed")) {
      std::filesystem::remove(disk_ + "/changed");
      run({"deactivate", catalog::default_snapshot_name(workshop_->image("x.tar").image_id), "--delete"}, 0);
      run({"fetch-and-create", "x.tar", "--quiet"}, 0);
    }
    expect_right();
    say("right");
  }
  void expect_right() const {
    if (const auto wrong = workshop_->faults_of("x.tar", bytes_); !wrong.empty()) give_up(wrong);
  }
  sys::Ended run(const std::vector<std::string>& words, int code) const {
    auto ended = workshop_->run(words);
    if (ended.code != code) give_up(fmt::format("{} ended with {}: {}{}", words[0], ended.code, ended.out, ended.err));
    return ended;
  }
  void expect_rules(const std::string& command, int code, const std::vector<std::string>& wanted) const {
    const auto ended = run({command, "--json"}, code);
    std::vector<std::string> rules;
    const auto json = ended.json();
    for (const auto& finding : json.at("findings")) rules.push_back(finding.at("rule"));
    if (rules != wanted) give_up(ended.out);
  }
  [[nodiscard]] std::string device() const {
    return "/dev/mapper/" + catalog::default_snapshot_name(workshop_->image("x.tar").image_id);
  }
  void with_snapshot(const std::string& command) const {
    std::ofstream(disk_ + "/changed").close();
    shell(fmt::format("mkdir -p {0}/m && mount {1} {0}/m && cd {0}/m && {2} && cd / && umount {0}/m", disk_, device(),
                      command));
  }

  const std::string disk_ = std::string(std::getenv("TMPDIR")) + "/disk";
  const std::string bytes_ = sample_image(1U << 20U);
  std::unique_ptr<Workshop> workshop_;
};

void tell(const std::string& part) {
  ProgramStory story;
  if (part == "first") story.first();
  if (part == "rebooted") story.rebooted();
  if (part == "cut") story.cut();
  if (part == "last") story.last();
  // The machine is switched off with all that is active.
  ::sync();
  std::_Exit(0);
}

}  // namespace
}  // namespace slipway

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("which part of the story?");
    slipway::tell(argv[1]);
  } catch (const std::exception& error) {
    std::printf("wrong: %s\n", error.what());
  }
  return 1;
}
