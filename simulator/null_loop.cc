#include "simulator/null_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "absl/status/statusor.h"

namespace tidemark {
namespace {

// What the loop watches besides connections, whose tags follow.
enum Tag : uint64_t { kListener, kWake, kTimer, kFirstConnection };

// Bounds of a turn: neither a crowd of requests nor of due events may hold up the other for long.
constexpr int kMostReady = 16;
constexpr int kMostAccepts = 16;
constexpr int kMostSends = 256;
constexpr size_t kReadBytes = 128 * 1024;

}  // namespace

NullLoop::NullLoop(int listener, const NullReply* chat, const NullReply* text, NullSchedule schedule,
                   std::unique_ptr<SendLog> log)
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC)),
      listener_(listener),
      chat_(chat),
      plain_(text),
      schedule_(std::move(schedule)),
      log_(std::move(log)),
      buffer_(kReadBytes) {
  Watch(listener_, EPOLLIN, kListener);
  Watch(wake_, EPOLLIN, kWake);
  Watch(timer_.fd(), EPOLLIN | EPOLLET, kTimer);
}

NullLoop::~NullLoop() {
  for (const auto& connection : connections_) {
    if (connection->fd >= 0) ::close(connection->fd);
  }
  ::close(listener_);
  ::close(wake_);
  ::close(epoll_);
}

void NullLoop::Watch(int fd, uint32_t events, uint64_t tag) {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = tag;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
}

void NullLoop::Stop() {
  stop_ = true;
  const uint64_t one = 1;
  while (::write(wake_, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
}

void NullLoop::Run() {
  epoll_event ready[kMostReady];
  while (!stop_) {
    const int count = ::epoll_wait(epoll_, ready, kMostReady, SetTimer());
    for (int i = 0; i < count; ++i) {
      const uint64_t tag = ready[i].data.u64;
      if (tag == kListener) Accept();
      if (tag >= kFirstConnection) OnReady(connections_[tag - kFirstConnection].get(), ready[i].events);
    }
    SendDue();
  }
}

// Milliseconds that the loop may wait, beside the timer: none when it is behind, else for ever.
int NullLoop::SetTimer() {
  const std::optional<int64_t> due = schedule_.NextDue();
  if (!due.has_value()) return -1;
  if (*due <= NullNow()) return 0;
  timer_.Set(*due);
  return -1;
}

void NullLoop::Accept() {
  for (int i = 0; i < kMostAccepts; ++i) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      Adopt(fd);
      continue;
    }
    if (errno == EMFILE || errno == ENFILE) {  // until one of ours closes: else the loop would spin
      ::epoll_ctl(epoll_, EPOLL_CTL_DEL, listener_, nullptr);
      accepting_ = false;
    }
    if (errno != ECONNABORTED && errno != EINTR) return;
  }
}

void NullLoop::Adopt(int fd) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(connections_.size()));
    connections_.push_back(std::make_unique<Connection>());
    connections_.back()->index = free_.back();
  }
  Connection* connection = connections_[free_.back()].get();
  free_.pop_back();
  connection->fd = fd;
  connection->number = accepted_++;
  connection->request = 0;
  Watch(fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, kFirstConnection + connection->index);
}

void NullLoop::Drop(Connection* connection) {
  ::close(connection->fd);
  const uint32_t index = connection->index, generation = connection->generation;
  *connection = Connection();
  connection->index = index;
  connection->generation = generation + 1;
  free_.push_back(index);
  if (accepting_) return;
  accepting_ = true;
  Watch(listener_, EPOLLIN, kListener);
}

void NullLoop::OnReady(Connection* connection, uint32_t events) {
  if (connection->fd < 0) return;
  if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) return Drop(connection);
  if ((events & EPOLLOUT) != 0 && !connection->out.empty()) Flush(connection);
  if ((events & EPOLLIN) != 0 && connection->fd >= 0) Read(connection);
}

