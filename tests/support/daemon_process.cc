#include "tests/support/daemon_process.h"

#include <csignal>
#include <regex>

#include <gtest/gtest.h>

namespace tidemark::testing {
namespace {

constexpr int64_t kStartLimit = 10'000;

ProcessOptions OptionsOf(const std::string& program, const Flags& flags, const std::vector<std::string>& environment) {
  ProcessOptions options;
  options.arguments = {std::string(TIDEMARK_BIN_DIR) + "/" + program, "--http=127.0.0.1:0", "--health=127.0.0.1:0"};
  if (program == "tidemark-coordinator") options.arguments.push_back("--listen=127.0.0.1:0");
  options.arguments.insert(options.arguments.end(), flags.begin(), flags.end());
  options.environment = environment;
  return options;
}

// In a log of text, and in one of JSON lines.
std::string AddressIn(const std::string& log, const std::string& service) {
  const std::regex text("listening service=" + service + " address=(\\S+)");
  const std::regex json("\"listening\",\"service\":\"" + service + "\",\"address\":\"([^\"]+)\"");
  std::smatch match;
  return std::regex_search(log, match, text) || std::regex_search(log, match, json) ? match[1].str() : "";
}

}  // namespace

Flags TlsFlags(const TlsFiles& files) {
  return {"--tls-cert=" + files.cert, "--tls-key=" + files.key, "--tls-ca=" + files.ca};
}

DaemonProcess::DaemonProcess(const std::string& program, const Flags& flags, const std::vector<std::string>& environment)
    : process_(OptionsOf(program, flags, environment)) {}

std::string DaemonProcess::Address(const std::string& service) {
  std::string address;
  const bool said = Eventually(kStartLimit, [&] {
    address = AddressIn(log(), service);
    return !address.empty() || !process_.Running();
  });
  EXPECT_TRUE(said && !address.empty()) << service << ":\n" << log();
  return address;
}

int DaemonProcess::Terminate(int64_t ms) {
  process_.Signal(SIGTERM);
  return process_.Wait(ms).value_or(-1);
}

}  // namespace tidemark::testing
