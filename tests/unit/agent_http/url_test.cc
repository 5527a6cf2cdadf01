#include <string>

#include "agent/http/resolve.h"

namespace tidemark {
namespace {

struct UrlCase {
  const char* url;
  bool tls;
  const char* host;
  int port;
  const char* path;
};

TEST(ParseUrl, TakesApartWhatPeopleWrite) {
  const UrlCase cases[] = {
      {"http://vllm:8000/v1/chat/completions", false, "vllm", 8000, "/v1/chat/completions"},
      {"https://api.example.com", true, "api.example.com", 443, "/"},
      {"HTTP://h", false, "h", 80, "/"},
      {"http://[::1]:81/a?b=c", false, "::1", 81, "/a?b=c"},
      {"http://user:pass@h:1?q", false, "h", 1, "/?q"},
  };
  for (const UrlCase& c : cases) {
    const auto parts = ParseUrl(c.url);
    ASSERT_TRUE(parts.ok()) << c.url;
    EXPECT_EQ(parts->tls, c.tls) << c.url;
    EXPECT_EQ(parts->host, c.host) << c.url;
    EXPECT_EQ(parts->port, c.port) << c.url;
    EXPECT_EQ(parts->path, c.path) << c.url;
  }
}

TEST(ParseUrl, RefusesWhatIsNone) {
  for (const char* url : {"vllm:8000", "ftp://h", "http://", "http://h:0", "http://h:70000",
                          "http://h:x", "http://[::1"}) {
    EXPECT_EQ(ParseUrl(url).status().code(), absl::StatusCode::kInvalidArgument) << url;
  }
}

TEST(ParseUrl, ARefusalDoesNotShowThePassword) {
  const std::string message(ParseUrl("http://user:secret@h:x/").status().message());
  EXPECT_EQ(message.find("secret"), std::string::npos) << message;
}

TEST(HostPort, PutsBracketsAroundVersionSixOnly) {
  EXPECT_EQ(HostPort("10.0.0.1", 80), "10.0.0.1:80");
  EXPECT_EQ(HostPort("::1", 80), "[::1]:80");
}

}  // namespace
}  // namespace tidemark
