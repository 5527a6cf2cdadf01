#ifndef TIDEMARK_COMMON_SESSION_PROTOCOL_VERSION_H_
#define TIDEMARK_COMMON_SESSION_PROTOCOL_VERSION_H_

#include <cstdint>

namespace tidemark {

// Of agent_session.proto, as said in Hello. A change that an old agent would misread raises the
// major version.
inline constexpr uint32_t kProtocolMajor = 1;
inline constexpr uint32_t kProtocolMinor = 0;

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_SESSION_PROTOCOL_VERSION_H_
