#include "common/daemon/termination.h"

#include <csignal>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "common/clock/clock.h"
#include "common/log/log.h"

namespace tidemark {
namespace {

std::string NameOf(int signal) { return signal == SIGTERM ? "SIGTERM" : signal == SIGINT ? "SIGINT" : absl::StrCat(signal); }

}  // namespace

absl::StatusOr<std::unique_ptr<Termination>> Termination::Watch() {
  std::unique_ptr<Termination> termination(new Termination());
  auto watch = InterruptWatch::Start([raw = termination.get()](int signal, int count) { raw->OnSignal(signal, count); });
  if (!watch.ok()) return watch.status();
  termination->watch_ = *std::move(watch);
  return termination;
}

void Termination::OnSignal(int signal, int count) {
  if (count > 1) {
    Log(LogLevel::kWarning, "ends at once", {{"signal", NameOf(signal)}});
    std::_Exit(128 + signal);
  }
  Log(LogLevel::kInfo, "ends", {{"signal", NameOf(signal)}});
  End(0);
}

void Termination::End(int exit_code) {
  MutexLock lock(mutex_);
  if (!exit_code_) exit_code_ = exit_code;
  changed_.NotifyAll();
}

int Termination::Wait() {
  MutexLock lock(mutex_);
  while (!exit_code_) changed_.WaitFor(mutex_, kNanosPerSecond);
  return *exit_code_;
}

}  // namespace tidemark
