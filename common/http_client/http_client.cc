#include "common/http_client/http_client.h"

#include <curl/curl.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr char kFailurePayload[] = "tidemark.http_failure";

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, FreeEasy>;
using StringList = std::unique_ptr<curl_slist, FreeList>;

// One request under way.
struct Call {
  const HttpOptions* options;
  HttpResponse response;
  bool too_large = false;
  char error[CURL_ERROR_SIZE] = "";
};

absl::Status Failed(absl::StatusCode code, absl::string_view failure, absl::string_view why) {
  absl::Status status(code, why);
  if (!failure.empty()) status.SetPayload(kFailurePayload, absl::Cord(failure));
  return status;
}

// A status line starts the head anew: interim (1xx) responses have heads of their own.
size_t OnHeaderLine(char* bytes, size_t, size_t size, void* data) {
  auto* call = static_cast<Call*>(data);
  const absl::string_view line = absl::StripAsciiWhitespace(absl::string_view(bytes, size));
  if (absl::StartsWith(line, "HTTP/")) {
    call->response.headers.clear();
    return size;
  }
  const size_t colon = line.find(':');
  if (colon == absl::string_view::npos) return size;
  call->response.headers.emplace_back(
      std::string(line.substr(0, colon)),
      std::string(absl::StripLeadingAsciiWhitespace(line.substr(colon + 1))));
  return size;
}

size_t OnBodyBytes(char* bytes, size_t, size_t size, void* data) {
  auto* call = static_cast<Call*>(data);
  if (call->response.body.size() + size > call->options->max_body_bytes) {
    call->too_large = true;
    return 0;
  }
  call->response.body.append(bytes, size);
  return size;
}

int OnProgress(void* data, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto* call = static_cast<const Call*>(data);
  return call->options->cancelled && call->options->cancelled() ? 1 : 0;
}

// TLS_SSL_PTR holds only while the transfer runs.
std::string TlsVersionOf(CURL* easy) {
  curl_tlssessioninfo* info = nullptr;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || info == nullptr ||
      info->backend != CURLSSLBACKEND_OPENSSL || info->internals == nullptr) {
    return "";
  }
  return SSL_get_version(static_cast<const SSL*>(info->internals));
}

struct Connection {
  CURL* easy;
  Call* call;
};

int BeforeRequest(void* data, char* ip, char*, int port, int) {
  const auto* connection = static_cast<const Connection*>(data);
  const bool v6 = std::strchr(ip, ':') != nullptr;
  connection->call->response.address = absl::StrCat(v6 ? "[" : "", ip, v6 ? "]:" : ":", port);
  connection->call->response.tls_version = TlsVersionOf(connection->easy);
  return CURL_PREREQFUNC_OK;
}

long Millis(uint64_t millis) {
  return static_cast<long>(std::clamp<uint64_t>(millis, 1, LONG_MAX / 1'000'000));
}

void Configure(CURL* easy, const std::string& url, const curl_slist* headers, Call* call,
               Connection* connection) {
  const auto set = [easy](CURLoption option, auto value) { curl_easy_setopt(easy, option, value); };
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_HTTPHEADER, headers);
  set(CURLOPT_ERRORBUFFER, call->error);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PROXY, "");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_CONNECTTIMEOUT_MS, Millis(call->options->connect_timeout_ms));
  set(CURLOPT_TIMEOUT_MS, Millis(call->options->total_timeout_ms));
  if (!call->options->ca_cert.empty()) set(CURLOPT_CAINFO, call->options->ca_cert.c_str());
  if (!call->options->client_cert.empty()) set(CURLOPT_SSLCERT, call->options->client_cert.c_str());
  if (!call->options->client_key.empty()) set(CURLOPT_SSLKEY, call->options->client_key.c_str());
  set(CURLOPT_SSL_VERIFYPEER, call->options->insecure_skip_verify ? 0L : 1L);
  set(CURLOPT_SSL_VERIFYHOST, call->options->insecure_skip_verify ? 0L : 2L);
  set(CURLOPT_HEADERFUNCTION, &OnHeaderLine);
  set(CURLOPT_HEADERDATA, call);
  set(CURLOPT_WRITEFUNCTION, &OnBodyBytes);
  set(CURLOPT_WRITEDATA, call);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &OnProgress);
  set(CURLOPT_XFERINFODATA, call);
  set(CURLOPT_PREREQFUNCTION, &BeforeRequest);
  set(CURLOPT_PREREQDATA, connection);
}

