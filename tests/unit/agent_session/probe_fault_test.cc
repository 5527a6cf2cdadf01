#include "agent/session/probe_fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kUrl[] = "http://gpu-1:8000/v1/chat/completions";

ProbeFault Fault(const std::string& failure, const std::string& reason = "") {
  return {failure, 0, kUrl, reason, ""};
}

ProbeFault Status(int status, const std::string& excerpt = "") {
  return {"http_" + std::to_string(status), status, kUrl, "", excerpt};
}

ProbeSubject Subject() {
  ProbeSubject subject;
  subject.api = "openai-chat";
  subject.model = "llama";
  subject.input_tokens = 4096;
  subject.output_tokens = 512;
  return subject;
}

TEST(ProbeFault, RefusesWhatWouldComeAgain) {
  for (const char* failure : {"dns", "connect", "tls", "credentials", "configuration", "model"}) {
    EXPECT_TRUE(IsRefusal(Fault(failure))) << failure;
  }
  for (const int status : {301, 400, 401, 403, 404, 405, 413, 422}) {
    EXPECT_TRUE(IsRefusal(Status(status))) << status;
  }
}

TEST(ProbeFault, GoesOnWithWhatLoadGives) {
  for (const char* failure :
       {"connection_reset", "timeout_connect", "timeout_total", "timeout_idle", "stream_error",
        "truncated", "empty_response", "protocol_error"}) {
    EXPECT_FALSE(IsRefusal(Fault(failure))) << failure;
  }
  for (const int status : {408, 429, 500, 502, 503})
    EXPECT_FALSE(IsRefusal(Status(status))) << status;
}

// SageMaker throttles with a 400.
TEST(ProbeFault, GoesByTheClassOfAThrottling400) {
  ProbeFault fault = Status(400);
  fault.failure_class = "http_429";
  EXPECT_FALSE(IsRefusal(fault));
  EXPECT_TRUE(MayComeUp(fault));
  EXPECT_THAT(HintFor(fault, Subject()), HasSubstr("quota"));
}

TEST(ProbeFault, WaitsForWhatStartingServersGive) {
  for (const char* failure :
       {"dns", "connect", "connection_reset", "timeout_connect", "timeout_total"}) {
    EXPECT_TRUE(MayComeUp(Fault(failure))) << failure;
  }
  for (const int status : {404, 429, 500, 503}) EXPECT_TRUE(MayComeUp(Status(status))) << status;
  for (const int status : {400, 401, 403, 405, 422})
    EXPECT_FALSE(MayComeUp(Status(status))) << status;
  EXPECT_FALSE(MayComeUp(Fault("tls")));
  EXPECT_FALSE(MayComeUp(Fault("stream_error")));
}

TEST(ProbeHint, SendsABaseModelToCompletions) {
  EXPECT_THAT(HintFor(Status(400, "you must provide a chat template"), Subject()),
              HasSubstr("--api openai-completions"));
}

TEST(ProbeHint, SeesADoubledV1) {
  ProbeFault fault = Status(404);
  fault.url = "http://h/v1/v1/chat/completions";
  EXPECT_THAT(HintFor(fault, Subject()), HasSubstr("doubled"));
}

TEST(ProbeHint, ListsTheServedModelsForAnUnknownOne) {
  ProbeSubject subject = Subject();
  subject.served = {"qwen", "mistral"};
  EXPECT_THAT(HintFor(Status(404, "The model `llama` does not exist."), subject),
              HasSubstr("--model: qwen, mistral"));
}

TEST(ProbeHint, NamesThePathForAnother404) {
  EXPECT_THAT(HintFor(Status(404, "nothing here"), Subject()), HasSubstr("path of --url"));
}

TEST(ProbeHint, AsksForAKeyWhereNoneIsNamed) {
  EXPECT_THAT(HintFor(Status(401), Subject()), HasSubstr("--api-key-env"));
}

TEST(ProbeHint, NamesTheVariableThatIsUnset) {
  ProbeSubject subject = Subject();
  subject.api_key_env = "MY_KEY";
  EXPECT_THAT(HintFor(Status(401), subject), HasSubstr("set MY_KEY"));
  EXPECT_THAT(HintFor(Fault("credentials"), subject), HasSubstr("set MY_KEY"));
}

TEST(ProbeHint, DoubtsTheKeyThatWasSent) {
  ProbeSubject subject = Subject();
  subject.api_key_env = "MY_KEY";
  subject.authorized = true;
  EXPECT_THAT(HintFor(Status(401), subject), HasSubstr("did not accept the key in MY_KEY"));
}

TEST(ProbeHint, AsksWhetherTheServerIsUp) {
  EXPECT_THAT(HintFor(Fault("connect"), Subject()),
              HasSubstr("is the server up, and does it listen on gpu-1:8000"));
}

TEST(ProbeHint, ChecksTheHostName) {
  EXPECT_THAT(HintFor(Fault("dns"), Subject()), HasSubstr("host name"));
}

TEST(ProbeHint, SeesPlainHttpBehindHttps) {
  EXPECT_THAT(HintFor(Fault("tls", "error:0A00010B:SSL routines::wrong version number"), Subject()),
              HasSubstr("http://"));
}

TEST(ProbeHint, OffersACaForAnUnknownIssuer) {
  const std::string hint =
      HintFor(Fault("tls", "SSL certificate problem: self-signed certificate"), Subject());
  EXPECT_THAT(hint, HasSubstr("--ca-cert"));
  EXPECT_THAT(hint, HasSubstr("--insecure"));
}

TEST(ProbeHint, DoubtsTheCaThatWasGiven) {
  ProbeSubject subject = Subject();
  subject.ca_cert = true;
  EXPECT_THAT(HintFor(Fault("tls", "unable to get local issuer certificate"), subject),
              HasSubstr("did not sign"));
}

TEST(ProbeHint, SuspectsTlsBehindAPlainUrl) {
  EXPECT_THAT(HintFor(Fault("connection_reset"), Subject()), HasSubstr("https://"));
}

TEST(ProbeHint, LowersLengthsForAShortContext) {
  const std::string hint = HintFor(
      Status(400,
             "This model's maximum context length is 4096 tokens. However, you requested 4608"),
      Subject());
  EXPECT_THAT(hint, HasSubstr("--isl (4096)"));
  EXPECT_THAT(hint, HasSubstr("--osl (512)"));
}

TEST(ProbeHint, AsksForAModelWhereTheServerWantsOne) {
  ProbeSubject subject = Subject();
  subject.model = "";
  EXPECT_THAT(HintFor(Status(422, "field required: model"), subject), HasSubstr("--model"));
}

TEST(ProbeFailure, CutsTheExcerptAndMakesItUtf8) {
  std::string body(400, 'x');
  body.push_back('\xff');
  ProbeFault fault = Status(500, body);
  EXPECT_EQ(EncodeProbeFault(fault, Subject()).excerpt().size(), 300u);
  fault.excerpt = "a\xff";
  EXPECT_EQ(EncodeProbeFault(fault, Subject()).excerpt(), "a\xEF\xBF\xBD");
}

}  // namespace
}  // namespace tidemark
