// SPDX-License-Identifier: BSL-1.0
#pragma once
// The explorer: plays random programs under the simulator against what MPI promises, shrinks what
// fails, and says how to play it again.
//   [--programs N | --seconds S] [--seed S [--stack K] [--keep IDS]] [--trace]

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <sstream>
#include <string_view>

#include "sim/play.hpp"

namespace explorer {

/// Report of a worker process, valid however it ends.
struct shared_page {
  std::uint64_t seed;  // Being played.
  std::uint64_t programs;
  std::uint64_t messages;
  std::uint64_t packets;
  bool failed;
  char text[16'000];
};

inline constexpr unsigned seconds_for_one = 20;

inline shared_page& page() {
  static auto* p = static_cast<shared_page*>(::mmap(
      nullptr, sizeof(shared_page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  return *p;
}

/// From now on: a busy machine is no hang.
inline void limit_time() {
  itimerval limit{};
  limit.it_value.tv_sec = seconds_for_one;
  ::setitimer(ITIMER_PROF, &limit, nullptr);
}

/// Runs `work` in a process of its own. Returns why it failed, or "".
template <class Work>
std::string apart(Work work) {
  page().failed = false;
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child < 0) {
    std::perror("sim_explore: fork");
    std::exit(2);
  }
  if (child == 0) {
    work();
    std::fflush(stdout);
    std::_Exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (page().failed) return page().text;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
    return "hang: not over after " + std::to_string(seconds_for_one) + " s of CPU time";
  if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "exit code " + std::to_string(WEXITSTATUS(status));
  return "";
}

inline void tell(const std::string& failure) {
  if (failure.empty()) return;
  page().failed = true;
  std::snprintf(page().text, sizeof page().text, "%s", failure.c_str());
}

struct arguments {
  std::uint64_t seed = 1;
  std::uint64_t programs = 2000;
  double seconds = 0;
  int stack = -1;
  std::set<int> keep;
  bool one = false;
  bool trace = false;
  bool shrink = true;
};

[[noreturn]] inline void usage(const char* wrong) {
  std::fprintf(stderr,
               "sim_explore: %s\n"
               "usage: sim_explore [--programs N] [--seconds S] [--seed FIRST] [--no-shrink]\n"
               "       sim_explore --seed S --stack K [--keep ID,ID,...] [--trace]    plays one\n",
               wrong);
  std::exit(2);
}

inline arguments parse(int argc, char** argv, std::size_t stacks) {
  arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--trace") {
      a.trace = true;
      continue;
    }
    if (name == "--no-shrink") {
      a.shrink = false;
      continue;
    }
    if (i + 1 == argc) usage("an option is unknown or lacks its value");
    const char* value = argv[++i];
    char* end = nullptr;
    if (name == "--keep") {
      std::stringstream list(value);
      for (std::string id; std::getline(list, id, ',');) a.keep.insert(std::atoi(id.c_str()));
      continue;
    }
    const double number = std::strtod(value, &end);
    if (end == value || *end != 0 || number < 0) usage("a value is not a number");
    if (name == "--seed") {
      a.seed = static_cast<std::uint64_t>(number);
    } else if (name == "--programs") {
      a.programs = static_cast<std::uint64_t>(number);
    } else if (name == "--seconds") {
      a.seconds = number;
    } else if (name == "--stack" && number < static_cast<double>(stacks)) {
      a.stack = static_cast<int>(number);
      a.one = true;
    } else {
      usage("an option is unknown, or there is no such stack");
    }
  }
  return a;
}

/// A stack, and how a program is played over it.
struct contestant {
  const char* name;
  verdict (*play)(std::uint64_t seed, bool faulty, const std::set<int>& keep, bool trace);
};
template <class Stack, parts Parts = parts{}, class Memory = plenty>
constexpr contestant over(const char* name) {
  return {name, &explorer::play<Stack, Parts, Memory>};
}

class exploration {
 public:
  /// `exposes`: programs have windows.
  exploration(std::span<const contestant> stacks, bool exposes)
      : stacks_(stacks), exposes_(exposes) {}

  int main(int argc, char** argv) {
    const arguments a = parse(argc, argv, stacks_.size());
    return a.one ? replay(a) : explore(a);
  }

 private:
  /// One program in four has faults.
  verdict play(std::uint64_t seed, unsigned stack, const std::set<int>& keep, bool trace) {
    const bool faulty = seed / stacks_.size() % 4 == 3;
    return stacks_[stack].play(seed, faulty, keep, trace);
  }
  std::string try_one(std::uint64_t seed, unsigned stack, const std::set<int>& keep) {
    return apart([&] {
      limit_time();
      tell(play(seed, stack, keep, false).failure);
    });
  }

  /// Leaves out whatever the failure does not need.
  std::vector<int> shrink(std::uint64_t seed, unsigned stack, std::string& failure) {
    std::vector<int> ids;
    const plan all = make_plan(seed, {40, 1024, 2048, 8192}, false, {}, exposes_);
    for (const message& m : all.messages) ids.push_back(m.id);
    for (const gathering& g : all.gatherings) ids.push_back(g.id);
    for (const crossing& c : all.crossings) ids.push_back(c.id);
    for (const exposure& e : all.exposures) {
      ids.push_back(e.id);
      for (const phase& p : e.phases) {
        ids.push_back(p.id);
        for (const one_access& a : p.accesses) ids.push_back(a.id);
      }
    }
    int tries = 200;
    for (std::size_t piece = ids.size() / 2; piece >= 1 && tries > 0;) {
      bool shorter = false;
      for (std::size_t at = 0; at < ids.size() && ids.size() > 1 && tries > 0;) {
        std::vector<int> fewer = ids;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at),
                    fewer.begin() + static_cast<std::ptrdiff_t>(std::min(at + piece, ids.size())));
        --tries;
        std::string why;
        if (!fewer.empty()) why = try_one(seed, stack, {fewer.begin(), fewer.end()});
        if (why.empty()) {
          at += piece;
          continue;
        }
        ids = fewer;
        failure = why;
        shorter = true;
      }
      if (!shorter || piece > ids.size()) piece /= 2;
    }
    return ids;
  }

