#ifndef TIDEMARK_COMMON_RNG_RANDOM_ID_H_
#define TIDEMARK_COMMON_RNG_RANDOM_ID_H_

#include <string>

namespace tidemark {

// 128 bits of the system's entropy as 32 hexadecimal digits: a name that nobody else has. Not a secret, and
// nothing that a seed could make again. Thread-safe.
std::string RandomId();

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_RNG_RANDOM_ID_H_
