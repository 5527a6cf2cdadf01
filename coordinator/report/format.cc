#include "coordinator/report/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/settings/said_text.h"

namespace tidemark {
namespace {

// "1234567.8" as "1,234,567.8".
std::string WithThousands(std::string number) {
  const size_t point = std::min(number.find('.'), number.size());
  const size_t first_digit = number.front() == '-' ? 1 : 0;
  for (size_t i = point; i > first_digit + 3;) {
    i -= 3;
    number.insert(i, 1, ',');
  }
  return number;
}

struct Range {
  uint32_t first;
  uint32_t last;
};

constexpr Range kCombining[] = {{0x300, 0x36f},   {0x1ab0, 0x1aff}, {0x200b, 0x200f},
                                {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
constexpr Range kWide[] = {
    {0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};

template <size_t kSize>
bool IsIn(const Range (&ranges)[kSize], uint32_t code) {
  for (const Range& range : ranges) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

size_t CodeWidth(uint32_t code) {
  if (IsIn(kCombining, code)) return 0;
  return IsIn(kWide, code) ? 2 : 1;
}

// Decodes the character at `at` and moves past it. A stray byte counts as one character.
uint32_t NextCode(absl::string_view text, size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
  uint32_t code = more == 0 ? lead : lead & (0x3fu >> more);
  for (; more > 0 && at < text.size(); --more) {
    const auto next = static_cast<unsigned char>(text[at]);
    if ((next & 0xc0) != 0x80) break;
    code = (code << 6) | (next & 0x3fu);
    ++at;
  }
  return code;
}

std::string ShellWord(const std::string& word) {
  const auto plain = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::StrContains("-_./:=,@%+", absl::string_view(&c, 1));
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string Padded(const std::string& cell, size_t width, bool to_the_right) {
  const std::string padding(width - std::min(width, DisplayWidth(cell)), ' ');
  return to_the_right ? padding + cell : cell + padding;
}

bool LooksNumeric(const std::string& cell) {
  return cell.empty() || cell == "-" ||
         absl::ascii_isdigit(static_cast<unsigned char>(cell.front()));
}

}  // namespace

std::string FormatFixed(double value, int decimals) {
  if (!std::isfinite(value)) return "n/a";
  std::array<char, 400> buffer;  // the largest double has 309 digits
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, decimals);
  return std::string(buffer.data(), end.ptr);
}

std::string FormatExact(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), end.ptr);
}

std::string FormatReadable(double value) {
  if (!std::isfinite(value)) return "n/a";
  if (value == 0) return "0";
  const double magnitude = std::fabs(value);
  if (magnitude >= 99.95) return WithThousands(FormatFixed(value, 0));
  if (magnitude >= 9.995) return FormatFixed(value, 1);
  if (magnitude >= 0.9995) return FormatFixed(value, 2);
  return FormatFixed(value, magnitude >= 0.09995 ? 3 : 4);
}

std::string FormatCount(uint64_t value) { return WithThousands(absl::StrCat(value)); }

std::string FormatPercent(double fraction) {
  if (!std::isfinite(fraction)) return "n/a";
  std::string number = FormatReadable(fraction * 100);
  if (absl::StrContains(number, ".")) {
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
  }
  return absl::StrCat(number, " %");
}

size_t DisplayWidth(absl::string_view utf8) {
  size_t width = 0;
  for (size_t at = 0; at < utf8.size();) width += CodeWidth(NextCode(utf8, at));
  return width;
}

std::string OneLine(absl::string_view text) {
  constexpr char kControl = '\n';
  std::string out;
  for (const char c : WithoutControls(text, kControl)) {
    if (c != kControl) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return std::string(absl::StripAsciiWhitespace(out));
}

std::string WrapText(absl::string_view text, size_t width, size_t indent, size_t first) {
  std::string out;
  size_t column = first;
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const size_t length = DisplayWidth(word);
    if (!out.empty() && column + 1 + length > width) {
      absl::StrAppend(&out, "\n", std::string(indent, ' '));
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    absl::StrAppend(&out, word);
    column += length;
  }
  return out;
}

std::string ShellLine(const std::vector<std::string>& words) {
  return absl::StrJoin(
      words, " ", [](std::string* out, const std::string& word) { out->append(ShellWord(word)); });
}

std::vector<std::string> TextTable::Lines(size_t width) const {
  const size_t columns = rows_.front().size();
  std::vector<size_t> widths(columns, 0);
  std::vector<bool> numeric(columns, true);
  for (size_t r = 0; r < rows_.size(); ++r) {
    for (size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], DisplayWidth(rows_[r][c]));
      if (r > 0 && !LooksNumeric(rows_[r][c])) numeric[c] = false;
    }
  }
  size_t total = 0;
  for (const size_t w : widths) total += w;
  const std::string gap(total + 2 * (columns - 1) <= width ? 2 : 1, ' ');
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t c = 0; c < columns; ++c) {
      absl::StrAppend(&line, c == 0 ? "" : gap, Padded(row[c], widths[c], numeric[c]));
    }
    lines.emplace_back(absl::StripTrailingAsciiWhitespace(line));
  }
  return lines;
}

}  // namespace tidemark
