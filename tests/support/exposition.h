// Reads Prometheus's text format in tests, by its specification and without our exporters' code.
#ifndef TIDEMARK_TESTS_SUPPORT_EXPOSITION_H_
#define TIDEMARK_TESTS_SUPPORT_EXPOSITION_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::testing {

using LabelSet = std::map<std::string, std::string>;

struct ExposedFamily {
  std::string name, type, help;
};

struct ExposedSample {
  std::string name;
  LabelSet labels;
  double value = 0;
};

struct Exposition {
  std::vector<ExposedFamily> families;  // in the order of the text
  std::vector<ExposedSample> samples;

  // Of the samples of that name whose labels hold all of `labels`: how many, and their sum (0 of none).
  size_t Count(const std::string& name, const LabelSet& labels = {}) const;
  double Sum(const std::string& name, const LabelSet& labels = {}) const;
};

// Adds a test failure for a line that is none of the format.
Exposition ParseExposition(const std::string& text);

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_SUPPORT_EXPOSITION_H_
