#include "tests/support/exposition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace tidemark::testing {
namespace {

ExposedFamily& FamilyOf(const std::string& name, Exposition& out) {
  if (out.families.empty() || out.families.back().name != name) out.families.push_back({name, "", ""});
  return out.families.back();
}

void ParseComment(const std::string& line, Exposition& out) {
  std::istringstream in(line);
  std::string hash, kind, name, rest;
  in >> hash >> kind >> name;
  std::getline(in >> std::ws, rest);
  if (kind == "HELP") FamilyOf(name, out).help = rest;
  if (kind == "TYPE") FamilyOf(name, out).type = rest;
}

// From behind `{`; returns the position behind `}`.
size_t ParseLabels(const std::string& line, size_t at, LabelSet& labels) {
  while (at < line.size() && line[at] != '}') {
    const size_t equals = line.find("=\"", at);
    if (equals == std::string::npos) return std::string::npos;
    const std::string name = line.substr(at, equals - at);
    std::string value;
    for (at = equals + 2; at < line.size() && line[at] != '"'; ++at) {
      if (line[at] == '\\' && at + 1 < line.size()) {
        ++at;
        value += line[at] == 'n' ? '\n' : line[at];
      } else {
        value += line[at];
      }
    }
    labels[name] = value;
    ++at;
    if (at < line.size() && line[at] == ',') ++at;
  }
  return at + 1;
}

void ParseSample(const std::string& line, Exposition& out) {
  ExposedSample sample;
  size_t at = line.find_first_of("{ ");
  ASSERT_NE(at, std::string::npos) << line;
  sample.name = line.substr(0, at);
  if (line[at] == '{') at = ParseLabels(line, at + 1, sample.labels);
  ASSERT_LT(at, line.size()) << line;
  char* end = nullptr;
  sample.value = std::strtod(line.c_str() + at, &end);
  EXPECT_EQ(*end, '\0') << line;
  out.samples.push_back(sample);
}

bool Holds(const LabelSet& all, const LabelSet& some) {
  return std::all_of(some.begin(), some.end(), [&](const auto& label) {
    const auto found = all.find(label.first);
    return found != all.end() && found->second == label.second;
  });
}

}  // namespace

size_t Exposition::Count(const std::string& name, const LabelSet& labels) const {
  return static_cast<size_t>(std::count_if(samples.begin(), samples.end(), [&](const ExposedSample& sample) {
    return sample.name == name && Holds(sample.labels, labels);
  }));
}

double Exposition::Sum(const std::string& name, const LabelSet& labels) const {
  double sum = 0;
  for (const ExposedSample& sample : samples) {
    if (sample.name == name && Holds(sample.labels, labels)) sum += sample.value;
  }
  return sum;
}

Exposition ParseExposition(const std::string& text) {
  Exposition out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line[0] == '#') {
      ParseComment(line, out);
    } else {
      ParseSample(line, out);
    }
  }
  return out;
}

}  // namespace tidemark::testing