  int replay(const arguments& a) {
    const verdict v = play(a.seed, static_cast<unsigned>(a.stack), a.keep, a.trace);
    std::printf(
        "seed %llu, stack %s: %llu messages, %llu packets: %s\n",
        static_cast<unsigned long long>(a.seed), stacks_[static_cast<std::size_t>(a.stack)].name,
        static_cast<unsigned long long>(v.messages), static_cast<unsigned long long>(v.packets),
        v.failure.empty() ? "all promises kept" : v.failure.c_str());
    return v.failure.empty() ? 0 : 1;
  }

  int report(std::uint64_t seed, std::string failure, bool shrinking) {
    const auto stack = static_cast<unsigned>(seed % stacks_.size());
    std::printf("FAILED: seed %llu, stack %s: %s\n", static_cast<unsigned long long>(seed),
                stacks_[stack].name, failure.c_str());
    std::string keep;
    if (shrinking) {
      const std::vector<int> ids = shrink(seed, stack, failure);
      for (const int id : ids) keep.append(keep.empty() ? "" : ",").append(std::to_string(id));
      std::printf("shrunk to %zu %s: %s\n", ids.size(), exposes_ ? "parts" : "messages",
                  failure.c_str());
    }
    std::printf("again: scripts/explore%s --seed %llu --stack %u%s%s\n",
                exposes_ ? " --windows" : "", static_cast<unsigned long long>(seed), stack,
                keep.empty() ? "" : " --keep ", keep.c_str());
    return 1;
  }

  int explore(const arguments& a) {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    const auto elapsed = [&] {
      return std::chrono::duration<double>(clock::now() - begin).count();
    };
    page() = {};
    const std::string failure = apart([&] {
      for (std::uint64_t i = 0; a.seconds > 0 ? elapsed() < a.seconds : i < a.programs; ++i) {
        page().seed = a.seed + i;
        limit_time();
        const verdict v =
            play(a.seed + i, static_cast<unsigned>((a.seed + i) % stacks_.size()), {}, false);
        page().messages += v.messages;
        page().packets += v.packets;
        ++page().programs;
        tell(v.failure);
        if (!v.failure.empty()) return;
      }
    });
    const double took = elapsed();
    std::printf(
        "%llu programs, %llu messages, %llu packets in %.1f s: %.0f programs/s, %.0f messages/s\n",
        static_cast<unsigned long long>(page().programs),
        static_cast<unsigned long long>(page().messages),
        static_cast<unsigned long long>(page().packets), took,
        static_cast<double>(page().programs) / took, static_cast<double>(page().messages) / took);
    if (failure.empty()) return 0;
    return report(page().seed, failure, a.shrink);
  }

  std::span<const contestant> stacks_;
  bool exposes_;
};

}  // namespace explorer
