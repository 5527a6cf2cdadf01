// Scripts as WIRE's cases have them, played over real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "simulator/request_json.h"
#include "simulator/simulator.h"
#include "tests/integration/simulator/plain_http.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HttpEnd;
using testing::HttpResponse;
using testing::PlainHttp;

class ScriptPlayTest : public ::testing::Test {
 protected:
  void Play(const std::string& response) {
    absl::StatusOr<Script> script = ParseScript("{\"response\":" + response + "}");
    ASSERT_TRUE(script.ok()) << script.status();
    SimulatorOptions options;
    options.script = *std::move(script);
    const absl::StatusOr<int> port = simulator_.Start(std::move(options));
    ASSERT_TRUE(port.ok()) << port.status();
    client_ = std::make_unique<PlainHttp>(*port);
  }

  Simulator simulator_;
  std::unique_ptr<PlainHttp> client_;
};

TEST_F(ScriptPlayTest, SendsEachStepAsAChunkAndKeepsTheConnection) {
  Play(R"({"headers":{"content-type":"text/event-stream"},
           "script":[{"at_ms":1,"send":"ab"},{"at_ms":1,"send_b64":"Yw=="}]})");
  for (const char* path : {"/any", "/other"}) {
    const HttpResponse response = client_->Post(path, "whatever");
    EXPECT_THAT(response.chunks, ElementsAre("ab", "c"));
    EXPECT_EQ(response.end, HttpEnd::kComplete);
  }
}

TEST_F(ScriptPlayTest, GivesStatusAndHeadersOfTheFile) {
  Play(R"({"status":429,"headers":{"content-type":"application/json","retry-after":"7"},
           "script":[{"at_ms":1,"send":"{}"}]})");
  const HttpResponse response = client_->Post("/", "");
  EXPECT_EQ(response.status, 429);
  EXPECT_THAT(response.head, HasSubstr("retry-after: 7"));
}

TEST_F(ScriptPlayTest, CloseEndsTheBodyAndThenTheConnection) {
  Play(R"({"script":[{"at_ms":1,"send":"a"},{"at_ms":2,"close":true}]})");
  EXPECT_EQ(client_->Post("/", "").end, HttpEnd::kComplete);
  EXPECT_TRUE(client_->ClosedByServer());
}

TEST_F(ScriptPlayTest, ResetComesAfterWhatWasSent) {
  Play(R"({"script":[{"at_ms":1,"send":"a"},{"at_ms":1,"send":"b"},{"at_ms":5,"reset":true}]})");
  const HttpResponse response = client_->Post("/", "");
  EXPECT_THAT(response.chunks, ElementsAre("a", "b"));
  EXPECT_EQ(response.end, HttpEnd::kReset);
}

TEST_F(ScriptPlayTest, EmptyScriptIsAnEmptyBody) {
  Play(R"({"script":[]})");
  const HttpResponse response = client_->Post("/", "");
  EXPECT_EQ(response.body(), "");
  EXPECT_EQ(response.end, HttpEnd::kComplete);
}

TEST_F(ScriptPlayTest, RepeatsKibWithoutALineEnd) {
  Play(R"({"script":[{"at_ms":1,"send":"data: ","repeat_kib":3000}]})");
  const std::string body = client_->Post("/", "").body();
  EXPECT_EQ(body, "data: " + std::string(3000 * 1024, 'x'));
}

TEST_F(ScriptPlayTest, StepsComeNoEarlierThanTheirTimes) {
  Play(R"({"script":[{"at_ms":30,"send":"a"},{"at_ms":80,"send":"b"}]})");
  const auto sent = std::chrono::steady_clock::now();
  client_->Post("/", "");
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - sent;
  EXPECT_GE(took.count(), 80);
}

}  // namespace
}  // namespace tidemark
