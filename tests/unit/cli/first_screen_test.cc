#include "cli/first_screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

JobSpec Sweep() {
  JobSpec spec;
  spec.name = "llama";
  spec.endpoint.urls = {"http://vllm:8000/v1/chat/completions"};
  spec.concurrency = {1, 64};
  return spec;
}

std::string Screen(const JobSpec& spec, FirstScreenFacts facts = {}) {
  facts.version = "1.2";
  HostBounds bounds;
  bounds.descriptors = 1024;
  facts.capacity = CapacityOf(bounds);
  facts.estimate = EstimateJob(spec, nullptr);
  return RenderFirstScreen(spec, facts);
}

TEST(FirstScreen, SaysWhereWhatAndHowMuch) {
  JobSpec spec = Sweep();
  spec.slas = {{"request_latency", SlaStat::kP99, SlaOp::kLt, 5000, false}};
  EXPECT_THAT(Screen(spec),
              AllOf(HasSubstr("Tidemark 1.2: llama\n"),
                    HasSubstr("http://vllm:8000/v1/chat/completions"),
                    HasSubstr("512 input and 128 output tokens (held by ignore_eos)"),
                    HasSubstr("concurrency 1, 64: max(100, 5 × concurrency) measured requests each, or 60 s"),
                    HasSubstr("request_latency p99 < 5000"),
                    HasSubstr("1 on this host, up to 768 concurrent requests (open files)"),
                    HasSubstr("2 levels, about 554 requests")));
}

TEST(FirstScreen, NamesTheBuiltInSimulator) {
  JobSpec spec = Sweep();
  spec.endpoint.urls.clear();
  FirstScreenFacts facts;
  facts.simulator = true;
  EXPECT_THAT(Screen(spec, facts), HasSubstr("the built-in simulator"));
}

TEST(FirstScreen, SaysNotesAndTooFewRequests) {
  JobSpec spec = Sweep();
  spec.request_count = 10;
  spec.notes = {"something is ignored"};
  EXPECT_THAT(Screen(spec), AllOf(HasSubstr("something is ignored"),
                                  HasSubstr("request_count 10 is below the concurrency of 64")));
}

TEST(FirstScreen, HoldsNoControlCharacters) {
  JobSpec spec = Sweep();
  spec.endpoint.model = "m\x1b]52;c;cm0gLXJm\x07";
  EXPECT_THAT(Screen(spec), HasSubstr("m ]52;c;cm0gLXJm\n"));
}

TEST(FirstScreen, HoldsNoSecret) {
  JobSpec spec = Sweep();
  spec.endpoint.urls = {"http://u:sesame@h/v1?key=sesame"};
  spec.endpoint.headers = {{"Authorization", "Bearer sesame"}};
  EXPECT_THAT(Screen(spec), Not(HasSubstr("sesame")));
}

}  // namespace
}  // namespace tidemark
