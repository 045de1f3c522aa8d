// SPDX-License-Identifier: BSL-1.0
#pragma once
// The command line of mpxrun. What follows the program's name belongs to the program.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <mpx/bootstrap/detail/job_layout.hpp>
#include <mpx/core/numbers.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "options.hpp"

namespace launcher {

class usage_formatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: mpxrun [OPTIONS] program [arguments...]\n\n";
  }
};

/// The index in argv where the program's name stands; argc if there is none.
inline int find_program(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return i + 1;
    if (word.size() < 2 || word[0] != '-') return i;
    if (word == "-n" || word == "-x" || word == "--ranks" || word == "--export" ||
        word == "--hang-report")
      ++i;
  }
  return argc;
}

inline void check_ranks(const std::string& text, int& ranks) {
  long long n = 0;
  if (!CLI::detail::lexical_cast(text, n))
    throw CLI::ValidationError("-n", "'" + text + "' is not a number of ranks");
  if (n < 1) throw CLI::ValidationError("-n", text + " ranks: at least 1 is needed");
  if (n > mpx::bootstrap::ranks_max)
    throw CLI::ValidationError(
        "-n",
        text + " ranks: at most " + std::to_string(mpx::bootstrap::ranks_max) + " are possible");
  ranks = static_cast<int>(n);
}

/// The setting that makes the ranks report a hang.
inline std::string hang_setting(const std::string& text) {
  std::int64_t ns = 0;
  if (!mpx::detail::parse_seconds(text, mpx::bootstrap::hang_seconds_max, ns))
    throw CLI::ValidationError("--hang-report",
                               "'" + text + "' is not a number of seconds from 0.001 to " +
                                   std::to_string(mpx::bootstrap::hang_seconds_max) +
                                   ", such as 10 or 0.5");
  return "MPX_HANG_REPORT=" + text;
}

/// Fills `into` from the command line; throws CLI::Error, for help and version too.
inline void parse(CLI::App& app, options& into, int argc, char** argv) {
  std::string ranks = "1";
  std::optional<std::string> hang;
  app.formatter(std::make_shared<usage_formatter>());
  app.add_option("-n,--ranks", ranks, "How many processes to start (default 1)")->option_text("N");
  app.add_flag("--label", into.label, "Start every line of output with its rank: [3] ...");
  app.add_flag("--survive", into.survive,
               "When a rank fails, let the others go on; they get errc::peer_lost");
  app.add_option("-x,--export", into.settings, "Set an environment variable for all ranks")
      ->option_text("VAR=VALUE")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--hang-report", hang,
                 "When no rank can go on for so many seconds (such as 10 or 0.5),\n"
                 "print once what each waits for, and where")
      ->option_text("SECONDS");
  app.set_version_flag("--version", "mpxrun (mpx) " MPX_VERSION_STRING);
  app.footer(
      "Standard input goes to rank 0. The exit code is that of the first rank that failed,\n"
      "128 + n if signal n killed it. When a rank fails, the others are ended. What ranks leave\n"
      "behind, such as daemons, is ended a second after them.");
  const int program = std::min(find_program(argc, argv), argc);
  const bool dashes = program > 1 && std::string_view(argv[program - 1]) == "--";
  app.parse(dashes ? program - 1 : program, argv);
  check_ranks(ranks, into.ranks);
  for (const auto& setting : into.settings)
    if (const auto at = setting.find('='); at == 0 || at == std::string::npos)
      throw CLI::ValidationError("-x", "'" + setting + "' is not of the form VAR=VALUE");
  if (hang) into.settings.insert(into.settings.begin(), hang_setting(*hang));
  if (program >= argc)
    throw CLI::ValidationError("program", "none given; for example: mpxrun -n 4 ./program");
  into.command.assign(argv + program, argv + argc);
  into.command.push_back(nullptr);
}

}  // namespace launcher
