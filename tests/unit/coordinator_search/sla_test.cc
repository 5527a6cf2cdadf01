#include "coordinator/core/search/sla.h"

#include "coordinator/core/search/sla_parameters.h"
#include "gmock/gmock.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<SlaMetric> Known() {
  return {{"time_to_first_token", true, true, false},
          {"inter_token_latency", true, true, false},
          {"request_latency", true, false, false},
          {"output_token_throughput", false, false, false},
          {"error_rate", false, false, true}};
}

std::string ErrorOf(absl::string_view text) {
  return std::string(ParseSla(text, Known()).status().message());
}

TEST(SlaParser, ReadsTagStatOpAndThreshold) {
  const absl::StatusOr<Sla> sla = ParseSla("time_to_first_token:p99.9:le:600.5", Known());
  ASSERT_TRUE(sla.ok()) << sla.status();
  EXPECT_EQ(*sla, (Sla{"time_to_first_token", SlaStat::kP999, SlaOp::kLe, 600.5, false}));
}

TEST(SlaParser, TakesAvgOfALevelMetricAsItsOneFigure) {
  EXPECT_EQ(ParseSla("output_token_throughput:avg:ge:100", Known())->stat, SlaStat::kRate);
  EXPECT_EQ(ParseSla("error_rate:rate:le:0.02", Known())->stat, SlaStat::kRate);
}

TEST(SlaParser, NamesTheFormWhenPartsAreMissing) {
  EXPECT_THAT(ErrorOf("time_to_first_token:p95:600"), HasSubstr("tag:stat:op:threshold"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("tag:stat:op:threshold"));
}

TEST(SlaParser, SuggestsTheNearestMetric) {
  EXPECT_THAT(ErrorOf("time_to_frist_token:p95:lt:600"),
              AllOf(HasSubstr("unknown metric 'time_to_frist_token'"),
                    HasSubstr("did you mean 'time_to_first_token'?")));
}

TEST(SlaParser, ListsTheStatistics) {
  EXPECT_THAT(ErrorOf("request_latency:p98:lt:600"),
              AllOf(HasSubstr("'p98'"), HasSubstr("avg, p1, p5"), HasSubstr("p99.9, rate")));
}

TEST(SlaParser, RefusesAQuantileOfALevelMetric) {
  EXPECT_THAT(ErrorOf("error_rate:p95:lt:0.1"), HasSubstr("use rate"));
}

TEST(SlaParser, RefusesTheRateOfARequestMetric) {
  EXPECT_THAT(ErrorOf("request_latency:rate:lt:1"), HasSubstr("use avg or a quantile"));
}

TEST(SlaParser, ListsTheComparisons) {
  EXPECT_THAT(ErrorOf("request_latency:p95:<:600"), HasSubstr("lt, le, gt, ge"));
}

TEST(SlaParser, RefusesAThresholdThatIsNoNumber) {
  for (const char* threshold : {"x", "", "nan", "inf", "-1", "5ms"}) {
    EXPECT_THAT(ErrorOf(std::string("request_latency:p95:lt:") + threshold),
                HasSubstr(std::string("threshold '") + threshold + "'"));
  }
}

TEST(SlaParser, RefusesAPercentageOfAFraction) {
  EXPECT_THAT(ErrorOf("error_rate:rate:le:5"), HasSubstr("a fraction from 0 to 1"));
}

TEST(Sla, DescribesItsStatistic) {
  EXPECT_EQ(DescribeSla({"request_latency", SlaStat::kP99, SlaOp::kLt, 2000, false}),
            "request_latency p99 < 2000");
  EXPECT_EQ(DescribeSla({"error_rate", SlaStat::kRate, SlaOp::kLe, 0.01, true}),
            "error_rate <= 0.01 (implied)");
}

std::vector<std::string> Descriptions(const SlaParameters& parameters) {
  std::vector<std::string> texts;
  const absl::StatusOr<std::vector<Sla>> slas = BuildSlas(parameters, Known());
  if (!slas.ok()) return {std::string(slas.status().message())};
  for (const Sla& sla : *slas) texts.push_back(DescribeSla(sla));
  return texts;
}

TEST(SlaParameters, JudgeTtftAndTpotAtP95AndE2eAtP99) {
  SlaParameters parameters;
  parameters.ttft_sla_ms = 500;
  parameters.tpot_sla_ms = 50;
  parameters.e2e_sla_ms = 9000;
  parameters.error_rate_sla = 0.05;
  EXPECT_THAT(Descriptions(parameters),
              ElementsAre("time_to_first_token p95 < 500", "inter_token_latency p95 < 50",
                          "request_latency p99 < 9000", "error_rate <= 0.05"));
}

TEST(SlaParameters, SearchStatOverridesTheLatenciesOnly) {
  SlaParameters parameters;
  parameters.e2e_sla_ms = 9000;
  parameters.error_rate_sla = 0.05;
  parameters.search_stat = "p90";
  EXPECT_THAT(Descriptions(parameters),
              ElementsAre("request_latency p90 < 9000", "error_rate <= 0.05"));
}

TEST(SlaParameters, RefuseAnUnknownSearchStat) {
  SlaParameters parameters;
  parameters.search_stat = "p75";
  EXPECT_THAT(Descriptions(parameters),
              ElementsAre("search_stat 'p75': want avg, p50, p90, p95 or p99"));
}

TEST(SlaParameters, ASearchJudgesTheErrorRateWithoutBeingAsked) {
  SlaParameters parameters;
  parameters.is_search = true;
  EXPECT_THAT(Descriptions(parameters), ElementsAre("error_rate <= 0.01 (implied)"));
  parameters.error_rate_sla = 0.2;
  EXPECT_THAT(Descriptions(parameters), ElementsAre("error_rate <= 0.2"));
}

TEST(SlaParameters, AListImpliesNothing) {
  EXPECT_THAT(Descriptions(SlaParameters{}), ElementsAre());
}

TEST(SlaParameters, RefuseAStreamingMetricWithoutStreaming) {
  SlaParameters parameters;
  parameters.ttft_sla_ms = 500;
  parameters.streaming = false;
  EXPECT_THAT(Descriptions(parameters), ElementsAre(HasSubstr("only with streaming: true")));
}

TEST(SlaParameters, RefuseThresholdsThatCannotBe) {
  SlaParameters parameters;
  parameters.ttft_sla_ms = -3;
  EXPECT_THAT(Descriptions(parameters), ElementsAre(HasSubstr("ttft_sla_ms -3")));
  parameters.ttft_sla_ms.reset();
  parameters.error_rate_sla = 5;
  EXPECT_THAT(Descriptions(parameters), ElementsAre(HasSubstr("error_rate_sla 5")));
  parameters.error_rate_sla.reset();
  parameters.slas = {"request_latency:p95:lt:600", "nonsense"};
  EXPECT_THAT(Descriptions(parameters), ElementsAre(HasSubstr("SLA 'nonsense'")));
}

}  // namespace
}  // namespace tidemark
