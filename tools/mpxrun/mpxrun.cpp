// SPDX-License-Identifier: BSL-1.0
// mpxrun: starts the ranks of an mpx program on this machine.

#include <cstdio>
#include <exception>

#include "command_line.hpp"
#include "job.hpp"

namespace {

/// Pipes must not land on 0, 1 or 2, where the children's own streams go.
void fill_standard_descriptors() {
  for (int fd; (fd = ::open("/dev/null", O_RDWR)) >= 0;) {
    if (fd <= 2) continue;
    ::close(fd);
    return;
  }
}

int launch(launcher::options chosen, char* name) try {
  const launcher::signal_plan signals;
  launcher::front_link front = launcher::split(signals, name);
  launcher::job job(std::move(chosen), signals, std::move(front));
  const int code = job.run();
  if (job.death_signal() != 0) launcher::die_by(job.death_signal());
  return code;
} catch (const launcher::cannot_start& failure) {
  launcher::complain(failure.why);
  return failure.code;
}

}  // namespace

int main(int argc, char** argv) try {
  fill_standard_descriptors();
  launcher::options chosen;
  try {
    if (const auto answer = launcher::command_line(argc, argv).parse(chosen)) {
      std::fputs(answer->c_str(), stdout);
      return std::fflush(stdout) == 0 ? 0 : 1;
    }
  } catch (const launcher::usage_error& wrong) {
    launcher::complain(wrong.why + " (see mpxrun --help)");
    return 2;
  }
  return launch(std::move(chosen), argv[0]);
} catch (const std::exception& failure) {
  launcher::complain(failure.what());
  return 1;
}
