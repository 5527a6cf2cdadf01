#ifndef TIDEMARK_COMMON_SETTINGS_SAID_TEXT_H_
#define TIDEMARK_COMMON_SETTINGS_SAID_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

// What an error message says of a name or text that was given. Pure.
namespace tidemark {

// Edits (insert, delete, replace, swap of neighbours) from one text to the other.
int EditDistance(absl::string_view a, absl::string_view b);

// The candidate closest to `name`, when it is close enough to be meant (at most a third of its
// length off, at least 1); empty otherwise.
std::string NearestName(absl::string_view name, absl::Span<const std::string> candidates);

// ": did you mean \"x\"?", or empty when nothing is close.
std::string DidYouMean(absl::string_view name, absl::Span<const std::string> candidates);

// `text` for an error message: at most 80 bytes, no control characters.
std::string Printable(absl::string_view text);

// `text` with `in_place` for each byte of a control character: those of ASCII, and those of the second set (U+0080 to
// U+009F), which some terminals obey as well.
std::string WithoutControls(absl::string_view text, char in_place = ' ');

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_SETTINGS_SAID_TEXT_H_
