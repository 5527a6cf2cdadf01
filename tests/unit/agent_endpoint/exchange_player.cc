#include "tests/unit/agent_endpoint/exchange_player.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

int64_t At(const Step& step) { return kSent + step.at_ms * 1'000'000; }

bool Over(const Exchange& exchange) {
  return exchange.state() == Exchange::State::kFailed || exchange.state() == Exchange::State::kEnded;
}

// What a transport and its timers would do until `now`.
void RunTimers(Exchange* exchange, int64_t now) {
  if (exchange->state() != Exchange::State::kEndSeen || exchange->usage_deadline() > now) return;
  exchange->OnUsageDeadline(exchange->usage_deadline());
}

void PlayStep(const Step& step, uint64_t read, Exchange* exchange) {
  switch (step.what) {
    case Step::What::kSend:
      return exchange->OnBody(step.bytes, At(step), read);
    case Step::What::kClose:
      return exchange->OnResponseEnd(true, At(step));
    case Step::What::kFin:
      return exchange->OnResponseEnd(false, At(step));
    case Step::What::kReset:
      return exchange->OnFailure(FailureClass::kConnectionReset, At(step), "reset");
  }
}

}  // namespace

const char kDone[] = "data: [DONE]\n\n";

std::string Event(const std::string& json) { return absl::StrCat("data: ", json, "\n\n"); }

std::string Delta(const std::string& delta_json) {
  return Event(absl::StrCat(R"({"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":)",
                            delta_json, R"(,"finish_reason":null}]})"));
}

std::string Text(const std::string& text) {
  return Delta(absl::StrCat(R"({"content":")", text, R"("})"));
}

std::string Finish(const std::string& reason) {
  return Event(absl::StrCat(R"({"id":"x","choices":[{"index":0,"delta":{},"finish_reason":")", reason,
                            R"("}]})"));
}

std::string Usage(int prompt_tokens, int completion_tokens) {
  return Event(absl::StrCat(R"({"id":"x","choices":[],"usage":{"prompt_tokens":)", prompt_tokens,
                            R"(,"completion_tokens":)", completion_tokens, "}}"));
}

Played Play(const Script& script) {
  RequestTemplate request;
  request.streaming = script.streaming;
  request.extra_inputs_json = script.extra_inputs_json;
  auto adapter = NewEndpointAdapter(script.api, request);
  EXPECT_TRUE(adapter.ok()) << adapter.status();
  Exchange exchange(adapter->get(), /*keep_output=*/true);
  exchange.Begin(script.streaming);
  exchange.record().sent = kSent;
  exchange.OnStatus(script.status, kSent + 1'000'000);
  for (const auto& [name, value] : script.headers) exchange.OnHeader(name, value);
  exchange.OnHeadersEnd(kSent + 1'000'000);
  int64_t last = kSent;
  uint64_t read = 0;
  for (const Step& step : script.steps) {
    RunTimers(&exchange, At(step));
    if (Over(exchange)) break;
    PlayStep(step, ++read, &exchange);
    last = At(step);
  }
  if (!Over(exchange)) exchange.OnResponseEnd(true, last);
  return {exchange.record(), exchange.state(), exchange.output()};
}

void PlayAtEverySplit(const Script& script, const std::function<void(const Played&)>& check) {
  check(Play(script));
  Script bytewise = script;
  bytewise.steps.clear();
  for (size_t s = 0; s < script.steps.size(); ++s) {
    const Step& step = script.steps[s];
    if (step.what != Step::What::kSend) bytewise.steps.push_back(step);
    for (size_t i = 0; i < step.bytes.size(); ++i) {
      SCOPED_TRACE(absl::StrCat("step ", s, " cut at ", i));
      bytewise.steps.push_back(Send(step.at_ms, step.bytes.substr(i, 1)));
      if (i == 0) continue;
      Script cut = script;
      cut.steps[s].bytes = step.bytes.substr(0, i);
      cut.steps.insert(cut.steps.begin() + static_cast<ptrdiff_t>(s) + 1,
                       Send(step.at_ms, step.bytes.substr(i)));
      check(Play(cut));
      if (::testing::Test::HasFailure()) return;
    }
  }
  SCOPED_TRACE("byte by byte");
  check(Play(bytewise));
}

}  // namespace tidemark
