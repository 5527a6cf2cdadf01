#include "common/settings/settings_file.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Refused(const std::string& text) {
  const auto settings = ParseSettingsFile(text, "a.yaml");
  EXPECT_EQ(settings.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(settings.status().message());
}

TEST(SettingsFile, ReadsValuesAndLists) {
  const auto settings = ParseSettingsFile("# mine\nid: a1\ncapacity: 5\nallow_target: [x, 10.0.0.0/8]\n", "a.yaml");
  ASSERT_TRUE(settings.ok()) << settings.status();
  ASSERT_EQ(settings->size(), 3u);
  EXPECT_EQ((*settings)[0].key, "id");
  EXPECT_EQ((*settings)[0].place, "a.yaml:2:1");
  EXPECT_THAT((*settings)[1].values, ElementsAre("5"));
  EXPECT_THAT((*settings)[2].values, ElementsAre("x", "10.0.0.0/8"));
}

TEST(SettingsFile, AnEmptyOneHasNone) {
  EXPECT_TRUE(ParseSettingsFile("", "a.yaml")->empty());
  EXPECT_TRUE(ParseSettingsFile("# nothing\n", "a.yaml")->empty());
}

TEST(SettingsFile, NamesThePlaceOfWhatIsWrong) {
  EXPECT_THAT(Refused("id: a\nid: b\n"), HasSubstr("a.yaml:2:1: key \"id\" twice"));
  EXPECT_THAT(Refused("id: {a: b}\n"), HasSubstr("a.yaml:1:5: id: want plain values"));
  EXPECT_THAT(Refused("id: [[a]]\n"), HasSubstr("want plain values"));
  EXPECT_THAT(Refused("id:\n"), HasSubstr("id has no value"));
  EXPECT_THAT(Refused("id: []\n"), HasSubstr("id has no value"));
  EXPECT_THAT(Refused("- a\n"), HasSubstr("want keys and values"));
  EXPECT_THAT(Refused("id: [a\n"), HasSubstr("no valid YAML"));
  EXPECT_THAT(Refused("[a]: b\n"), HasSubstr("a key that is no text"));
  EXPECT_THAT(Refused(std::string(100'000, '#')), HasSubstr("at most"));
}

}  // namespace
}  // namespace tidemark
