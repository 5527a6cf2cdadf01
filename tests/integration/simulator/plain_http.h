// A blocking HTTP/1.1 client of the barest kind for tests of the simulator: it shows each chunk of
// a body as it came, and how the connection ended. Shares nothing with the simulator.
#ifndef TIDEMARK_TESTS_INTEGRATION_SIMULATOR_PLAIN_HTTP_H_
#define TIDEMARK_TESTS_INTEGRATION_SIMULATOR_PLAIN_HTTP_H_

#include <cstddef>
#include <string>
#include <vector>

namespace tidemark::testing {

enum class HttpEnd {
  kComplete,  // the body's own end: 0-chunk or content length
  kFin,       // the connection was closed before it
  kReset,
  kTimeout,
};

struct HttpResponse {
  int status = 0;
  std::string head;                 // status line and headers
  std::vector<std::string> chunks;  // of a chunked body; else one
  HttpEnd end = HttpEnd::kTimeout;

  std::string body() const;
};

// One connection to a port of this host, at its IPv4 address `ip`. Every read is bounded by a timeout. Thread-compatible.
class PlainHttp {
 public:
  explicit PlainHttp(int port, int timeout_ms = 5000, const char* ip = "127.0.0.1");
  ~PlainHttp();
  PlainHttp(const PlainHttp&) = delete;
  PlainHttp& operator=(const PlainHttp&) = delete;

  // `headers`: lines with their CRLF.
  void Send(const std::string& method, const std::string& path, const std::string& body = "",
            const std::string& headers = "");
  // These bytes, as they are.
  void SendRaw(const std::string& text);
  HttpResponse Read();
  // Reads the head and the first chunk only.
  HttpResponse ReadStart();
  HttpResponse Post(const std::string& path, const std::string& body);
  HttpResponse Get(const std::string& path);

  // All bytes up to and with the read that brings `mark`, and whatever that one read brought
  // after it; what came before the timeout when it never comes.
  std::string ReadPast(const std::string& mark);

  // True when the server has closed this idle connection.
  bool ClosedByServer();
  void Close();

 private:
  bool Fill();  // false at the end, which end_ then names
  bool Need(size_t bytes);
  bool Line(std::string* line);
  bool ReadHead(HttpResponse* out);
  bool ReadChunk(HttpResponse* out);

  int fd_;
  std::string in_;
  HttpEnd end_ = HttpEnd::kTimeout;
};

// The integer of `"name":123` in a flat JSON text; -1 when it is not there.
long JsonNumber(const std::string& json, const std::string& name);

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_INTEGRATION_SIMULATOR_PLAIN_HTTP_H_
