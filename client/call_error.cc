#include "client/call_error.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tidemark {
namespace {

// What OpenSSL and gRPC say of certificates that do not fit. Alerts are the other side's word.
constexpr const char* kDistrust[] = {
    "certificate verify failed", "hostname verification check failed", "is no coordinator",        "alert unknown ca",
    "alert bad certificate",     "alert certificate required",         "alert certificate expired"};
constexpr char kNoTls[] = "wrong version number";

// What repetition cannot mend, and how to; empty: it may be mended.
std::string HandshakeProblem(absl::string_view text, const std::string& address) {
  const std::string lower = absl::AsciiStrToLower(text);
  if (absl::StrContains(lower, kNoTls)) {
    return absl::StrCat(address, " does not speak TLS: give --plaintext when the coordinator runs with it");
  }
  for (const char* words : kDistrust) {
    if (!absl::StrContains(lower, words)) continue;
    return absl::StrCat(
        "the coordinator at ", address, " and this command do not trust each other: ", text,
        "; look at --tls-ca (which CA signed its certificate), at the host in --coordinator (its certificate must "
        "name it) and at --tls-cert");
  }
  return "";
}

// gRPC's text without what says nothing more: "failed to connect to all addresses; last error: UNKNOWN: …".
absl::string_view Plainly(absl::string_view text) {
  constexpr absl::string_view kLast = "last error: ";
  const size_t at = text.find(kLast);
  if (at != absl::string_view::npos) text.remove_prefix(at + kLast.size());
  absl::ConsumePrefix(&text, "UNKNOWN: ");
  return text;
}

std::string NotReached(const std::string& address, absl::string_view reason, bool plaintext) {
  return absl::StrCat("cannot reach the coordinator at ", address, ": ", Plainly(reason),
                      plaintext ? "; does it run there, and with --plaintext?"
                                : "; does it run there, and does it show a certificate of --tls-ca?");
}

}  // namespace

absl::Status ExplainCallError(const absl::Status& status, const std::string& address, bool plaintext) {
  const absl::string_view text = status.message();
  switch (status.code()) {
    case absl::StatusCode::kUnavailable: {
      const std::string problem = HandshakeProblem(text, address);
      if (!problem.empty()) return absl::FailedPreconditionError(problem);
      return absl::UnavailableError(NotReached(address, text, plaintext));
    }
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
      return absl::Status(status.code(), absl::StrCat("the coordinator at ", address, " refuses the call: ", text));
    case absl::StatusCode::kDeadlineExceeded:
      return absl::Status(status.code(), absl::StrCat("the coordinator at ", address, " did not answer in time"));
    case absl::StatusCode::kUnimplemented:
      return absl::Status(status.code(), absl::StrCat("what answers at ", address,
                                                      " does not know this call: is it the coordinator's gRPC port "
                                                      "(--listen, 7070 by default), and of this version? ",
                                                      text));
    default:
      return status;
  }
}

}  // namespace tidemark
