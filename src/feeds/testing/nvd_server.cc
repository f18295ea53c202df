#include "feeds/testing/nvd_server.h"

#include <algorithm>
#include <utility>

#include "base/number.h"

namespace slipway::feeds {
namespace {

std::string parameter(const std::string& query, const std::string& name) {
  const auto at = query.find(name + "=");
  if (at == std::string::npos) return {};
  const auto begin = at + name.size() + 1;
  return query.substr(begin, std::min(query.find('&', begin), query.size()) - begin);
}

std::size_t number(const std::string& query, const std::string& name) {
  return parse_number<std::size_t>(parameter(query, name)).value_or(0);
}

}  // namespace

std::vector<NvdCve> numbered_cves(std::size_t first, std::size_t count) {
  std::vector<NvdCve> made;
  for (std::size_t i = first; i < first + count; ++i) made.push_back({.id = fmt::format("CVE-2024-{}", 10'000 + i)});
  return made;
}

NvdTestServer::NvdTestServer(std::size_t cves) : cves_(numbered_cves(0, cves)) {
  server_ = std::make_unique<net::TestServer>(
      [this](const net::ServerRequest& request, net::ResponseWriter& writer) { answer(request, writer); });
}

void NvdTestServer::set(std::vector<NvdCve> cves) {
  const sys::Lock lock(mutex_);
  cves_ = std::move(cves);
}

void NvdTestServer::set_before(std::size_t request, std::vector<NvdCve> cves) {
  const sys::Lock lock(mutex_);
  later_.emplace_back(request, std::move(cves));
}

void NvdTestServer::trouble(std::vector<Trouble> list) {
  const sys::Lock lock(mutex_);
  troubles_.assign(list.begin(), list.end());
}

std::vector<std::string> NvdTestServer::queries() const {
  const sys::Lock lock(mutex_);
  return queries_;
}

std::vector<std::string> NvdTestServer::keys() const {
  const sys::Lock lock(mutex_);
  return keys_;
}

void NvdTestServer::page(std::size_t most) {
  const sys::Lock lock(mutex_);
  most_ = most;
}

// Times are compared as texts: both sides have the same form up to the seconds.
std::string NvdTestServer::page_for(const std::string& query) const {
  const auto from = parameter(query, "lastModStartDate").substr(0, 19);
  const auto until = parameter(query, "lastModEndDate").substr(0, 19);
  std::vector<const NvdCve*> fitting;
  for (const auto& cve : cves_) {
    const auto modified = cve.modified.substr(0, 19);
    if (from.empty() || (from <= modified && modified <= until)) fitting.push_back(&cve);
  }
  const auto first = std::min(number(query, "startIndex"), fitting.size());
  const auto end = std::min(first + std::min(number(query, "resultsPerPage"), most_), fitting.size());
  std::string page = fmt::format(R"({{"resultsPerPage":{},"startIndex":{},"totalResults":{},"vulnerabilities":[)",
                                 end - first, first, fitting.size());
  for (auto i = first; i < end; ++i) {
    page += fmt::format(
        R"({}{{"cve":{{"id":"{}","lastModified":"{}","vulnStatus":"Analyzed","descriptions":[{{"lang":"en","value":"{}"}}]}}}})",
        i == first ? "" : ",", fitting[i]->id, fitting[i]->modified, fitting[i]->description);
  }
  return page + "]}";
}

void NvdTestServer::answer(const net::ServerRequest& request, net::ResponseWriter& writer) {
  Trouble trouble{.no_trouble = true};
  std::string page;
  {
    const sys::Lock lock(mutex_);
    for (auto& [when, cves] : later_) {
      if (when == queries_.size()) cves_ = cves;
    }
    queries_.push_back(request.query);
    keys_.push_back(request.headers.get("apiKey").value_or(""));
    if (!troubles_.empty()) {
      trouble = troubles_.front();
      troubles_.pop_front();
    }
    page = page_for(request.query);
  }
  if (trouble.truncated) {
    (void)writer.begin(200, {}, page.size());
    (void)writer.write(page.substr(0, page.size() / 2));
    writer.close_after();
    return;
  }
  if (trouble.no_trouble) trouble.body = page;
  (void)writer.send(trouble.status, trouble.headers, trouble.body);
}

}  // namespace slipway::feeds
