#include "agent/http/connect_limit.h"

#include "tests/support/virtual_loop.h"

namespace tidemark {
namespace {

class ConnectLimitTest : public ::testing::Test {
 protected:
  // "slot@ms" of those that were late.
  void OnLate(uint32_t slot) {
    late_ += absl::StrCat(slot, "@", (loop_.Now() - start_) / kNanosPerMilli, " ");
    if (again_) limit_.Begin(slot);
  }

  VirtualLoop loop_;
  const int64_t start_ = loop_.Now();
  std::string late_;
  bool again_ = false;
  ConnectLimit limit_{&loop_, 100 * kNanosPerMilli, [this](uint32_t slot) { OnLate(slot); }};
};

TEST_F(ConnectLimitTest, EachSlotHasTheWholeLimit) {
  limit_.Begin(0);
  loop_.RunForMillis(30);
  limit_.Begin(7);
  loop_.RunForMillis(500);
  EXPECT_EQ(late_, "0@100 7@130 ");
}

TEST_F(ConnectLimitTest, OneThatHasConnectedIsNotLate) {
  limit_.Begin(0);
  limit_.Begin(1);
  limit_.End(0);
  loop_.RunForMillis(500);
  EXPECT_EQ(late_, "1@100 ");
}

TEST_F(ConnectLimitTest, OneThatConnectsAnewBeginsAnew) {
  limit_.Begin(0);
  loop_.RunForMillis(60);
  limit_.Begin(0);
  loop_.RunForMillis(500);
  EXPECT_EQ(late_, "0@160 ");
}

TEST_F(ConnectLimitTest, OneThatWasLateMayTryAgainAtOnce) {
  again_ = true;
  limit_.Begin(3);
  loop_.RunForMillis(250);
  EXPECT_EQ(late_, "3@100 3@200 ");
}

TEST_F(ConnectLimitTest, HasOneTimerAtMost) {
  for (uint32_t slot = 0; slot < 50; ++slot) limit_.Begin(slot);
  EXPECT_EQ(loop_.timers(), 1u);
  for (uint32_t slot = 0; slot < 50; ++slot) limit_.End(slot);
  loop_.RunForMillis(200);
  EXPECT_EQ(loop_.timers(), 0u);
  EXPECT_EQ(late_, "");
}

}  // namespace
}  // namespace tidemark
