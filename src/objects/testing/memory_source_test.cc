#include "objects/testing/memory_source.h"

#include "objects/testing/object_source_contract.h"

namespace slipway::objects {
namespace {

class MemoryBucket final : public TestBucket {
 public:
  ObjectSource& source() override { return source_; }
  void put(const std::string& key, const std::string& bytes) override { source_.put(key, bytes); }

 private:
  MemorySource source_;
};

std::unique_ptr<TestBucket> make_memory_bucket() { return std::make_unique<MemoryBucket>(); }

INSTANTIATE_TEST_SUITE_P(Memory, ObjectSourceContract, ::testing::Values(&make_memory_bucket));

}  // namespace
}  // namespace slipway::objects
