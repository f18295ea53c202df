// A bucket with one image, and a state folder to make it into something: what the tests of the whole program share.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "e2e/thin_ground.h"
#include "objects/testing/fake_s3.h"
#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"

namespace slipway {

enum class Place { kFolder, kS3 };
enum class Backend { kFile, kThin, kThinWithoutPool };

// A program with these variables and hardly any else, its output kept.
[[nodiscard]] std::unique_ptr<sys::Command> start_program(const std::string& program,
                                                          const std::vector<std::string>& words,
                                                          const sys::Variables& variables);

class Workshop {
 public:
  explicit Workshop(Place place, Backend backend = Backend::kFile);
  // On a thin pool, in a folder that stays and has the image's bucket and perhaps the state of an earlier one.
  Workshop(const std::filesystem::path& folder, const std::string& pool);
  // Nothing of a thin pool stays.
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  // Why there can be no workshop with this backend here; empty: there can.
  [[nodiscard]] static std::string why_not(Backend backend);

  // The program as it is, and the one that takes faults from the environment (SLIPWAY_FAULT).
  [[nodiscard]] static std::string program();
  [[nodiscard]] static std::string faulty_program();

  void put(const std::string& key, const std::string& bytes);  // below the prefix
  [[nodiscard]] sys::Variables variables() const;
  [[nodiscard]] std::unique_ptr<sys::Command> start(const std::vector<std::string>& words) const;
  [[nodiscard]] sys::Ended run(const std::vector<std::string>& words) const { return start(words)->finish(); }

  [[nodiscard]] std::filesystem::path folder() const { return folder_; }
  [[nodiscard]] std::filesystem::path state() const { return folder_ / "state"; }
  [[nodiscard]] std::filesystem::path images() const { return state() / "images"; }
  void forget();  // an empty state folder; on a thin pool, with a new one

  // `pool create`, and what forget() goes back to.
  void make_pool();
  [[nodiscard]] ThinGround& ground() { return *ground_; }

  // Nothing when all is as it must be after `key` with these bytes was fetched: one right file and nothing beside it,
  // one right row, one snapshot with the archive's tree, no run that is not over, and a doctor who finds nothing. Else
  // what is wrong.
  [[nodiscard]] std::string faults_of(const std::string& key, const std::string& bytes) const;

  // The image of this key, as the catalog has it. Throws when it is not there.
  [[nodiscard]] catalog::Image image(const std::string& key) const;

  objects::FakeS3& s3() { return *s3_; }

 private:
  [[nodiscard]] std::uint64_t device_size() const;

  std::unique_ptr<sys::TempDir> temporary_;
  std::filesystem::path folder_;
  std::unique_ptr<objects::FakeS3> s3_;
  std::unique_ptr<ThinGround> ground_;
};

// A root file system of about so many bytes that do not compress.
[[nodiscard]] std::string sample_image(std::size_t bytes);

}  // namespace slipway
