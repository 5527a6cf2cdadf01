// The chart's values, their schema and what else is deployed say the same. Needs no helm: a misspelt value is
// refused because the schema is closed, and that is held here; tests/e2e/cluster/ renders the chart.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "common/json/json.h"

namespace tidemark::lint {
namespace {

using Found = std::vector<std::string>;

std::string ReadSource(const std::string& path) {
  std::ifstream file(std::string(TIDEMARK_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(file) << path << " can't be read";
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Json ParsedOrNull(const std::string& text) {
  absl::StatusOr<Json> json = ParseJson(text, "values.schema.json");
  EXPECT_TRUE(json.ok()) << json.status();
  return json.ok() ? *json : Json();
}

Json ChartSchema() { return ParsedOrNull(ReadSource("helm/tidemark/values.schema.json")); }
YAML::Node ChartValues() { return YAML::Load(ReadSource("helm/tidemark/values.yaml")); }

// The types that a schema node takes; empty: it says none.
Found TypesOf(const Json& node) {
  Found types;
  const Json* type = node.Find("type");
  if (type == nullptr) return types;
  if (type->AsString() != nullptr) return {*type->AsString()};
  for (const Json& item : type->Items()) types.push_back(*item.AsString());
  return types;
}

bool Takes(const Json& node, const std::string& type) {
  const Found types = TypesOf(node);
  return std::find(types.begin(), types.end(), type) != types.end();
}

bool IsWhole(const YAML::Node& value) {
  int64_t number = 0;
  return value.Tag() != "!" && YAML::convert<int64_t>::decode(value, number);
}

bool IsBool(const YAML::Node& value) {
  return value.Tag() != "!" && (value.Scalar() == "true" || value.Scalar() == "false");
}

// A value's type as JSON schema names it. A quoted scalar (tag "!") is a string, whatever it looks like.
std::string TypeOf(const YAML::Node& value) {
  if (value.IsMap()) return "object";
  if (value.IsSequence()) return "array";
  if (value.IsNull()) return "null";
  if (IsWhole(value)) return "integer";
  return IsBool(value) ? "boolean" : "string";
}

std::string Join(const std::string& path, const std::string& key) { return path.empty() ? key : path + "." + key; }

// Keys of values.yaml that the schema does not name, and defaults that it would refuse.
void CompareValues(const YAML::Node& values, const Json& node, const std::string& path, Found& found) {
  const Json* properties = node.Find("properties");
  if (properties == nullptr) return;
  for (const auto& entry : values) {
    const auto key = Join(path, entry.first.as<std::string>());
    const Json* property = properties->Find(entry.first.as<std::string>());
    if (property == nullptr) {
      found.push_back(key + " is not in values.schema.json");
      continue;
    }
    const std::string type = TypeOf(entry.second);
    if (!TypesOf(*property).empty() && !Takes(*property, type)) found.push_back(key + " may not be of type " + type);
    if (type == "object") CompareValues(entry.second, *property, key, found);
  }
}

// Properties of the schema that values.yaml does not show. `global` is Helm's own.
void CompareSchema(const Json& node, const YAML::Node& values, const std::string& path, Found& found) {
  const Json* properties = node.Find("properties");
  if (properties == nullptr) return;
  for (const auto& [name, property] : properties->Members()) {
    const std::string key = Join(path, name);
    if (key == "global") continue;
    if (!values.IsMap() || !values[name].IsDefined()) {
      found.push_back(key + " is not in values.yaml");
    } else {
      CompareSchema(property, values[name], key, found);
    }
  }
}

// Objects that pass something on in Kubernetes' own words, which the API server checks.
bool IsPassedOn(const std::string& path) {
  static const std::regex kPaths(
      "global|.*\\.(valueFrom\\.\\w+|(node|pod)Affinity|podAntiAffinity|(pod|namespace|label)Selector)");
  return std::regex_match(path, kPaths);
}

void FindOpen(const Json& node, const std::string& path, Found& found);

void FindOpenWithin(const Json* members, const std::string& path, Found& found) {
  if (members == nullptr) return;
  for (const auto& [name, member] : members->Members()) {
    if (member.Find("description") == nullptr) found.push_back(Join(path, name) + " has no description");
    FindOpen(member, Join(path, name), found);
  }
}

// Objects that take any key, and properties without a description.
void FindOpen(const Json& node, const std::string& path, Found& found) {
  const Json* more = node.Find("additionalProperties");
  const bool closed = more != nullptr && (more->AsBool() == false || more->IsObject());
  if (Takes(node, "object") && !closed && !IsPassedOn(path)) found.push_back(path + " takes any key");
  FindOpenWithin(node.Find("properties"), path, found);
  FindOpenWithin(node.Find("definitions"), Join(path, "definitions"), found);
  if (const Json* items = node.Find("items")) FindOpen(*items, path + "[]", found);
}

Found Unknown(const YAML::Node& values, const Json& schema) {
  Found found;
  CompareValues(values, schema, "", found);
  return found;
}

Found Undocumented(const Json& schema, const YAML::Node& values) {
  Found found;
  CompareSchema(schema, values, "", found);
  return found;
}

Found Open(const Json& schema) {
  Found found;
  FindOpen(schema, "", found);
  return found;
}

TEST(Chart, EveryDefaultIsOfTheSchema) { EXPECT_EQ(Unknown(ChartValues(), ChartSchema()), Found()); }
TEST(Chart, EveryPropertyStandsInValues) { EXPECT_EQ(Undocumented(ChartSchema(), ChartValues()), Found()); }
TEST(Chart, EveryObjectIsClosedAndEveryPropertyDescribed) { EXPECT_EQ(Open(ChartSchema()), Found()); }

const char* const kSchema = R"({"type": "object", "additionalProperties": false, "properties":
    {"a": {"type": "integer", "description": "a"},
     "b": {"type": "object", "description": "b", "additionalProperties": false, "properties":
           {"c": {"type": ["string", "null"], "description": "c"}}}}})";

TEST(ChartLint, SeesValuesThatTheSchemaLacks) {
  const Json schema = ParsedOrNull(kSchema);
  EXPECT_EQ(Unknown(YAML::Load("{a: 1, b: {d: 2}}"), schema), Found{"b.d is not in values.schema.json"});
  EXPECT_EQ(Unknown(YAML::Load("{a: \"1\"}"), schema), Found{"a may not be of type string"});
  EXPECT_EQ(Unknown(YAML::Load("{b: {c: 1}}"), schema), Found{"b.c may not be of type integer"});
  EXPECT_EQ(Unknown(YAML::Load("{a: 1, b: {c: null}}"), schema), Found());
}

TEST(ChartLint, SeesPropertiesThatValuesLack) {
  EXPECT_EQ(Undocumented(ParsedOrNull(kSchema), YAML::Load("{a: 1, b: {}}")), Found{"b.c is not in values.yaml"});
}

TEST(ChartLint, SeesOpenObjectsAndMissingDescriptions) {
  EXPECT_EQ(Open(ParsedOrNull(kSchema)), Found());
  EXPECT_EQ(Open(ParsedOrNull(R"({"properties": {"a": {"type": "object", "description": "a"}}})")),
            Found{"a takes any key"});
  EXPECT_EQ(Open(ParsedOrNull(R"({"properties": {"a": {"type": "string"}}})")), Found{"a has no description"});
}

// The first group of `pattern` in the file; empty: not there.
std::string FirstIn(const std::string& path, const std::string& pattern) {
  std::smatch match;
  const std::string text = ReadSource(path);
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

TEST(Deployed, IsOfTheProjectsVersion) {
  const std::string version = FirstIn("CMakeLists.txt", "project\\(tidemark VERSION ([0-9.]+)");
  EXPECT_EQ(FirstIn("helm/tidemark/Chart.yaml", "appVersion: \"([0-9.]+)\""), version);
  EXPECT_EQ(FirstIn("deploy/Dockerfile", "ARG VERSION=([0-9.]+)"), version);
  EXPECT_EQ(FirstIn("deploy/compose.yaml", "TIDEMARK_IMAGE:-tidemark:([0-9.]+)"), version);
}

// One file, of which the other path is a link: helm reads nothing outside the chart.
TEST(Deployed, DashboardIsThatOfTheChart) {
  EXPECT_EQ(ReadSource("deploy/grafana/tidemark-live.json"), ReadSource("helm/tidemark/files/tidemark-live.json"));
}

}  // namespace
}  // namespace tidemark::lint
