#include "simulator/null_reply.h"

#include "absl/strings/str_cat.h"
#include "simulator/version.h"

namespace tidemark {
namespace {

// All of one length, so that every event can have the same bytes.
constexpr const char* kWordList[] = {" tide", " mark", " high", " moon", " flow", " neap", " wave", " sand",
                                     " salt", " wind", " gull", " rock", " surf", " reef", " foam", " buoy"};

// A JSON string's content: model names come from a flag.
std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

using Api = NullReply::Api;

std::string Head(Api api, const std::string& model) {
  return absl::StrCat(api == Api::kChat ? R"({"id":"chatcmpl-null","object":"chat.completion.chunk")"
                                        : R"({"id":"cmpl-null","object":"text_completion")",
                      R"(,"created":0,"model":")", Escaped(model), "\"");
}

std::string Choice(Api api, size_t word, bool first) {
  if (api == Api::kText) return absl::StrCat(R"("text":")", kWordList[word], "\"");
  return absl::StrCat(R"("delta":{)", first ? R"("role":"assistant",)" : "", R"("content":")", kWordList[word], "\"}");
}

// The event with `padding` bytes of nothing.
std::string Event(Api api, const std::string& model, size_t word, bool first, bool last, size_t padding) {
  return absl::StrCat("data: ", Head(api, model), R"(,"system_fingerprint":"fp_)", std::string(padding, '0'),
                      R"(","choices":[{"index":0,)", Choice(api, word, first), R"(,"finish_reason":)",
                      last ? R"("length")" : "null", "}]}\n\n");
}

std::string Chunk(absl::string_view body) { return absl::StrCat(absl::Hex(body.size()), "\r\n", body, "\r\n"); }

absl::string_view Reason(int status) {
  if (status == 200) return "OK";
  return status == 404 ? "Not Found" : "Bad Request";
}

}  // namespace

NullReply::NullReply(Api api, const std::string& model, size_t event_bytes) : api_(api), model_(model) {
  for (size_t kind = 0; kind < 4; ++kind) {
    for (size_t word = 0; word < kWords; ++word) {
      const bool first = kind % 2 == 1, last = kind >= 2;
      const size_t least = Event(api, model, word, first, last, 0).size();
      const size_t padding = event_bytes > least ? event_bytes - least : 0;
      events_.push_back(Chunk(Event(api, model, word, first, last, padding)));
    }
  }
}

size_t NullReply::MinEventBytes(const std::string& model) { return Event(Api::kChat, model, 0, true, true, 0).size(); }

void NullReply::AppendHead(uint32_t connection, uint32_t request, bool close, std::string* out) const {
  absl::StrAppend(out, "HTTP/1.1 200 OK\r\nServer: ", kSimulatorServer, " (null ", connection, ".", request,
                  ")\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\n",
                  close ? "Connection: close\r\n" : "", "Transfer-Encoding: chunked\r\n\r\n");
}

void NullReply::AppendTail(uint64_t prompt_tokens, uint32_t tokens, std::string* out) const {
  const std::string usage = absl::StrCat("data: ", Head(api_, model_), R"(,"choices":[],"usage":{"prompt_tokens":)",
                                         prompt_tokens, R"(,"total_tokens":)", prompt_tokens + tokens,
                                         R"(,"completion_tokens":)", tokens, "}}\n\n");
  absl::StrAppend(out, Chunk(usage), Chunk("data: [DONE]\n\n"), "0\r\n\r\n");
}

void NullReply::AppendPlain(int status, absl::string_view body, bool close, std::string* out) {
  absl::StrAppend(out, "HTTP/1.1 ", status, " ", Reason(status), "\r\nServer: ", kSimulatorServer,
                  "\r\nContent-Type: application/json\r\n", close ? "Connection: close\r\n" : "",
                  "Content-Length: ", body.size(), "\r\n\r\n", body);
}

std::string NullReply::ErrorJson(int status, absl::string_view message) {
  return absl::StrCat(R"({"error":{"message":")", Escaped(std::string(message)),
                      R"(","type":"BadRequestError","param":null,"code":)", status, "}}");
}

std::string NullReply::ModelsJson() const {
  return absl::StrCat(R"({"object":"list","data":[{"id":")", Escaped(model_),
                      R"(","object":"model","created":0,"owned_by":"tidemark"}]})");
}

}  // namespace tidemark
