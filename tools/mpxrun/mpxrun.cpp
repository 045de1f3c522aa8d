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

int complain(const std::string& what, int code) {
  fmt::print(stderr, "mpxrun: {}\n", what);
  return code;
}

int launch(launcher::options chosen, char* name) try {
  const launcher::signal_plan signals;
  launcher::front_link front = launcher::split(signals, name);
  launcher::job job(std::move(chosen), signals, std::move(front));
  const int code = job.run();
  if (job.death_signal() != 0) launcher::die_by(job.death_signal());
  return code;
} catch (const launcher::cannot_start& failure) {
  return complain(failure.why, failure.code);
}

}  // namespace

int main(int argc, char** argv) try {
  fill_standard_descriptors();
  CLI::App app("Starts N processes of an mpx program on this machine.", "mpxrun");
  launcher::options chosen;
  try {
    launcher::parse(app, chosen, argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& wrong) {
    return complain(std::string(wrong.what()) + " (see mpxrun --help)", 2);
  }
  return launch(std::move(chosen), argv[0]);
} catch (const std::exception& failure) {
  return complain(failure.what(), 1);
}
