#include "volumes/thin/kernel_text.h"

#include <gmock/gmock.h>

namespace slipway::volumes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Mode = ThinPoolState::Mode;

constexpr std::uint64_t kBlock = 64 << 10;

TEST(KernelTextTest, AThinDevicesStatusTellsHowFarItWasWritten) {
  EXPECT_EQ(parse_thin_status("0 -"), 0);
  EXPECT_EQ(parse_thin_status("128 127"), 128);
  EXPECT_EQ(parse_thin_status("256 2047"), 2048);
  for (const auto* text : {"", "Fail", "Error", "128", "128 x", "128 18446744073709551615"}) {
    EXPECT_FALSE(parse_thin_status(text)) << text;
  }
}

TEST(ThinKernelText, APoolsStatusIsRead) {
  const auto state = parse_pool_status("3 112/1024 5/1000 - rw discard_passdown error_if_no_space - 256 ", kBlock);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->mode, Mode::kWrite);
  EXPECT_EQ(state->transaction_id, 3);
  EXPECT_EQ(state->metadata.used, 112 * 4096);
  EXPECT_EQ(state->metadata.total, 1024 * 4096);
  EXPECT_EQ(state->data.used, 5 * kBlock);
  EXPECT_EQ(state->data.total, 1000 * kBlock);
  EXPECT_FALSE(state->needs_check);
  EXPECT_FALSE(state->metadata_held);
  EXPECT_THAT(problems_of(*state), IsEmpty());
}

TEST(ThinKernelText, WhatIsWrongWithAPoolIsTold) {
  const auto full =
      parse_pool_status("0 1/2 9/9 22 out_of_data_space discard_passdown error_if_no_space - 256", kBlock);
  ASSERT_TRUE(full);
  EXPECT_TRUE(full->metadata_held);
  EXPECT_THAT(problems_of(*full), ElementsAre(HasSubstr("data space is full")));
  const auto metadata = parse_pool_status("0 1/2 9/9 - ro discard_passdown error_if_no_space - 256", kBlock);
  EXPECT_THAT(problems_of(metadata.value()), ElementsAre(HasSubstr("metadata space is full")));
  const auto check = parse_pool_status("0 1/2 9/9 - ro discard_passdown error_if_no_space needs_check 256", kBlock);
  EXPECT_THAT(problems_of(check.value()), ElementsAre(HasSubstr("must be checked")));
  EXPECT_THAT(problems_of(parse_pool_status("Fail", kBlock).value()), ElementsAre(HasSubstr("every request")));
}

TEST(ThinKernelText, AnotherTextIsNoStatus) {
  for (const auto* text : {"", "1", "x 1/2 1/2 - rw", "0 12 1/2 - rw", "0 1/2 1/2 - odd", "0 1/2 1/x - rw",
                           "0 1/2 1/99999999999999999999 - rw", "0 1/2 1/18446744073709551615 - rw"}) {
    EXPECT_FALSE(parse_pool_status(text, kBlock)) << text;
  }
}

TEST(ThinKernelText, TablesAreRead) {
  const auto pool = parse_pool_table("7:1 7:0 128 0 1 error_if_no_space ");
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->metadata, "7:1");
  EXPECT_EQ(pool->data, "7:0");
  EXPECT_EQ(pool->block_bytes, kBlock);
  const auto thin = parse_thin_table("253:0 7");
  ASSERT_TRUE(thin);
  EXPECT_EQ(thin->pool, "253:0");
  EXPECT_EQ(thin->id, DeviceId{7});
  EXPECT_FALSE(parse_pool_table("7:1 7:0 0 0"));
  EXPECT_FALSE(parse_pool_table("7:1 7:0"));
  EXPECT_FALSE(parse_thin_table("253:0 16777216"));
  EXPECT_FALSE(parse_thin_table("253:0"));
}

TEST(ThinKernelText, AListOfIdsIsReadWholeOrNotAtAll) {
  EXPECT_THAT(parse_id_list("").value(), IsEmpty());
  EXPECT_THAT(parse_id_list("  9\n  7  \n").value(), ElementsAre(DeviceId{7}, DeviceId{9}));
  EXPECT_FALSE(parse_id_list("7\nerror 3\n"));
}

TEST(ThinKernelText, UuidsSayWhoseADeviceIs) {
  for (const std::string pool : {"images", "my-pool", "a-of-1", "7", "7-of-8"}) {
    for (const auto origin : {std::optional<DeviceId>(), std::optional(DeviceId{5})}) {
      const ThinUuid uuid{pool, {9}, origin};
      const auto read = parse_thin_uuid(to_string(uuid));
      ASSERT_TRUE(read) << to_string(uuid);
      EXPECT_EQ(read->pool, pool) << to_string(uuid);
      EXPECT_EQ(read->id, DeviceId{9});
      EXPECT_EQ(read->origin, origin);
    }
  }
  for (const auto* text : {"", "SLIPWAY-", "SLIPWAY-pool", "SLIPWAY-pool-x", "SLIPWAY--7", "LVM-abc", "slipway-p-7"}) {
    EXPECT_FALSE(parse_thin_uuid(text)) << text;
  }
}

}  // namespace
}  // namespace slipway::volumes
