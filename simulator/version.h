// The simulator's Server header.
#ifndef TIDEMARK_SIMULATOR_VERSION_H_
#define TIDEMARK_SIMULATOR_VERSION_H_

namespace tidemark {

// TIDEMARK_VERSION is the CMake project's, given to this folder's sources.
inline constexpr char kSimulatorServer[] = "tidemark-sim/" TIDEMARK_VERSION;

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_VERSION_H_
