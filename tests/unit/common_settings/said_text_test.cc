#include "common/settings/said_text.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tidemark {
namespace {

TEST(EditDistance, CountsInsertDeleteReplaceAndSwap) {
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("abc", "ac"), 1);
  EXPECT_EQ(EditDistance("abc", "adc"), 1);
  EXPECT_EQ(EditDistance("abc", "acb"), 1);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
}

TEST(NearestName, SuggestsOnlyWhatIsClose) {
  const std::vector<std::string> names = {"request_count", "request_rate", "isl"};
  EXPECT_EQ(NearestName("reqest_count", names), "request_count");
  EXPECT_EQ(NearestName("ilS", names), "");
  EXPECT_EQ(NearestName("temperature", names), "");
  EXPECT_EQ(NearestName(std::string(100'000, 'x'), names), "");
}

TEST(Printable, CutsAndMasks) {
  EXPECT_EQ(Printable("a\nb"), "a?b");
  EXPECT_EQ(Printable(std::string(100, 'x')), absl::StrCat(std::string(80, 'x'), "…"));
}

}  // namespace
}  // namespace tidemark
