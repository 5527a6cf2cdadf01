#include "cli/job_screens.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/job_view.h"
#include "cli/terminal.h"
#include "coordinator/report/format.h"

namespace tidemark {
namespace {

struct Column {
  const char* name;
  bool number = false;  // to the right
};

// Columns as wide as their widest cell; an empty column (all dashes) is left out. Lines longer than `width` are cut.
std::string Table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows,
                  size_t width) {
  std::vector<std::string> lines(rows.size() + 1);
  for (size_t c = 0; c < columns.size(); ++c) {
    size_t widest = DisplayWidth(columns[c].name);
    for (const auto& row : rows) widest = std::max(widest, DisplayWidth(row[c]));
    const auto empty = [c](const std::vector<std::string>& row) { return row[c] == "-"; };
    if (std::all_of(rows.begin(), rows.end(), empty)) continue;
    for (size_t r = 0; r < lines.size(); ++r) {
      const std::string cell = r == 0 ? columns[c].name : rows[r - 1][c];
      const std::string gap(widest - DisplayWidth(cell), ' ');
      absl::StrAppend(&lines[r], lines[r].empty() ? "" : "  ", columns[c].number ? gap + cell : cell + gap);
    }
  }
  for (std::string& line : lines) {
    absl::StripTrailingAsciiWhitespace(&line);
    line = CutToWidth(line, static_cast<int>(width));
  }
  return absl::StrJoin(lines, "\n") + "\n";
}

std::string OrDash(const std::string& text) { return text.empty() ? "-" : OneLine(text); }

// "2026-11-30T17:52:43.120Z" -> "2026-11-30 17:52:43"; anything else as it is.
std::string Shortly(const std::string& rfc3339) {
  constexpr size_t kSeconds = 19;
  if (rfc3339.size() < kSeconds || rfc3339[10] != 'T') return OrDash(rfc3339);
  return OneLine(absl::StrCat(rfc3339.substr(0, 10), " ", rfc3339.substr(11, 8)));
}

std::string StateOf(const v1::Job& job) {
  if (job.state() != v1::QUEUED || job.queue_position() == 0) return StateText(job.state());
  return absl::StrCat("queued (", job.queue_position(), ")");
}

std::string Outcome(const v1::Job& job) {
  const std::string& text = job.failure_reason().empty() ? job.answer().headline() : job.failure_reason();
  return OrDash(text);
}

std::string Row(absl::string_view name, const std::string& text) {
  return text.empty() ? "" : absl::StrFormat("  %-10s %s\n", std::string(name), OneLine(text));
}

std::string LabelsText(const v1::Job& job) {
  std::vector<std::string> labels;
  for (const auto& [key, value] : job.labels()) labels.push_back(absl::StrCat(key, "=", value));
  std::sort(labels.begin(), labels.end());
  return absl::StrJoin(labels, ", ");
}

std::string AgentStateText(v1::AgentState state) {
  switch (state) {
    case v1::IDLE:
      return "idle";
    case v1::BUSY:
      return "busy";
    case v1::CUT_OFF:
      return "cut off";
    default:
      return "unknown";
  }
}

std::string ClockText(double error_ms) {
  return error_ms > 0 ? absl::StrCat("±", FormatReadable(error_ms), " ms") : "-";
}

std::string Agents(int count) { return absl::StrCat(count, count == 1 ? " agent" : " agents"); }

}  // namespace

std::string JobsTable(const std::vector<v1::Job>& jobs, size_t width) {
  if (jobs.empty()) return "no jobs\n";
  std::vector<std::vector<std::string>> rows;
  for (const v1::Job& job : jobs) {
    rows.push_back({OrDash(job.id()), OrDash(job.name()), StateOf(job), absl::StrCat(job.levels_done()),
                    Shortly(job.created_at()), OrDash(job.created_by()), Outcome(job)});
  }
  return Table({{"ID"}, {"NAME"}, {"STATE"}, {"LEVELS", true}, {"CREATED (UTC)"}, {"BY"}, {"ANSWER"}}, rows, width);
}

std::string JobText(const v1::Job& job) {
  std::string text = absl::StrCat(OneLine(job.id()), ": ", OneLine(job.name()), "\n");
  text += Row("State", StateOf(job));
  text += Row("Reason", job.failure_reason());
  text += Row("Answer", job.answer().headline());
  text += Row("Levels", job.levels_done() == 0 ? "" : absl::StrCat(job.levels_done(), " done"));
  text += Row("Created", absl::StrCat(job.created_at(), job.created_by().empty() ? "" : " by ", job.created_by()));
  text += Row("Started", job.started_at());
  text += Row("Ended", job.ended_at());
  text += Row("Labels", LabelsText(job));
  for (const v1::Note& note : job.notes()) text += Row(note.warning() ? "Warning" : "Note", note.text());
  return text;
}

std::string AgentsTable(const v1::ListAgentsResponse& agents, size_t width) {
  if (agents.agents().empty()) {
    return "no agents: start tidemark-agent with --coordinator, and look at its log when it does not appear here\n";
  }
  std::vector<std::vector<std::string>> rows;
  for (const v1::Agent& agent : agents.agents()) {
    rows.push_back({OrDash(agent.id()), AgentStateText(agent.state()), FormatCount(agent.capacity()),
                    OrDash(agent.capacity_source()), FormatReadable(agent.weight()), absl::StrCat(agent.cores()),
                    OrDash(agent.pod()), OrDash(agent.node()), OrDash(agent.zone()),
                    ClockText(agent.clock_error_ms()), OrDash(agent.build())});
  }
  return absl::StrCat(Table({{"ID"},
                             {"STATE"},
                             {"CAPACITY", true},
                             {"FROM"},
                             {"WEIGHT", true},
                             {"CORES", true},
                             {"POD"},
                             {"NODE"},
                             {"ZONE"},
                             {"CLOCK"},
                             {"BUILD"}},
                            rows, width),
                      Agents(agents.agents_size()), ", up to ", FormatCount(agents.capacity()),
                      " concurrent requests\n");
}

std::string AgentsSummary(const v1::ListAgentsResponse& agents, const std::string& cluster) {
  if (agents.agents().empty()) return absl::StrCat("none of ", cluster, " yet: the job waits for them");
  return absl::StrCat(Agents(agents.agents_size()), " of ", cluster, ", up to ", FormatCount(agents.capacity()),
                      " concurrent requests");
}

}  // namespace tidemark
