#include "common/log/log.h"

#include <gtest/gtest.h>

#include <string>

namespace tidemark {
namespace {

std::string Logged(const std::string& message, const std::string& value) {
  ConfigureLog({LogLevel::kInfo, false});
  testing::internal::CaptureStderr();
  Log(LogLevel::kInfo, message, {{"key", value}});
  return testing::internal::GetCapturedStderr();
}

TEST(Log, AMessageIsOneLineThatNoTerminalObeys) {
  const std::string line = Logged("a\x1b]0;owned\x07\r\nfake\x7f", "v");
  EXPECT_NE(line.find("a ]0;owned   fake  key=v\n"), std::string::npos) << line;
}

TEST(Log, AFieldIsNotObeyedEither) {
  const std::string line = Logged("m", "\x1b[2Jred");
  EXPECT_NE(line.find("key=\" [2Jred\"\n"), std::string::npos) << line;
}

TEST(Log, ControlsOfTheSecondSetGoToo) {
  const std::string line = Logged("a\xc2\x9b" "2J", "v");
  EXPECT_NE(line.find("a  2J key=v\n"), std::string::npos) << line;
}

TEST(Log, OtherCharactersStay) {
  const std::string line = Logged("\xc3\x9f \xe2\x89\xa5", "v");
  EXPECT_NE(line.find("\xc3\x9f \xe2\x89\xa5 key=v\n"), std::string::npos) << line;
}

}  // namespace
}  // namespace tidemark
