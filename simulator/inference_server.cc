#include "simulator/inference_server.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/util.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "simulator/fixed_delay.h"
#include "simulator/loop_clock.h"
#include "simulator/reply_text.h"

namespace tidemark {
namespace {

constexpr uint64_t kLengthStream = 3;

const HttpHeaders& JsonHeaders() {
  static const auto& headers = *new HttpHeaders{{"Content-Type", "application/json"}};
  return headers;
}

const HttpHeaders& EventStreamHeaders() {
  static const auto& headers = *new HttpHeaders{
      {"Content-Type", "text/event-stream; charset=utf-8"}, {"Cache-Control", "no-cache"}};
  return headers;
}

bool Contains(const std::vector<std::string>& list, const std::string& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

SimTime FromMs(double ms) { return std::llround(ms * 1e6); }

std::unique_ptr<TokenSchedule> MakeSchedule(const SimulatorOptions& options) {
  if (!options.fixed_delays.has_value()) {
    return std::make_unique<BatchLaw>(options.law, options.seed);
  }
  return std::make_unique<FixedDelay>(FromMs(options.fixed_delays->first_token_ms),
                                      FromMs(options.fixed_delays->inter_token_ms));
}

std::string ReadBody(evhttp_request* request) {
  evbuffer* in = evhttp_request_get_input_buffer(request);
  std::string body(evbuffer_get_length(in), '\0');
  evbuffer_copyout(in, body.data(), body.size());
  return body;
}

}  // namespace

struct InferenceServer::Stream {
  explicit Stream(evhttp_request* request, bool direct) : exchange(request, direct) {}

