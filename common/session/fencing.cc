#include "common/session/fencing.h"

namespace tidemark {

v1::Epoch EncodeEpoch(const SessionEpoch& epoch) {
  v1::Epoch out;
  out.set_store_uuid(epoch.store_uuid);
  out.set_counter(epoch.counter);
  return out;
}

SessionEpoch DecodeEpoch(const v1::Epoch& epoch) { return {epoch.store_uuid(), epoch.counter()}; }

void Fence::Adopt(const SessionEpoch& epoch) {
  if (epoch == epoch_) return;
  epoch_ = epoch;
  key_.reset();
}

void Fence::Enter(const LevelKey& key) { key_ = key; }

bool Fence::Admit(const LevelKey& key) {
  if (key_ == key) return true;
  ++stale_;
  return false;
}

bool Fence::Admit(const LevelKey& key, const SessionEpoch& epoch) { return AdmitEpoch(epoch) && Admit(key); }

bool Fence::AdmitEpoch(const SessionEpoch& epoch) {
  if (epoch == epoch_) return true;
  ++stale_;
  return false;
}

}  // namespace tidemark
