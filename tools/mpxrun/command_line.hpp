// SPDX-License-Identifier: BSL-1.0
#pragma once
// The command line of mpxrun. What follows a program's name belongs to the program, up to a word
// that is a colon alone: then comes the next program. Names are those of Open MPI and Hydra where
// these agree; each may stand behind one dash or two, as theirs.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <mpx/bootstrap/detail/job_layout.hpp>
#include <mpx/config.hpp>
#include <mpx/core/numbers.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "nearest.hpp"
#include "options.hpp"
#include "text.hpp"

namespace launcher {

/// The command line makes no sense.
struct usage_error {
  std::string why;
};

/// Reads a command line, once.
class command_line {
 public:
  command_line(int argc, char** argv) noexcept : at_(argv + 1), end_(argv + argc) {}

  /// Fills `into`. Returns what to print instead of running a job, if that is asked for.
  /// Throws usage_error.
  std::optional<std::string> parse(options& into);

 private:
  struct option {
    std::string_view names[4];
    std::string_view value;  // what it is called in the help; "": it takes none
    std::string_view help;
    bool any_program;  // it may stand before each program; else before the first
    void (*set)(command_line& line, const std::string& value);
  };
  static const option table[];
  static constexpr std::size_t table_size = 17;

  static std::string help();
  static std::string name_in_help(const option& it);
  static std::string_view bare(std::string_view name);
  static std::string advice(std::string_view word);
  static const option* find(std::string_view word, std::string_view& attached);
  static void set_ranks(program& of, const std::string& value);
  static std::string checked_setting(const std::string& value);
  static std::string hosts_advice(const std::string& hosts);
  static std::string checked_seconds(const std::string& value, const char* name, std::int64_t& ns);

  void parse_program();
  void parse_option();
  void check_total() const;
  /// "program 2 (./b): ", where there are several.
  std::string whose() const {
    const bool several = options_->programs.size() > 1;
    return several ? text("program ", options_->programs.size(), ": ") : std::string();
  }

