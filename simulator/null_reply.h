// The bytes that the null endpoint sends, made before the first request.
#ifndef TIDEMARK_SIMULATOR_NULL_REPLY_H_
#define TIDEMARK_SIMULATOR_NULL_REPLY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tidemark {

// Thread-compatible; const calls are safe together.
class NullReply {
 public:
  enum class Api { kChat, kText };

  // Every token's event has `event_bytes` bytes, from "data:" to the empty line; MinEventBytes(model) at least.
  NullReply(Api api, const std::string& model, size_t event_bytes);

  // The least that an event of either API can have.
  static size_t MinEventBytes(const std::string& model);

  // One HTTP chunk with the event of token `index` out of `count`.
  absl::string_view Token(uint32_t index, uint32_t count) const {
    const size_t kind = (index == 0 ? 1 : 0) + (index + 1 == count ? 2 : 0);
    return events_[kind * kWords + index % kWords];
  }

  // Head of the answer to request `request` of connection `connection`: both stand in the Server header, as
  // "(null CONNECTION.REQUEST)", so that a client's record can be found in the send log.
  void AppendHead(uint32_t connection, uint32_t request, bool close, std::string* out) const;

  // What follows the last token: the usage chunk, [DONE], and the end of the body.
  void AppendTail(uint64_t prompt_tokens, uint32_t tokens, std::string* out) const;

  // A whole answer that is no stream.
  static void AppendPlain(int status, absl::string_view body, bool close, std::string* out);
  static std::string ErrorJson(int status, absl::string_view message);
  std::string ModelsJson() const;

 private:
  static constexpr size_t kWords = 16;

  const Api api_;
  const std::string model_;
  std::vector<std::string> events_;  // chunks, kWords of each of: middle, first, last, first and last
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_NULL_REPLY_H_
