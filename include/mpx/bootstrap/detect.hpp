// SPDX-License-Identifier: BSL-1.0
#pragma once
// Finds out how this program was launched.

#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "mpx/bootstrap/mpxrun.hpp"
#include "mpx/bootstrap/singleton.hpp"
#include "mpx/bootstrap/threads.hpp"
#include "mpx/core/numbers.hpp"

namespace mpx::inline v0::bootstrap {

/// A launcher that mpx knows of and does not join: the number of processes that it says it has
/// started, and which of them this is; -1 where it does not say.
struct foreign_launcher {
  /// The variable that says so.
  const char* variable = nullptr;  // nullptr: there is none, or it has started one process.
  /// How many processes it has started.
  long processes = 0;
  /// Which of them this is.
  long rank = -1;

  /// The one that has started this process, if any.
  static foreign_launcher find() noexcept {
    struct names {
      const char *size, *rank, *needs;
    };
    // Open MPI; MPICH and what has its launcher; below Slurm, where it offers what MPIs join by.
    static constexpr names known[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", nullptr},
                                      {"PMI_SIZE", "PMI_RANK", nullptr},
                                      {"MPI_LOCALNRANKS", "MPI_LOCALRANKID", nullptr},
                                      {"SLURM_NTASKS", "SLURM_PROCID", "PMIX_RANK"},
                                      {"SLURM_NTASKS", "SLURM_PROCID", "PMI_RANK"},
                                      {"SLURM_NTASKS", "SLURM_PROCID", "PMI_FD"}};
    for (const names& n : known) {
      const long processes = number(n.size);
      if (processes > 1 && (n.needs == nullptr || std::getenv(n.needs) != nullptr))
        return {n.size, processes, number(n.rank)};
    }
    const long rank = number("PMIX_RANK");  // No size: but the second one knows that there are two.
    return rank == 1 ? foreign_launcher{"PMIX_RANK", -1, rank} : foreign_launcher{};
  }

 private:
  static long number(const char* name) noexcept {
    const char* const text = std::getenv(name);
    std::uint64_t n = 0;
    if (text == nullptr || !mpx::detail::parse_number(text, 1u << 30, n)) return -1;
    return static_cast<long>(n);
  }
};

/// Says on stderr, once a process, that another launcher has started this program several times and
/// that each of these is a world of its own: where the launcher tells ranks, its first one says it.
/// MPX_ALONE, set to anything, says that this is meant.
inline void tell_of_foreign_launcher() noexcept {
  [[maybe_unused]] static const bool told = [] {
    const foreign_launcher l = foreign_launcher::find();
    if (l.variable == nullptr || std::getenv("MPX_ALONE") != nullptr) return false;
    if (l.rank > 0 && l.processes > 0) return false;
    char count[24] = "several";
    char option[24] = "N";
    if (l.processes > 0) {
      std::snprintf(count, sizeof count, "%ld", l.processes);
      std::snprintf(option, sizeof option, "%ld", l.processes);
    }
    std::fprintf(stderr,
                 "mpx: another launcher has started %s processes of this program (it has set %s), "
                 "and mpx does not join them: each is a world of one rank. Start it with "
                 "`mpxrun -n %s program`, or set MPX_ALONE=1 if this is meant.\n",
                 count, l.variable, option);
    return true;
  }();
}

/// Holds a bootstrap of any of the kinds that share one machine. They differ in how they join, not
/// in what they do afterwards, so that holding any of them costs no branch. The default of stacks.
class any : public member {
 public:
  /// Joins the job of mpxrun where there is one; else this process is a world of one. (Below
  /// another MPI's launcher, too, of which stderr tells, unless MPX_ALONE is set.)
  /// Errors: errc::bootstrap, errc::no_resources.
  [[gnu::noinline, gnu::cold]] any() : any(mpxrun::present() ? any(mpxrun()) : alone()) {}
  template <std::derived_from<member> Kind>
  requires(!std::same_as<Kind, any> && !std::same_as<Kind, member>)
  any(Kind joined) noexcept : member(std::move(joined)) {}  // NOLINT(*-explicit-*)

 private:
  static any alone() {
    tell_of_foreign_launcher();
    return singleton();
  }
};

/// Joins the job that this program was launched into. See any::any.
inline any detect() { return {}; }

}  // namespace mpx::inline v0::bootstrap
