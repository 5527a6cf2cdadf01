#ifndef TIDEMARK_AGENT_HTTP_SOCKET_READS_H_
#define TIDEMARK_AGENT_HTTP_SOCKET_READS_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "agent/http/arrival_clock.h"
#include "agent/http/event_loop.h"
#include "agent/http/transport.h"
#include "common/clock/clock.h"

namespace tidemark {

// What libcurl reads from the sockets of one loop, and when the kernel had received it. libcurl tells of
// neither, so this is the seam to it, built in one of two ways (CMake's TIDEMARK_ARRIVAL_STAMPS):
//   interpose  the program has a `recv` and a `poll` of its own before libc's (socket_reads_interpose.cc), which
//              do more than libc's only within a Look of the calling thread;
//   peek       a look at one byte of a ready socket before libcurl reads it (socket_reads_peek.cc): a system call
//              more, and one stamp for all that libcurl then reads.
// Where a stamp is missing (`stamps` off, a kernel without them) the loop's own time stands for it.
//
// Bytes with one stamp, in one look, are one read. Belongs to one thread.
class SocketReads {
 public:
  // `loop` and `clock`, which is the loop's, must outlive this.
  SocketReads(EventLoop* loop, const Clock* clock, bool stamps);

  // `fd` is a new socket: asks the kernel for its stamps.
  void Opened(int fd);

  // While one lives, the calling thread's reads are this object's. One at a time.
  class Look {
   public:
    // `fd`: the socket that libcurl is told of, whose bytes it may read when `readable`; -1: none in particular.
    Look(SocketReads* reads, int fd, bool readable);
    ~Look();
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;

   private:
    SocketReads* const reads_;
  };

  // Within a look, or after it until the next: when the bytes of its last read came, for a request that was sent at
  // `sent`. Never later than the loop's time, earlier than `sent` or than what came before on that socket.
  int64_t Arrival(int64_t sent);
  // The number of the read that brought them.
  uint64_t number() const { return number_; }
  // The look, or the last one, has brought bytes.
  bool any() const { return any_read_; }

  Transport::ReadFacts TakeFacts();

  // For the two ways of building it.

  void Begin(int fd);

  // A read of `fd` brought `got` bytes where `room` was asked for. `stamp`: ns since the epoch, 0 when there is none.
  void OnRead(int fd, size_t got, size_t room, int64_t stamp);
  // What was there of `fd` has been read, as far as can be known without asking the kernel.
  bool Emptied(int fd) const { return fd == fd_ && emptied_; }
  bool stamps() const { return stamps_; }

 private:
  void End();
  void StartRead(int fd, int64_t stamp);
  void Settle(int64_t earliest);
  int64_t& LastArrival(int fd);

  EventLoop* const loop_;
  const bool stamps_;
  ArrivalClock clock_;
  std::vector<int64_t> last_arrivals_;  // by descriptor
  int fd_ = -1;                         // of the look
  bool emptied_ = false;
  bool any_read_ = false;  // in this look
  int read_fd_ = -1;       // of the read in hand
  int64_t stamp_ = 0;      // the kernel's, of the read in hand
  bool settled_ = true;    // arrival_ is that of the read in hand
  int64_t arrival_ = 0;
  uint64_t number_ = 0;
  Transport::ReadFacts facts_;
};

// recv that tells the kernel's stamp of what it brought, ns since the epoch; 0 when there is none.
ssize_t ReceiveStamped(int fd, void* buffer, size_t room, int flags, int64_t* stamp);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_HTTP_SOCKET_READS_H_
