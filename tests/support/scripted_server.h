#ifndef TIDEMARK_TESTS_SUPPORT_SCRIPTED_SERVER_H_
#define TIDEMARK_TESTS_SUPPORT_SCRIPTED_SERVER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/mutex.h"

namespace tidemark {

// What a scripted server does with one request, in order.
struct ServerStep {
  enum class Kind { kSend, kPause, kClose, kReset };
  Kind kind = Kind::kSend;
  std::string bytes;
  int millis = 0;
};

// A small HTTP server on 127.0.0.1 with a thread for each connection, for tests of what real
// sockets do. It reads one request after the other (head, and as much body as Content-Length says)
// and plays what `reply` gives for it. All its waits are bounded; the destructor ends all.
class ScriptedServer {
 public:
  // `request` counts all requests from 0, `connection` all connections; `head` is the request's
  // head.
  using Reply =
      std::function<std::vector<ServerStep>(int connection, int request, const std::string& head)>;

  explicit ScriptedServer(Reply reply);
  ~ScriptedServer();

  int port() const { return port_; }
  std::string address() const;
  std::string url() const;  // with the path /v1/chat/completions
  int connections() const { return connections_; }
  int requests() const { return requests_; }

  // The clock before and after each kSend so far, in order: what it sent arrived in between.
  struct SendTime {
    int64_t before = 0, after = 0;
  };
  std::vector<SendTime> send_times() const;

  static ServerStep Send(std::string bytes);
  static ServerStep Pause(int millis);
  static ServerStep Close();
  static ServerStep Reset();
  // A head of an answer in chunks, and one chunk; "" is the last.
  static std::string ChunkedHead(const std::string& content_type = "text/event-stream");
  static std::string Chunk(const std::string& bytes);

 private:
  void Accept();
  void Serve(int fd, int connection);
  bool ReadRequest(int fd, std::string* buffer, std::string* head);
  bool Play(int fd, const std::vector<ServerStep>& steps);
  bool SendBytes(int fd, const std::string& bytes);

  const Reply reply_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0}, requests_{0};
  Mutex mutex_;
  std::vector<std::thread> servers_ TIDEMARK_GUARDED_BY(mutex_);
  mutable Mutex times_;
  std::vector<SendTime> send_times_ TIDEMARK_GUARDED_BY(times_);
  std::thread acceptor_;
};

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_SUPPORT_SCRIPTED_SERVER_H_
