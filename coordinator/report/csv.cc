#include "coordinator/report/csv.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace tidemark {
namespace {

bool LooksLikeFormula(absl::string_view cell) {
  if (cell.empty() || absl::string_view("=+-@\t\r").find(cell.front()) == absl::string_view::npos)
    return false;
  double number = 0;
  return !absl::SimpleAtod(cell, &number);
}

std::string Cell(const std::string& text) {
  std::string safe = LooksLikeFormula(text) ? "'" + text : text;
  if (safe.find_first_of(",\"\r\n") == std::string::npos) return safe;
  return absl::StrCat("\"", absl::StrReplaceAll(safe, {{"\"", "\"\""}}), "\"");
}

}  // namespace

std::string CsvLine(const std::vector<std::string>& cells) {
  return absl::StrCat(
      absl::StrJoin(cells, ",",
                    [](std::string* out, const std::string& cell) { out->append(Cell(cell)); }),
      "\n");
}

}  // namespace tidemark
