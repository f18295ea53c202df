// Certificates of a CA of our own, and OpenSSL's test server with one of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"

namespace slipway::net {

// A CA, and a certificate of it for 127.0.0.1: ca.pem, leaf.pem and leaf.key in a folder. Throws when they cannot be
// made; there() is false when there is no openssl to make them.
class TestCertificates {
 public:
  [[nodiscard]] static bool there() { return !sys::find_program("openssl").empty(); }
  TestCertificates();

  [[nodiscard]] std::string file(const std::string& name) const { return dir_.file(name); }
  [[nodiscard]] std::string ca_file() const { return file("ca.pem"); }
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  sys::TempDir dir_;
  std::string folder_ = dir_.path();
};

// Answers every request with a page about the connection, and closes. Throws when it does not start.
class TlsServer {
 public:
  explicit TlsServer(const TestCertificates& certificates);

  [[nodiscard]] const std::string& port() const { return port_; }
  [[nodiscard]] std::string url(const std::string& path = "") const { return "https://127.0.0.1:" + port_ + path; }

 private:
  std::unique_ptr<sys::Command> program_;
  std::string port_;
};

}  // namespace slipway::net
