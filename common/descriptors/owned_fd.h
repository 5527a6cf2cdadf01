#ifndef TIDEMARK_COMMON_DESCRIPTORS_OWNED_FD_H_
#define TIDEMARK_COMMON_DESCRIPTORS_OWNED_FD_H_

#include <utility>

namespace tidemark {

// A descriptor that is closed with it. Thread-compatible.
class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OwnedFd();

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_DESCRIPTORS_OWNED_FD_H_