  char** at_;
  char** end_;
  options* options_ = nullptr;
  std::optional<std::string> hang_setting_;
  std::optional<std::string> print_;
};

inline const command_line::option command_line::table[table_size] = {
    {{"-n", "-np", "--ranks"},
     "N",
     "How many processes to start of the program (default 1)",
     true,
     [](command_line& line, const std::string& value) {
       set_ranks(line.options_->programs.back(), value);
     }},
    {{"-x", "--export"},
     "VAR[=VALUE]",
     "Set an environment variable for all ranks; for those of its\n"
     "program, if that is not the first. Without a value: mpxrun's\n"
     "own, which ranks get anyway",
     true,
     [](command_line& line, const std::string& value) {
       options& all = *line.options_;
       auto& to = all.programs.size() == 1 ? all.settings : all.programs.back().settings;
       to.push_back(checked_setting(value));
     }},
    {{"--wdir", "--wd"},
     "DIR",
     "Where all ranks run, or those of its program, if that is not\n"
     "the first (default: where mpxrun does)",
     true,
     [](command_line& line, const std::string& value) {
       if (value.empty()) throw usage_error{"--wdir: a folder is needed"};
       options& all = *line.options_;
       (all.programs.size() == 1 ? all.working_folder : all.programs.back().working_folder) = value;
     }},
    {{"--bind-to", "--bind"},
     "POLICY",
     "none: ranks run on all cores that mpxrun may use.\n"
     "core: each rank on one of them, round robin.\n"
     "auto (default): each rank on an equal share of them, if there\n"
     "is one for each that nothing else asks for: no other job of\n"
     "mpxrun is bound there, and what runs besides leaves so many\n"
     "idle. Never bound where mpxrun may use one core alone",
     false,
     [](command_line& line, const std::string& value) {
       binding& to = line.options_->bind_to;
       if (value == "auto") {
         to = binding::automatic;
       } else if (value == "core") {
         to = binding::core;
       } else if (value == "none") {
         to = binding::none;
       } else {
         throw usage_error{text("--bind-to: '", value, "' is none of auto, core and none")};
       }
     }},
    {{"--report-bindings"},
     "",
     "Say which cores each rank is bound to, or why to none",
     false,
     [](command_line& line, const std::string&) { line.options_->report_bindings = true; }},
    {{"-l", "--label", "--tag-output"},
     "",
     "Start every line of output with its rank: [3] ...\nWithout it, bytes pass as they are",
     false,
     [](command_line& line, const std::string&) { line.options_->label = true; }},
    {{"--output"},
     "DIR",
     "Write what rank N prints to DIR/rank.N.out and DIR/rank.N.err",
     false,
     [](command_line& line, const std::string& value) {
       if (value.empty()) throw usage_error{"--output: a folder is needed"};
       line.options_->output_folder = value;
     }},
    {{"--survive"},
     "",
     "When a rank fails, let the others go on; they get errc::peer_lost",
     false,
     [](command_line& line, const std::string&) { line.options_->survive = true; }},
    {{"--timeout"},
     "SECONDS",
     "End a job that has not ended by then: say what each rank waits\n"
     "for, send SIGTERM, half a second later SIGKILL; the exit code\n"
     "is 124",
     false,
     [](command_line& line, const std::string& value) {
       line.options_->timeout = checked_seconds(value, "--timeout", line.options_->timeout_ns);
     }},
    {{"--hang-report"},
     "SECONDS",
     "When no rank can go on for so many seconds (such as 10 or 0.5),\n"
     "print once what each waits for, and where",
     false,
     [](command_line& line, const std::string& value) {
       std::int64_t ns = 0;
       line.hang_setting_ = "MPX_HANG_REPORT=" + checked_seconds(value, "--hang-report", ns);
     }},
    {{"--profile"},
     "",
     "When the job ends, print the time in each call, by line of the\n"
     "program: of programs whose stack has mpx::trace::profile",
     false,
     [](command_line& line, const std::string&) {
       line.options_->settings.emplace_back("MPX_PROFILE=1");
     }},
    {{"--leave-timeout"},
     "SECONDS",
     "End a job of which a rank has left main (or the scope of its\n"
     "environment) while others wait for it and for nobody else who\n"
     "could go on, and have for so long (default 10; 0: never); the\n"
     "exit code is that rank's, or 1 if that is 0",
     false,
     [](command_line& line, const std::string& value) {
       options& all = *line.options_;
       all.leave_timeout = value;
       all.leave_timeout_ns = 0;
       if (value != "0") checked_seconds(value, "--leave-timeout", all.leave_timeout_ns);
     }},
    {{"-H", "--hosts", "--host"},
     "LIST",
     "Says which launcher starts ranks on several hosts: mpxrun does\n"
     "not",
     false,
     [](command_line&, const std::string& value) { throw usage_error{hosts_advice(value)}; }},
    {{"--oversubscribe", "--allow-run-as-root"},
     "",
     "Taken, and no more: for mpxrun that is never forbidden",
     false,
     [](command_line&, const std::string&) {}},
    {{"-h", "--help"},
     "",
     "Print this",
     false,
     [](command_line& line, const std::string&) { line.print_ = help(); }},
    {{"-V", "--version"},
     "",
     "Print the version",
     false,
     [](command_line& line, const std::string&) {
       line.print_ = "mpxrun (mpx) " MPX_VERSION_STRING "\n";
     }},
    {{"--"}, "", "What follows is the program", true, nullptr},
};

inline std::optional<std::string> command_line::parse(options& into) {
  options_ = &into;
  do {
    parse_program();
    if (print_) return print_;
  } while (at_ != end_);
  check_total();
  if (hang_setting_) into.settings.push_back(*hang_setting_);
  return {};
}

/// Up to the colon before the next program, which is consumed, or the end.
inline void command_line::parse_program() {
  options_->programs.emplace_back();
  bool dashes = false;
  while (at_ != end_ && !dashes && (*at_)[0] == '-' && (*at_)[1] != 0) {
    dashes = std::string_view(*at_) == "--";
    if (dashes) {
      ++at_;
    } else {
      parse_option();
    }
    if (print_) return;
  }
  auto& command = options_->programs.back().command;
  const std::string_view colon = ":";
  while (at_ != end_ && *at_ != colon) command.push_back(*at_++);
  if (command.empty())
    throw usage_error{text(whose(), "no program is given; for example: mpxrun -n 4 ./program")};
  command.push_back(nullptr);
  if (at_ == end_) return;
  ++at_;
  if (at_ == end_)
    throw usage_error{"a program is missing behind the last colon: mpxrun -n 2 ./a : -n 3 ./b"};
}

inline void command_line::parse_option() {
  const std::string_view word = *at_++;
  std::string_view attached;
  const option* it = find(word, attached);
  if (it == nullptr)
    throw usage_error{
        text(whose(), word.substr(0, word.find('=')), ": no such option", advice(word))};
  if (!it->any_program && options_->programs.size() > 1)
    throw usage_error{text(whose(), word.substr(0, word.find('=')),
                           " is for the whole job: give it before the first program")};
  if (it->value.empty()) {
    if (attached.data() != nullptr) throw usage_error{text(whose(), word, ": it takes no value")};
    return it->set(*this, {});
  }
  if (attached.data() == nullptr) {
    if (at_ == end_)
      throw usage_error{text(whose(), word, ": a value is missing: ", word, " ", it->value)};
    attached = *at_++;
  }
  try {
    it->set(*this, std::string(attached));
  } catch (usage_error& wrong) {
    wrong.why.insert(0, whose());
    throw;
  }
}

/// A name without its dash or two.
inline std::string_view command_line::bare(std::string_view name) {
  return name.substr(name.starts_with("--") ? 2 : 1);
}

/// The option that `word` names, with the value that is attached to it (--name=value, -n4), if any.
inline const command_line::option* command_line::find(std::string_view word,
                                                      std::string_view& attached) {
  const auto equals = std::min(word.find('='), word.size());
  const std::string_view given = bare(word.substr(0, equals));
  for (const option& it : table)
    for (const std::string_view name : it.names) {
      if (name.empty() || it.set == nullptr || bare(name) != given) continue;
      if (equals != word.size()) attached = word.substr(equals + 1);
      return &it;
    }
  for (const option& it : table)
    if (!it.value.empty() && it.names[0].size() == 2 && word.starts_with(it.names[0])) {
      attached = word.substr(2);
      return &it;
    }
  return nullptr;
}

/// Hint on an option that mpxrun does not have.
inline std::string command_line::advice(std::string_view word) {
  struct stranger {
    std::string_view names[6];
    std::string_view instead;
  };
  // Those of Open MPI and Hydra that scripts have most.
  static constexpr std::string_view here =
      "mpxrun starts ranks on this machine; `mpxrun --hosts LIST` says what starts them on others";
  static constexpr stranger strangers[] = {
      {{"hostfile", "machinefile", "f"}, here},
      {{"map-by", "rank-by", "ppn", "npernode", "N", "nooversubscribe"},
       "not needed: all ranks run on this machine; --bind-to says on which cores"},
      {{"genv", "env"}, "-x NAME=VALUE sets a variable"},
      {{"genvall", "envall", "genvlist", "envlist"},
       "not needed: ranks get mpxrun's own environment"},
      {{"v", "verbose"}, "not needed; --report-bindings and --hang-report say what happens"},
      {{"output-filename", "outfile-pattern"}, "--output DIR keeps a file for each rank"},
      {{"mca", "gmca"}, "what can be set of mpx are variables: -x NAME=VALUE"}};
  const std::string_view given = bare(word.substr(0, word.find('=')));
  if (given.empty()) return {};
  for (const auto& it : strangers)
    if (std::ranges::find(it.names, given) != std::end(it.names)) return text(": ", it.instead);
  nearest like(given);
  for (const option& it : table)
    for (const std::string_view name : it.names)
      if (!name.empty()) like.offer(bare(name), name);
  return like.found().empty() ? std::string() : text(": did you mean ", like.found(), "?");
}

inline void command_line::set_ranks(program& of, const std::string& value) {
  long long n = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, n);
  if (error == std::errc::invalid_argument || stop != end)
    throw usage_error{text("-n: '", value, "' is not a number of ranks")};
  const bool too_long = error != std::errc{};
  if (too_long ? value[0] == '-' : n < 1)
    throw usage_error{text("-n: ", value, " ranks: at least 1 is needed")};
  if (too_long || n > mpx::bootstrap::ranks_max)
    throw usage_error{
        text("-n: ", value, " ranks: at most ", mpx::bootstrap::ranks_max, " are possible")};
  of.ranks = static_cast<int>(n);
}

