#ifndef TIDEMARK_COMMON_WALL_TIME_WALL_TIME_H_
#define TIDEMARK_COMMON_WALL_TIME_WALL_TIME_H_

#include <cstdint>
#include <string>

namespace tidemark {

// "2026-11-30T17:52:43.120Z": UTC, milliseconds. `wall_ns` since the Unix epoch. Pure.
std::string Rfc3339(int64_t wall_ns);

// "20261130T175243Z": sortable and safe in file names. Pure.
std::string CompactUtc(int64_t wall_ns);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_WALL_TIME_WALL_TIME_H_
