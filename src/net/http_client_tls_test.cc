// TLS and HTTP/2, against servers of another make: OpenSSL's test server, and nginx.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "net/http_client.h"
#include "net/socket_stream.h"
#include "net/testing/test_http.h"
#include "net/testing/tls_server.h"
#include "sys/testing/command.h"

namespace slipway::net {
namespace {

using ::testing::HasSubstr;

class HttpClientTlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!TestCertificates::there()) GTEST_SKIP() << "there is no openssl program";
    certificates_.emplace();
  }

  std::string ca_file() const { return certificates_->ca_file(); }
  std::string file(const std::string& name) const { return certificates_->file(name); }

  std::optional<TestCertificates> certificates_;
};

TEST_F(HttpClientTlsTest, ACertificateOfTheGivenCaIsTrusted) {
  const TlsServer server(*certificates_);
  HttpClient client({.ca_file = ca_file()});
  const auto answer = client.fetch({.url = server.url("/")}, {}, {});
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(answer->status, 200);
  EXPECT_THAT(answer->body, HasSubstr("TLSv1.3"));
}

TEST_F(HttpClientTlsTest, ACertificateOfAnUnknownCaIsRefusedWithAHint) {
  const TlsServer server(*certificates_);
  HttpClient client({});
  const auto answer = client.fetch({.url = server.url("/")}, {}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::kPermission) << answer.error().describe();
  EXPECT_THAT(answer.error().hint(), HasSubstr("s3_ca_file"));
}

TEST_F(HttpClientTlsTest, ACertificateForAnotherNameIsRefused) {
  const TlsServer server(*certificates_);
  HttpClient client({.ca_file = ca_file()});
  const auto answer = client.fetch({.url = "https://localhost:" + server.port() + "/"}, {}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::kPermission) << answer.error().describe();
  EXPECT_THAT(answer.error().hint(), HasSubstr(ca_file()));
}

TEST_F(HttpClientTlsTest, ACaFileThatIsNotThereIsInvalidAndNamed) {
  const TlsServer server(*certificates_);
  HttpClient client({.ca_file = file("absent.pem")});
  const auto answer = client.fetch({.url = server.url("/")}, {}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::kInvalid) << answer.error().describe();
  EXPECT_THAT(answer.error().describe(), HasSubstr("absent.pem"));
}

TEST_F(HttpClientTlsTest, TlsToAServerWithoutItIsUnavailable) {
  TestServer plain([](const ServerRequest&, ResponseWriter& answer) { (void)answer.send(200, {}, "x"); });
  HttpClient client({.ca_file = ca_file()});
  const auto answer = client.fetch({.url = fmt::format("https://127.0.0.1:{}/", plain.port())}, {}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::kUnavailable) << answer.error().describe();
}

class HttpClientNginxTest : public HttpClientTlsTest {
 protected:
  void SetUp() override {
    HttpClientTlsTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const auto nginx = sys::find_program("nginx");
    if (nginx.empty()) GTEST_SKIP() << "there is no nginx";
    ASSERT_NO_FATAL_FAILURE(reserve_port());
    write_configuration();
    server_ = std::make_unique<sys::Command>(
        std::vector<std::string>{nginx, "-p", certificates_->folder(), "-c", file("nginx.conf"), "-e", "/dev/stdout"},
        sys::CommandOptions{.streams = sys::CommandOptions::Streams::kQuiet});
    // It says so when its sockets listen.
    for (auto line = server_->read_line(); line.find("event method") == std::string::npos;
         line = server_->read_line()) {
      ASSERT_FALSE(line.empty()) << "nginx did not start";
    }
  }
  void TearDown() override {
    if (server_) end();
  }

