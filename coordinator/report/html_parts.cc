#include "coordinator/report/html_parts.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "coordinator/report/format.h"

namespace tidemark {
namespace {

constexpr absl::string_view kDash = "–";

// The class that colours a verdict or a validity: "badge pass".
std::string BadgeClass(absl::string_view name) {
  return absl::StrCat("badge ", absl::AsciiStrToLower(name));
}

}  // namespace

std::string Figure(bool known, double value) {
  return known ? FormatReadable(value) : std::string(kDash);
}

std::string Ms(const std::optional<double>& value) {
  return value.has_value() ? FormatReadable(*value) : std::string(kDash);
}

void Badge(absl::string_view name, HtmlWriter& html) {
  if (!name.empty()) html.Element("span", name, BadgeClass(name));
}

void HeaderRow(const std::vector<std::string>& cells, HtmlWriter& html) {
  html.Markup("<thead><tr>");
  for (const std::string& cell : cells)
    html.Markup("<th scope=\"col\">").Text(cell).Markup("</th>");
  html.Markup("</tr></thead>\n<tbody>\n");
}

void Row(const std::vector<std::string>& cells, HtmlWriter& html) {
  html.Markup("<tr><th scope=\"row\">").Text(cells.front()).Markup("</th>");
  for (size_t i = 1; i < cells.size(); ++i) html.Element("td", cells[i]);
  html.Markup("</tr>\n");
}

}  // namespace tidemark
