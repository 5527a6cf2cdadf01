#include "common/url/url.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kChat[] = "/v1/chat/completions";

std::string Resolved(const std::string& given, const std::string& api_path = kChat) {
  const absl::StatusOr<ResolvedUrl> url = ResolveUrl(given, api_path);
  return url.ok() ? url->url : std::string(url.status().message());
}

std::string Models(const std::string& given) {
  const absl::StatusOr<ResolvedUrl> url = ResolveUrl(given, kChat);
  return url.ok() ? url->models_url : std::string(url.status().message());
}

std::string Refused(const std::string& given, const std::string& api_path = kChat) {
  const absl::StatusOr<ResolvedUrl> url = ResolveUrl(given, api_path);
  EXPECT_EQ(url.status().code(), absl::StatusCode::kInvalidArgument) << given;
  return std::string(url.status().message());
}

TEST(Url, CompletesABase) {
  EXPECT_EQ(Resolved("http://vllm:8000"), "http://vllm:8000/v1/chat/completions");
  EXPECT_EQ(Resolved("http://vllm:8000/"), "http://vllm:8000/v1/chat/completions");
  EXPECT_EQ(Resolved("https://h/gateway/"), "https://h/gateway/v1/chat/completions");
  EXPECT_EQ(Resolved("http://h", "/generate_stream"), "http://h/generate_stream");
}

TEST(Url, CompletesAVersion) {
  EXPECT_EQ(Resolved("http://vllm:8000/v1"), "http://vllm:8000/v1/chat/completions");
  EXPECT_EQ(Resolved("http://vllm:8000/v1/"), "http://vllm:8000/v1/chat/completions");
  EXPECT_EQ(Resolved("https://h/x/v1"), "https://h/x/v1/chat/completions");
}

TEST(Url, KeepsAFullPath) {
  EXPECT_EQ(Resolved("http://vllm:8000/v1/chat/completions/"), "http://vllm:8000/v1/chat/completions");
  EXPECT_EQ(Resolved("http://h/v1/completions", "/v1/completions"), "http://h/v1/completions");
  EXPECT_EQ(Resolved("http://h/generate_stream", "/generate_stream"), "http://h/generate_stream");
  EXPECT_EQ(Resolved("https://a.com/v1/acct/gw/openai/chat/completions"),
            "https://a.com/v1/acct/gw/openai/chat/completions");
}

TEST(Url, KeepsTheQuery) {
  const std::string azure = "https://x.azure.com/openai/deployments/d/chat/completions?api-version=2024";
  EXPECT_EQ(Resolved(azure), azure);
  EXPECT_EQ(Resolved("http://h?a=http://b"), "http://h/v1/chat/completions?a=http://b");
}

TEST(Url, FindsTheModelsBesideTheRequests) {
  for (const char* given : {"http://h:1", "http://h:1/v1", "http://h:1/v1/chat/completions"}) {
    EXPECT_EQ(Models(given), "http://h:1/v1/models") << given;
  }
  EXPECT_EQ(Models("https://h/openai/chat/completions?v=1"), "https://h/openai/models?v=1");
  EXPECT_EQ(ResolveUrl("http://h/generate_stream", "/generate_stream")->models_url, "http://h/v1/models");
}

TEST(Url, WithoutASchemeIsHttpForLoopbackOnly) {
  EXPECT_EQ(Resolved("localhost:8000"), "http://localhost:8000/v1/chat/completions");
  EXPECT_EQ(Resolved("127.0.0.1:8000/v1"), "http://127.0.0.1:8000/v1/chat/completions");
  EXPECT_EQ(Resolved("127.9.9.9"), "http://127.9.9.9/v1/chat/completions");
  EXPECT_EQ(Resolved("[::1]:8000"), "http://[::1]:8000/v1/chat/completions");
  EXPECT_THAT(Refused("vllm:8000"), HasSubstr("write http://vllm:8000 or https://vllm:8000"));
  EXPECT_THAT(Refused("127.0.0.1.example.com"), HasSubstr("no scheme"));
  EXPECT_THAT(Refused("128.0.0.1:80/v1"), HasSubstr("no scheme"));
}