  // A socket that is bound and does not listen keeps the port for another one of this user with SO_REUSEPORT.
  void reserve_port() {
    reserved_ = sys::Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(setsockopt(reserved_.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)), 0);
    ASSERT_EQ(bind(reserved_.get(), reinterpret_cast<const sockaddr*>(&any), sizeof(any)), 0);
    port_ = std::to_string(local_port(reserved_).value());
  }

  void write_configuration() {
    std::filesystem::create_directory(file("www"));
    std::filesystem::permissions(certificates_->folder(), std::filesystem::perms(0755));
    std::ofstream(file("www/big")) << std::string(kBig, 'b');
    for (int i = 0; i < 50; ++i) std::ofstream(file(fmt::format("www/{}", i))) << "file " << i;
    std::ofstream(file("nginx.conf")) << fmt::format(
        "daemon off; master_process off; pid {0}/nginx.pid; error_log /dev/stdout notice;\n"
        "events {{ worker_connections 256; }}\n"
        "http {{ access_log {0}/access.log; client_body_temp_path {0}/t1; proxy_temp_path {0}/t2;\n"
        "fastcgi_temp_path {0}/t3; uwsgi_temp_path {0}/t4; scgi_temp_path {0}/t5; log_format c \"$connection\";\n"
        "server {{ listen 127.0.0.1:{1} ssl http2 reuseport; root {0}/www; access_log {0}/connections.log c;\n"
        "ssl_certificate {0}/leaf.pem; ssl_certificate_key {0}/leaf.key; }} }}\n",
        certificates_->folder(), port_);
  }

  std::string url(const std::string& path) const { return "https://127.0.0.1:" + port_ + path; }
  // In order: what it logs is written then.
  void end() {
    server_->signal(SIGTERM);
    server_->wait();
    server_.reset();
  }

  std::unique_ptr<sys::Command> server_;
  std::string port_;
  sys::Descriptor reserved_;
  static constexpr std::size_t kBig = std::size_t{20} << 20;
};

TEST_F(HttpClientNginxTest, SpeaksHttp2WhereTheServerDoes) {
  HttpClient client({.ca_file = ca_file()});
  const auto answer = client.fetch({.url = url("/7"), .headers = {{"Range", "bytes=0-3"}}}, {}, {});
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(answer->http_version, 20);
  EXPECT_EQ(answer->status, 206);
  EXPECT_EQ(answer->body, "file");
  EXPECT_EQ(answer->headers.get("Content-Range"), "bytes 0-3/6");
}

TEST_F(HttpClientNginxTest, ManyHttp2RequestsShareOneConnection) {
  std::vector<std::shared_ptr<RecordingReceiver>> receivers;
  {
    HttpClient client({.ca_file = ca_file()});
    for (int i = 0; i < 50; ++i) {
      receivers.push_back(std::make_shared<RecordingReceiver>());
      client.start({.url = url(fmt::format("/{}", i))}, receivers.back(), {});
    }
    for (int i = 0; i < 50; ++i) {
      const auto how = receivers[static_cast<std::size_t>(i)]->wait();
      EXPECT_TRUE(how) << how.error().describe();
      EXPECT_EQ(receivers[static_cast<std::size_t>(i)]->body(), fmt::format("file {}", i));
    }
  }
  end();
  std::ifstream log(file("connections.log"));
  std::set<std::string> connections;
  int lines = 0;
  for (std::string line; std::getline(log, line); ++lines) connections.insert(line);
  EXPECT_EQ(lines, 50);
  EXPECT_EQ(connections.size(), 1U);
}

TEST_F(HttpClientNginxTest, AnHttp2StreamThatIsStoppedLeavesTheOthersAlone) {
  HttpClient client({.ca_file = ca_file()});
  std::stop_source stop;
  auto stopped = std::make_shared<RecordingReceiver>();
  stopped->on_bytes = [&](auto) {
    stop.request_stop();
    return Result<>();
  };
  auto other = std::make_shared<RecordingReceiver>();
  client.start({.url = url("/big")}, stopped, stop.get_token());
  client.start({.url = url("/big")}, other, {});
  const auto how = stopped->wait();
  ASSERT_FALSE(how);
  EXPECT_EQ(how.error().kind(), ErrorKind::kCancelled);
  EXPECT_TRUE(other->wait());
  EXPECT_EQ(other->body().size(), kBig);
}

}  // namespace
}  // namespace slipway::net
