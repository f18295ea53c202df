// A database with a few records of every kind, linked as real ones are.
//
//   CVE-2021-44228 - CWE-502 - CAPEC-586 - T1190 - TA0001, M1048 - control SI-3 - rule of rhel8 - CCE-80787-1
#pragma once

#include <string>
#include <vector>

#include "feeds/feed_store.h"
#include "feeds/record.h"
#include "sys/clock.h"

namespace slipway::feeds {

[[nodiscard]] Urn urn_of(const std::string& text);  // "mitre::cwe::CWE-79"

// Each provider is complete afterwards. CVE-2019-0003 is gone, CVE-2020-0002 is rejected. Throws what goes wrong.
void make_small_feeds(const std::string& path, sys::Clock& clock);

// One whole sync of one provider that brings these.
void sync_records(FeedStore& store, const std::string& provider, const std::vector<Record>& records);

}  // namespace slipway::feeds
