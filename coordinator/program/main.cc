// tidemark-coordinator: see coordinator_settings.cc for what it can be told.
#include "coordinator/program/coordinator_program.h"
#include "common/daemon/daemon_main.h"

int main(int argc, char** argv) {
  tidemark::CoordinatorSettings settings;
  tidemark::DaemonProgram program;
  program.name = "tidemark-coordinator";
  program.what = "the coordinator";
  program.settings = &settings.daemon;
  program.read = [&settings](const tidemark::SettingSources& sources) {
    return tidemark::ReadCoordinatorSettings(sources, &settings);
  };
  program.run = [&settings](tidemark::Termination* termination) {
    return tidemark::RunCoordinator(settings, termination, &tidemark::RealClock());
  };
  return tidemark::DaemonMain(argc, argv, program);
}
