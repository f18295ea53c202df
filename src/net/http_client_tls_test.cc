// TLS and HTTP/2, against servers of another make: OpenSSL's test server, and nginx.
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "net/http_client.h"
#include "net/socket_stream.h"
#include "net/testing/test_http.h"
#include "net/testing/test_program.h"
#include "sys/testing/temp_dir.h"

namespace slipway::net {
namespace {

using ::testing::HasSubstr;

// A CA of our own, and a certificate of it for 127.0.0.1.
class HttpClientTlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    openssl_ = find_program("openssl");
    if (openssl_.empty()) GTEST_SKIP() << "there is no openssl program";
    std::ofstream(dir_.file("leaf.ext")) << "subjectAltName=IP:127.0.0.1\n";
    std::ofstream(dir_.file("openssl.cnf")) << "[req]\ndistinguished_name=dn\nx509_extensions=ca\n[dn]\n[ca]\n"
                                               "basicConstraints=critical,CA:true\n";
    const auto key = [](const std::string& file) {
      return std::vector<std::string>{"-newkey", "ec",      "-pkeyopt", "ec_paramgen_curve:P-256",
                                      "-nodes",  "-keyout", file};
    };
    run({"req", "-x509", "-config", dir_.file("openssl.cnf"), "-subj", "/CN=Test CA", "-days", "2", "-out", ca_file()},
        key(dir_.file("ca.key")));
    run({"req", "-new", "-config", dir_.file("openssl.cnf"), "-subj", "/CN=leaf", "-out", dir_.file("leaf.csr")},
        key(dir_.file("leaf.key")));
    run({"x509", "-req", "-in", dir_.file("leaf.csr"), "-CA", ca_file(), "-CAkey", dir_.file("ca.key"),
         "-CAcreateserial", "-days", "2", "-extfile", dir_.file("leaf.ext"), "-out", dir_.file("leaf.pem")},
        {});
  }

  void run(std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.begin(), openssl_);
    arguments.insert(arguments.end(), more.begin(), more.end());
    ASSERT_EQ(run_program(arguments), 0) << arguments[1];
  }
  std::string ca_file() const { return dir_.file("ca.pem"); }

  // Answers every request with a page about the connection, and closes.
  void start_openssl() {
    server_ = std::make_unique<TestProgram>(
        std::vector<std::string>{openssl_, "s_server", "-accept", "127.0.0.1:0", "-www", "-key", dir_.file("leaf.key"),
                                 "-cert", dir_.file("leaf.pem")},
        std::vector<std::string>{});
    for (auto line = server_->read_line(); !line.empty(); line = server_->read_line()) {
      if (!line.starts_with("ACCEPT ")) continue;
      port_ = line.substr(line.rfind(':') + 1);
      return;
    }
    FAIL() << "openssl s_server did not start";
  }
  std::string url(const std::string& path = "/") const { return "https://127.0.0.1:" + port_ + path; }

  sys::TempDir dir_;
  std::string openssl_;
  std::string port_;
  std::unique_ptr<TestProgram> server_;
};

TEST_F(HttpClientTlsTest, ACertificateOfTheGivenCaIsTrusted) {
  ASSERT_NO_FATAL_FAILURE(start_openssl());
  HttpClient client({.ca_file = ca_file()});
  const auto answer = client.fetch({.url = url()}, {}, {});
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(answer->status, 200);
  EXPECT_THAT(answer->body, HasSubstr("TLSv1.3"));
}

TEST_F(HttpClientTlsTest, ACertificateOfAnUnknownCaIsRefusedWithAHint) {
  ASSERT_NO_FATAL_FAILURE(start_openssl());
  HttpClient client({});
  const auto answer = client.fetch({.url = url()}, {}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::kPermission) << answer.error().describe();
  EXPECT_THAT(answer.error().hint(), HasSubstr("s3_ca_file"));
}

TEST_F(HttpClientTlsTest, ACertificateForAnotherNameIsRefused) {
  ASSERT_NO_FATAL_FAILURE(start_openssl());
  HttpClient client({.ca_file = ca_file()});
  const auto answer = client.fetch({.url = "https://localhost:" + port_ + "/"}, {}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::kPermission) << answer.error().describe();
  EXPECT_THAT(answer.error().hint(), HasSubstr(ca_file()));
}

TEST_F(HttpClientTlsTest, ACaFileThatIsNotThereIsInvalidAndNamed) {
  ASSERT_NO_FATAL_FAILURE(start_openssl());
  HttpClient client({.ca_file = dir_.file("absent.pem")});
  const auto answer = client.fetch({.url = url()}, {}, {});
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
    const auto nginx = find_program("nginx");
    if (nginx.empty()) GTEST_SKIP() << "there is no nginx";
    ASSERT_NO_FATAL_FAILURE(reserve_port());
    write_configuration();
    server_ = std::make_unique<TestProgram>(
        std::vector<std::string>{nginx, "-p", dir_.path(), "-c", dir_.file("nginx.conf"), "-e", dir_.file("error.log")},
        std::vector<std::string>{});
    const auto port = static_cast<std::uint16_t>(std::stoi(port_));
    for (int tries = 0; !connect_to("127.0.0.1", port); ++tries) {
      ASSERT_LT(tries, 1000) << "nginx does not listen";
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  void TearDown() override {
    if (server_) server_->end();
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
    std::filesystem::create_directory(dir_.file("www"));
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0755));
    std::ofstream(dir_.file("www/big")) << std::string(kBig, 'b');
    for (int i = 0; i < 50; ++i) std::ofstream(dir_.file(fmt::format("www/{}", i))) << "file " << i;
    std::ofstream(dir_.file("nginx.conf")) << fmt::format(
        "daemon off; master_process off; pid {0}/nginx.pid; error_log {0}/error.log;\n"
        "events {{ worker_connections 256; }}\n"
        "http {{ access_log {0}/access.log; client_body_temp_path {0}/t1; proxy_temp_path {0}/t2;\n"
        "fastcgi_temp_path {0}/t3; uwsgi_temp_path {0}/t4; scgi_temp_path {0}/t5; log_format c \"$connection\";\n"
        "server {{ listen 127.0.0.1:{1} ssl http2 reuseport; root {0}/www; access_log {0}/connections.log c;\n"
        "ssl_certificate {0}/leaf.pem; ssl_certificate_key {0}/leaf.key; }} }}\n",
        dir_.path(), port_);
  }

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
  server_->end();
  server_.reset();
  std::ifstream log(dir_.file("connections.log"));
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
