#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

Terminal TerminalOf(int fd) {
  Terminal terminal;
  if (isatty(fd) == 0) return terminal;
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || absl::string_view(term) == "dumb";
  const char* no_color = std::getenv("NO_COLOR");
  terminal.interactive = !dumb;
  terminal.color = !dumb && (no_color == nullptr || *no_color == '\0');
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) terminal.width = size.ws_col;
  return terminal;
}

int TextWidth(absl::string_view text) {
  int width = 0;
  for (const char c : text) width += StartsCharacter(c) ? 1 : 0;
  return width;
}

std::string CutToWidth(absl::string_view text, int width) {
  if (TextWidth(text) <= width) return std::string(text);
  std::string cut;
  int used = 0;
  for (const char c : text) {
    if (StartsCharacter(c) && ++used >= width) break;
    cut += c;
  }
  return width > 0 ? cut + "…" : "";
}

std::string Painted(absl::string_view text, Paint paint, bool color) {
  if (!color || paint == Paint::kNone) return std::string(text);
  const absl::string_view code = paint == Paint::kGreen    ? "32"
                                 : paint == Paint::kRed    ? "31"
                                 : paint == Paint::kYellow ? "33"
                                                           : "1";
  return absl::StrCat("\x1b[", code, "m", text, "\x1b[0m");
}

}  // namespace tidemark
