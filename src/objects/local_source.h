// A folder that stands in for a bucket: `file:///path`. Keys are the paths of regular files below it.
//
// A symbolic link is never followed, wherever it points: what is no plain file reached through plain folders is not
// there. (The folder itself may be reached through links: whoever configured it meant it.) The ETag is made of the
// file's inode, size and time of change, so a file that is replaced or written to is another object.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "objects/object_source.h"
#include "sys/descriptor.h"

namespace slipway::objects {

class LocalSource final : public ObjectSource {
 public:
  // kNotFound when there is no such folder, kInvalid when it is none.
  [[nodiscard]] static Result<std::unique_ptr<LocalSource>> open(const std::filesystem::path& folder);
  // Ends the reads under way: each receiver is told kCancelled.
  ~LocalSource() override;

  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] Result<ObjectInfo> head(const std::string& key, std::stop_token stop) override;
  [[nodiscard]] Result<ObjectPage> list(const ListRequest& request, std::stop_token stop) override;
  void read(RangeRequest request, std::shared_ptr<RangeReceiver> receiver, std::stop_token stop) override;

 private:
  class Readers;
  LocalSource(std::string folder, sys::Descriptor root);

  std::string folder_;
  sys::Descriptor root_;
  std::unique_ptr<Readers> readers_;
};

}  // namespace slipway::objects
