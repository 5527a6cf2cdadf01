#include "agent/endpoint/json_text.h"

#include <cstdint>

namespace tidemark {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

bool IsContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// Smallest and largest second byte allowed after `lead` (Unicode table 3-7: no overlong forms, no
// surrogates, nothing above U+10FFFF).
bool SecondByteFits(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xE0:
      return second >= 0xA0 && second <= 0xBF;
    case 0xED:
      return second >= 0x80 && second <= 0x9F;
    case 0xF0:
      return second >= 0x90 && second <= 0xBF;
    case 0xF4:
      return second >= 0x80 && second <= 0x8F;
    default:
      return IsContinuation(second);
  }
}

size_t LengthByLead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// Bytes of the character at the front of `text`; 0 when there is no whole valid one.
size_t CharacterLength(absl::string_view text) {
  const size_t length = LengthByLead(static_cast<unsigned char>(text[0]));
  if (length <= 1) return length;
  if (text.size() < length) return 0;
  if (!SecondByteFits(static_cast<unsigned char>(text[0]), static_cast<unsigned char>(text[1]))) {
    return 0;
  }
  for (size_t i = 2; i < length; ++i) {
    if (!IsContinuation(static_cast<unsigned char>(text[i]))) return 0;
  }
  return length;
}

void AppendEscapedControl(unsigned char byte, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  out->append("\\u00");
  out->push_back(kHex[byte >> 4]);
  out->push_back(kHex[byte & 15]);
}

void AppendEscapedByte(char c, std::string* out) {
  switch (c) {
    case '"':
      out->append("\\\"");
      return;
    case '\\':
      out->append("\\\\");
      return;
    case '\n':
      out->append("\\n");
      return;
    case '\r':
      out->append("\\r");
      return;
    case '\t':
      out->append("\\t");
      return;
    default:
      AppendEscapedControl(static_cast<unsigned char>(c), out);
  }
}

bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

}  // namespace

void AppendJsonEscaped(absl::string_view text, std::string* out) {
  while (!text.empty()) {
    size_t plain = 0;
    while (plain < text.size() && IsPlain(text[plain])) ++plain;
    out->append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    const size_t length = CharacterLength(text);
    if (length == 1) {
      AppendEscapedByte(text[0], out);
    } else if (length == 0) {
      out->append(kReplacement.data(), kReplacement.size());
    } else {
      out->append(text.data(), length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

void AppendValidUtf8(absl::string_view text, size_t limit, std::string* out) {
  const size_t start = out->size();
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    const absl::string_view piece = length == 0 ? kReplacement : text.substr(0, length);
    if (out->size() - start + piece.size() > limit) return;
    out->append(piece.data(), piece.size());
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

}  // namespace tidemark
