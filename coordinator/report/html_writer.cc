#include "coordinator/report/html_writer.h"

#include "absl/strings/str_replace.h"

namespace tidemark {
namespace {

// U+2400 and on picture the controls U+0000 to U+001F; U+2421 pictures DEL.
void AppendPicture(std::string* out, unsigned char control) {
  out->append("\xe2\x90");
  *out += static_cast<char>(control == 0x7f ? 0xa1 : 0x80 + control);
}

}  // namespace

std::string EscapeHtml(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f) {
          AppendPicture(&out, byte);
        } else {
          out += c;
        }
    }
  }
  return out;
}

std::string ScriptSafeJson(absl::string_view json) {
  return absl::StrReplaceAll(json, {{"<", "\\u003c"},
                                    {">", "\\u003e"},
                                    {"&", "\\u0026"},
                                    {"\xe2\x80\xa8", "\\u2028"},
                                    {"\xe2\x80\xa9", "\\u2029"}});
}

}  // namespace tidemark
