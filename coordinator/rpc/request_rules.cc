#include "coordinator/rpc/request_rules.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr size_t kLongestId = 64;
constexpr size_t kLongestPageToken = 256;
constexpr int kMostArguments = 1'000;
constexpr size_t kLargestCommand = size_t{64} << 10;

bool IsIdByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
}

bool IsId(const std::string& text) {
  return !text.empty() && text.size() <= kLongestId && std::all_of(text.begin(), text.end(), IsIdByte);
}

// A caller's text, short and harmless on a terminal or in a log.
std::string Shown(const std::string& text) {
  constexpr size_t kMostShown = 80;
  const std::string cut = absl::CHexEscape(text.substr(0, kMostShown));
  return absl::StrCat("\"", cut, text.size() > kMostShown ? "…" : "", "\"");
}

absl::Status Wrong(absl::string_view field, absl::string_view value, absl::string_view right) {
  return absl::InvalidArgumentError(absl::StrCat(field, " is ", value, ": want ", right));
}

absl::Status CheckCommand(const v1::CreateJobRequest& request) {
  if (request.command_size() > kMostArguments) {
    return Wrong("command", absl::StrCat(request.command_size(), " arguments"),
                 absl::StrCat("at most ", kMostArguments));
  }
  size_t bytes = 0;
  for (const std::string& argument : request.command()) bytes += argument.size();
  if (bytes <= kLargestCommand) return absl::OkStatus();
  return Wrong("command", absl::StrCat(bytes, " bytes"), absl::StrCat("at most ", kLargestCommand));
}

}  // namespace

absl::Status CheckRequest(const v1::CreateJobRequest& request) {
  if (!IsId(request.client_request_id())) {
    return Wrong("client_request_id", Shown(request.client_request_id()), "1 to 64 of [A-Za-z0-9._-]");
  }
  if (request.job_yaml().empty()) return Wrong("job_yaml", "empty", "a job file's text");
  if (request.job_yaml().size() > kLargestJobYaml) {
    return Wrong("job_yaml", absl::StrCat(request.job_yaml().size(), " bytes"),
                 absl::StrCat("at most ", kLargestJobYaml));
  }
  return CheckCommand(request);
}

absl::Status CheckRequest(const v1::ListJobsRequest& request) {
  if (request.page_size() > kLargestPage) {
    return Wrong("page_size", absl::StrCat(request.page_size()),
                 absl::StrCat("1 to ", kLargestPage, ", or 0 for the default of 50"));
  }
  if (request.page_token().size() > kLongestPageToken) {
    return Wrong("page_token", absl::StrCat(request.page_token().size(), " bytes"),
                 "next_page_token of the previous answer");
  }
  for (const int state : request.states()) {
    if (state == v1::JOB_STATE_UNSPECIFIED || !v1::JobState_IsValid(state)) {
      return Wrong("states", absl::StrCat(state),
                   "QUEUED, RUNNING, STOPPING, COMPLETED, FAILED or STOPPED, each by its number 1 to 6");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckJobId(const std::string& job_id) {
  if (IsId(job_id) && absl::ascii_isalnum(static_cast<unsigned char>(job_id[0]))) return absl::OkStatus();
  return Wrong("job_id", Shown(job_id), "the id that CreateJob or ListJobs gave");
}

}  // namespace tidemark
