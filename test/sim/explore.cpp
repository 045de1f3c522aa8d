// SPDX-License-Identifier: BSL-1.0
// The explorer: plays random programs under the simulator against what MPI promises, shrinks what
// fails, and says how to play it again.
//   sim_explore [--programs N | --seconds S] [--seed S [--stack K] [--keep IDS]] [--trace]

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>

#include "sim/player.hpp"
#include "transport/late_sim_stacks.hpp"

namespace {

using namespace explorer;
using mpx::long_path;
using mpx::transport::basic_sim;
using mpx::transport::sim_rma;

/// Tickets without generations: an answer that comes too late would be taken for the next
/// operation's at once.
template <std::size_t Tiny, std::size_t Short, long_path By, std::size_t Fragment>
struct sized : mpx::protocol::tiny_short_long<Tiny, Short, By, Fragment> {
  static constexpr unsigned generation_bits = 0;
};

/// A network card, everything else by default but sizes.
using by_get = mpx::stack<mpx::transport::sim, mpx::waiting::sleep,
                          sized<40, 1024, long_path::automatic, 2048>>;
using by_put = mpx::stack<mpx::transport::sim, mpx::waiting::sleep, mpx::matching::list,
                          sized<40, 1024, long_path::put, 2048>>;
/// No RMA, and a sender may send what it likes.
using by_packets = mpx::stack<basic_sim<sim_rma::none>, mpx::waiting::sleep, mpx::flow::unlimited,
                              sized<40, 512, long_path::packets, 700>>;
/// Copies by the kernel: the path learner, and both sides copying at once.
using by_copy = mpx::stack<basic_sim<sim_rma::cpu, 4096, 8>, mpx::waiting::sleep,
                           sized<40, 1024, long_path::automatic, 1024>>;
/// Everything as small as it goes: a channel of one packet of 64 bytes.
using tiny = mpx::stack<basic_sim<sim_rma::nic, 64, 1, 8>, mpx::waiting::sleep,
                        sized<8, 64, long_path::automatic, 64>, mpx::flow::credits<4096, 1024, 16>,
                        mpx::trace::counters>;
/// As above by packets, with a locking endpoint.
using crowded = mpx::stack<basic_sim<sim_rma::none, 128, 2, 16>, mpx::waiting::sleep,
                           mpx::threading::multiple, sized<16, 128, long_path::packets, 100>,
                           mpx::flow::credits<4096, 512, 16>, mpx::trace::counters>;

/// Every post is pending, completions come late and in any order, bodies are placed.
using late_stacks::late;
using late_get =
    mpx::stack<late<basic_sim<sim_rma::nic, 4096, 8>, late_stacks::all>, mpx::waiting::sleep,
               sized<40, 1024, long_path::automatic, 1024>, mpx::flow::credits<16384, 4096, 16>>;
/// Some posts are pending, one at a time to a peer, over a channel of two packets.
using late_narrow = mpx::stack<late<basic_sim<sim_rma::none, 128, 2, 16>, late_stacks::narrow>,
                               mpx::waiting::sleep, sized<16, 128, long_path::packets, 100>,
                               mpx::flow::credits<4096, 512, 16>, mpx::trace::counters>;

constexpr unsigned stacks = 8;
constexpr const char* names[stacks] = {"by_get", "by_put",  "by_packets", "by_copy",
                                       "tiny",   "crowded", "late_get",   "late_narrow"};

void show(const plan& p) {
  constexpr const char* modes[] = {"standard", "synchronous", "buffered", "ready"};
  constexpr const char* outs[] = {"blocking", "nonblocking", "persistent", "dropped"};
  constexpr const char* ins[] = {"early",  "persistent", "cancelled", "dropped",   "late",
                                 "probed", "polled",     "claimed",   "truncated", "unready"};
  constexpr const char* as[] = {"exact", "any source", "any tag", "any source and tag"};
  std::printf("# %d ranks, %d rounds, jitter %lld ns\n", p.ranks, p.rounds,
              static_cast<long long>(p.model.jitter_ns));
  for (const message& m : p.messages)
    std::printf(
        "# round %d, message %d: %d -> %d, tag %d, %zu bytes, %s %s send, received %s by %s\n",
        m.round, m.id, m.from, m.to, m.tag, m.bytes, outs[static_cast<int>(m.out)],
        modes[static_cast<int>(m.mode)], ins[static_cast<int>(m.in)], as[m.as]);
  for (const auto& f : p.options.faults)
    std::printf("# fault %d at %lld ns: %d %d\n", static_cast<int>(f.what),
                static_cast<long long>(f.at_ns), f.a, f.b);
}

struct verdict {
  std::string failure;  // Empty: all promises were kept.
  std::uint64_t messages = 0;
  std::uint64_t packets = 0;
};

/// `Gathers`, `Crosses`: with collectives, with intercommunicators. (To compile them for each stack
/// takes long.)
template <class Stack, bool Gathers = false, bool Crosses = false>
verdict play(std::uint64_t seed, bool faulty, const std::set<int>& keep, bool trace) {
  using protocol = typename Stack::protocol_type;
  constexpr thresholds t{protocol::tiny_bytes_max, protocol::short_bytes_ceiling,
                         protocol::fragment_bytes_max, 8 * protocol::short_bytes_ceiling};
  plan p = make_plan(seed, t, faulty, keep);
  p.options.trace = trace;
  if (trace) show(p);
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(p.ranks));
  std::vector<bool> sent(p.messages.size() + 200);  // Which sends have returned, on any rank.
  const auto body = [&](mpx::environment<Stack>& env) {
    try {
      player<Stack, Gathers, Crosses>(p, env, buffers[static_cast<std::size_t>(env.rank())], sent)
          .play();
    } catch (const mpx::error& e) {
      if (!p.faulty || e.code() != mpx::errc::peer_lost) throw;
    }
  };
  const auto r = mpx::sim::try_run<Stack>(p.ranks, p.model, seed, body, p.options);
  if (trace) std::printf("%s", r.trace.c_str());
  verdict v;
  v.messages = p.messages.size();
  v.packets = r.packets;
  if (r.failure) {
    try {
      std::rethrow_exception(r.failure);
    } catch (const std::exception& e) {
      v.failure = e.what();
    }
  } else if (!r.stuck.empty()) {
    v.failure = r.stuck;
  } else if (r.virtual_ns > 30'000'000'000) {
    v.failure = "it took " + std::to_string(r.virtual_ns) + " ns of virtual time";
  }
  return v;
}

