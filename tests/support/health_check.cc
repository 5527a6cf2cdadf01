#include "tests/support/health_check.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include "common/clock/clock.h"
#include "common/rpc/deadline.h"

namespace tidemark::testing {
namespace {

// HealthCheckResponse has one field, the enum `status`, so its bytes are told by hand.
std::string StatusIn(const grpc::ByteBuffer& response) {
  grpc::Slice slice;
  if (!response.DumpToSingleSlice(&slice).ok()) return "unreadable";
  const std::string bytes(reinterpret_cast<const char*>(slice.begin()), slice.size());
  if (bytes == "\x08\x01") return "SERVING";
  return bytes == "\x08\x02" ? "NOT_SERVING" : "other";
}

}  // namespace

std::string CheckHealth(const std::string& address) {
  grpc::GenericStub stub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(10 * kNanosPerSecond));
  grpc::CompletionQueue queue;
  const grpc::Slice nothing;
  const grpc::ByteBuffer request(&nothing, 1);  // for service "": all of it
  grpc::ByteBuffer response;
  grpc::Status status;
  const auto call = stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", request, &queue);
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  return status.ok() ? StatusIn(response) : status.error_message();
}

}  // namespace tidemark::testing
