// A host as another: its calendar and its names, for one process of a test. Preloaded (LD_PRELOAD), so that the
// programs under test hold no door for it.
//
//   OTHER_HOST_SECONDS=3600                 the wall clock is an hour fast; CLOCK_MONOTONIC stays
//   OTHER_HOST_NAMES=endpoint.test=127.0.0.2[,NAME=ADDRESS]   what names resolve to here
#include <dlfcn.h>
#include <netdb.h>
#include <sys/time.h>

#include <cstdlib>
#include <ctime>
#include <string>

namespace {

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

time_t Ahead() {
  static const time_t seconds = [] {
    const char* text = getenv("OTHER_HOST_SECONDS");
    return text == nullptr ? 0 : static_cast<time_t>(atol(text));
  }();
  return seconds;
}

bool IsCalendar(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

// The address of `name`; empty: the system's own.
std::string AddressOf(const std::string& name) {
  const char* names = getenv("OTHER_HOST_NAMES");
  const std::string all = "," + std::string(names == nullptr ? "" : names) + ",";
  const size_t at = all.find("," + name + "=");
  if (at == std::string::npos) return "";
  const size_t begin = at + name.size() + 2;
  return all.substr(begin, all.find(',', begin) - begin);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, timespec* at) noexcept {
  static auto* const next = Next<int(clockid_t, timespec*)>("clock_gettime");
  const int result = next(clock, at);
  if (result == 0 && IsCalendar(clock)) at->tv_sec += Ahead();
  return result;
}

__attribute__((visibility("default"))) int gettimeofday(timeval* at, void* zone) noexcept {
  static auto* const next = Next<int(timeval*, void*)>("gettimeofday");
  const int result = next(at, zone);
  if (result == 0) at->tv_sec += Ahead();
  return result;
}

__attribute__((visibility("default"))) time_t time(time_t* at) noexcept {
  static auto* const next = Next<time_t(time_t*)>("time");
  const time_t now = next(nullptr) + Ahead();
  if (at != nullptr) *at = now;
  return now;
}

__attribute__((visibility("default"))) int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                                                       addrinfo** found) {
  static auto* const next = Next<int(const char*, const char*, const addrinfo*, addrinfo**)>("getaddrinfo");
  const std::string address = name == nullptr ? "" : AddressOf(name);
  return next(address.empty() ? name : address.c_str(), service, hints, found);
}

}  // extern "C"
