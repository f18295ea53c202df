#include "uploader.h"

#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "sys/testing/command.h"

namespace slipway::rgw {
namespace {

bool unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~' || c == '/';
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (unreserved(c)) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

// The text between two marks.
std::string between(const std::string& text, std::string_view from, std::string_view to) {
  const auto begin = text.find(from);
  const auto end = begin == std::string::npos ? begin : text.find(to, begin + from.size());
  if (end == std::string::npos) throw std::runtime_error(fmt::format("no {} in: {}", from, text));
  return text.substr(begin + from.size(), end - begin - from.size());
}

void write_file(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace

std::string Uploader::url(const std::string& bucket, std::string_view key) const {
  return fmt::format("{}/{}/{}", server_.endpoint, bucket, percent_encoded(key));
}

std::string Uploader::write_body(const std::string& name, std::string_view body) const {
  const std::string path = folder_.file(name);
  write_file(path, body);
  return path;
}

std::string Uploader::curl(const std::string& lines) const {
  const std::string config = folder_.file("curl.conf");
  write_file(config, fmt::format("silent\nshow-error\nfail-with-body\nnoproxy = \"*\"\n"
                                 "aws-sigv4 = \"aws:amz:us-east-1:s3\"\nuser = \"{}:{}\"\n"
                                 "header = \"x-amz-content-sha256: UNSIGNED-PAYLOAD\"\n{}",
                                 server_.access_key, server_.secret_key, lines));
  return sys::run_command({"curl", "-q", "--config", config});
}

void Uploader::make_bucket(const std::string& bucket) {
  (void)curl(fmt::format("request = PUT\nurl = \"{}/{}\"\n", server_.endpoint, bucket));
}

void Uploader::put(const std::string& bucket, const std::string& key, std::string_view body, Access access) {
  const auto acl = access == Access::kPublicRead ? "header = \"x-amz-acl: public-read\"\n" : "";
  (void)curl(fmt::format("{}upload-file = \"{}\"\nurl = \"{}\"\n", acl, write_body("body", body), url(bucket, key)));
}

void Uploader::put_all(const std::string& bucket, const std::vector<std::string>& keys, std::string_view body) {
  const std::string file = write_body("body", body);
  std::string lines;
  for (const auto& key : keys) lines += fmt::format("upload-file = \"{}\"\nurl = \"{}\"\n", file, url(bucket, key));
  (void)curl(lines);
}

void Uploader::put_parts(const std::string& bucket, const std::string& key, const std::vector<std::string>& parts) {
  const std::string object = url(bucket, key);
  const std::string begun = curl(fmt::format("request = POST\ndata = \"\"\nurl = \"{}?uploads=\"\n", object));
  const std::string id = percent_encoded(between(begun, "<UploadId>", "</UploadId>"));
  std::string list = "<CompleteMultipartUpload>";
  for (std::size_t number = 1; number <= parts.size(); ++number) {
    const std::string head =
        curl(fmt::format("upload-file = \"{}\"\ndump-header = \"-\"\nurl = \"{}?partNumber={}&uploadId={}\"\n",
                         write_body("part", parts[number - 1]), object, number, id));
    list += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>&quot;{}&quot;</ETag></Part>", number,
                        between(head, "ETag: \"", "\""));
  }
  list += "</CompleteMultipartUpload>";
  (void)curl(fmt::format("request = POST\ndata-binary = \"@{}\"\nurl = \"{}?uploadId={}\"\n", write_body("list", list),
                         object, id));
}

}  // namespace slipway::rgw
