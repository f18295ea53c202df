// What an image must keep to. It is part of the request, not of the process that does the work: a run that is handed to
// another process, or taken up again by one with other settings, is judged as it was asked for.
#pragma once

#include <cstdint>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "archive/policy.h"

template <>
struct nlohmann::adl_serializer<slipway::archive::Policy> {
  static void to_json(json& json, const slipway::archive::Policy& policy) { json = slipway::archive::to_json(policy); }
  static void from_json(const json& json, slipway::archive::Policy& policy) {
    auto read = slipway::archive::policy_from_json(json);
    if (!read) throw std::invalid_argument(read.error().message());  // decode_json() makes an error of it
    policy = std::move(*read);
  }
};

namespace slipway::pipeline {

struct ImageRules {
  std::uint64_t max_image_size = std::uint64_t{10} << 30;  // bytes of the object
  archive::Policy policy = archive::standard_policy();
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ImageRules, max_image_size, policy)

}  // namespace slipway::pipeline
