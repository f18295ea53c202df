// What handlers and starters leave behind, outside of the store: the witness against which the store is checked.
//
// A trace is a file of records of kRecordBytes each, text padded with blanks, appended with one write(2) each. A
// SIGKILL does not undo a write; it may cut one short, but only between two pages, and no record crosses a page. So
// each record is there or not there, and their order is that in which they were written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "fsm/context.h"
#include "fsm/version.h"

namespace slipway::crash {

inline constexpr std::size_t kRecordBytes = 128;

struct Record {
  enum class Kind : std::uint8_t {
    kAck,        // start() has returned
    kCancelAck,  // cancel() has returned
    kInit,       // an initializer runs
    kBegin,      // a handler was entered
    kEnd,        // a handler is about to return
    kFinal,      // a finalizer runs
  };

  Kind kind = Kind::kAck;
  fsm::RunVersion version{};
  std::size_t run = 0;  // of kAck: index in the scenario
  // Of kBegin; the first three of kEnd too.
  std::string transition{};
  std::uint32_t arrival = 0;
  std::uint32_t retry = 0;
  bool resumed = false;
  TimePoint at{};
  std::uint64_t request = 0;   // digest
  std::uint64_t response = 0;  // digest
  std::string ending{};        // of kFinal
};

// At most kRecordBytes - 1 bytes; `text` must be shorter.
[[nodiscard]] std::string encode(const Record& record);
[[nodiscard]] Result<Record> decode(std::string_view text);

// Thread-safe.
class TraceWriter {
 public:
  explicit TraceWriter(const std::string& path);  // throws when it cannot be opened
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  void write(const Record& record) const;  // throws when the disk refuses: a trace with holes proves nothing

 private:
  int fd_;
};

// The records from number `first` on. A missing file is an empty trace.
[[nodiscard]] Result<std::vector<Record>> read_trace(const std::string& path, std::size_t first);

}  // namespace slipway::crash
