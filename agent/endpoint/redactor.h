#ifndef TIDEMARK_AGENT_ENDPOINT_REDACTOR_H_
#define TIDEMARK_AGENT_ENDPOINT_REDACTOR_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/job/level_task.h"

namespace tidemark {

// Takes the secrets that an endpoint was sent out of what it answers: endpoints like to repeat the key
// that they refuse. Immutable: thread-safe.
class Redactor {
 public:
  // What stands in a secret's place.
  static constexpr char kRedacted[] = "<redacted>";
  // Shorter values are in any text, and no secrets.
  static constexpr size_t kShortest = 4;

  // Knows no secret.
  Redactor() = default;
  // Knows `key` (may be empty) and the values of the endpoint's secret headers (IsSecretHeader); of
  // "Bearer abc" also abc alone.
  Redactor(const EndpointSpec& endpoint, absl::string_view key);

  // The beginning of `text`, at most `limit` bytes, with each secret replaced: one that begins before
  // the limit too, and one that the end of the text cut off.
  std::string Apply(absl::string_view text, size_t limit = SIZE_MAX) const;

 private:
  void Add(absl::string_view secret);
  // How many bytes at the beginning of `text` are a secret, or the beginning of one where the text ends;
  // 0: none.
  size_t SecretAt(absl::string_view text) const;

  std::vector<std::string> secrets_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENDPOINT_REDACTOR_H_
