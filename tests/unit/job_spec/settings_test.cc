#include "coordinator/core/job_spec/settings.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/job/secret_header.h"
#include "coordinator/core/job_spec/secrets.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

TEST(Environment, ReadsParametersAndLeavesOthersAlone) {
  const auto layer = SettingsFromEnvironment(
      {"TIDEMARK_ISL=7", "TIDEMARK_SERVICE_HOST=10.0.0.1", "PATH=/bin", "TIDEMARK_URL=http://a,http://b"});
  ASSERT_TRUE(layer.ok());
  EXPECT_EQ(layer->size(), 2u);
  EXPECT_EQ(layer->at("prompt_input_tokens_mean").shown_name, "TIDEMARK_ISL");
  EXPECT_THAT(layer->at("url").values, ElementsAre("http://a", "http://b"));
}

TEST(Environment, TakesHeadersOneALine) {
  const auto layer = SettingsFromEnvironment({"TIDEMARK_HEADER=A: b, c\nD: e"});
  ASSERT_TRUE(layer.ok());
  EXPECT_THAT(layer->at("header").pairs, ElementsAre(Pair("A", "b, c"), Pair("D", "e")));
}

TEST(Environment, LeavesEmptyVariablesAlone) {
  EXPECT_TRUE(SettingsFromEnvironment({"TIDEMARK_ISL="})->empty());
}

TEST(Settings, RefusalsNeverRepeatAHeader) {
  Settings layer;
  const absl::Status status = AddTexts("header", "--header", {"Bearer sesame"}, layer);
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("sesame")));
}

TEST(Settings, RefusalsMaskControlCharactersAndCutLongValues) {
  EXPECT_EQ(Printable("a\x1b[31mb\n"), "a?[31mb?");
  EXPECT_LT(Printable(std::string(10'000, 'x')).size(), 100u);
}

TEST(Overlay, TakesTheFirstLayerThatHasAParameter) {
  Settings high;
  Settings low;
  ASSERT_TRUE(AddTexts("isl", "--isl", {"1"}, high).ok());
  ASSERT_TRUE(AddTexts("prompt_input_tokens_mean", "p", {"2"}, low).ok());
  ASSERT_TRUE(AddTexts("osl", "osl", {"3"}, low).ok());
  const Settings merged = Overlay({high, low});
  EXPECT_THAT(merged.at("prompt_input_tokens_mean").values, ElementsAre("1"));
  EXPECT_THAT(merged.at("output_tokens_mean").values, ElementsAre("3"));
}

TEST(Secrets, AreKnownByTheHeadersName) {
  EXPECT_TRUE(IsSecretHeader("Authorization"));
  EXPECT_TRUE(IsSecretHeader("api-key"));
  EXPECT_TRUE(IsSecretHeader("X-Amz-Security-Token"));
  EXPECT_TRUE(IsSecretHeader("Cookie"));
  EXPECT_FALSE(IsSecretHeader("X-Team"));
}

TEST(Secrets, AreTakenOutOfHeadersAndUrls) {
  EndpointSpec endpoint;
  endpoint.urls = {"http://user:sesame@h:1/v1?a=b@c", "http://h/a@b", "http://h/v1?key=sesame"};
  endpoint.headers = {{"Authorization", "Bearer sesame"}, {"X-Team", "a"}};
  const EndpointSpec shown = WithoutSecrets(endpoint);
  EXPECT_THAT(shown.urls, ElementsAre("http://h:1/v1?a=b@c", "http://h/a@b", "http://h/v1?key=<not shown>"));
  EXPECT_THAT(shown.headers, ElementsAre(Pair("Authorization", kNotShown), Pair("X-Team", "a")));
}

TEST(Secrets, AreTakenOutOfAQueryByTheParametersName) {
  EXPECT_EQ(RedactUrl("https://h/v1?api-version=2&sig=sesame%3D&sv=1&Code=sesame=x;access_token=sesame#a"),
            "https://h/v1?api-version=2&sig=<not shown>&sv=1&Code=<not shown>;access_token=<not shown>#a");
  for (const char* url : {"http://h", "http://h/v1?", "http://h/key=a", "h:1?encoding=a&design=b&key"}) {
    EXPECT_EQ(RedactUrl(url), url);
  }
}

}  // namespace
}  // namespace tidemark
