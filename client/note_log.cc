#include "client/note_log.h"

#include <algorithm>

namespace tidemark {
namespace {

bool Same(const v1::Note& a, const v1::Note& b) { return a.text() == b.text() && a.warning() == b.warning(); }

}  // namespace

void NoteLog::Add(const v1::Note& note) {
  seen_.push_back(note);
  if (seen_.size() > kKept) seen_.pop_front();
}

std::vector<v1::Note> NoteLog::Merge(const v1::Job& job) {
  const auto begin = job.notes().begin() + static_cast<int>(Overlap(job));
  std::vector<v1::Note> fresh(begin, job.notes().end());
  for (const v1::Note& note : fresh) Add(note);
  return fresh;
}

size_t NoteLog::Overlap(const v1::Job& job) const {
  size_t overlap = std::min(seen_.size(), static_cast<size_t>(job.notes_size()));
  while (overlap > 0 &&
         !std::equal(seen_.end() - static_cast<std::ptrdiff_t>(overlap), seen_.end(), job.notes().begin(), Same)) {
    --overlap;
  }
  return overlap;
}

}  // namespace tidemark
