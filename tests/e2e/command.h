// The real program on a state folder of its own, started as a person would, and killed as nobody should.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/json.h"
#include "sys/descriptor.h"

namespace slipway {

struct Ended {
  int code = -1;  // 128 + n when it died by signal n
  std::string out{};
  std::string err{};

  // Standard output as one JSON document. Throws when it is none.
  [[nodiscard]] Json json() const { return Json::parse(out); }
};

// One process. Its output is kept in files of its own, so that it never waits for a reader.
class Command {
 public:
  using Variables = std::map<std::string, std::string>;

  // `program` is started with these words, and no variables but PATH, LANG and those given.
  Command(const std::string& program, const std::vector<std::string>& words, const Variables& variables);
  ~Command();  // kills it if it still runs
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  void signal(int number) const;
  [[nodiscard]] bool running();
  [[nodiscard]] Ended wait();
  [[nodiscard]] std::string err_so_far() const;

 private:
  sys::Descriptor out_;
  sys::Descriptor err_;
  pid_t pid_ = -1;
  std::optional<int> status_;
};

}  // namespace slipway
