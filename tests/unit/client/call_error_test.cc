#include "client/call_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

absl::Status Explained(const absl::Status& status) { return ExplainCallError(status, "host:7070", true); }
std::string Text(const absl::Status& status) { return std::string(Explained(status).message()); }

TEST(CallError, NotReachedNamesTheAddressAndTheReason) {
  EXPECT_THAT(
      Text(absl::UnavailableError("Connection refused")),
      AllOf(HasSubstr("cannot reach the coordinator at host:7070: Connection refused"), HasSubstr("--plaintext")));
}

TEST(CallError, LeavesOutWhatGrpcSaysTwice) {
  const std::string text = Text(absl::UnavailableError(
      "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:1: Failed to connect: Connection refused"));
  EXPECT_THAT(text, HasSubstr("at host:7070: ipv4:127.0.0.1:1: Failed to connect: Connection refused; "));
}

TEST(CallError, AHandshakeThatNothingMendsIsNotTriedAgain) {
  const absl::Status status =
      Explained(absl::UnavailableError("Tls handshake failed: SSL_ERROR_SSL: certificate verify failed"));
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("--tls-ca"));
}

TEST(CallError, APortWithoutTlsIsSaid) {
  const absl::Status status = Explained(absl::UnavailableError("SSL routines::wrong version number"));
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("host:7070 does not speak TLS: give --plaintext"));
}

TEST(CallError, RefusalsKeepWhatTheCoordinatorWants) {
  const absl::Status status =
      Explained(absl::UnauthenticatedError("a bearer token is wanted: give one with --token-file"));
  EXPECT_TRUE(absl::IsUnauthenticated(status));
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("host:7070 refuses"), HasSubstr("--token-file")));
}

TEST(CallError, AWrongPortIsSaid) { EXPECT_THAT(Text(absl::UnimplementedError("")), HasSubstr("gRPC port")); }

TEST(CallError, WhatTheCoordinatorSaysOfAJobStaysAsItIs) {
  EXPECT_EQ(Explained(absl::NotFoundError("there is no job a")), absl::NotFoundError("there is no job a"));
}

}  // namespace
}  // namespace tidemark
