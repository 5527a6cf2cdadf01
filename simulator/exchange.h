// One HTTP request on its way to an answer: a thin owner around evhttp's request that can also end
// the connection in the unfriendly ways that a test needs.
#ifndef TIDEMARK_SIMULATOR_EXCHANGE_H_
#define TIDEMARK_SIMULATOR_EXCHANGE_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

struct evhttp_connection;
struct evhttp_request;

namespace tidemark {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// For the loop's thread only. Exactly one of the ending calls (Reply, End, EndAndClose, Cut,
// Reset) finishes it; none may follow another. Cut and Reset free the connection, so they must not
// be called from inside the handler of the request, only from a later turn of the loop.
// An ServerExchange that is destroyed unfinished cuts the connection.
class ServerExchange {
 public:
  // `direct`: body bytes may go straight to the socket, past the event loop's buffer, when that is
  // empty (not with TLS). That saves two system calls and a turn of the loop for each token.
  ServerExchange(evhttp_request* request, bool direct);
  ~ServerExchange();
  ServerExchange(const ServerExchange&) = delete;
  ServerExchange& operator=(const ServerExchange&) = delete;

  // Calls `gone` once if the client closes before the end. It may destroy this ServerExchange.
  void WatchDisconnect(std::function<void()> gone);

  void Reply(int status, const HttpHeaders& headers, absl::string_view body);

  void Begin(int status, const HttpHeaders& headers);
  // One HTTP chunk. REQUIRES: Begin was called.
  void Send(absl::string_view body);
  void End();          // 0-chunk; the connection lives on
  void EndAndClose();  // 0-chunk, then FIN
  void Cut();          // FIN in the middle of the body
  void Reset();        // RST

 private:
  static void OnConnectionClosed(evhttp_connection* connection, void* self);
  void AddHeaders(const HttpHeaders& headers);
  void SendFramed(absl::string_view bytes);
  void Flush();
  void StopWatching();

  evhttp_request* request_;  // null once finished or gone
  const bool direct_;
  std::function<void()> gone_;
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_EXCHANGE_H_
