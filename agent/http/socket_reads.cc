#include "agent/http/socket_reads.h"

#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <utility>

namespace tidemark {
namespace {

int64_t StampOf(msghdr* message) {
  for (cmsghdr* part = CMSG_FIRSTHDR(message); part != nullptr; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec stamp;
    memcpy(&stamp, CMSG_DATA(part), sizeof(stamp));
    return stamp.tv_sec * kNanosPerSecond + stamp.tv_nsec;
  }
  return 0;
}

}  // namespace

ssize_t ReceiveStamped(int fd, void* buffer, size_t room, int flags, int64_t* stamp) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(timespec))];
  iovec bytes{buffer, room};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t got = recvmsg(fd, &message, flags);
  *stamp = got > 0 ? StampOf(&message) : 0;
  return got;
}

SocketReads::SocketReads(EventLoop* loop, const Clock* clock, bool stamps)
    : loop_(loop), stamps_(stamps), clock_(clock) {}

void SocketReads::Opened(int fd) {
  LastArrival(fd) = loop_->Now();
  if (!stamps_) return;
  const int on = 1;
  // A kernel that cannot says nothing with the reads either.
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
}

int64_t& SocketReads::LastArrival(int fd) {
  if (static_cast<size_t>(fd) >= last_arrivals_.size()) last_arrivals_.resize(fd + 1, INT64_MIN);
  return last_arrivals_[fd];
}

void SocketReads::OnRead(int fd, size_t got, size_t room, int64_t stamp) {
  emptied_ = fd == fd_ && got > 0 && got < room;  // an end stays readable
  if (got == 0) return;
  if (any_read_ && fd == read_fd_ && stamp == stamp_) return;
  Settle(INT64_MIN);
  StartRead(fd, stamp);
}

void SocketReads::StartRead(int fd, int64_t stamp) {
  any_read_ = true;
  read_fd_ = fd;
  stamp_ = stamp;
  settled_ = false;
  ++number_;
  ++facts_.reads;
}

int64_t SocketReads::Arrival(int64_t sent) {
  if (!any_read_) StartRead(-1, 0);  // unseen by us
  Settle(sent);
  return std::max(arrival_, sent);
}

void SocketReads::Settle(int64_t earliest) {
  if (settled_) return;
  settled_ = true;
  arrival_ = loop_->Now();
  if (read_fd_ < 0) return;
  int64_t& last = LastArrival(read_fd_);
  if (stamp_ != 0) {
    if (const auto at = clock_.Arrival(stamp_, std::max(earliest, last), arrival_)) {
      // It may have come since the loop looked at the clock.
      const int64_t now = *at > arrival_ ? loop_->FreshNow() : arrival_;
      arrival_ = std::min(*at, now);
      facts_.delay_us.Record(static_cast<uint64_t>((now - arrival_) / kNanosPerMicro));
    }
  }
  last = arrival_ = std::max(arrival_, last);
}

Transport::ReadFacts SocketReads::TakeFacts() { return std::exchange(facts_, {}); }

void SocketReads::Begin(int fd) {
  fd_ = fd;
  any_read_ = false;
}

void SocketReads::End() {
  Settle(INT64_MIN);
  fd_ = -1;
  emptied_ = false;
}

}  // namespace tidemark