absl::StatusOr<StringList> HeaderList(const std::vector<std::string>& headers) {
  StringList list;
  for (size_t i = 0; i < headers.size(); ++i) {
    const std::string& header = headers[i];
    const size_t colon = header.find(':');
    if (colon == 0 || colon == std::string::npos ||
        header.find_first_of("\r\n") != std::string::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("headers[", i, "] is malformed; it is one line, Name: value"));
    }
    list.reset(curl_slist_append(list.release(), header.c_str()));
  }
  list.reset(curl_slist_append(list.release(), "Accept-Encoding: identity"));
  list.reset(curl_slist_append(list.release(), "User-Agent: tidemark"));
  return list;
}

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string PartOf(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return "";
  std::string out = text;
  curl_free(text);
  return out;
}

// "host:port:1.2.3.4,[::1]"; nothing where the resolver is to be asked, or the host is an address itself.
StringList ResolveList(const std::string& url, const std::vector<std::string>& addresses) {
  const std::unique_ptr<CURLU, FreeUrl> parsed(curl_url());
  if (addresses.empty() || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return nullptr;
  const std::string host = PartOf(parsed.get(), CURLUPART_HOST);
  if (absl::StartsWith(host, "[")) return nullptr;
  std::string entry = absl::StrCat(host, ":", PartOf(parsed.get(), CURLUPART_PORT));
  for (size_t i = 0; i < addresses.size(); ++i) {
    absl::StrAppend(&entry, i == 0 ? ":" : ",", addresses[i].substr(0, addresses[i].rfind(':')));
  }
  return StringList(curl_slist_append(nullptr, entry.c_str()));
}

// A time-out before there was a connection to send on is another failure than one after.
absl::Status TimedOut(CURL* easy, const std::string& why) {
  curl_off_t ready_us = 0;
  curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &ready_us);
  return Failed(absl::StatusCode::kDeadlineExceeded,
                ready_us == 0 ? "timeout_connect" : "timeout_total", why);
}

absl::Status ErrorOf(CURL* easy, CURLcode code, const Call& call) {
  const std::string why = call.error[0] != '\0' ? call.error : curl_easy_strerror(code);
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return Failed(absl::StatusCode::kUnavailable, "dns", why);
    case CURLE_COULDNT_CONNECT:
      return Failed(absl::StatusCode::kUnavailable, "connect", why);
    case CURLE_OPERATION_TIMEDOUT:
      return TimedOut(easy, why);
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return Failed(absl::StatusCode::kFailedPrecondition, "tls", why);
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
      return Failed(absl::StatusCode::kUnavailable, "connection_reset", why);
    case CURLE_ABORTED_BY_CALLBACK:
      return absl::CancelledError("the request was cancelled");
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return absl::InvalidArgumentError(
          absl::StrCat("url: ", why, "; it looks like http://host:port/path"));
    case CURLE_WRITE_ERROR:
      if (call.too_large) {
        return absl::ResourceExhaustedError(
            absl::StrCat("the answer is longer than ", call.options->max_body_bytes, " bytes"));
      }
      [[fallthrough]];
    default:
      return Failed(absl::StatusCode::kInternal, "protocol_error", why);
  }
}

}  // namespace

absl::string_view HttpResponse::Header(absl::string_view name) const {
  for (const auto& header : headers) {
    if (absl::EqualsIgnoreCase(header.first, name)) return header.second;
  }
  return "";
}

absl::StatusOr<HttpResponse> HttpGet(const std::string& url,
                                     const std::vector<std::string>& headers,
                                     const HttpOptions& options) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  absl::StatusOr<StringList> list = HeaderList(headers);
  if (!list.ok()) return list.status();
  const Easy easy(curl_easy_init());
  if (easy == nullptr) return absl::ResourceExhaustedError("libcurl could not make a handle");
  Call call;
  call.options = &options;
  Connection connection{easy.get(), &call};
  Configure(easy.get(), url, list->get(), &call, &connection);
  const StringList resolve = ResolveList(url, options.addresses);
  if (resolve != nullptr) curl_easy_setopt(easy.get(), CURLOPT_RESOLVE, resolve.get());
  const CURLcode code = curl_easy_perform(easy.get());
  if (code != CURLE_OK) return ErrorOf(easy.get(), code, call);
  long status = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  call.response.status = static_cast<int>(status);
  return std::move(call.response);
}

std::string HttpFailureOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kFailurePayload);
  return payload.has_value() ? std::string(*payload) : "";
}

std::string CurlVersion() {
  const curl_version_info_data* info = curl_version_info(CURLVERSION_NOW);
  return absl::StrCat("libcurl/", info->version, info->ssl_version != nullptr ? " " : "",
                      info->ssl_version != nullptr ? info->ssl_version : "");
}

}  // namespace tidemark
