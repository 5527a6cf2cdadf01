#include "common/session/lease.h"

#include <algorithm>

namespace tidemark {

void AgentLease::Begin(int64_t hello_sent_at, int64_t length) {
  begun_ = true;
  length_ = length;
  expires_at_ = hello_sent_at + length;
  sent_.clear();
}

void AgentLease::HeartbeatSent(uint64_t number, int64_t now) {
  sent_.emplace_back(number, now);
  if (sent_.size() > kMaxUnacknowledged) sent_.pop_front();
}

void AgentLease::HeartbeatAcknowledged(uint64_t number) {
  const auto it = std::find_if(sent_.begin(), sent_.end(),
                               [number](const auto& sent) { return sent.first == number; });
  if (!begun_ || it == sent_.end()) return;
  expires_at_ = std::max(expires_at_, it->second + length_);
  sent_.erase(sent_.begin(), it + 1);
}

void AgentLease::End() {
  begun_ = false;
  sent_.clear();
}

void CoordinatorLease::Renew(int64_t now) { expires_at_ = std::max(expires_at_, now + length_); }

}  // namespace tidemark
