#include "agent/engine/record_spool.h"

#include <errno.h>
#include <string.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/clock/clock.h"
#include "common/rng/rng.h"

namespace tidemark {

absl::StatusOr<std::unique_ptr<RecordSpool>> RecordSpool::Open(SpoolOptions options) {
  std::FILE* file = std::fopen(options.path.c_str(), "we");
  if (file == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("records file \"", options.path,
                                                      "\": ", strerror(errno),
                                                      "; its folder must exist and be writable"));
  }
  return std::unique_ptr<RecordSpool>(new RecordSpool(std::move(options), file));
}

RecordSpool::RecordSpool(SpoolOptions options, std::FILE* file)
    : options_(std::move(options)), file_(file), thread_([this] { Run(); }) {}

RecordSpool::~RecordSpool() { Close(); }

void RecordSpool::Write(const RequestRecord& record) {
  if (options_.one_in == 0 || MixBits(record.index) % options_.one_in != 0) return;
  MutexLock lock(mutex_);
  if (closing_ || queue_.size() >= options_.queue_limit) {
    ++dropped_;
    return;
  }
  queue_.push_back(record);
  if (queue_.size() == 1) changed_.NotifyOne();
}

RecordSpool::Counts RecordSpool::Close() {
  {
    MutexLock lock(mutex_);
    closing_ = true;
    changed_.NotifyOne();
  }
  if (thread_.joinable()) thread_.join();
  Counts counts = counts_;
  MutexLock lock(mutex_);
  counts.lost += dropped_;
  return counts;
}

void RecordSpool::Run() {
  std::vector<RequestRecord> records;
  std::string line;
  for (bool closing = false; !closing;) {
    records.clear();
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !closing_) changed_.WaitFor(mutex_, kNanosPerSecond);
      records.swap(queue_);
      closing = closing_;
    }
    for (const RequestRecord& record : records) {
      line.clear();
      AppendRecordJson(record, options_.context, &line);
      WriteLine(line);
    }
  }
  if (std::fclose(std::exchange(file_, nullptr)) != 0) {
    counts_.lost += counts_.written;  // the disk is full: nothing of the file can be relied on
    counts_.written = 0;
  }
}

void RecordSpool::WriteLine(const std::string& line) {
  if (counts_.bytes + line.size() > options_.limit_bytes ||
      std::fwrite(line.data(), 1, line.size(), file_) != line.size()) {
    ++counts_.lost;
    return;
  }
  ++counts_.written;
  counts_.bytes += line.size();
}

}  // namespace tidemark
