// result.json: the truth from which all else is written.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_REPORT_RESULT_JSON_H_
#define TIDEMARK_COORDINATOR_REPORT_RESULT_JSON_H_

#include <string>

#include <google/protobuf/message.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// What this build writes; it reads every schema of the same major number.
inline constexpr absl::string_view kResultSchemaVersion = "1.0";

// The message in proto JSON: proto field names, in field order, zeros written, absent optional
// fields left out. 64-bit counts are numbers where JSON's readers keep them exact (below 2^53),
// else strings. Equal messages give equal bytes. REQUIRES: strings in UTF-8, as proto3 has it.
std::string ResultJson(const v1::Result& result);
// The same of any message of ours.
std::string MessageJson(const google::protobuf::Message& message);

// Error: InvalidArgument with line and column where the text is no JSON, naming the version when
// another major wrote it, or naming the field that does not fit. Unknown fields, of a later minor,
// are skipped.
absl::StatusOr<v1::Result> ReadResultJson(absl::string_view text);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_RESULT_JSON_H_