/// One program in four meets faults.
verdict play(std::uint64_t seed, unsigned stack, const std::set<int>& keep, bool trace = false) {
  const bool faulty = seed / stacks % 4 == 3;
  switch (stack) {
    case 0: return play<by_get, true>(seed, faulty, keep, trace);
    case 1: return play<by_put>(seed, faulty, keep, trace);
    case 2: return play<by_packets>(seed, faulty, keep, trace);
    case 3: return play<by_copy>(seed, faulty, keep, trace);
    case 4: return play<tiny>(seed, faulty, keep, trace);
    case 5: return play<crowded, false, true>(seed, faulty, keep, trace);
    case 6: return play<late_get>(seed, faulty, keep, trace);
    default: return play<late_narrow, true>(seed, faulty, keep, trace);
  }
}

/// What a worker process tells, whatever becomes of it.
struct shared_page {
  std::uint64_t seed;  // Being played.
  std::uint64_t programs;
  std::uint64_t messages;
  std::uint64_t packets;
  bool failed;
  char text[16'000];
};

constexpr unsigned seconds_for_one = 20;

shared_page& page() {
  static auto* p = static_cast<shared_page*>(::mmap(
      nullptr, sizeof(shared_page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  return *p;
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
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return "hang: not over after " + std::to_string(seconds_for_one) + " s";
  if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "exit code " + std::to_string(WEXITSTATUS(status));
  return "";
}

void tell(const std::string& failure) {
  if (failure.empty()) return;
  page().failed = true;
  std::snprintf(page().text, sizeof page().text, "%s", failure.c_str());
}

std::string try_one(std::uint64_t seed, unsigned stack, const std::set<int>& keep) {
  return apart([&] {
    ::alarm(seconds_for_one);
    tell(play(seed, stack, keep).failure);
  });
}

/// Leaves out whatever the failure does not need.
std::vector<int> shrink(std::uint64_t seed, unsigned stack, std::string& failure) {
  std::vector<int> ids;
  const plan all = make_plan(seed, {40, 1024, 2048, 8192}, false);
  for (const message& m : all.messages) ids.push_back(m.id);
  for (const gathering& g : all.gatherings) ids.push_back(g.id);
  for (const crossing& c : all.crossings) ids.push_back(c.id);
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

[[noreturn]] void usage(const char* wrong) {
  std::fprintf(stderr,
               "sim_explore: %s\n"
               "usage: sim_explore [--programs N] [--seconds S] [--seed FIRST] [--no-shrink]\n"
               "       sim_explore --seed S --stack K [--keep ID,ID,...] [--trace]    plays one\n",
               wrong);
  std::exit(2);
}

arguments parse(int argc, char** argv) {
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
    } else if (name == "--stack" && number < stacks) {
      a.stack = static_cast<int>(number);
      a.one = true;
    } else {
      usage("an option is unknown, or a stack is not 0 to 7");
    }
  }
  return a;
}

int replay(const arguments& a) {
  const verdict v = play(a.seed, static_cast<unsigned>(a.stack), a.keep, a.trace);
  std::printf("seed %llu, stack %s: %llu messages, %llu packets: %s\n",
              static_cast<unsigned long long>(a.seed), names[a.stack],
              static_cast<unsigned long long>(v.messages),
              static_cast<unsigned long long>(v.packets),
              v.failure.empty() ? "all promises kept" : v.failure.c_str());
  return v.failure.empty() ? 0 : 1;
}

int report(std::uint64_t seed, std::string failure, bool shrinking) {
  const auto stack = static_cast<unsigned>(seed % stacks);
  std::printf("FAILED: seed %llu, stack %s: %s\n", static_cast<unsigned long long>(seed),
              names[stack], failure.c_str());
  std::string keep;
  if (shrinking) {
    const std::vector<int> ids = shrink(seed, stack, failure);
    for (const int id : ids) keep.append(keep.empty() ? "" : ",").append(std::to_string(id));
    std::printf("shrunk to %zu messages: %s\n", ids.size(), failure.c_str());
  }
  std::printf("again: scripts/explore --seed %llu --stack %u%s%s\n",
              static_cast<unsigned long long>(seed), stack, keep.empty() ? "" : " --keep ",
              keep.c_str());
  return 1;
}

int explore(const arguments& a) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(clock::now() - begin).count(); };
  page() = {};
  const std::string failure = apart([&] {
    for (std::uint64_t i = 0; a.seconds > 0 ? elapsed() < a.seconds : i < a.programs; ++i) {
      page().seed = a.seed + i;
      ::alarm(seconds_for_one);
      const verdict v = play(a.seed + i, static_cast<unsigned>((a.seed + i) % stacks), {});
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

}  // namespace

int main(int argc, char** argv) {
  const arguments a = parse(argc, argv);
  return a.one ? replay(a) : explore(a);
}
