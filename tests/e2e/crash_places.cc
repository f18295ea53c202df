#include "e2e/crash_test.h"

namespace slipway {
namespace {

INSTANTIATE_TEST_SUITE_P(Places, CommandCrashTest,
                         testing::Values(CrashSetting{Place::kFolder}, CrashSetting{Place::kS3}),
                         [](const auto& named) { return named.param.place == Place::kS3 ? "S3" : "Folder"; });

}  // namespace
}  // namespace slipway
