#include "agent/http/connect_limit.h"

#include <utility>

namespace tidemark {

ConnectLimit::ConnectLimit(EventLoop* loop, int64_t limit, std::function<void(uint32_t)> late)
    : loop_(loop), limit_(limit), late_(std::move(late)) {}

ConnectLimit::~ConnectLimit() { loop_->CancelTimer(timer_); }

void ConnectLimit::Begin(uint32_t slot) {
  if (slot >= current_.size()) current_.resize(slot + 1);
  current_[slot] = ++last_number_;
  attempts_.push_back({loop_->Now() + limit_, slot, last_number_});
  if (timer_ == 0) ArmTimer();
}

void ConnectLimit::End(uint32_t slot) {
  if (slot < current_.size()) current_[slot] = 0;
}

void ConnectLimit::ArmTimer() {
  timer_ = loop_->At(attempts_.front().until, [this] { OnTimer(); });
}

void ConnectLimit::OnTimer() {
  timer_ = 0;
  while (!attempts_.empty() && attempts_.front().until <= loop_->Now()) {
    const Attempt attempt = attempts_.front();
    attempts_.pop_front();
    if (current_[attempt.slot] != attempt.number) continue;
    current_[attempt.slot] = 0;
    late_(attempt.slot);
  }
  if (timer_ == 0 && !attempts_.empty()) ArmTimer();
}

}  // namespace tidemark
