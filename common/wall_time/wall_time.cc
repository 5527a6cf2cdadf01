#include "common/wall_time/wall_time.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace tidemark {

std::string Rfc3339(int64_t wall_ns) {
  const absl::Time time = absl::FromUnixNanos(wall_ns);
  return absl::StrCat(absl::FormatTime("%Y-%m-%dT%H:%M:%E3S", time, absl::UTCTimeZone()), "Z");
}

std::string CompactUtc(int64_t wall_ns) {
  return absl::StrCat(absl::FormatTime("%Y%m%dT%H%M%S", absl::FromUnixNanos(wall_ns), absl::UTCTimeZone()), "Z");
}

}  // namespace tidemark
