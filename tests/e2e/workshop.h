// A bucket with one image, and a state folder to make it into something: what the tests of the whole program share.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "objects/testing/fake_s3.h"
#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"

namespace slipway {

enum class Place { kFolder, kS3 };

// A program with these variables and hardly any else, its output kept.
[[nodiscard]] std::unique_ptr<sys::Command> start_program(const std::string& program,
                                                          const std::vector<std::string>& words,
                                                          const sys::Variables& variables);

class Workshop {
 public:
  explicit Workshop(Place place);

  // The program as it is, and the one that takes faults from the environment (SLIPWAY_FAULT).
  [[nodiscard]] static std::string program();
  [[nodiscard]] static std::string faulty_program();

  void put(const std::string& key, const std::string& bytes);  // below the prefix
  [[nodiscard]] sys::Variables variables() const;
  [[nodiscard]] std::unique_ptr<sys::Command> start(const std::vector<std::string>& words) const;
  [[nodiscard]] sys::Ended run(const std::vector<std::string>& words) const { return start(words)->finish(); }

  [[nodiscard]] std::filesystem::path state() const { return folder_.file("state"); }
  [[nodiscard]] std::filesystem::path images() const { return state() / "images"; }
  void forget();  // an empty state folder

  // Nothing when all is as it must be after `key` with these bytes was fetched: one right file and nothing beside it,
  // one right row, one snapshot with the archive's tree, no run that is not over, and a doctor who finds nothing. Else
  // what is wrong.
  [[nodiscard]] std::string faults_of(const std::string& key, const std::string& bytes) const;

  objects::FakeS3& s3() { return *s3_; }

 private:
  sys::TempDir folder_;
  std::unique_ptr<objects::FakeS3> s3_;
};

// A root file system of about so many bytes that do not compress.
[[nodiscard]] std::string sample_image(std::size_t bytes);

}  // namespace slipway