  ServerExchange exchange;
  std::optional<ReplyText> text;  // none: a script is played
  SimTime began = 0;
  size_t next_step = 0;  // of the script
  CompletionRequest completion;
  Sequence sequence;
  FinishReason finish = FinishReason::kLength;
  std::optional<Fault> fault;  // one that strikes in mid-stream
  int64_t fault_after = 0;     // tokens
  std::string body;            // what a request that does not stream has so far
};

InferenceServer::InferenceServer(event_base* base, SimulatorOptions options)
    : base_(base),
      options_(std::move(options)),
      direct_writes_(options_.tls_cert.empty()),
      schedule_(MakeSchedule(options_)),
      faults_(options_.faults, options_.seed),
      lengths_(options_.seed, kLengthStream) {
  timeval wall = {};
  evutil_gettimeofday(&wall, nullptr);
  created_ = wall.tv_sec;
  timer_ = evtimer_new(
      base_,
      [](evutil_socket_t, short, void* self) { static_cast<InferenceServer*>(self)->Turn(); },
      this);
  event_priority_set(timer_, 0);  // due tokens go before new requests
}

InferenceServer::~InferenceServer() { event_free(timer_); }

SimTime InferenceServer::Now() const { return LoopNow(); }

void InferenceServer::Handle(evhttp_request* request) {
  const char* raw = evhttp_uri_get_path(evhttp_request_get_evhttp_uri(request));
  const std::string path = raw == nullptr || *raw == '\0' ? "/" : raw;
  Route(request, path, evhttp_request_get_command(request) == EVHTTP_REQ_POST);
  ArmTimer();
}

void InferenceServer::Route(evhttp_request* request, const std::string& path, bool post) {
  if (path == "/simulator/stats" && !post) {
    return ReplyJson(request, stats_.ToJson(schedule_->running(), schedule_->waiting()));
  }
  if (path == "/simulator/stats/reset" && post) {
    stats_.Reset();
    return ReplyJson(request, "{}");
  }
  stats_.CountRequest(path);
  if (!Allowed(request, path)) {
    return Refuse(request, 401, "AuthenticationError", "Unauthorized: the API key is not right.");
  }
  if (options_.script.has_value() && post) return StartScript(request);
  const bool chat = path == "/v1/chat/completions";
  const bool takes_post = chat || path == "/v1/completions" || path == "/simulator/stats/reset";
  const bool takes_get = path == "/v1/models" || path == "/health" || path == "/simulator/stats";
  if (!takes_post && !takes_get) {
    return Refuse(request, 404, "NotFoundError", absl::StrCat("Invalid URL: there is no ", path));
  }
  const bool get = evhttp_request_get_command(request) == EVHTTP_REQ_GET;
  if (takes_post ? !post : !get) {
    return Refuse(
        request, 405, "MethodNotAllowedError",
        absl::StrCat("Method not allowed: ", path, " takes ", takes_post ? "POST" : "GET", "."));
  }
  if (path == "/v1/models") return ReplyJson(request, ModelsJson());
  if (path == "/health") {
    return ServerExchange(request, direct_writes_).Reply(200, {{"Content-Type", "text/plain"}}, "");
  }
  HandleCompletion(request, chat ? CompletionApi::kChat : CompletionApi::kCompletions);
}

bool InferenceServer::Allowed(evhttp_request* request, const std::string& path) const {
  if (options_.required_key.empty() || !absl::StartsWith(path, "/v1")) return true;
  const char* given =
      evhttp_find_header(evhttp_request_get_input_headers(request), "Authorization");
  return given != nullptr && given == absl::StrCat("Bearer ", options_.required_key);
}

void InferenceServer::Refuse(evhttp_request* request, int status, const char* type,
                             const std::string& message) {
  if (status < 500) ++stats_.refused;
  ServerExchange(request, direct_writes_).Reply(status, JsonHeaders(), ErrorBody(status, type, message));
}

void InferenceServer::ReplyJson(evhttp_request* request, const std::string& body) {
  ServerExchange(request, direct_writes_).Reply(200, JsonHeaders(), body);
}

std::string InferenceServer::ModelsJson() const {
  std::string list;
  for (const auto* models : {&options_.models, &options_.base_models}) {
    for (const std::string& model : *models) {
      absl::StrAppend(&list, list.empty() ? "" : ",", "{\"id\":", JsonQuote(model),
                      ",\"object\":\"model\",\"created\":", created_,
                      ",\"owned_by\":\"tidemark\"}");
    }
  }
  return absl::StrCat("{\"object\":\"list\",\"data\":[", list, "]}");
}

void InferenceServer::HandleCompletion(evhttp_request* request, CompletionApi api) {
  absl::StatusOr<CompletionRequest> parsed = ParseCompletionRequest(api, ReadBody(request));
  if (!parsed.ok()) {
    return Refuse(request, 400, "BadRequestError", std::string(parsed.status().message()));
  }
  stats_.CountPrompt(parsed->prompt_hash);
  if (RefuseModel(request, *parsed)) return;
  const std::optional<Fault> fault = faults_.Draw();
  if (fault.has_value()) ++stats_.faults[std::string(FaultName(fault->kind))];
  if (!fault.has_value() || fault->kind != FaultKind::kStatus) {
    return StartCompletion(request, *parsed, fault);
  }
  HttpHeaders headers = JsonHeaders();
  if (fault->argument == 429 || fault->argument == 503) headers.emplace_back("Retry-After", "1");
  ServerExchange(request, direct_writes_)
      .Reply(fault->argument, headers,
             ErrorBody(fault->argument, "InjectedFault", "fault injected by the simulator"));
}

bool InferenceServer::RefuseModel(evhttp_request* request, const CompletionRequest& completion) {
  if (Contains(options_.models, completion.model)) return false;
  if (!Contains(options_.base_models, completion.model)) {
    Refuse(request, 404, "NotFoundError",
           absl::StrCat("The model `", completion.model, "` does not exist."));
    return true;
  }
  if (completion.api != CompletionApi::kChat) return false;
  Refuse(request, 400, "BadRequestError",
         "default chat template is no longer allowed, so you must provide a chat template if the "
         "tokenizer does not define one.");
  return true;
}

InferenceServer::Stream* InferenceServer::Adopt(evhttp_request* request) {
  const uint64_t id = next_id_++;
  auto owned = std::make_unique<Stream>(request, direct_writes_);
  Stream* stream = owned.get();
  streams_[id] = std::move(owned);
  stream->began = Now();
  stream->sequence.id = id;
  stream->exchange.WatchDisconnect([this, id] { Gone(id); });
  stats_.Enter();
  return stream;
}

void InferenceServer::StartCompletion(evhttp_request* request, const CompletionRequest& completion,
                                      const std::optional<Fault>& fault) {
  Stream* stream = Adopt(request);
  Sequence& sequence = stream->sequence;
  stream->completion = completion;
  stream->text.emplace(completion, sequence.id, created_, options_.role_chunk);
  sequence.prompt_tokens = completion.prompt_words +
                           (completion.api == CompletionApi::kChat ? options_.template_tokens : 0);
  DrawLength(stream);
  stats_.prompt_tokens += sequence.prompt_tokens;
  if (completion.stream) stream->exchange.Begin(200, EventStreamHeaders());
  if (fault.has_value() && fault->kind == FaultKind::kSlowFirst) {
    appointments_.push({stream->began + FromMs(fault->argument), sequence.id});
    return;
  }
  if (fault.has_value()) {
    stream->fault = fault;
    stream->fault_after = faults_.DrawToken(sequence.output_tokens);
  }
  schedule_->Arrive(stream->began, sequence);
}

void InferenceServer::DrawLength(Stream* stream) {
  const CompletionRequest& completion = stream->completion;
  int64_t& length = stream->sequence.output_tokens;
  length = completion.max_tokens;
  if (completion.ignore_eos) return;
  // Geometric on 1, 2, … with the mean asked for: the end may come after each token alike.
  const double per_token = 1 / options_.natural_mean;
  const double unit = lengths_.Unit();
  const double drawn =
      per_token >= 1 ? 1 : 1 + std::floor(std::log1p(-unit) / std::log1p(-per_token));
  const auto natural = std::max<int64_t>({1, completion.min_tokens, std::llround(drawn)});
  if (natural >= completion.max_tokens) return;
  length = natural;
  stream->finish = FinishReason::kStop;
}

void InferenceServer::StartScript(evhttp_request* request) {
  Stream* stream = Adopt(request);
  stream->exchange.Begin(options_.script->status, options_.script->headers);
  const auto& steps = options_.script->steps;
  const int64_t at_ms = steps.empty() ? 0 : steps.front().at_ms;
  appointments_.push({stream->began + at_ms * 1'000'000, stream->sequence.id});
}

void InferenceServer::Turn() {
  armed_ = 0;
  const SimTime now = Now();
  KeepAppointments(now);
  EmitDue(now);
  ArmTimer();
}

void InferenceServer::KeepAppointments(SimTime now) {
  while (!appointments_.empty() && appointments_.top().time <= now) {
    const uint64_t id = appointments_.top().id;
    appointments_.pop();
    const auto found = streams_.find(id);
    if (found == streams_.end()) continue;  // the client left
    if (found->second->text.has_value()) {
      schedule_->Arrive(now, found->second->sequence);
    } else {
      PlayScript(id, now);
    }
  }
}

// Plays the steps that are due, and then the end.
void InferenceServer::PlayScript(uint64_t id, SimTime now) {
  Stream* stream = streams_[id].get();
  const Script& script = *options_.script;
  while (stream->next_step < script.steps.size()) {
    const ScriptStep& step = script.steps[stream->next_step];
    const SimTime due = stream->began + step.at_ms * 1'000'000;
    if (due > now) {
      appointments_.push({due, id});
      return;
    }
    ++stream->next_step;
    stream->exchange.Send(step.send);
    const std::string kib(step.repeat_kib > 0 ? 1024 : 0, 'x');
    for (int64_t i = 0; i < step.repeat_kib; ++i) stream->exchange.Send(kib);
  }
  ++stats_.completed;
  switch (script.end) {
    case ScriptEnd::kKeepOpen:
      stream->exchange.End();
      break;
    case ScriptEnd::kClose:
      stream->exchange.EndAndClose();
      break;
    case ScriptEnd::kReset:
      stream->exchange.Reset();
      break;
  }
  Forget(id);
}

void InferenceServer::EmitDue(SimTime now) {
  for (;;) {
    const std::optional<SimTime> due = schedule_->NextDue();
    if (!due.has_value() || *due > now) return;
    stats_.lateness.Add((now - *due) / 1000);
    ++stats_.steps;
    emissions_.clear();
    if (schedule_->EmitNext(now, &emissions_)) ++stats_.late_steps;
    for (const TokenEmission& emission : emissions_) Deliver(emission);
  }
}

void InferenceServer::Deliver(const TokenEmission& emission) {
  const auto found = streams_.find(emission.id);
  if (found == streams_.end()) return;  // struck or gone earlier in this very step
  Stream* stream = found->second.get();
  const bool struck = stream->fault.has_value() && emission.index + 1 == stream->fault_after;
  ++stats_.tokens;
  DeliverToken(stream, emission, emission.last && !struck);
  if (struck) {
    Strike(emission.id, stream);
  } else if (emission.last) {
    Finish(emission.id, stream);
  }
}

void InferenceServer::DeliverToken(Stream* stream, const TokenEmission& emission, bool finished) {
  const ReplyText& text = *stream->text;
  if (!stream->completion.stream) {
    stream->body += std::string(text.Token(emission.index));
    return;
  }
  text_.clear();
  text.AppendTokenEvent(emission.index, finished ? stream->finish : FinishReason::kNone, &text_);
  if (finished) {
    const Sequence& sequence = stream->sequence;
    if (stream->completion.include_usage) {
      text.AppendUsageEvent(sequence.prompt_tokens, sequence.output_tokens, &text_);
    }
    ReplyText::AppendDone(&text_);
  }
  if (!finished) stream->exchange.Send(text_);  // else it goes out with the end, in Finish
}

void InferenceServer::Finish(uint64_t id, Stream* stream) {
  ++stats_.completed;
  if (stream->completion.stream) {
    stream->exchange.End(text_);
  } else {
    stream->exchange.Reply(
        200, JsonHeaders(),
        stream->text->Body(stream->body, stream->finish, stream->sequence.prompt_tokens,
                           stream->sequence.output_tokens));
  }
  Forget(id);
}

// The fault of a stream that has had its tokens before it.
void InferenceServer::Strike(uint64_t id, Stream* stream) {
  schedule_->Cancel(id);
  switch (stream->fault->kind) {
    case FaultKind::kCut:
      stream->exchange.Cut();
      break;
    case FaultKind::kReset:
      stream->exchange.Reset();
      break;
    case FaultKind::kError:
      text_.clear();
      ReplyText::AppendErrorEvent(&text_);
      ReplyText::AppendDone(&text_);
      if (stream->completion.stream) {
        stream->exchange.End(text_);
      } else {
        stream->exchange.Reply(
            500, JsonHeaders(),
            ErrorBody(500, "InternalServerError", "fault injected by the simulator"));
      }
      break;
    default:  // a stall: silent until the client leaves
      return;
  }
  Forget(id);
}

void InferenceServer::Gone(uint64_t id) {
  schedule_->Cancel(id);
  ++stats_.cancelled;
  Forget(id);
}

void InferenceServer::Forget(uint64_t id) {
  if (streams_.erase(id) > 0) stats_.Leave();
}

void InferenceServer::ArmTimer() {
  std::optional<SimTime> next = schedule_->NextDue();
  if (!appointments_.empty()) {
    next = std::min(next.value_or(appointments_.top().time), appointments_.top().time);
  }
  if (!next.has_value() || *next == armed_) return;
  armed_ = *next;
  // Rounded up: a timer that fires early would only turn the loop once more.
  const int64_t us = std::max<int64_t>(0, (*next - Now() + 999) / 1000);
  timeval wait = {};
  wait.tv_sec = us / 1'000'000;
  wait.tv_usec = us % 1'000'000;
  evtimer_add(timer_, &wait);
}

}  // namespace tidemark
