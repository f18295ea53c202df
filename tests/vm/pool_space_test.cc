// Thin pools without room, as their users see it: the error names the way out, and the way out works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "e2e/workshop.h"
#include "vm/thin_devices.h"

namespace slipway {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class PoolSpaceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = Workshop::why_not(Backend::kThin); !why.empty()) GTEST_SKIP() << why;
    workshop_ = std::make_unique<Workshop>(Place::kFolder, Backend::kThinWithoutPool);
    workshop_->put("x.tar", bytes_);
  }

  sys::Ended run(const std::vector<std::string>& words, const sys::Variables& more = {}) {
    auto variables = workshop_->variables();
    for (const auto& [name, value] : more) variables[name] = value;
    return start_program(Workshop::program(), words, variables)->finish();
  }
  void good(const std::vector<std::string>& words, const sys::Variables& more = {}) {
    const auto ended = run(words, more);
    EXPECT_EQ(ended.code, 0) << words.front() << ": " << ended.out << ended.err;
  }
  // Refused for want of room, with the way out, and nothing stays of the try.
  void refused(const std::vector<std::string>& words, const std::string& why, const sys::Variables& more = {}) {
    const auto ended = run(words, more);
    EXPECT_EQ(ended.code, 1) << ended.out;
    EXPECT_THAT(ended.err, AllOf(HasSubstr(why), HasSubstr("slipway pool grow")));
    EXPECT_THAT(volumes::devices_of(workshop_->ground().name()), testing::IsEmpty());
  }

  const std::vector<std::string> fetch_{"fetch-and-create", "x.tar", "--quiet"};
  const std::string bytes_ = sample_image(6U << 20U);
  std::unique_ptr<Workshop> workshop_;
};

TEST_F(PoolSpaceTest, AnImageThatDoesNotFitIsRefusedAndFitsWhenThePoolIsGrown) {
  good({"pool", "create", "--data-size", "4MiB"});
  refused(fetch_, "space");
  const auto status = run({"pool", "status", "--json"});
  EXPECT_EQ(status.json().at("data").at("used"), 0) << status.out;
  EXPECT_TRUE(status.json().at("problems").empty()) << status.out;
  good({"doctor"});
  good({"pool", "grow", "--data-size", "32MiB"});
  good(fetch_);
  EXPECT_EQ(workshop_->faults_of("x.tar", bytes_), "");
}

TEST_F(PoolSpaceTest, BelowTheFloorForDataNothingIsBegun) {
  workshop_->put("small.tar", sample_image(50'000));
  good({"pool", "create", "--data-size", "8MiB"});
  const sys::Variables floor{{"SLIPWAY_DM_MIN_FREE_DATA", "90"}};
  good({"fetch-and-create", "small.tar", "--quiet"});
  const auto ended = run(fetch_, floor);
  EXPECT_EQ(ended.code, 1) << ended.out;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("data space"), HasSubstr("90%"), HasSubstr("slipway pool grow")));
  good({"doctor"});
  good({"pool", "grow", "--data-size", "128MiB"});
  good(fetch_, floor);
  good({"doctor"});
}

TEST_F(PoolSpaceTest, BelowTheFloorForMetadataNothingIsBegun) {
  good({"pool", "create", "--metadata-size", "2MiB"});
  const sys::Variables floor{{"SLIPWAY_DM_MIN_FREE_METADATA", "95"}};  // an empty pool has less, however large it is
  refused(fetch_, "metadata space", floor);
  good({"doctor"});
  good({"pool", "grow", "--metadata-size", "32MiB"}, floor);
  good(fetch_);
  EXPECT_EQ(workshop_->faults_of("x.tar", bytes_), "");
}

// A snapshot is refused as well as a volume.
TEST_F(PoolSpaceTest, BelowTheFloorThereAreNoMoreSnapshots) {
  good({"pool", "create"});
  good(fetch_);
  const auto image = workshop_->image("x.tar").image_id;
  const auto ended = run({"activate", image, "--name", "second"}, {{"SLIPWAY_DM_MIN_FREE_DATA", "99"}});
  EXPECT_EQ(ended.code, 1) << ended.out;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("data space"), HasSubstr("slipway pool grow")));
  EXPECT_EQ(workshop_->faults_of("x.tar", bytes_), "");
  good({"activate", image, "--name", "second"});
  good({"doctor"});
}

}  // namespace
}  // namespace slipway
