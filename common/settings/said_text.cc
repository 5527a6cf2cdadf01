#include "common/settings/said_text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tidemark {

int EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<std::vector<int>> cost(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = static_cast<int>(i);
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string NearestName(absl::string_view name, absl::Span<const std::string> candidates) {
  constexpr size_t kLongestName = 64;  // a longer one is no misspelling, and would be slow
  if (name.empty() || name.size() > kLongestName) return "";
  int best = std::max<int>(1, static_cast<int>(name.size() / 3)) + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const int distance = EditDistance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string DidYouMean(absl::string_view name, absl::Span<const std::string> candidates) {
  const std::string nearest = NearestName(name, candidates);
  return nearest.empty() ? "" : absl::StrCat(": did you mean \"", nearest, "\"?");
}

std::string Printable(absl::string_view text) {
  constexpr size_t kMost = 80;
  std::string shown = WithoutControls(text.substr(0, kMost), '?');
  if (text.size() > kMost) shown += "…";
  return shown;
}

std::string WithoutControls(absl::string_view text, char in_place) {
  std::string out(text);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool second_set = byte >= 0x80 && byte < 0xa0 && i > 0 && text[i - 1] == '\xc2';
    if (second_set) out[i - 1] = in_place;
    if (second_set || absl::ascii_iscntrl(byte)) out[i] = in_place;
  }
  return out;
}

}  // namespace tidemark
