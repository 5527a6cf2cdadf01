#ifndef TIDEMARK_TESTS_UNIT_AGENT_ENDPOINT_EXCHANGE_PLAYER_H_
#define TIDEMARK_TESTS_UNIT_AGENT_ENDPOINT_EXCHANGE_PLAYER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "agent/endpoint/exchange.h"

// The small language of the exchange's tests: a response is a list of steps in virtual time, played
// into an Exchange as a transport would.
namespace tidemark {

// CLOCK_MONOTONIC ns of the request's start; steps count from it.
inline constexpr int64_t kSent = 5'000'000'000;

struct Step {
  enum class What { kSend, kClose, kReset, kFin };
  int64_t at_ms;
  What what;
  std::string bytes;
};
inline Step Send(int64_t at_ms, std::string bytes) {
  return {at_ms, Step::What::kSend, std::move(bytes)};
}
// The body ends as its framing says, then the connection.
inline Step Close(int64_t at_ms) { return {at_ms, Step::What::kClose, ""}; }
inline Step ResetConnection(int64_t at_ms) { return {at_ms, Step::What::kReset, ""}; }
// A FIN inside the body's framing.
inline Step Fin(int64_t at_ms) { return {at_ms, Step::What::kFin, ""}; }

// Pieces of an OpenAI chat stream.
std::string Event(const std::string& json);              // "data: {…}\n\n"
std::string Delta(const std::string& delta_json);        // a chunk of choice 0
std::string Text(const std::string& text);               // … with content
std::string Finish(const std::string& reason);           // … with finish_reason alone
std::string Usage(int prompt_tokens, int completion_tokens);  // … with empty choices
extern const char kDone[];                               // "data: [DONE]\n\n"

struct Script {
  std::vector<Step> steps;
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {{"content-type", "text/event-stream"}};
  bool streaming = true;
  std::string api = "openai-chat";
  std::string extra_inputs_json = "";
};

struct Played {
  RequestRecord record;
  Exchange::State state = Exchange::State::kOpen;
  std::string output;

  std::string failure() const { return FailureClassName(record.failure, record.status); }
  // A point, in ms after the request was sent; -1 when it was not reached.
  double Ms(int64_t point) const { return point == kNoTime ? -1 : (point - kSent) / 1e6; }
};

// Each send is one read. After the last step the response ends as it should, unless a step ended it.
Played Play(const Script& script);

// Plays the script as it is; then once for each byte of each send, cut into two reads there; then byte
// by byte. `check` must hold for all of them: it sees the same times, but more reads.
void PlayAtEverySplit(const Script& script, const std::function<void(const Played&)>& check);

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_UNIT_AGENT_ENDPOINT_EXCHANGE_PLAYER_H_
