#include "coordinator/report/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "coordinator/report/csv.h"

namespace tidemark {
namespace {

TEST(Format, ReadableHasThreeDigitsOrTheWholeIntegerPart) {
  EXPECT_EQ(FormatReadable(0), "0");
  EXPECT_EQ(FormatReadable(0.01234), "0.0123");
  EXPECT_EQ(FormatReadable(0.1234), "0.123");
  EXPECT_EQ(FormatReadable(1.234), "1.23");
  EXPECT_EQ(FormatReadable(9.996), "10.0");
  EXPECT_EQ(FormatReadable(99.96), "100");
  EXPECT_EQ(FormatReadable(1234.5), "1,234");
  EXPECT_EQ(FormatReadable(-1234567), "-1,234,567");
}

TEST(Format, WhatIsNoNumberSaysSo) {
  EXPECT_EQ(FormatReadable(std::nan("")), "n/a");
  EXPECT_EQ(FormatFixed(HUGE_VAL, 2), "n/a");
}

TEST(Format, PercentDropsTrailingZeros) {
  EXPECT_EQ(FormatPercent(0), "0 %");
  EXPECT_EQ(FormatPercent(0.05), "5 %");
  EXPECT_EQ(FormatPercent(0.0123), "1.23 %");
  EXPECT_EQ(FormatPercent(1), "100 %");
}

TEST(Format, ExactReadsBack) { EXPECT_EQ(std::stod(FormatExact(0.1)), 0.1); }

TEST(Format, CountsColumnsNotBytes) {
  EXPECT_EQ(DisplayWidth("caf\xc3\xa9"), 4u);
  EXPECT_EQ(DisplayWidth("\xe6\xb5\xb7"), 2u);      // a wide character
  EXPECT_EQ(DisplayWidth("e\xcc\x81"), 1u);         // a combining accent
  EXPECT_EQ(DisplayWidth("\xff"), 1u);              // a stray byte
  EXPECT_EQ(DisplayWidth("\xf0\x9f\x8c\x8a"), 2u);  // an emoji
}

TEST(Format, OneLineTakesTerminalControlsOut) {
  EXPECT_EQ(OneLine("a\x1b[31m\r\nb\xc2\x9b"
                    "c\x7f"),
            "a [31m b c");
}

TEST(Format, WrapsWithinTheWidth) {
  EXPECT_EQ(WrapText("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(WrapText("one two", 8, 4, 4), "one\n    two");
  EXPECT_EQ(WrapText("averylongword x", 5, 0), "averylongword\nx");
}

TEST(Format, QuotesForAShell) {
  EXPECT_EQ(ShellLine({"tidemark", "--name", "it's $HOME", ""}),
            "tidemark --name 'it'\\''s $HOME' ''");
}

TEST(Format, TableAlignsNumbersToTheRight) {
  TextTable table({"N", "name"});
  table.AddRow({"1", "caf\xc3\xa9"});
  table.AddRow({"16", "b"});
  const std::vector<std::string> lines = table.Lines(80);
  EXPECT_EQ(lines, (std::vector<std::string>{" N  name", " 1  caf\xc3\xa9", "16  b"}));
}

TEST(Format, TableNarrowsItsGapsToFit) {
  TextTable table({"aaaa", "bbbb"});
  EXPECT_EQ(table.Lines(9).front(), "aaaa bbbb");
}

TEST(Csv, QuotesWhatNeedsIt) {
  EXPECT_EQ(CsvLine({"a,b", "say \"x\"", "plain"}), "\"a,b\",\"say \"\"x\"\"\",plain\n");
}

TEST(Csv, DisarmsFormulasButNotNumbers) {
  EXPECT_EQ(CsvLine({"=1+1", "-2.5", "@x"}), "'=1+1,-2.5,'@x\n");
}

}  // namespace
}  // namespace tidemark
