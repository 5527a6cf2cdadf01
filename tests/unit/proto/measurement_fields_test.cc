// Only mergeable facts travel: a mean, rate or percentile cannot be merged without loss.
#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "proto/tidemark/v1/measurement.pb.h"

namespace tidemark {
namespace {

bool IsPercentileName(const std::string& word) {  // p50, p99, p999
  return word.size() > 1 && word[0] == 'p' &&
         std::all_of(word.begin() + 1, word.end(), [](unsigned char c) { return std::isdigit(c); });
}

bool NamesDerivedFigure(const std::string& field) {
  static const std::set<std::string> kDerived = {
      "mean",     "avg",        "average",     "rate",     "rates",    "ratio",
      "fraction", "percent",    "median",      "quantile", "stddev",   "throughput",
      "std",      "percentile", "percentiles", "share",    "quantiles"};
  const std::vector<std::string> words = absl::StrSplit(field, '_');
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return kDerived.count(word) > 0 || IsPercentileName(word);
  });
}

void CollectFields(const google::protobuf::Descriptor& message, std::vector<std::string>& names) {
  for (int i = 0; i < message.field_count(); ++i) {
    names.push_back(std::string(message.field(i)->full_name()) + " " +
                    std::string(message.field(i)->name()));
  }
  for (int i = 0; i < message.nested_type_count(); ++i) {
    CollectFields(*message.nested_type(i), names);
  }
}

std::vector<std::string> MeasurementFields() {
  const google::protobuf::FileDescriptor* file = v1::Delta::descriptor()->file();
  std::vector<std::string> names;
  for (int i = 0; i < file->message_type_count(); ++i) {
    CollectFields(*file->message_type(i), names);
  }
  return names;
}

TEST(MeasurementProto, RecognisesNamesOfDerivedFigures) {
  for (const char* name : {"mean", "latency_avg", "error_rate", "ttft_p99", "p50", "p999_us",
                           "percentile_95", "quantile", "request_throughput"}) {
    EXPECT_TRUE(NamesDerivedFigure(name)) << name;
  }
  for (const char* name :
       {"tag", "sum_squares_high", "measured", "in_flight_integral_ns", "sent"}) {
    EXPECT_FALSE(NamesDerivedFigure(name)) << name;
  }
}

TEST(MeasurementProto, HasNoFieldForADerivedFigure) {
  const std::vector<std::string> fields = MeasurementFields();
  EXPECT_GT(fields.size(), 80u);  // the walk saw the file
  for (const std::string& field : fields) {
    const std::vector<std::string> names = absl::StrSplit(field, ' ');
    EXPECT_FALSE(NamesDerivedFigure(names[1]))
        << names[0] << " names a derived figure: send the facts it is derived from instead";
  }
}

}  // namespace
}  // namespace tidemark
