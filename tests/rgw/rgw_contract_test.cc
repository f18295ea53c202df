// What every object source promises, with the real server behind it.
#include <memory>

#include "objects/testing/object_source_contract.h"
#include "rgw_fixture.h"

namespace slipway::objects {
namespace {

class RgwBucket : public TestBucket {
 public:
  RgwBucket() : uploader_(rgw::server()), name_(rgw::new_bucket_name()) {
    uploader_.make_bucket(name_);
    source_ = rgw::open_bucket(name_, rgw::owner(), rgw::server().endpoint);
  }

  [[nodiscard]] ObjectSource& source() override { return *source_; }
  void put(const std::string& key, const std::string& bytes) override { uploader_.put(name_, key, bytes); }

 private:
  rgw::Uploader uploader_;
  std::string name_;
  std::unique_ptr<ObjectSource> source_;
};

std::unique_ptr<TestBucket> make_rgw_bucket() { return std::make_unique<RgwBucket>(); }

}  // namespace

INSTANTIATE_TEST_SUITE_P(Rgw, ObjectSourceContract, ::testing::Values(&make_rgw_bucket));

}  // namespace slipway::objects
