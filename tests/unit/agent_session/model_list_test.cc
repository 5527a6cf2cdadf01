#include "agent/session/model_list.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(ModelList, KeepsTheServersOrderAndTheContext) {
  const auto models = ParseModelList(R"({"data":[{"id":"b","max_model_len":4096},{"id":"a"}]})");
  ASSERT_TRUE(models.ok()) << models.status();
  ASSERT_EQ(models->size(), 2u);
  EXPECT_EQ((*models)[0].id, "b");
  EXPECT_EQ((*models)[0].max_model_len, 4096u);
  EXPECT_EQ((*models)[1].max_model_len, std::nullopt);
}

TEST(ModelList, LeavesOutRepeatsAndWhatHasNoName) {
  const auto models = ParseModelList(R"({"data":[{"id":"a"},{"id":"a"},{"id":""},{"id":7},5]})");
  ASSERT_TRUE(models.ok());
  EXPECT_EQ(models->size(), 1u);
}

TEST(ModelList, IsBoundedWhateverTheEndpointSays) {
  std::string body = R"({"data":[{"id":")" + std::string(257, 'x') + R"("})";
  for (int i = 0; i < 600; ++i) body += R"(,{"id":"m)" + std::to_string(i) + R"("})";
  const auto models = ParseModelList(body + "]}");
  ASSERT_TRUE(models.ok()) << models.status();
  ASSERT_EQ(models->size(), 500u);
  EXPECT_EQ((*models)[0].id, "m0");
}

TEST(ModelList, RefusesWhatIsNone) {
  EXPECT_TRUE(absl::IsInvalidArgument(ParseModelList("<html>").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ParseModelList("{}").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ParseModelList(R"({"data":"a"})").status()));
}

TEST(ServerVersion, IsEmptyWithoutOne) {
  EXPECT_EQ(ParseServerVersion(R"({"version":"0.9.1"})"), "0.9.1");
  EXPECT_EQ(ParseServerVersion(R"({"version":9})"), "");
  EXPECT_EQ(ParseServerVersion("ok"), "");
}

}  // namespace
}  // namespace tidemark