void NullLoop::Read(Connection* connection) {
  while (connection->fd >= 0) {
    const ssize_t count = ::recv(connection->fd, buffer_.data(), buffer_.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return Drop(connection);
    TakeRequests(connection, absl::string_view(buffer_.data(), static_cast<size_t>(count)));
    if (static_cast<size_t>(count) < buffer_.size()) return;
  }
}

// One request at a time: what comes while one is answered is kept.
void NullLoop::TakeRequests(Connection* connection, absl::string_view bytes) {
  const bool copied = !connection->in.empty();
  if (copied) connection->in.append(bytes.data(), bytes.size());
  absl::string_view left = copied ? absl::string_view(connection->in) : bytes;
  while (!connection->answering && !connection->close && TakeRequest(connection, &left)) {
  }
  if (connection->fd < 0) return;
  if (copied) {
    connection->in.erase(0, connection->in.size() - left.size());
  } else {
    connection->in.assign(left.data(), left.size());
  }
}

// False when `bytes` hold no further request, or the client has been dropped.
bool NullLoop::TakeRequest(Connection* connection, absl::string_view* bytes) {
  if (bytes->empty()) return false;
  const absl::StatusOr<NullRequest> request = LookAtNullRequest(*bytes);
  if (!request.ok()) {
    connection->close = true;
    Reply(connection, 400, NullReply::ErrorJson(400, std::string(request.status().message())));
    return false;
  }
  if (request->kind == NullRequest::Kind::kIncomplete) {
    if (!request->expects_continue || connection->continued) return false;
    connection->continued = true;
    Write(connection, "HTTP/1.1 100 Continue\r\n\r\n");
    return false;
  }
  bytes->remove_prefix(request->bytes);
  connection->continued = false;
  Answer(connection, *request);
  return connection->fd >= 0;
}

void NullLoop::Answer(Connection* connection, const NullRequest& request) {
  connection->close = request.close;
  switch (request.kind) {
    case NullRequest::Kind::kChat:
    case NullRequest::Kind::kText:
      return StartAnswer(connection, request);
    case NullRequest::Kind::kModels:
      return Reply(connection, 200, chat_->ModelsJson());
    case NullRequest::Kind::kHealth:
      return Reply(connection, 200, "");
    default:
      return Reply(connection, 404, NullReply::ErrorJson(404, "this endpoint has POST, GET /v1/models and /health"));
  }
}

void NullLoop::StartAnswer(Connection* connection, const NullRequest& request) {
  connection->start = NullNow();
  connection->answering = true;
  connection->reply = request.kind == NullRequest::Kind::kText ? plain_ : chat_;
  connection->events = request.events;
  connection->planned = connection->sent = 0;
  const auto blanks = std::count(request.body.begin(), request.body.end(), ' ');
  connection->prompt_tokens = static_cast<uint64_t>(blanks) + 1;
  if (log_ != nullptr) {
    log_->Add({connection->start, connection->number, connection->request, kSentRequestRead, BodyKey(request.body)});
  }
  text_.clear();
  connection->reply->AppendHead(connection->number, connection->request, connection->close, &text_);
  schedule_.Start(connection->index, connection->generation, request.events, connection->start);
  Write(connection, text_);
}

void NullLoop::Reply(Connection* connection, int status, absl::string_view body) {
  text_.clear();
  NullReply::AppendPlain(status, body, connection->close, &text_);
  if (Write(connection, text_) && connection->close && connection->out.empty()) Drop(connection);
}

void NullLoop::SendDue() {
  int budget = kMostSends;
  int64_t now = NullNow();
  while (budget > 0) {
    SendDueBy(now, &budget);
    const std::optional<int64_t> next = schedule_.NextDue();
    if (!next.has_value()) return;
    now = NullNow();
    if (*next > now) return;
  }
}

void NullLoop::SendDueBy(int64_t now, int* budget) {
  for (; *budget > 0; --*budget) {
    const std::optional<NullSchedule::Turn> turn = schedule_.Take(now);
    if (!turn.has_value()) return;
    Connection* connection = connections_[turn->stream].get();
    if (connection->generation != turn->generation) continue;  // its client has gone
    ++connection->planned;
    SendOwed(connection);
  }
}

// Each in a write of its own, while there is room.
void NullLoop::SendOwed(Connection* connection) {
  while (connection->answering && connection->sent < connection->planned && connection->out.empty()) {
    SendToken(connection);
  }
}

void NullLoop::SendToken(Connection* connection) {
  if (log_ != nullptr) LogToken(*connection);
  const absl::string_view event = connection->reply->Token(connection->sent++, connection->events);
  if (Write(connection, event) && connection->sent == connection->events) FinishAnswer(connection);
}

void NullLoop::FinishAnswer(Connection* connection) {
  if (log_ != nullptr) log_->Add({NullNow(), connection->number, connection->request, kSentEnd, 0});
  text_.clear();
  connection->reply->AppendTail(connection->prompt_tokens, connection->events, &text_);
  ++connection->request;
  connection->answering = false;
  if (!Write(connection, text_)) return;
  if (!connection->close) {
    if (!connection->in.empty()) TakeRequests(connection, "");
  } else if (connection->out.empty()) {
    Drop(connection);
  }
}

// False when the client is gone, and has been dropped. What finds no room is kept.
bool NullLoop::Write(Connection* connection, absl::string_view bytes) {
  if (connection->out.empty()) {
    const ssize_t sent = ::send(connection->fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
      Drop(connection);
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(0, sent)));
  }
  connection->out.append(bytes.data(), bytes.size());
  return true;
}

void NullLoop::Flush(Connection* connection) {
  const std::string waiting = std::exchange(connection->out, std::string());
  if (!Write(connection, waiting) || !connection->out.empty()) return;
  SendOwed(connection);
  if (connection->fd >= 0 && connection->close && !connection->answering && connection->out.empty()) Drop(connection);
}

void NullLoop::LogToken(const Connection& connection) {
  const int64_t now = NullNow();
  const int64_t late = now - schedule_.Due(connection.start, connection.sent);
  log_->Add({now, connection.number, connection.request, static_cast<int32_t>(connection.sent),
             static_cast<uint32_t>(std::clamp<int64_t>(late, 0, std::numeric_limits<uint32_t>::max()))});
}

}  // namespace tidemark
