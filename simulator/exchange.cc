#include "simulator/exchange.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/http_struct.h>
#include <event2/keyvalq_struct.h>
#include <sys/socket.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "simulator/version.h"

namespace tidemark {
namespace {

bufferevent* BuffereventOf(evhttp_request* request) {
  return evhttp_connection_get_bufferevent(evhttp_request_get_connection(request));
}

evbuffer* OutputOf(evhttp_request* request) {
  return bufferevent_get_output(BuffereventOf(request));
}

// A TLS stream makes a record, and so a write, of each piece of memory in its buffer, and
// evbuffer_add would split the bytes over two.
void AddInOnePiece(absl::string_view bytes, evbuffer* out) {
  if (bytes.empty()) return;
  evbuffer* piece = evbuffer_new();
  evbuffer_add(piece, bytes.data(), bytes.size());
  evbuffer_add_buffer(out, piece);
  evbuffer_free(piece);
}

// Of the stream's callbacks, keeps the one for events, drops the one for read data, and sets the
// one for written data to `on_write`. Answers what the latter was.
bufferevent_data_cb ReplaceDataCallbacks(bufferevent* stream, bufferevent_data_cb on_write) {
  bufferevent_data_cb old_read = nullptr, old_write = nullptr;
  bufferevent_event_cb on_event = nullptr;
  void* argument = nullptr;
  bufferevent_getcb(stream, &old_read, &old_write, &on_event, &argument);
  bufferevent_setcb(stream, nullptr, on_write, on_event, argument);
  return old_write;
}

void AppendChunk(absl::string_view body, std::string* out) {
  if (!body.empty()) absl::StrAppend(out, absl::Hex(body.size()), "\r\n", body, "\r\n");
}

}  // namespace

ServerExchange::ServerExchange(evhttp_request* request, bool direct)
    : request_(request), direct_(direct) {}

ServerExchange::~ServerExchange() {
  if (request_ != nullptr) Cut();
}

void ServerExchange::WatchDisconnect(std::function<void()> gone) {
  gone_ = std::move(gone);
  evhttp_connection_set_closecb(evhttp_request_get_connection(request_), &OnConnectionClosed, this);
  // evhttp stops reading while a request is handled, and so would not see the client leave. Its
  // own read callback must not run in that state (it ends the process on a pipelined request), so
  // only the event callback stays; evhttp sets all of them anew when it writes or reads next.
  bufferevent* stream = BuffereventOf(request_);
  ReplaceDataCallbacks(stream, nullptr);
  bufferevent_set_timeouts(stream, nullptr, nullptr);
  bufferevent_enable(stream, EV_READ);
}

void ServerExchange::OnConnectionClosed(evhttp_connection* connection, void* self) {
  auto* exchange = static_cast<ServerExchange*>(self);
  evhttp_connection_set_closecb(connection, nullptr, nullptr);
  // evhttp leaves a request that was being answered to its user, with no connection; one that is
  // still attached it frees itself.
  if (evhttp_request_get_connection(exchange->request_) == nullptr) {
    evhttp_request_free(exchange->request_);
  }
  exchange->request_ = nullptr;
  const std::function<void()> gone = std::move(exchange->gone_);
  if (gone) gone();
}

void ServerExchange::StopWatching() {
  evhttp_connection_set_closecb(evhttp_request_get_connection(request_), nullptr, nullptr);
}

void ServerExchange::AddHeaders(const HttpHeaders& headers) {
  evkeyvalq* out = evhttp_request_get_output_headers(request_);
  for (const auto& [name, value] : headers) evhttp_add_header(out, name.c_str(), value.c_str());
  if (evhttp_find_header(out, "Server") == nullptr) {
    evhttp_add_header(out, "Server", kSimulatorServer);
  }
}

void ServerExchange::Reply(int status, const HttpHeaders& headers, absl::string_view body) {
  StopWatching();
  AddHeaders(headers);
  evbuffer* buffer = evbuffer_new();
  evbuffer_add(buffer, body.data(), body.size());
  evhttp_send_reply(std::exchange(request_, nullptr), status, nullptr, buffer);
  evbuffer_free(buffer);
}

void ServerExchange::Begin(int status, const HttpHeaders& headers) {
  AddHeaders(headers);
  evhttp_send_reply_start(request_, status, nullptr);
  HoldWriteCallback();
}

// After End, evhttp takes the first write callback for "all is written", and stops writing. A TLS
// stream defers its callback to a later turn of the loop, so one that an earlier token caused
// would come after End and leave the last tokens in the buffer for good. While there is no
// callback, none is deferred.
void ServerExchange::HoldWriteCallback() {
  write_callback_ = ReplaceDataCallbacks(BuffereventOf(request_), nullptr);
}

void ServerExchange::RestoreWriteCallback() {
  ReplaceDataCallbacks(BuffereventOf(request_), write_callback_);
}

void ServerExchange::Send(absl::string_view body) {
  if (!request_->chunked) return SendFramed(body);
  thread_local std::string frame;
  frame.clear();
  AppendChunk(body, &frame);
  SendFramed(frame);
}

void ServerExchange::SendFramed(absl::string_view bytes) {
  bytes = SendDirect(bytes);
  if (!bytes.empty()) evbuffer_add(OutputOf(request_), bytes.data(), bytes.size());
}

absl::string_view ServerExchange::SendDirect(absl::string_view bytes) {
  if (!direct_ || bytes.empty() || evbuffer_get_length(OutputOf(request_)) > 0) return bytes;
  const ssize_t sent = ::send(bufferevent_getfd(BuffereventOf(request_)), bytes.data(),
                              bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  // An error is seen again by the loop, which then reports the client as gone.
  bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(0, sent)));
  return bytes;
}

void ServerExchange::End(absl::string_view last) {
  StopWatching();
  std::string frame;
  if (request_->chunked) {
    AppendChunk(last, &frame);
    frame += "0\r\n\r\n";
    request_->chunked = 0;  // evhttp would write a 0-chunk of its own, a turn of the loop later
    last = frame;
  }
  AddInOnePiece(SendDirect(last), OutputOf(request_));
  RestoreWriteCallback();
  evhttp_send_reply_end(std::exchange(request_, nullptr));
}

void ServerExchange::EndAndClose() {
  // The headers are out; this one only tells evhttp not to keep the connection.
  evkeyvalq* headers = evhttp_request_get_output_headers(request_);
  evhttp_remove_header(headers, "Connection");
  evhttp_add_header(headers, "Connection", "close");
  End();
}

void ServerExchange::Flush() {
  bufferevent* stream = BuffereventOf(request_);
  evbuffer* output = bufferevent_get_output(stream);
  if (!direct_ || evbuffer_get_length(output) == 0) return;
  evbuffer_unfreeze(output, 1);
  evbuffer_write(output, bufferevent_getfd(stream));
  evbuffer_freeze(output, 1);
}

void ServerExchange::Cut() {
  Flush();
  StopWatching();
  evhttp_connection_free(evhttp_request_get_connection(std::exchange(request_, nullptr)));
}

void ServerExchange::Reset() {
  Flush();
  // Dissolving the association resets it at once. SO_LINGER would not do: evhttp shuts its side
  // down before it closes, and the client would see that FIN first.
  sockaddr none = {};
  none.sa_family = AF_UNSPEC;
  (void)::connect(bufferevent_getfd(BuffereventOf(request_)), &none, sizeof(none));
  StopWatching();
  evhttp_connection_free(evhttp_request_get_connection(std::exchange(request_, nullptr)));
}

}  // namespace tidemark
