#include "trace.h"

#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace slipway::crash {
namespace {

constexpr std::array<std::pair<Record::Kind, std::string_view>, 6> kNames{{
    {Record::Kind::kAck, "ack"},
    {Record::Kind::kCancelAck, "cancel"},
    {Record::Kind::kInit, "init"},
    {Record::Kind::kBegin, "begin"},
    {Record::Kind::kEnd, "end"},
    {Record::Kind::kFinal, "final"},
}};

std::string_view name_of(Record::Kind kind) {
  for (const auto& [known, name] : kNames) {
    if (known == kind) return name;
  }
  return "?";
}

}  // namespace

std::string encode(const Record& r) {
  const std::string head = fmt::format("{} {}", name_of(r.kind), r.version);
  switch (r.kind) {
    case Record::Kind::kAck: return fmt::format("{} {}", head, r.run);
    case Record::Kind::kBegin:
      return fmt::format("{} {} {} {} {} {} {} {}", head, r.transition, r.arrival, r.retry, r.resumed ? 1 : 0,
                         to_micros(r.at), r.request, r.response);
    case Record::Kind::kEnd: return fmt::format("{} {} {} {}", head, r.transition, r.arrival, r.retry);
    case Record::Kind::kFinal: return fmt::format("{} {}", head, r.ending);
    case Record::Kind::kCancelAck:
    case Record::Kind::kInit: break;
  }
  return head;
}

Result<Record> decode(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::string kind;
  std::string version;
  in >> kind >> version;
  Record r;
  bool known = false;
  for (const auto& [value, name] : kNames) {
    if (name != kind) continue;
    r.kind = value;
    known = true;
  }
  auto parsed = fsm::RunVersion::parse(version);
  if (!known || !parsed) return fail(ErrorKind::kCorrupt, "trace record \"{}\"", text);
  r.version = *parsed;
  std::int64_t at = 0;
  if (r.kind == Record::Kind::kAck) in >> r.run;
  if (r.kind == Record::Kind::kFinal) in >> r.ending;
  if (r.kind == Record::Kind::kBegin || r.kind == Record::Kind::kEnd) in >> r.transition >> r.arrival >> r.retry;
  if (r.kind == Record::Kind::kBegin) in >> r.resumed >> at >> r.request >> r.response;
  r.at = from_micros(at);
  if (in.fail()) return fail(ErrorKind::kCorrupt, "trace record \"{}\"", text);
  return r;
}

TraceWriter::TraceWriter(const std::string& path)
    : fd_(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)) {
  if (fd_ < 0) throw std::runtime_error("open trace " + path);
}

TraceWriter::~TraceWriter() { ::close(fd_); }

void TraceWriter::write(const Record& record) const {
  std::string text = encode(record);
  if (text.size() >= kRecordBytes) throw std::length_error("trace record too long: " + text);
  text.resize(kRecordBytes - 1, ' ');
  text += '\n';
  if (::write(fd_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error("write trace");
  }
}

Result<std::vector<Record>> read_trace(const std::string& path, std::size_t first) {
  std::vector<Record> records;
  std::ifstream in(path, std::ios::binary);
  if (!in) return records;
  in.seekg(static_cast<std::streamoff>(first * kRecordBytes));
  std::string text(kRecordBytes, '\0');
  while (in.read(text.data(), static_cast<std::streamsize>(text.size()))) {
    auto record = decode(text);
    if (!record) return fail(std::move(record.error()));
    records.push_back(std::move(*record));
  }
  if (in.gcount() != 0) return fail(ErrorKind::kCorrupt, "trace {} ends within a record", path);
  return records;
}

}  // namespace slipway::crash
