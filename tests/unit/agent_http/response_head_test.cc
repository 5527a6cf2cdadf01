#include "agent/http/response_head.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

class Journal final : public ResponseHandler {
 public:
  void OnResent(int64_t) override { text += "resent;"; }
  void OnConnected(int64_t, absl::string_view address) override {
    absl::StrAppend(&text, "connected ", address, ";");
  }
  void OnTlsDone(int64_t, absl::string_view) override { text += "tls;"; }
  void OnStatus(int status, int64_t) override { absl::StrAppend(&text, status, ";"); }
  void OnHeader(absl::string_view name, absl::string_view value) override {
    absl::StrAppend(&text, name, "=", value, ";");
  }
  void OnHeadersEnd(int64_t) override { text += "end;"; }
  bool OnBody(absl::string_view bytes, int64_t, uint64_t) override {
    absl::StrAppend(&text, "body ", bytes, ";");
    return true;
  }
  void OnResponseEnd(bool clean, int64_t) override { text += clean ? "done;" : "cut;"; }
  void OnFailure(FailureClass, int64_t, absl::string_view) override { text += "failed;"; }
  std::string text;
};

std::string Read(std::initializer_list<absl::string_view> lines) {
  ResponseHead head;
  Journal journal;
  for (const absl::string_view line : lines) head.OnLine(line, 1, &journal);
  return journal.text;
}

TEST(ResponseHead, TellsStatusHeadersAndEnd) {
  EXPECT_EQ(Read({"HTTP/1.1 429 Too Many\r\n", "Retry-After:  7 \r\n", "X: a:b\r\n", "\r\n"}),
            "429;Retry-After=7;X=a:b;end;");
}

TEST(ResponseHead, PassesOverInterimResponses) {
  EXPECT_EQ(Read({"HTTP/1.1 100 Continue\r\n", "X: y\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "\r\n"}),
            "200;end;");
}

TEST(ResponseHead, LeavesTrailersOut) {
  EXPECT_EQ(Read({"HTTP/1.1 200 OK\r\n", "\r\n", "X: trailer\r\n", "\r\n"}), "200;end;");
}

TEST(ResponseHead, ALineThatIsNoHeaderIsPassedOver) {
  EXPECT_EQ(Read({"HTTP/1.1 200\r\n", "no colon\r\n", "\r\n"}), "200;end;");
}

}  // namespace
}  // namespace tidemark
