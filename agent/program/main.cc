// tidemark-agent: see agent_settings.cc for what it can be told.
#include "agent/program/agent_program.h"
#include "common/daemon/daemon_main.h"

int main(int argc, char** argv) {
  tidemark::AgentSettings settings;
  tidemark::DaemonProgram program;
  program.name = "tidemark-agent";
  program.what = "the agent";
  program.settings = &settings.daemon;
  program.read = [&settings](const tidemark::SettingSources& sources) {
    return tidemark::ReadAgentSettings(sources, &settings);
  };
  program.run = [&settings](tidemark::Termination* termination) {
    return tidemark::RunAgent(settings, termination, &tidemark::RealClock());
  };
  return tidemark::DaemonMain(argc, argv, program);
}
