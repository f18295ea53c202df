// A provider run against a database of its own, for tests: what came of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "feeds/feed_store.h"
#include "feeds/provider.h"
#include "feeds/sources/fetcher.h"
#include "feeds/testing/table_view.h"
#include "net/http_client.h"
#include "sys/testing/temp_dir.h"

namespace slipway::feeds {

// A folder, a store in it, and what a provider needs to run.
class Ground {
 public:
  Ground();

  using Make = std::function<std::unique_ptr<Provider>(Fetcher&, net::HttpClient&)>;
  struct Options {
    std::string api_key{};
    int max_bad_records = 100;
    int batch_size = 100;
    int interrupt_after = -1;  // items; it is then interrupted as by a pause
  };
  // One run to its end, without a machine around it: what fails, fails. The row that is left.
  [[nodiscard]] Result<ProviderRow> sync(const std::string& id, const Make& make, const std::string& parts,
                                         const Options& options);
  [[nodiscard]] Result<ProviderRow> sync(const std::string& id, const Make& make, const std::string& parts) {
    return sync(id, make, parts, {});
  }

  [[nodiscard]] const TableView& tables() const { return tables_; }
  [[nodiscard]] std::int64_t number(const std::string& sql) const { return tables_.number(sql); }
  [[nodiscard]] std::string text(const std::string& sql) const { return tables_.texts(sql).at(0); }
  // A file of the ground's folder; its path.
  std::string write(const std::string& name, std::string_view content) const;
  [[nodiscard]] const std::string& path() const { return dir_.path(); }
  [[nodiscard]] FeedStore& store() { return *store_; }

 private:
  sys::TempDir dir_;
  net::HttpClient client_;
  Fetcher fetcher_;
  std::unique_ptr<FeedStore> store_;
  TableView tables_;
};

}  // namespace slipway::feeds
