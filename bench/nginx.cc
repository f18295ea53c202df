#include "nginx.h"

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sys/descriptor.h"

namespace slipway::bench {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

std::uint16_t free_port() {
  const sys::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    throw std::runtime_error("there is no free port on loopback");
  }
  return ntohs(address.sin_port);
}

bool answers(std::uint16_t port) {
  const sys::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

std::string whole_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Started by root, its workers would be another user, who cannot look into our folder.
std::string user_line() {
  if (::geteuid() != 0) return "";
  const auto* const user = ::getpwuid(::geteuid());
  return user == nullptr ? "" : fmt::format("user {};\n", user->pw_name);
}

std::string configuration(const std::string& root, const std::string& work, std::uint16_t port) {
  return fmt::format(
      "{0}daemon off;\npid {1}/nginx.pid;\nerror_log {1}/error.log;\nworker_processes 2;\n"
      "events {{ worker_connections 512; }}\n"
      "http {{\n"
      "  access_log off;\n  sendfile on;\n  tcp_nopush on;\n  keepalive_requests 100000;\n"
      "  client_body_temp_path {1}/body;\n  proxy_temp_path {1}/proxy;\n  fastcgi_temp_path {1}/fastcgi;\n"
      "  uwsgi_temp_path {1}/uwsgi;\n  scgi_temp_path {1}/scgi;\n"
      "  server {{\n    listen 127.0.0.1:{2};\n    root {3};\n  }}\n"
      "}}\n",
      user_line(), work, port, root);
}

}  // namespace

Nginx::Nginx(const std::string& root, const std::string& work) {
  constexpr int kTries = 5;  // another program may take the port before nginx does
  for (int i = 0; i < kTries; ++i) {
    if (start(root, work)) return;
  }
  throw std::runtime_error("nginx does not start: " + whole_file(work + "/error.log"));
}

// Killed, it would leave its workers.
Nginx::~Nginx() {
  process_->signal(SIGTERM);
  process_->wait();
}

bool Nginx::start(const std::string& root, const std::string& work) {
  const std::uint16_t port = free_port();
  const std::string file = work + "/nginx.conf";
  std::ofstream(file) << configuration(root, work, port);
  process_ = std::make_unique<sys::Command>(std::vector<std::string>{
      "setpriv", "--pdeathsig", "TERM", "/usr/sbin/nginx", "-c", file, "-e", work + "/error.log"});
  url_ = fmt::format("http://127.0.0.1:{}", port);
  for (int i = 0; i < 1000 && process_->running(); ++i) {
    if (answers(port)) return process_->running();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace slipway::bench
