#include "validate.h"

#include <stdexcept>

#include "pipeline/validation.h"

namespace slipway::bench {

void validate(const std::filesystem::path& file, const std::string& sha256) {
  const archive::Inspector inspector({.executable = "/proc/self/exe", .arguments = {kInspectArgument}});
  const auto validated =
      pipeline::validate(pipeline::by(inspector),
                         {.file = file, .sha256 = sha256, .policy = archive::standard_policy(), .inspect = {}}, {});
  if (!validated) throw std::runtime_error(validated.error().describe());
}

}  // namespace slipway::bench
