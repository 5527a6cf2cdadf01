// Connections come from the addresses that were asked for.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/http/curl_transport.h"
#include "common/descriptors/owned_fd.h"
#include "common/local_address/source_address.h"

namespace tidemark {
namespace {

using ::testing::UnorderedElementsAre;

class Ignoring : public ResponseHandler {
 public:
  void OnResent(int64_t) override {}
  void OnConnected(int64_t, absl::string_view) override {}
  void OnTlsDone(int64_t, absl::string_view) override {}
  void OnStatus(int, int64_t) override {}
  void OnHeader(absl::string_view, absl::string_view) override {}
  void OnHeadersEnd(int64_t) override {}
  bool OnBody(absl::string_view, int64_t, uint64_t) override { return true; }
  void OnResponseEnd(bool, int64_t) override {}
  void OnFailure(FailureClass failure, int64_t, absl::string_view) override { failed = FailureClassName(failure, 0); }

  std::string failed;
};

// Takes connections, 5 s at most for each, and says where they come from.
class Listener {
 public:
  Listener() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(name);
    const timeval bound{5, 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof(bound));
    EXPECT_EQ(bind(fd_.get(), reinterpret_cast<sockaddr*>(&name), length), 0);
    EXPECT_EQ(listen(fd_.get(), 16), 0);
    getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&name), &length);
    port_ = ntohs(name.sin_port);
  }
  std::string address() const { return absl::StrCat("127.0.0.1:", port_); }

  std::string NextPeer() {
    sockaddr_in peer{};
    socklen_t length = sizeof(peer);
    taken_.emplace_back(accept(fd_.get(), reinterpret_cast<sockaddr*>(&peer), &length));
    if (!taken_.back().valid()) return "none came";
    char text[INET_ADDRSTRLEN] = "";
    return inet_ntop(AF_INET, &peer.sin_addr, text, sizeof(text));
  }

 private:
  const OwnedFd fd_;
  int port_ = 0;
  std::vector<OwnedFd> taken_;
};

class SourceAddressTransport : public testing::Test {
 protected:
  // Where the connections of `slots` requests come from.
  std::vector<std::string> PeersOf(uint32_t slots, const std::vector<std::string>& sources) {
    TransportOptions options;
    options.slots = slots;
    options.sources = *ParseSourceAddresses(sources);
    options.targets.emplace_back();
    options.targets[0].url = absl::StrCat("http://", listener_.address(), "/v1");
    options.targets[0].addresses = {listener_.address()};
    transport_ = *NewCurlTransport(options, loop_.get());
    std::vector<std::string> peers;
    for (uint32_t slot = 0; slot < slots; ++slot) {
      transport_->Send(slot, {0, 0, "{}"}, &handler_);
      peers.push_back(listener_.NextPeer());
    }
    return peers;
  }

  Listener listener_;
  Ignoring handler_;
  std::unique_ptr<EpollLoop> loop_ = *EpollLoop::Create(&RealClock());
  std::unique_ptr<Transport> transport_;
};

TEST_F(SourceAddressTransport, SpreadsConnectionsOverTheSources) {
  EXPECT_THAT(PeersOf(4, {"127.0.0.2,127.0.0.3"}),
              UnorderedElementsAre("127.0.0.2", "127.0.0.3", "127.0.0.2", "127.0.0.3"));
}

TEST_F(SourceAddressTransport, WithoutAnyTheSystemChooses) {
  EXPECT_THAT(PeersOf(2, {}), UnorderedElementsAre("127.0.0.1", "127.0.0.1"));
}

}  // namespace
}  // namespace tidemark
