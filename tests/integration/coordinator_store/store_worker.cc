#include "tests/integration/coordinator_store/store_worker.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <iostream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/integration/coordinator_store/store_fixture.h"

namespace tidemark::testing {
namespace {

constexpr unsigned kLongestLifeS = 60;
constexpr int kMostSteps = 1'000'000;

void SayLine(const std::string& text) { std::cout << text << '\n' << std::flush; }

int Hold() {
  SayLine("held");
  pause();  // until the parent kills it, or the alarm does
  return 0;
}

int AppendForEver(JobStore& store) {
  for (int i = 0; i < kMostSteps; ++i) {
    if (!store.Append("a", MakeEntry(absl::StrCat(i))).ok()) return 1;
    SayLine(absl::StrCat("<", i, ">"));
  }
  return 0;
}

int FinishForEver(JobStore& store) {
  for (int i = 0; i < kMostSteps; ++i) {
    const std::string name = absl::StrCat(i);
    if (!store.Finish(MakeJob("a", 1, name), MakeResult(name)).ok()) return 1;
    SayLine(absl::StrCat("<", i, ">"));
  }
  return 0;
}

void LimitFileSize(rlim_t bytes) {
  signal(SIGXFSZ, SIG_IGN);  // then the write fails
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

int Fill(JobStore& store, const std::string& bytes) {
  uint64_t most = 0;
  if (!bytes.empty() && !absl::SimpleAtoi(bytes, &most)) return 2;
  if (most > 0) LimitFileSize(most);
  const v1::JournalEntry entry = MakeEntry(std::string(3000, 'x'));
  absl::Status status;
  int kept = 0;
  for (; kept < kMostSteps && status.ok(); ++kept) status = store.Append("a", entry);
  SayLine(absl::StrCat("refused: ", absl::StatusCodeToString(status.code()), ": ", std::string(status.message())));
  SayLine(absl::StrCat("kept ", kept - 1, " found ", JournalTexts(store, "a").size()));
  if (most == 0) return 0;
  LimitFileSize(RLIM_INFINITY);
  SayLine(absl::StrCat("again: ", absl::StatusCodeToString(store.Append("a", entry).code())));
  return 0;
}

int FinishBig(JobStore& store, const std::string& bytes) {
  uint64_t most = 0;
  if (!absl::SimpleAtoi(bytes, &most)) return 2;
  LimitFileSize(most);
  const absl::Status status = store.Finish(MakeJob("a", 1, "after"), MakeResult(std::string(2 * most, 'x')));
  SayLine(absl::StrCat("refused: ", absl::StatusCodeToString(status.code())));
  SayLine(absl::StrCat("job: ", store.Jobs()->front().job().name()));
  SayLine(absl::StrCat("result: ", absl::StatusCodeToString(store.GetResult("a").status().code())));
  return 0;
}

}  // namespace

int RunStoreWorker(const std::vector<std::string>& arguments) {
  alarm(kLongestLifeS);
  if (arguments.size() < 2) return 2;
  const std::unique_ptr<JobStore> store = MustOpen(arguments[1]);
  if (!store) return 1;
  if (arguments[0] == "hold") return Hold();
  if (!store->PutJob(MakeJob("a", 1, "before")).ok()) return 1;
  if (arguments[0] == "append") return AppendForEver(*store);
  if (arguments[0] == "finish") return FinishForEver(*store);
  const std::string bytes = arguments.size() > 2 ? arguments[2] : "";
  if (arguments[0] == "fill") return Fill(*store, bytes);
  if (arguments[0] == "finish-big") return FinishBig(*store, bytes);
  return 2;
}

}  // namespace tidemark::testing
