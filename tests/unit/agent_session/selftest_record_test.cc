#include "agent/session/selftest_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "absl/strings/str_replace.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

SelftestRecord Record() { return {{"tidemark 1 (gcc 12)", 4, 1.5}, 1'375, 59'262.5, "2026-12-01T00:00:00Z"}; }

std::string Kept(const std::string& text) {
  const std::string path = testing::TempDir() + "selftest_record_test.json";
  std::ofstream(path) << text;
  return path;
}

std::string Problem(const std::string& from, const std::string& to) {
  const absl::Status status = DecodeSelftest(absl::StrReplaceAll(EncodeSelftest(Record()), {{from, to}})).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  return std::string(status.message());
}

TEST(SelftestRecord, ComesBackAsItWas) { EXPECT_EQ(*DecodeSelftest(EncodeSelftest(Record())), Record()); }

TEST(SelftestRecord, AnErrorNamesTheField) {
  EXPECT_THAT(Problem("1375", "0"), HasSubstr("streams"));
  EXPECT_THAT(Problem("59262.5", "\"x\""), HasSubstr("events_per_second"));
  EXPECT_THAT(Problem("\"cores\": 4", "\"cores\": -1"), HasSubstr("cores"));
  EXPECT_THAT(Problem("\"cpu_limit\": 1.5", "\"cpu_limit\": -1"), HasSubstr("cpu_limit"));
  EXPECT_THAT(Problem("\"build\"", "\"other\""), HasSubstr("build"));
}

TEST(SelftestRecord, HoldsForTheKeyItWasMeasuredWith) {
  const KeptSelftest kept = LoadSelftest(Kept(EncodeSelftest(Record())), Record().key);
  EXPECT_EQ(kept.record, Record());
  EXPECT_EQ(kept.why_not, "");
}

TEST(SelftestRecord, AStaleOneIsNotUsedAndThatIsSaid) {
  SelftestKey now = Record().key;
  now.cores = 2;
  const KeptSelftest kept = LoadSelftest(Kept(EncodeSelftest(Record())), now);
  EXPECT_FALSE(kept.record);
  EXPECT_THAT(kept.why_not, HasSubstr("2026-12-01T00:00:00Z is not used: it was of tidemark 1 (gcc 12), 4 cores, CPU limit 1.5, and this is "
                                      "tidemark 1 (gcc 12), 2 cores, CPU limit 1.5; run tidemark selftest again"));
}

TEST(SelftestRecord, AFileThatIsNoSelftestIsSaid) {
  EXPECT_THAT(LoadSelftest(Kept("{"), Record().key).why_not, HasSubstr("run tidemark selftest again"));
}

TEST(SelftestRecord, NoFileIsNoMatter) {
  EXPECT_EQ(LoadSelftest("/no/such/file", Record().key).why_not, "");
  EXPECT_EQ(LoadSelftest("", Record().key).why_not, "");
}

TEST(SelftestPath, IsOfTheStateFolder) {
  EXPECT_EQ(SelftestPath({"HOME=/h"}), "/h/.local/state/tidemark/selftest.json");
  EXPECT_EQ(SelftestPath({"HOME=/h", "XDG_STATE_HOME=/s"}), "/s/tidemark/selftest.json");
  EXPECT_EQ(SelftestPath({"HOME=/h", "XDG_STATE_HOME=relative"}), "/h/.local/state/tidemark/selftest.json");
  EXPECT_EQ(SelftestPath({"HOME=/h", "TIDEMARK_SELFTEST_FILE=/f.json"}), "/f.json");
  EXPECT_EQ(SelftestPath({}), "");
}

}  // namespace
}  // namespace tidemark
