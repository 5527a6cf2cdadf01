#ifndef TIDEMARK_COORDINATOR_REPORT_HTML_WRITER_H_
#define TIDEMARK_COORDINATOR_REPORT_HTML_WRITER_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tidemark {

// Text made safe inside an element or a quoted attribute: & < > " ' become entities; control
// characters other than tab and newline are shown as their Unicode pictures.
std::string EscapeHtml(absl::string_view text);

// Puts HTML together so that what is markup and what is text cannot be mixed up: markup comes from
// string literals only, all else is escaped. Thread-compatible.
class HtmlWriter {
 public:
  template <size_t kSize>
  HtmlWriter& Markup(const char (&literal)[kSize]) {
    out_.append(literal, kSize - 1);
    return *this;
  }
  HtmlWriter& Text(absl::string_view text) {
    out_ += EscapeHtml(text);
    return *this;
  }
  // <tag class="css">text</tag>; no class when `css` is empty.
  HtmlWriter& Element(absl::string_view tag, absl::string_view text, absl::string_view css = "") {
    absl::StrAppend(&out_, "<", tag);
    if (!css.empty()) absl::StrAppend(&out_, " class=\"", EscapeHtml(css), "\"");
    absl::StrAppend(&out_, ">", EscapeHtml(text), "</", tag, ">");
    return *this;
  }
  // Bytes that are safe where they go: the embedded scripts and style, and JSON made script-safe.
  HtmlWriter& Trusted(absl::string_view bytes) {
    absl::StrAppend(&out_, bytes);
    return *this;
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

// JSON text that may stand inside <script>: what could end the script, or start a comment, is
// written as \u escapes, which JSON reads as the same text.
std::string ScriptSafeJson(absl::string_view json);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_HTML_WRITER_H_
