#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "common/json/json.h"
#include "coordinator/report/assets.h"
#include "coordinator/report/html_report.h"
#include "coordinator/report/html_writer.h"
#include "tests/golden/report/sample_result.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Page(const v1::Result& result) { return HtmlReportWith(result, {"", "", ""}); }

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Html, EscapesMarkupQuotesAndControls) {
  EXPECT_EQ(EscapeHtml("<a href=\"x\" id='y'>&\x1b\x7f"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;\xe2\x90\x9b\xe2\x90\xa1");
}

TEST(Html, ScriptJsonCannotEndTheScript) {
  const std::string json = Json::Array({"</script><!--\xe2\x80\xa8&"}).Dump();
  const std::string safe = ScriptSafeJson(json);
  EXPECT_THAT(safe, Not(HasSubstr("<")));
  EXPECT_THAT(safe, Not(HasSubstr("\xe2\x80\xa8")));
  EXPECT_EQ(*ParseJson(safe, "x"), *ParseJson(json, "x"));
}

TEST(HtmlReport, ServerTextAddsNoMarkup) {
  v1::Result calm = SampleSweep();
  calm.mutable_levels(2)->mutable_examples(0)->set_excerpt("x");
  calm.mutable_levels(2)->mutable_examples(0)->set_server("x");
  calm.set_name("x");
  for (const char* part : {"<script", "</script>", "<pre>", "<!--", "onload=\""}) {
    EXPECT_EQ(Count(Page(SampleSweep()), part), Count(Page(calm), part)) << part;
  }
}

TEST(HtmlReport, AHostileMetricNameCannotEndTheScript) {
  v1::Result result = SampleSweep();
  result.mutable_levels(0)->mutable_slas(0)->set_metric_tag("</script><script>alert(1)</script>");
  EXPECT_THAT(Page(result), Not(HasSubstr("alert(1)</script>")));
}

TEST(HtmlReport, CarriesEverythingAndLoadsNothing) {
  const std::string page = HtmlReport(SampleSweep());
  EXPECT_THAT(page, HasSubstr(std::string(kChartLibrary.substr(0, 200))));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* loading : {"<link", "<script src", "<img", "@import", "url("}) {
    EXPECT_THAT(Page(SampleSweep()), Not(HasSubstr(loading)));
    EXPECT_THAT(std::string(kReportStyle), Not(HasSubstr(loading)));
  }
}

TEST(HtmlReport, AFailedJobIsAPageWithoutCharts) {
  v1::Result result;
  result.mutable_error()->set_type("connect");
  result.mutable_error()->set_message("refused");
  const std::string page = HtmlReport(result);
  EXPECT_THAT(page, HasSubstr("ERROR</span> connect: refused"));
  EXPECT_THAT(page, Not(HasSubstr("<canvas")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
}

TEST(HtmlReport, SaysWhatTheGeneratorsLimitWas) {
  EXPECT_THAT(Page(SampleSweep()), HasSubstr("give the agent a core of its own, or add agents."));
  EXPECT_THAT(Page(SampleSearch()), HasSubstr("kept within its own bounds"));
}

}  // namespace
}  // namespace tidemark