inline void command_line::check_total() const {
  for (const auto& it : options_->programs) options_->ranks += it.ranks;
  if (options_->ranks > mpx::bootstrap::ranks_max)
    throw usage_error{text("-n: ", options_->ranks, " ranks in all: at most ",
                           mpx::bootstrap::ranks_max, " are possible")};
}

inline std::string command_line::checked_setting(const std::string& value) {
  const auto at = value.find('=');
  if (at == 0 || value.empty())
    throw usage_error{text("-x: '", value, "' is not of the form VAR=VALUE")};
  if (sets_own_variable(value))
    throw usage_error{text("-x: ", value.substr(0, at), " is set by mpxrun, for each rank")};
  if (at != std::string::npos) return value;
  const char* const own = std::getenv(value.c_str());
  if (own == nullptr)
    throw usage_error{
        value.find('/') == std::string::npos
            ? text("-x: ", value, " is not set here: -x ", value, "=VALUE sets it")
            : text("-x: '", value, "' is no variable: -x VAR=VALUE goes before the program")};
  return text(value, "=", std::string_view(own));
}

/// mpxrun starts processes, and logs in nowhere: that is what clusters have launchers for.
inline std::string command_line::hosts_advice(const std::string& hosts) {
  const std::string slurm = "`srun --mpi=pmi2 -w " + hosts + " -n N program`";
  const std::string hydra = "`mpiexec.hydra -hosts " + hosts + " -n N program` (of MPICH)";
  const bool in_slurm = std::getenv("SLURM_JOB_ID") != nullptr;
  return text(
      "--hosts: mpxrun starts ranks on this machine. On others, a program that includes "
      "mpx/cluster.hpp and uses mpx::cluster_stack (docs/cluster.md) is started by ",
      in_slurm ? slurm : hydra, ", by ", in_slurm ? hydra : slurm,
      " or, if it includes mpx/bootstrap/pmix.hpp, too, by `mpirun --host ", hosts,
      " -n N program` (of Open MPI); `mpxinfo`, started so, says what it finds");
}

