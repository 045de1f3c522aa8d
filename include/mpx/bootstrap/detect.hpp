// SPDX-License-Identifier: BSL-1.0
#pragma once
// Detects how this program was launched, and joins: by mpxrun, else by a launcher that an optional
// header adds (PMI-1, PMIx), else as a job of one rank. MPX_BOOTSTRAP selects one of these.

#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "mpx/bootstrap/detail/joiners.hpp"
#include "mpx/bootstrap/mpxrun.hpp"
#include "mpx/bootstrap/singleton.hpp"
#include "mpx/bootstrap/threads.hpp"
#include "mpx/core/numbers.hpp"

namespace mpx::inline v0::bootstrap {

/// A launcher that mpx knows but that this program does not join.
struct foreign_launcher {
  /// The environment variable that reveals it; nullptr if there is none, or if it has started one
  /// process.
  const char* variable = nullptr;
  /// Number of processes that it has started; -1 if unknown.
  long processes = 0;
  /// Number of this process among them; -1 if unknown.
  long rank = -1;

  /// Returns the launcher that has started this process, if any.
  [[nodiscard]] [[gnu::noinline, gnu::cold]] static foreign_launcher find() noexcept {
    struct names {
      const char *size, *rank, *needs;
    };
    // Open MPI; MPICH and launchers derived from its own; srun; processes below Slurm, if it offers
    // an interface for MPIs (next three); Flux; jsrun; PALS.
    static constexpr names known[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", nullptr},
                                      {"PMI_SIZE", "PMI_RANK", nullptr},
                                      {"MPI_LOCALNRANKS", "MPI_LOCALRANKID", nullptr},
                                      {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", nullptr},
                                      {"SLURM_NTASKS", "SLURM_PROCID", "PMIX_RANK"},
                                      {"SLURM_NTASKS", "SLURM_PROCID", "PMI_RANK"},
                                      {"SLURM_NTASKS", "SLURM_PROCID", "PMI_FD"},
                                      {"FLUX_JOB_SIZE", "FLUX_TASK_RANK", nullptr},
                                      {"JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK", nullptr},
                                      {"PALS_SIZE", "PALS_RANKID", nullptr}};
    for (const names& n : known) {
      const long processes = number(n.size);
      if (processes > 1 && (n.needs == nullptr || std::getenv(n.needs) != nullptr) &&
          (std::strcmp(n.size, "SLURM_STEP_NUM_TASKS") != 0 || !in_script_of_slurm()))
        return {n.size, processes, number(n.rank)};
    }
    // No size is set, but a rank above 0 shows that there are several processes.
    static constexpr const char* ranks[] = {"PMIX_RANK", "PALS_RANKID", "ALPS_APP_PE"};
    for (const char* const name : ranks)
      if (const long rank = number(name); rank > 0) return {name, -1, rank};
    return {};
  }

 private:
  [[gnu::noinline, gnu::cold]] static long number(const char* name) noexcept {
    const char* const text = std::getenv(name);
    std::uint64_t n = 0;
    if (text == nullptr || !mpx::detail::parse_number(text, 0xffff'ffff, n)) return -1;
    return static_cast<long>(n);
  }
  /// True if Slurm itself made this step, of one process: for a batch script or for the shell of an
  /// allocation, whose environment may contain the size of another step.
  static bool in_script_of_slurm() noexcept { return number("SLURM_STEP_ID") >= 0xffff'fff0; }
};

/// Throws if another launcher has started this program several times: each process would be a world
/// of its own. MPX_ALONE, set to any value, permits that.
/// Errors:     errc::bootstrap.
[[gnu::noinline, gnu::cold]] inline void check_that_alone_is_meant() {
  const foreign_launcher l = foreign_launcher::find();
  if (l.variable == nullptr || std::getenv("MPX_ALONE") != nullptr) return;
  bool has_pmix = false;
  bool has_pmi = false;
  for (const detail::joiner* j = detail::added_joiners; j != nullptr; j = j->next) {
    has_pmix = has_pmix || std::strcmp(j->name, "pmix") == 0;
    has_pmi = has_pmi || std::strcmp(j->name, "pmi1") == 0;
  }
  const bool pmix = std::getenv("PMIX_RANK") != nullptr;
  const bool pmi = std::getenv("PMI_FD") != nullptr;
  const bool slurm = std::strncmp(l.variable, "SLURM_", 6) == 0;
  char count[24] = "several";
  if (l.processes > 0) std::snprintf(count, sizeof count, "%ld", l.processes);
  mpx::detail::throw_error(
      errc::bootstrap,
      "another launcher has started %s processes of this program (it has set %s), and mpx does not "
      "join them: each would be a job of one rank. %s%s it with `mpxrun -n %s program`, or "
      "set MPX_ALONE=1 if this is meant",
      count, l.variable,
      pmix && !has_pmix ? "To join by PMIx, include mpx/bootstrap/pmix.hpp in the program. "
      : !has_pmi && (pmi || (slurm && !has_pmix))
          ? "To join by PMI, include mpx/bootstrap/pmi1.hpp in the program. "
          : "",
      !slurm || pmix || pmi  ? "Start"
      : has_pmix && !has_pmi ? "Give srun --mpi=pmix, or start"
                             : "Give srun --mpi=pmi2, or start",
      l.processes > 0 ? count : "N");
}

/// Result of choose_way_to_join.
struct detected {
  /// mpxrun, pmi1, pmix or alone, as in MPX_BOOTSTRAP.
  const char* name = nullptr;
  /// The way to join, if another launcher is joined.
  detail::joiner how{};
};

/// The entry for mpxrun, which is the first way to join.
[[gnu::noinline, gnu::cold]] inline detail::joiner first_joiner() noexcept {
  return {.name = "mpxrun",
          .refusal = [] { return std::string(mpxrun::present() ? "" : "MPX_JOB_FD is not set"); },
          .next = detail::added_joiners};
}
/// Returns the reason for which this process cannot join by `way`; "" if it can.
[[nodiscard]] [[gnu::noinline, gnu::cold]] inline std::string refusal_of(
    const detail::joiner& way) {
  std::string why = way.refusal();
  if (why.empty() && way.join != nullptr && std::getenv("MPX_ALONE") != nullptr)
    mpx::detail::append(why, "MPX_ALONE is set");
  return why;
}

/// Calls `visit(way, refusal)` for every way to join that this program has, in the order in which
/// they are tried. The first way with an empty refusal is taken. `refusal` says why a way is not
/// possible.
template <class Visit>
void each_way_to_join(Visit&& visit) {
  const detail::joiner first = first_joiner();
  for (const detail::joiner* j = &first; j != nullptr; j = j->next) visit(*j, refusal_of(*j));
  visit(detail::joiner{.name = "alone", .refusal = nullptr}, std::string());
}

/// Throws: MPX_BOOTSTRAP names a way that this program does not have.
[[noreturn, gnu::noinline, gnu::cold]] inline void refuse_way_to_join(const char* forced) {
  std::string names("mpxrun");
  for (const detail::joiner* j = detail::added_joiners; j != nullptr; j = j->next)
    mpx::detail::append(names, ", %s", j->name);
  mpx::detail::throw_error(
      errc::bootstrap, "MPX_BOOTSTRAP is '%s': this program has %s, alone%s", forced, names.c_str(),
      detail::added_joiners == nullptr ? "; it has pmi1 and pmix, too, if it includes "
                                         "mpx/bootstrap/pmi1.hpp and mpx/bootstrap/pmix.hpp"
                                       : "");
}

/// Selects the way to join: the one that MPX_BOOTSTRAP names, else the first that is possible.
/// Errors:     errc::bootstrap if the named way is missing or not possible.
[[gnu::noinline, gnu::cold]] inline detected choose_way_to_join() {
  const char* const forced = std::getenv("MPX_BOOTSTRAP");
  const detail::joiner first = first_joiner();
  for (const detail::joiner* j = &first; j != nullptr; j = j->next) {
    if (forced != nullptr && std::strcmp(forced, j->name) != 0) continue;
    const std::string why_not = refusal_of(*j);
    if (why_not.empty()) return {j->name, *j};
    if (forced != nullptr)
      mpx::detail::throw_error(errc::bootstrap, "MPX_BOOTSTRAP is '%s', but %s", forced,
                               why_not.c_str());
  }
  if (forced != nullptr && std::strcmp(forced, "alone") != 0) refuse_way_to_join(forced);
  return {"alone", {.name = "alone", .refusal = nullptr}};
}

/// Holds a bootstrap of any kind whose ranks share one machine. The kinds differ only in how they
/// join, so that holding any of them costs no branch. The default of stacks.
class any : public member {
 public:
  /// Joins the job of mpxrun if there is one. Otherwise joins the job of another launcher, if a
  /// source of the program includes mpx/bootstrap/pmi1.hpp (Hydra, Slurm; included by
  /// mpx/cluster.hpp and in mpx::compiled) or mpx/bootstrap/pmix.hpp. Otherwise this process is a
  /// job of one rank. MPX_BOOTSTRAP selects a way. A process that another launcher started with
  /// others, and that does not join it, is a job of one rank only if MPX_ALONE or MPX_BOOTSTRAP
  /// permits it.
  /// Errors:     errc::bootstrap, errc::no_resources.
  [[gnu::noinline, gnu::cold]] any() : any(joined(choose_way_to_join())) {}
  template <std::derived_from<member> Kind>
  requires(!std::same_as<Kind, any> && !std::same_as<Kind, member>)
  any(Kind joined) noexcept : member(std::move(joined)) {}  // NOLINT(*-explicit-*)

 private:
  any(member&& joined, int) noexcept : member(std::move(joined)) {}
  static any joined(const detected& way) {
    if (way.how.join_here != nullptr) return any(way.how.join_here(), 0);
    if (std::strcmp(way.name, "mpxrun") == 0) return mpxrun();
    if (std::getenv("MPX_BOOTSTRAP") == nullptr) check_that_alone_is_meant();
    return singleton();
  }
};

/// Joins the job that this program was launched into. See any::any.
inline any detect() { return {}; }

}  // namespace mpx::inline v0::bootstrap
