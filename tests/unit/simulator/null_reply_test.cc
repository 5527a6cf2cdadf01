#include "simulator/null_reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Api = NullReply::Api;

// The body of one HTTP chunk, whose frame must be right.
std::string Unframed(absl::string_view chunk) {
  const std::string text(chunk);
  const size_t line = text.find("\r\n");
  const size_t size = std::stoul(text.substr(0, line), nullptr, 16);
  EXPECT_EQ(text.size(), line + 2 + size + 2);
  EXPECT_EQ(text.substr(text.size() - 2), "\r\n");
  return text.substr(line + 2, size);
}

nlohmann::json JsonOf(const std::string& event) {
  EXPECT_THAT(event, StartsWith("data: "));
  EXPECT_EQ(event.substr(event.size() - 2), "\n\n");
  return nlohmann::json::parse(event.substr(6));
}

TEST(NullReply, EveryEventHasTheBytesAskedFor) {
  const NullReply reply(Api::kChat, "m", 250);
  for (uint32_t index = 0; index < 40; ++index) EXPECT_EQ(Unframed(reply.Token(index, 40)).size(), 250u) << index;
  EXPECT_EQ(Unframed(reply.Token(0, 1)).size(), 250u);
}

TEST(NullReply, LeastBytesHoldTheLongestEvent) {
  const size_t least = NullReply::MinEventBytes("m");
  EXPECT_EQ(Unframed(NullReply(Api::kChat, "m", least).Token(0, 1)).size(), least);
}

TEST(NullReply, EventsAreChatCompletionChunks) {
  const NullReply reply(Api::kChat, "my \"model\"", 300);
  const nlohmann::json first = JsonOf(Unframed(reply.Token(0, 3)));
  EXPECT_EQ(first["object"], "chat.completion.chunk");
  EXPECT_EQ(first["model"], "my \"model\"");
  EXPECT_EQ(first["choices"][0]["delta"]["role"], "assistant");
  EXPECT_FALSE(first["choices"][0]["delta"]["content"].get<std::string>().empty());
  EXPECT_TRUE(first["choices"][0]["finish_reason"].is_null());
}

TEST(NullReply, OnlyTheFirstHasTheRoleAndOnlyTheLastTheReason) {
  const NullReply reply(Api::kChat, "m", 250);
  const nlohmann::json middle = JsonOf(Unframed(reply.Token(1, 3))), last = JsonOf(Unframed(reply.Token(2, 3)));
  EXPECT_FALSE(middle["choices"][0]["delta"].contains("role"));
  EXPECT_TRUE(middle["choices"][0]["finish_reason"].is_null());
  EXPECT_EQ(last["choices"][0]["finish_reason"], "length");
}

TEST(NullReply, TextEventsAreTextCompletionChunks) {
  const nlohmann::json event = JsonOf(Unframed(NullReply(Api::kText, "m", 250).Token(0, 3)));
  EXPECT_EQ(event["object"], "text_completion");
  EXPECT_FALSE(event["choices"][0]["text"].get<std::string>().empty());
}

TEST(NullReply, HeadNamesConnectionAndRequest) {
  std::string head;
  NullReply(Api::kChat, "m", 250).AppendHead(7, 12, false, &head);
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(head, HasSubstr(" (null 7.12)\r\n"));
  EXPECT_THAT(head, HasSubstr("Content-Type: text/event-stream"));
}

TEST(NullReply, TailHasUsageAndDoneAndTheEnd) {
  std::string tail;
  NullReply(Api::kChat, "m", 250).AppendTail(11, 5, &tail);
  const size_t done = tail.find("e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n");
  ASSERT_NE(done, std::string::npos) << tail;
  const nlohmann::json usage = JsonOf(Unframed(tail.substr(0, done)))["usage"];
  EXPECT_EQ(usage["prompt_tokens"], 11);
  EXPECT_EQ(usage["completion_tokens"], 5);
}

TEST(NullReply, ErrorsAndModelsAreJson) {
  EXPECT_EQ(nlohmann::json::parse(NullReply::ErrorJson(400, "\"x\" is\n bad"))["error"]["code"], 400);
  EXPECT_EQ(nlohmann::json::parse(NullReply(Api::kChat, "m", 250).ModelsJson())["data"][0]["id"], "m");
}

}  // namespace
}  // namespace tidemark