inline std::string command_line::checked_seconds(const std::string& value, const char* name,
                                                 std::int64_t& ns) {
  if (!mpx::detail::parse_seconds(value, mpx::bootstrap::hang_seconds_max, ns))
    throw usage_error{text(name, ": '", value, "' is not a number of seconds from 0.001 to ",
                           mpx::bootstrap::hang_seconds_max, ", such as 10 or 0.5")};
  return value;
}

inline std::string command_line::name_in_help(const option& it) {
  std::string names;
  for (const std::string_view name : it.names)
    if (!name.empty()) names += text(names.empty() ? "  " : ", ", name);
  return it.value.empty() ? names : text(names, " ", it.value);
}

inline std::string command_line::help() {
  static constexpr std::size_t column = 34;
  std::string all =
      "Starts the ranks of an mpx program on this machine.\n"
      "Usage: mpxrun [OPTIONS] program [arguments...] [: [-n N] [-x VAR=VALUE] program ...]\n\n"
      "Options:\n";
  for (const option& it : table) {
    std::string line = name_in_help(it);
    if (line.size() + 2 > column) line += '\n';
    line.append(line.back() == '\n' ? column : column - line.size(), ' ');
    for (const char c : it.help) {
      line += c;
      if (c == '\n') line.append(column, ' ');
    }
    all += line + "\n";
  }
  return all +
         "\nSeveral programs, with a colon between them, are one job; ranks are numbered in their "
         "order.\n"
         "Standard input goes to rank 0. The exit code is that of the first rank that failed,\n"
         "128 + n if signal n killed it. When a rank fails, the others are ended. What ranks "
         "leave\n"
         "behind, such as daemons, is ended a second after them.\n";
}

}  // namespace launcher
