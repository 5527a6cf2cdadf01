// How reports write numbers and text for people. Nothing here depends on the locale.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_REPORT_FORMAT_H_
#define TIDEMARK_COORDINATOR_REPORT_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tidemark {

// "1234.50"; "n/a" when it is no finite number.
std::string FormatFixed(double value, int decimals);
// The shortest text that reads back as the same number: "0.1", "1234", "inf".
std::string FormatExact(double value);
// Three significant digits or all of the integer part, thousands apart: "0.0123", "12.3", "1,234".
std::string FormatReadable(double value);
std::string FormatCount(uint64_t value);  // "1,234"
// A fraction as a percentage: 0.0123 is "1.23 %", 0 is "0 %".
std::string FormatPercent(double fraction);

// Columns that the text takes on a terminal: wide characters two, combining ones none.
size_t DisplayWidth(absl::string_view utf8);

// Control characters (a terminal obeys them) and line ends become spaces; for text that a server
// sent, before it reaches a terminal.
std::string OneLine(absl::string_view text);

// Breaks at spaces so that lines stay within `width`; the first line begins at column `first`,
// those after it with `indent` spaces. A longer word has a line of its own. Ends without a newline.
std::string WrapText(absl::string_view text, size_t width, size_t indent, size_t first = 0);

// The words as one line that a POSIX shell takes apart into the same words.
std::string ShellLine(const std::vector<std::string>& words);

// A table of text; every column as wide as its widest cell, numbers to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  // REQUIRES: as many cells as the header has.
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Two spaces between columns; one, if the lines would be longer than `width`.
  std::vector<std::string> Lines(size_t width) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_FORMAT_H_
