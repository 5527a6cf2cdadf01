#ifndef TIDEMARK_TESTS_SUPPORT_LOOPBACK_SERVER_H_
#define TIDEMARK_TESTS_SUPPORT_LOOPBACK_SERVER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "common/mutex.h"

namespace tidemark::testing {

// An HTTP server for tests: one request a connection, one after the other, each answered with the
// bytes that the test's function gives. Shares nothing with the clients or the simulator.
class LoopbackServer {
 public:
  struct Request {
    std::string method, path;
    std::string head;  // request line and headers
    std::string body;
  };
  struct Reply {
    std::string bytes;   // head and body as they go out
    bool reset = false;  // then a RST instead of a FIN
    int hold_ms = 0;     // before the bytes go out; ended early by the server's own end
  };
  using Handler = std::function<Reply(const Request&)>;  // on the server's thread

  // Listens on a port of 127.0.0.1 and serves until it is destroyed. `port` 0 picks a free one.
  explicit LoopbackServer(Handler handler, uint16_t port = 0);
  ~LoopbackServer();

  uint16_t port() const { return port_; }
  std::string Url(const std::string& path = "") const;
  std::vector<Request> Requests() const;

 private:
  void Serve();
  void Answer(int fd);

  const Handler handler_;
  uint16_t port_ = 0;
  int fd_;  // after port_, which listening sets
  std::atomic<bool> ended_{false};
  mutable Mutex mutex_;
  std::vector<Request> requests_ TIDEMARK_GUARDED_BY(mutex_);
  std::thread thread_;
};

// A whole response with its length. `headers`: lines with their CRLF.
std::string HttpReply(int status, const std::string& body,
                      const std::string& headers = "Content-Type: application/json\r\n");

// A port of 127.0.0.1 on which nothing listens.
uint16_t ClosedPort();

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_SUPPORT_LOOPBACK_SERVER_H_
