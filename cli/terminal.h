// What can be shown where: width, colours, redrawing.
#ifndef TIDEMARK_CLI_TERMINAL_H_
#define TIDEMARK_CLI_TERMINAL_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tidemark {

struct Terminal {
  bool interactive = false;  // a line may be redrawn
  bool color = false;
  int width = 80;            // columns
};

// Of the file descriptor. No colour under NO_COLOR or TERM=dumb, or where it is no terminal.
Terminal TerminalOf(int fd);

// The columns of UTF-8 text without control sequences (one a character).
int TextWidth(absl::string_view text);

// `text` cut to `width` columns, with an ellipsis when cut.
std::string CutToWidth(absl::string_view text, int width);

enum class Paint { kNone, kGreen, kRed, kYellow, kBold };
std::string Painted(absl::string_view text, Paint paint, bool color);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_TERMINAL_H_
