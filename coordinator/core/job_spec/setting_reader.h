// Typed access to a merged layer of settings: reads each value by its parameter's kind and range and
// remembers the first thing that is wrong. Private to coordinator/core/job_spec.
//
// Thread-compatible. The settings must outlive the reader.
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SETTING_READER_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SETTING_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "coordinator/core/job_spec/settings.h"

namespace tidemark {

class SettingReader {
 public:
  explicit SettingReader(const Settings& settings) : settings_(settings) {}

  // The setting as written; null when not given.
  const RawSetting* Find(absl::string_view name) const;
  bool Has(absl::string_view name) const { return Find(name) != nullptr; }

  // Nothing when not given, or when it is wrong (then status() says how). REQUIRES: `name` is in the
  // table, with the kind that the function reads.
  std::optional<std::string> Text(absl::string_view name);
  std::optional<uint64_t> Integer(absl::string_view name);
  std::optional<double> Number(absl::string_view name);
  std::optional<bool> Switch(absl::string_view name);
  std::vector<uint64_t> IntegerList(absl::string_view name);
  std::vector<std::string> TextList(absl::string_view name) const;

  // Keeps the first problem.
  void Note(absl::Status problem);
  // Notes a refusal of the setting `name`, which was given.
  void Refuse(absl::string_view name, absl::string_view value, absl::string_view what_is_right);

  const absl::Status& status() const { return status_; }

 private:
  std::optional<uint64_t> ParseInteger(const RawSetting& setting, absl::string_view text);

  const Settings& settings_;
  absl::Status status_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SETTING_READER_H_