TEST(Url, SaysHostPortAndTls) {
  const ResolvedUrl url = *ResolveUrl("HTTPS://Example.COM/v1", kChat);
  EXPECT_EQ(url.host, "example.com");
  EXPECT_EQ(url.port, 443);
  EXPECT_TRUE(url.tls);
  const ResolvedUrl v6 = *ResolveUrl("http://[2001:DB8::1]:81", kChat);
  EXPECT_EQ(v6.host, "2001:db8::1");
  EXPECT_EQ(v6.port, 81);
  EXPECT_TRUE(v6.ipv6_literal);
  EXPECT_EQ(ResolveUrl("http://h", kChat)->port, 80);
}

TEST(Url, RefusesADoubledVersion) {
  EXPECT_THAT(Refused("http://h:1/v1/v1"), HasSubstr("/v1 is doubled; write http://h:1/v1"));
  EXPECT_THAT(Refused("http://h:1/v1/v1/chat/completions"), HasSubstr("doubled"));
}

TEST(Url, RefusesAnotherApisPath) {
  EXPECT_THAT(Refused("http://h/v1/completions"), HasSubstr("go to /v1/chat/completions"));
  EXPECT_THAT(Refused("http://h/v1/chat/completions", "/v1/completions"), HasSubstr("--api"));
}

TEST(Url, RefusesACutPath) {
  EXPECT_THAT(Refused("http://h/v1/chat"), HasSubstr("the path is cut"));
}

TEST(Url, NeverRepeatsCredentials) {
  for (const char* given : {"http://user:secret@h", "user:secret@localhost:80", "http://user:se?secret@h",
                            "http://h:secret#@x", "http://user:/secret@h"}) {
    EXPECT_THAT(Refused(given), Not(HasSubstr("secret"))) << given;
  }
  EXPECT_THAT(Refused("ftp://h/?key=secret"), Not(HasSubstr("secret")));
}

TEST(Url, RefusesWhatIsNoUrl) {
  EXPECT_THAT(Refused(""), HasSubstr("names no host"));
  EXPECT_THAT(Refused("http://"), HasSubstr("names no host"));
  EXPECT_THAT(Refused("http:///v1"), HasSubstr("names no host"));
  EXPECT_THAT(Refused("ftp://h"), HasSubstr("http or https"));
  EXPECT_THAT(Refused("http://h:0"), HasSubstr("1 to 65535"));
  EXPECT_THAT(Refused("http://h:"), HasSubstr("1 to 65535"));
  EXPECT_THAT(Refused("http://h:65536"), HasSubstr("1 to 65535"));
  EXPECT_THAT(Refused("http://h:99999999999"), HasSubstr("1 to 65535"));
  EXPECT_THAT(Refused("http://h:+80"), HasSubstr("1 to 65535"));
  EXPECT_THAT(Refused("http://h:8o"), HasSubstr("1 to 65535"));
  EXPECT_THAT(Refused("http://[::1"), HasSubstr("[::1]:8000"));
  EXPECT_THAT(Refused("http://[x]"), HasSubstr("[::1]:8000"));
  EXPECT_THAT(Refused("http://[::1]8000"), HasSubstr("[::1]:8000"));
  EXPECT_THAT(Refused("http://::1"), HasSubstr("needs brackets"));
  EXPECT_THAT(Refused("http://a b"), HasSubstr("percent-encode"));
  EXPECT_THAT(Refused("http://h\n/v1"), HasSubstr("percent-encode"));
  EXPECT_THAT(Refused("http://h\xC3\xA9"), HasSubstr("percent-encode"));
  EXPECT_THAT(Refused("http://h*"), HasSubstr("no host name"));
  EXPECT_THAT(Refused("http://h/#top"), HasSubstr("fragment"));
}

TEST(Url, IgnoresBlanksAround) {
  EXPECT_EQ(Resolved(" http://h\n"), "http://h/v1/chat/completions");
}

TEST(Url, KnowsLoopback) {
  for (const char* host : {"localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.1.2.3", "::1"}) {
    EXPECT_TRUE(IsLoopbackHost(host)) << host;
  }
  for (const char* host : {"", "localhost.com", "126.0.0.1", "127.0.0.1.com", "::2", "notlocalhost"}) {
    EXPECT_FALSE(IsLoopbackHost(host)) << host;
  }
}

}  // namespace
}  // namespace tidemark
