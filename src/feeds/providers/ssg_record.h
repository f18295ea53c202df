// The parts of an XCCDF benchmark (1.1 and 1.2), as the SCAP Security Guide has them, in a datastream or by itself.
//
//   guide-rhel8                          the benchmark "xccdf_org.ssgproject.content_benchmark_RHEL-8"
//   rhel8/group/aide                     "xccdf_org.ssgproject.content_group_aide"
//   rhel8/profile/stig
//   rhel8/rule/aide_build_database
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "feeds/formats/xml_elements.h"
#include "feeds/record.h"

namespace slipway::feeds {

// What to cut out of the document.
[[nodiscard]] XmlElements::Options ssg_elements();

// Of a Benchmark, Group, Profile or Rule; nothing of a Value. kCorrupt: it has no id, or is in no benchmark.
[[nodiscard]] Result<std::vector<Record>> read_ssg(const XmlRecord& record);

// "rhel8" of "xccdf_org.ssgproject.content_benchmark_RHEL-8" and of "RHEL-8"; "" when nothing is left.
[[nodiscard]] std::string ssg_product(std::string_view benchmark);

// The controls of NIST SP 800-53 that a text names, without their enhancements: AC-17 and CM-6 of "AC-17(2), CM-6 b".
[[nodiscard]] std::vector<std::string> control_names(std::string_view text);

}  // namespace slipway::feeds
