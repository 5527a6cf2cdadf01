// The loop of the null endpoint.
#ifndef TIDEMARK_SIMULATOR_NULL_LOOP_H_
#define TIDEMARK_SIMULATOR_NULL_LOOP_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "simulator/null_clock.h"
#include "simulator/null_reply.h"
#include "simulator/null_request.h"
#include "simulator/null_schedule.h"
#include "simulator/send_log.h"

namespace tidemark {

// For the thread that calls Run, but for Stop.
class NullLoop {
 public:
  // Takes over `listener`. The replies must outlive it. `log` may be null.
  NullLoop(int listener, const NullReply* chat, const NullReply* text, NullSchedule schedule,
           std::unique_ptr<SendLog> log);
  ~NullLoop();
  NullLoop(const NullLoop&) = delete;
  NullLoop& operator=(const NullLoop&) = delete;

  // Until Stop.
  void Run();
  // Thread-safe.
  void Stop();

 private:
  // One client. An object is used again once its client has gone: its generation tells old turns of the schedule.
  struct Connection {
    int fd = -1;  // -1: not in use
    uint32_t index = 0, generation = 0;
    uint32_t number = 0, request = 0;             // as in the send log
    uint32_t events = 0, planned = 0, sent = 0;   // of the answer under way: asked, due so far, written
    int64_t start = 0;                            // when its request was read
    const NullReply* reply = nullptr;
    uint64_t prompt_tokens = 0;
    bool answering = false, close = false, continued = false;
    std::string in;   // read, and not yet a whole request
    std::string out;  // to be written when there is room
  };

  void Watch(int fd, uint32_t events, uint64_t data);
  void Accept();
  void Adopt(int fd);
  void Drop(Connection* connection);
  void OnReady(Connection* connection, uint32_t events);
  void Read(Connection* connection);
  void TakeRequests(Connection* connection, absl::string_view bytes);
  bool TakeRequest(Connection* connection, absl::string_view* bytes);
  void Answer(Connection* connection, const NullRequest& request);
  void StartAnswer(Connection* connection, const NullRequest& request);
  void Reply(Connection* connection, int status, absl::string_view body);
  void SendDue();
  void SendDueBy(int64_t now, int* budget);
  void SendOwed(Connection* connection);
  void SendToken(Connection* connection);
  void FinishAnswer(Connection* connection);
  bool Write(Connection* connection, absl::string_view bytes);
  void Flush(Connection* connection);
  void LogToken(const Connection& connection);
  int SetTimer();

  const int epoll_, wake_, listener_;
  const NullReply* const chat_;
  const NullReply* const plain_;
  NullSchedule schedule_;
  const std::unique_ptr<SendLog> log_;
  NullTimer timer_;
  std::atomic<bool> stop_{false};
  bool accepting_ = true;
  uint32_t accepted_ = 0;
  std::vector<std::unique_ptr<Connection>> connections_;  // by index
  std::vector<uint32_t> free_;
  std::vector<char> buffer_;
  std::string text_;
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_NULL_LOOP_H_
