#include "common/exposition/metric_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/exposition.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

const std::vector<MetricFamily>& Table() {
  static const auto* const kTable = new std::vector<MetricFamily>{
      {"a_total", MetricKind::kCounter, "things", {"kind"}, "Things"},
      {"b_seconds", MetricKind::kHistogram, "seconds", {}, "Times"},
      {"c_ratio", MetricKind::kGauge, "1", {}, "A ratio"},
  };
  return *kTable;
}

TEST(MetricPage, NamesEveryFamilyWithItsTypeAndHelp) {
  const testing::Exposition page = testing::ParseExposition(MetricPage(Table()).Text());
  ASSERT_EQ(page.families.size(), 3u);
  EXPECT_EQ(page.families[0].name, "a_total");
  EXPECT_EQ(page.families[0].type, "counter");
  EXPECT_EQ(page.families[0].help, "Things");
  EXPECT_EQ(page.families[1].type, "histogram");
  EXPECT_EQ(page.families[2].type, "gauge");
  EXPECT_TRUE(page.samples.empty());
}

TEST(MetricPage, EscapesLabelValues) {
  MetricPage page(Table());
  page.Add(0, {"a\"b\\c\nd"}, 2);
  EXPECT_THAT(page.Text(), HasSubstr(R"(a_total{kind="a\"b\\c\nd"} 2)"));
}

TEST(MetricPage, KeepsAllDigitsOfLargeNumbers) {
  MetricPage page(Table());
  page.Add(2, {}, 9007199254740991.0);
  EXPECT_EQ(testing::ParseExposition(page.Text()).Sum("c_ratio"), 9007199254740991.0);
}

TEST(MetricPage, WritesAHistogramWithItsLastBucketAtInfinity) {
  const std::vector<double> bounds = {0.001023, 0.5};
  MetricPage page(Table());
  page.Add(1, {}, BucketCounts{bounds, {3, 5}, 9, 12.5});
  const std::string text = page.Text();
  EXPECT_THAT(text, HasSubstr("b_seconds_bucket{le=\"0.001023\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("b_seconds_bucket{le=\"0.5\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("b_seconds_bucket{le=\"+Inf\"} 9\n"));
  EXPECT_THAT(text, HasSubstr("b_seconds_count 9\n"));
  EXPECT_THAT(text, HasSubstr("b_seconds_sum 12.5\n"));
}

}  // namespace
}  // namespace tidemark
