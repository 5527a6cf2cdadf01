#ifndef TIDEMARK_AGENT_HTTP_CURL_TRANSPORT_H_
#define TIDEMARK_AGENT_HTTP_CURL_TRANSPORT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "agent/http/epoll_loop.h"
#include "agent/http/transport.h"

namespace tidemark {

// The transport of the measured path: libcurl's multi interface on our own epoll loop, HTTP/1.1,
// one kept connection a slot, no redirects, no cookies, no cache, and no proxy (proxies of the
// environment are left out on purpose: what is measured must be the endpoint). Slots are spread
// over multi handles of at most 500, since one handle's cost a request grows with its connections.
//
// libcurl re-sends a request once more when a kept connection was closed under it (OnResent); it
// looks at idle connections before it takes one, so that more than one such re-send needs a second
// race.
//
// Headers that must be there are added unless `options.headers` names them: Content-Type
// application/json, Accept, Accept-Encoding identity, User-Agent.
//
// `loop` must outlive the transport; both belong to one thread, and the transport is destroyed
// outside of a turn. InvalidArgument for a ca_cert that cannot be read; ResourceExhausted when
// libcurl has no memory.
absl::StatusOr<std::unique_ptr<Transport>> NewCurlTransport(TransportOptions options,
                                                            EpollLoop* loop);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_HTTP_CURL_TRANSPORT_H_
