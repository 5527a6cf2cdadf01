#include "coordinator/rpc/request_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tidemark {
namespace {

using ::testing::HasSubstr;

v1::CreateJobRequest Create() {
  v1::CreateJobRequest request;
  request.set_client_request_id("run-1.a_b");
  request.set_job_yaml("endpoint: {url: http://localhost:8000}");
  return request;
}

std::string Refusal(const absl::Status& status) {
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  return std::string(status.message());
}

TEST(RequestRules, AnOrdinaryJobIsFine) { EXPECT_TRUE(CheckRequest(Create()).ok()); }

TEST(RequestRules, ClientRequestIdsAreShortAndOfFewLetters) {
  v1::CreateJobRequest request = Create();
  for (const std::string id : {"", "a b", "a/b", "ü"}) {
    request.set_client_request_id(id);
    EXPECT_THAT(Refusal(CheckRequest(request)), HasSubstr("client_request_id is \"")) << id;
  }
  request.set_client_request_id(std::string(64, 'a'));
  EXPECT_TRUE(CheckRequest(request).ok());
  request.set_client_request_id(std::string(65, 'a'));
  EXPECT_THAT(Refusal(CheckRequest(request)), HasSubstr("want 1 to 64 of [A-Za-z0-9._-]"));
}

TEST(RequestRules, AJobFileIsThereAndOfAtMostOneMebibyte) {
  v1::CreateJobRequest request = Create();
  request.set_job_yaml("");
  EXPECT_THAT(Refusal(CheckRequest(request)), HasSubstr("job_yaml is empty"));
  request.set_job_yaml(std::string(kLargestJobYaml, 'a'));
  EXPECT_TRUE(CheckRequest(request).ok());
  request.set_job_yaml(std::string(kLargestJobYaml + 1, 'a'));
  EXPECT_THAT(Refusal(CheckRequest(request)), HasSubstr("job_yaml is 1048577 bytes: want at most 1048576"));
}

TEST(RequestRules, TheCommandIsBounded) {
  v1::CreateJobRequest request = Create();
  request.add_command(std::string(100'000, 'a'));
  EXPECT_THAT(Refusal(CheckRequest(request)), HasSubstr("command is 100000 bytes"));
  request.clear_command();
  for (int i = 0; i < 1'001; ++i) request.add_command("a");
  EXPECT_THAT(Refusal(CheckRequest(request)), HasSubstr("command is 1001 arguments"));
}

TEST(RequestRules, APageHasAtMostAHundredJobs) {
  v1::ListJobsRequest request;
  EXPECT_TRUE(CheckRequest(request).ok());
  request.set_page_size(100);
  EXPECT_TRUE(CheckRequest(request).ok());
  request.set_page_size(101);
  EXPECT_THAT(Refusal(CheckRequest(request)), HasSubstr("page_size is 101: want 1 to 100"));
}

TEST(RequestRules, StatesAreKnownOnes) {
  v1::ListJobsRequest request;
  request.add_states(v1::RUNNING);
  EXPECT_TRUE(CheckRequest(request).ok());
  request.add_states(static_cast<v1::JobState>(99));
  EXPECT_THAT(Refusal(CheckRequest(request)), HasSubstr("states is 99"));
}

TEST(RequestRules, JobIdsCannotNameAPath) {
  EXPECT_TRUE(CheckJobId("20261130-3f").ok());
  for (const std::string id : {"", ".", "..", "../x", "a/b", ".hidden", "a\nb"}) {
    EXPECT_THAT(Refusal(CheckJobId(id)), HasSubstr("job_id is \"")) << id;
  }
}

TEST(RequestRules, WhatIsRefusedIsShownWithoutItsControlCharacters) {
  EXPECT_THAT(Refusal(CheckJobId("a\x1b[2J")), HasSubstr("a\\x1b[2J"));
}

}  // namespace
}  // namespace tidemark
