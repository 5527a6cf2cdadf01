#include "common/thread/cancellation.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(Cancellation, CallsItsHookOnce) {
  Cancellation cancellation;
  int calls = 0;
  const Cancellation::Hook hook(&cancellation, [&calls] { ++calls; });
  cancellation.Cancel();
  cancellation.Cancel();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(cancellation.cancelled());
}

TEST(Cancellation, CallsAHookThatComesLateAtOnce) {
  Cancellation cancellation;
  cancellation.Cancel();
  bool called = false;
  const Cancellation::Hook hook(&cancellation, [&called] { called = true; });
  EXPECT_TRUE(called);
}

TEST(Cancellation, CallsNoHookThatIsGone) {
  Cancellation cancellation;
  bool called = false;
  { const Cancellation::Hook hook(&cancellation, [&called] { called = true; }); }
  cancellation.Cancel();
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace tidemark
