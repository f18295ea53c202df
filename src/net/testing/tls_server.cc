#include "net/testing/tls_server.h"

#include <fstream>
#include <stdexcept>

namespace slipway::net {
namespace {

constexpr auto kQuiet = sys::CommandOptions::Streams::kQuiet;

void openssl(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.begin(), sys::find_program("openssl"));
  words.insert(words.end(), more.begin(), more.end());
  if (sys::run_to_end(words, {.streams = kQuiet}).code != 0)
    throw std::runtime_error("openssl " + words[1] + " failed");
}

std::vector<std::string> new_key(const std::string& file) {
  return {"-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", file};
}

}  // namespace

TestCertificates::TestCertificates() {
  std::ofstream(file("leaf.ext")) << "subjectAltName=IP:127.0.0.1\n";
  std::ofstream(file("openssl.cnf")) << "[req]\ndistinguished_name=dn\nx509_extensions=ca\n[dn]\n[ca]\n"
                                        "basicConstraints=critical,CA:true\n";
  openssl({"req", "-x509", "-config", file("openssl.cnf"), "-subj", "/CN=Test CA", "-days", "2", "-out", ca_file()},
          new_key(file("ca.key")));
  openssl({"req", "-new", "-config", file("openssl.cnf"), "-subj", "/CN=leaf", "-out", file("leaf.csr")},
          new_key(file("leaf.key")));
  openssl({"x509", "-req", "-in", file("leaf.csr"), "-CA", ca_file(), "-CAkey", file("ca.key"), "-CAcreateserial",
           "-days", "2", "-extfile", file("leaf.ext"), "-out", file("leaf.pem")},
          {});
}

TlsServer::TlsServer(const TestCertificates& certificates)
    : program_(std::make_unique<sys::Command>(
          std::vector<std::string>{sys::find_program("openssl"), "s_server", "-accept", "127.0.0.1:0", "-www", "-key",
                                   certificates.file("leaf.key"), "-cert", certificates.file("leaf.pem")},
          sys::CommandOptions{.streams = kQuiet})) {
  for (auto line = program_->read_line(); !line.empty(); line = program_->read_line()) {
    if (!line.starts_with("ACCEPT ")) continue;
    port_ = line.substr(line.rfind(':') + 1);
    return;
  }
  throw std::runtime_error("openssl s_server did not start");
}

}  // namespace slipway::net
