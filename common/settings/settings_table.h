#ifndef TIDEMARK_COMMON_SETTINGS_SETTINGS_TABLE_H_
#define TIDEMARK_COMMON_SETTINGS_SETTINGS_TABLE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark {

// What a settings table is read from.
struct SettingSources {
  std::vector<std::string> arguments;    // without the program's name
  std::vector<std::string> environment;  // "K=V"
  // The text of a file; an error says why it cannot be read.
  std::function<absl::StatusOr<std::string>(const std::string& path)> file;
};

// This process's.
SettingSources ProcessSources(int argc, char** argv);

// A program's settings, declared once: each is the flag --agent-wait, the variable TIDEMARK_AGENT_WAIT, and the key
// agent_wait of the file that --config names; the flag goes before the variable, and that before the key. Errors
// say which of them was wrong, its value, and what would be right. Variables that are no setting are passed over, for
// Kubernetes makes some of its own; unknown flags and keys are refused with the nearest right name.
// Thread-compatible.
class SettingsTable {
 public:
  // `summary`: one line, what the program is.
  SettingsTable(std::string program, std::string version, std::string summary);

  // `name` is the flag's, without the dashes; `unit` stands for its value in --help. What `value` points to is the
  // default, is set by Read, and must outlive the table.
  void Text(const std::string& name, const std::string& unit, const std::string& help, std::string* value);
  // May be given more than once; in a variable several are separated by white space.
  void List(const std::string& name, const std::string& unit, const std::string& help, std::vector<std::string>* value);
  void Number(const std::string& name, const std::string& unit, const std::string& help, uint64_t least, uint64_t most,
              uint64_t* value);
  // Alone it is true.
  void Switch(const std::string& name, const std::string& help, bool* value);

  // Reads all sources into the values. Nothing: the program runs. A text: it was asked for (--help, --version); print
  // it and end. InvalidArgument: wrong usage, in one line; the values are then as they may be.
  absl::StatusOr<std::optional<std::string>> Read(const SettingSources& sources);

  std::string Help() const;

 private:
  struct Bounded {
    uint64_t least, most;
    uint64_t* value;
  };
  struct Setting {
    std::string name, unit, help;
    std::variant<std::string*, std::vector<std::string>*, Bounded, bool*> value;
  };
  // The values of one setting from one source.
  struct Given {
    std::string shown;  // "--agent-wait", "TIDEMARK_AGENT_WAIT", "agent.yaml:3:1: agent_wait"
    std::vector<std::string> values;
  };
  struct Flags {
    std::vector<std::optional<Given>> given;  // of each setting
    bool help = false, version = false;
  };

  static std::string DefaultOf(const Setting& setting);
  static absl::Status Set(const Setting& setting, const Given& given);
  absl::StatusOr<Flags> ReadFlags(const std::vector<std::string>& arguments) const;
  absl::Status RefuseExtras(const std::vector<std::string>& extras) const;
  std::optional<Given> FromEnvironment(const Setting& setting, const std::vector<std::string>& environment) const;
  absl::StatusOr<std::vector<std::optional<Given>>> ReadFile(const SettingSources& sources) const;

  const std::string program_, version_, summary_;
  std::string config_;
  std::vector<Setting> settings_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_SETTINGS_SETTINGS_TABLE_H_
