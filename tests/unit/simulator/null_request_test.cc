#include "simulator/null_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using Kind = NullRequest::Kind;

std::string Post(const std::string& body, const std::string& headers = "") {
  return "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

NullRequest Look(const std::string& bytes) {
  const absl::StatusOr<NullRequest> request = LookAtNullRequest(bytes);
  EXPECT_TRUE(request.ok()) << request.status();
  return request.ok() ? *request : NullRequest();
}

uint32_t Events(const std::string& body) { return Look(Post(body)).events; }

std::string Refusal(const std::string& bytes) {
  const absl::StatusOr<NullRequest> request = LookAtNullRequest(bytes);
  return request.ok() ? "" : std::string(request.status().message());
}

TEST(NullRequest, MaxTokensIsTheNumberOfEvents) {
  EXPECT_EQ(Events(R"({"max_tokens":7})"), 7u);
  EXPECT_EQ(Events(R"({"a": 1, "max_tokens" : 19500 , "b": 2})"), 19500u);
  EXPECT_EQ(Events(R"({"max_completion_tokens":9})"), 9u);
}

TEST(NullRequest, MaxCompletionTokensGoesBeforeMaxTokens) {
  EXPECT_EQ(Events(R"({"max_tokens":7,"max_completion_tokens":9})"), 9u);
}

TEST(NullRequest, WithoutALengthThereAre128Events) {
  EXPECT_EQ(Events("{}"), 128u);
  EXPECT_EQ(Events(""), 128u);
  EXPECT_EQ(Events(R"({"max_tokens":null})"), 128u);
}

TEST(NullRequest, WhatAPromptSaysOfTokensIsNoLength) {
  EXPECT_EQ(Events(R"({"content":"\"max_tokens\":3","max_tokens":7})"), 7u);
  EXPECT_EQ(Events(R"({"content":"max_tokens","max_tokens":7})"), 7u);
  EXPECT_EQ(Events(R"({"content":"\"max_tokens\":3"})"), 128u);
}

TEST(NullRequest, BytesCountHeadAndBody) {
  const std::string one = Post("{}");
  EXPECT_EQ(Look(one + one).bytes, one.size());
}

TEST(NullRequest, EveryCutIsIncomplete) {
  const std::string whole = Post(R"({"max_tokens":7})");
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    EXPECT_EQ(Look(whole.substr(0, cut)).kind, Kind::kIncomplete) << cut;
  }
  EXPECT_EQ(Look(whole).kind, Kind::kChat);
}

TEST(NullRequest, PathsThatItHas) {
  EXPECT_EQ(Look("POST /v1/completions HTTP/1.1\r\n\r\n").kind, Kind::kText);
  EXPECT_EQ(Look("POST /any HTTP/1.1\r\n\r\n").kind, Kind::kChat);
  EXPECT_EQ(Look("GET /v1/models HTTP/1.1\r\n\r\n").kind, Kind::kModels);
  EXPECT_EQ(Look("GET /v1/models?x=1 HTTP/1.1\r\n\r\n").kind, Kind::kModels);
  EXPECT_EQ(Look("GET /health HTTP/1.1\r\n\r\n").kind, Kind::kHealth);
  EXPECT_EQ(Look("GET /else HTTP/1.1\r\n\r\n").kind, Kind::kUnknownPath);
  EXPECT_EQ(Look("PUT /v1/models HTTP/1.1\r\n\r\n").kind, Kind::kUnknownPath);
}

TEST(NullRequest, ConnectionIsKeptUnlessTheClientSaysElse) {
  EXPECT_FALSE(Look(Post("{}")).close);
  EXPECT_TRUE(Look(Post("{}", "connection: Close\r\n")).close);
  EXPECT_TRUE(Look("GET /health HTTP/1.0\r\n\r\n").close);
  EXPECT_FALSE(Look("GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").close);
}

TEST(NullRequest, ExpectationIsKnownBeforeTheBody) {
  const std::string whole = Post("{}", "Expect: 100-continue\r\n");
  EXPECT_TRUE(Look(whole.substr(0, whole.size() - 2)).expects_continue);
}

TEST(NullRequest, BodyEndsAtItsLength) {
  const std::string bytes = Post("a b c") + "GET";
  EXPECT_EQ(Look(bytes).body, "a b c");
}

TEST(NullRequest, RefusalsNameWhatIsMalformed) {
  EXPECT_THAT(Refusal("hello\r\n\r\n"), HasSubstr("request line 'hello'"));
  EXPECT_THAT(Refusal("GET / HTTP/2\r\n\r\n"), HasSubstr("request line"));
  EXPECT_THAT(Refusal("GET / HTTP/1.1\r\nno colon\r\n\r\n"), HasSubstr("header 'no colon'"));
  EXPECT_THAT(Refusal("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), HasSubstr("content-length '-1'"));
  EXPECT_THAT(Refusal("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"), HasSubstr("content-length"));
  EXPECT_THAT(Refusal("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), HasSubstr("transfer-encoding"));
  for (const char* length : {"0", "-3", "1.5", "1e3", "\\\"7\\\"", "true", "99999999999"}) {
    EXPECT_THAT(Refusal(Post(std::string("{\"max_tokens\":") + length + "}")), HasSubstr("max_tokens")) << length;
  }
  EXPECT_THAT(Refusal(std::string(100'000, 'x')), HasSubstr("head"));
}

}  // namespace
}  // namespace tidemark
