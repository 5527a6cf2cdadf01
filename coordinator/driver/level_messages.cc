#include "coordinator/driver/level_messages.h"

#include "common/clock/clock.h"

namespace tidemark {

v1::CoordinatorMessage ProbeMessage(const SendProbe& probe, const SessionEpoch& epoch) {
  v1::CoordinatorMessage message;
  *message.mutable_probe() = EncodeProbeTask(probe.task);
  *message.mutable_probe()->mutable_epoch() = EncodeEpoch(epoch);
  return message;
}

v1::CoordinatorMessage PrepareMessage(const SendPrepare& prepare, const SessionEpoch& epoch) {
  v1::CoordinatorMessage message;
  *message.mutable_prepare() = EncodeTask(prepare.task);
  *message.mutable_prepare()->mutable_epoch() = EncodeEpoch(epoch);
  return message;
}

v1::CoordinatorMessage ArmMessage(const SendArm& arm, int64_t clock_offset) {
  v1::CoordinatorMessage message;
  v1::Arm& out = *message.mutable_arm();
  *out.mutable_key() = EncodeKey(arm.key);
  out.set_start_at_ns(static_cast<uint64_t>(arm.start_at));
  out.set_slice_origin_ns(static_cast<uint64_t>(arm.slice_origin));
  out.set_clock_offset_ns(clock_offset);
  return message;
}

v1::CoordinatorMessage MeasureMessage(const SendMeasure& measure, int64_t clock_offset) {
  v1::CoordinatorMessage message;
  v1::Measure& out = *message.mutable_measure();
  *out.mutable_key() = EncodeKey(measure.key);
  out.set_start_at_ns(static_cast<uint64_t>(measure.start_at));
  out.set_clock_offset_ns(clock_offset);
  return message;
}

v1::CoordinatorMessage StopMessage(const SendStop& stop) {
  v1::CoordinatorMessage message;
  *message.mutable_stop()->mutable_key() = EncodeKey(stop.key);
  message.mutable_stop()->set_drain_ms(static_cast<uint64_t>(stop.drain_ns / kNanosPerMilli));
  return message;
}

v1::CoordinatorMessage CancelMessage(const SendCancel& cancel) {
  v1::CoordinatorMessage message;
  *message.mutable_cancel()->mutable_key() = EncodeKey(cancel.key);
  message.mutable_cancel()->set_reason(cancel.reason);
  return message;
}

v1::CoordinatorMessage PullRecordsMessage(const SendPullRecords& pull) {
  v1::CoordinatorMessage message;
  *message.mutable_pull_records()->mutable_key() = EncodeKey(pull.key);
  return message;
}

}  // namespace tidemark
