// A provider whose source is the numbers from 1 on, each a record. A test has it do things at chosen items.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "feeds/intake.h"
#include "feeds/provider.h"

namespace slipway::feeds {

// What the source is and does, shared with the test.
struct CountingSource {
  int items = 10;
  int offset = 0;  // of the numbers of its records
  std::string tag{"v1"};
  bool whole = true;
  // Called before item `number` is put, on the provider's thread; an error is the source's.
  std::function<Result<>(int number, Intake& intake)> before{};
  // An item that cannot be taken.
  std::function<bool(int number)> is_bad{};
  std::atomic<int> runs{0};
};

class CountingProvider : public Provider {
 public:
  explicit CountingProvider(std::shared_ptr<CountingSource> source) : source_(std::move(source)) {}
  [[nodiscard]] Result<> run(Intake& intake) override;

 private:
  std::shared_ptr<CountingSource> source_;
};

[[nodiscard]] Urn counted_urn(int number);
[[nodiscard]] Record counted_record(int number);

}  // namespace slipway::feeds
