// SPDX-License-Identifier: BSL-1.0
// sim_start: how long a job of up to 100,000 ranks on many hosts takes until all ranks can talk.
// Data that a rank publishes and reads is counted in real starts of a few ranks; the launcher's
// daemons are simulated, with a message of mpx for each of theirs.
//    sim_start --ranks 1000 --ranks 100000 --json results/start.json

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <mpx/cluster.hpp>
#include <mpx/sim.hpp>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using mpx::rank_t;

// --- What a rank asks of its launcher ------------------------------------------------------------

/// Requests that one rank made to the launcher until its environment was there.
struct asked {
  std::uint64_t values = 0;  // Published.
  std::uint64_t bytes = 0;   // Of these.
  std::uint64_t reads = 0;   // Answers.
  std::uint64_t fences = 0;
};

/// A launcher of threads that counts.
class counting_job {
 public:
  explicit counting_job(rank_t ranks) : of(static_cast<std::size_t>(ranks)) {}
  rank_t size() const { return static_cast<rank_t>(of.size()); }

  std::vector<asked> of;  // Each rank's own, until it has joined.
  std::mutex mutex;
  std::condition_variable opened;
  std::map<std::pair<rank_t, std::string>, std::string> values;
  rank_t arrived = 0;
  std::uint64_t generation = 0;
};

class counting {
 public:
  using policy_axis = mpx::bootstrap_axis;
  counting(counting_job& job, rank_t rank)
      : job_(&job), rank_(rank), host_("node" + std::to_string(rank)) {}

  rank_t rank() const noexcept { return rank_; }
  rank_t size() const noexcept { return job_->size(); }
  std::string_view host() const noexcept { return host_; }
  void put(std::string_view key, std::string_view value) {
    const std::lock_guard lock(job_->mutex);
    asked& a = mine();
    ++a.values;
    a.bytes += key.size() + value.size();
    job_->values[{rank_, std::string(key)}] = value;
  }
  std::optional<std::string> get(rank_t rank, std::string_view key) {
    const std::lock_guard lock(job_->mutex);
    ++mine().reads;
    const auto it = job_->values.find({rank, std::string(key)});
    if (it == job_->values.end()) return {};
    return it->second;
  }
  template <class Idle>
  void fence(Idle&& idle) {
    std::unique_lock lock(job_->mutex);
    ++mine().fences;
    const std::uint64_t before = job_->generation;
    if (++job_->arrived == size()) {
      job_->arrived = 0;
      ++job_->generation;
      job_->opened.notify_all();
    }
    while (job_->generation == before) {
      lock.unlock();
      idle();
      lock.lock();
      if (job_->generation == before) job_->opened.wait_for(lock, std::chrono::milliseconds(1));
    }
  }
  [[noreturn]] void abort(int, std::string_view why) { throw std::runtime_error(std::string(why)); }

 private:
  asked& mine() { return job_->of[static_cast<std::size_t>(rank_)]; }
  counting_job* job_;
  rank_t rank_;
  std::string host_;
};

using counted_stack =
    mpx::stack<mpx::transport::tcp, counting,
               mpx::protocol::tiny_short_long<40, 128 * 1024, mpx::long_path::packets, 256 * 1024>>;

/// Requests of the ranks of a job. Starts a job.
std::vector<asked> count(rank_t ranks) {
  counting_job job(ranks);
  std::vector<asked> joined(static_cast<std::size_t>(ranks));
  {
    std::vector<std::jthread> threads;
    for (rank_t r = 0; r < ranks; ++r)
      threads.emplace_back([&job, &joined, r] {
        const mpx::environment<counted_stack> env{counting(job, r)};
        const std::lock_guard lock(job.mutex);
        joined[static_cast<std::size_t>(r)] = job.of[static_cast<std::size_t>(r)];
      });
  }
  return joined;
}

/// Assumed length of the data that a rank publishes: addresses are longer on some machines.
constexpr std::uint64_t bytes_a_rank = 256;

/// Requests that ranks make in a job of any size: the amount published is constant, the amount read
/// is a linear function of the size.
struct habits {
  std::uint64_t values = 0;
  std::uint64_t bytes = 0;
  std::uint64_t fences = 0;
  // Reads: of 4 ranks, and for each rank more; of the first rank, and of any other.
  std::uint64_t reads_of_4[2] = {};
  std::uint64_t reads_each[2] = {};
  std::uint64_t reads(bool first, rank_t ranks) const {
    const std::size_t i = first ? 0 : 1;
    return reads_of_4[i] + static_cast<std::uint64_t>(ranks - 4) * reads_each[i];
  }
};
habits observe() {
  const std::vector<asked> four = count(4);
  const std::vector<asked> eight = count(8);
  habits h;
  h.values = four[1].values;
  h.bytes = four[1].bytes;
  h.fences = four[1].fences;
  for (const std::size_t i : {0u, 1u}) {
    h.reads_of_4[i] = four[i].reads;
    h.reads_each[i] = (eight[i].reads - four[i].reads) / 4;
  }
  const std::vector<asked> more = count(13);
  for (std::size_t r = 0; r < more.size(); ++r) {
    const asked& a = more[r];
    if (a.reads != h.reads(r == 0, 13) || a.fences != h.fences ||
        (r != 0 && (a.values != h.values || a.bytes > bytes_a_rank)))
      throw std::runtime_error(
          "what a rank publishes grows with the job, or what it reads is no line");
  }
  return h;
}

// --- How launchers carry it ----------------------------------------------------------------------

struct launcher {
  const char* name;
  rank_t fan_out;  // Daemons that one talks to, below it; 0: the first one to all.
  bool in_memory;  // Ranks read published data in memory of their host; else their daemon answers.
};
constexpr launcher launchers[] = {
    {"PMI-1, daemons in a star (Hydra)", 0, false},
    {"PMI-1 or PMI-2, a tree of 16 (Slurm)", 16, false},
    {"PMIx, a tree of 64, values in memory", 64, true},
};

struct machine {
  rank_t ranks_a_host = 64;
  double latency_us = 25;  // Between daemons, which use sockets,
  double overhead_us = 5;  // CPU for each message at both ends,
  double gbit_s = 10;      // and this for what is in it.
  double answer_us = 20;   // A daemon's, to one question of a rank.
  double read_us = 1;      // A rank's, in memory.
};

struct start {
  double total_s = 0;
  double reading_s = 0;  // Of it, at the host that is the last.
  std::uint64_t reads = 0;
  double host_mib = 0;  // Of values, at each host.
};

/// A message stands for so many bytes a byte: 15 MB to each of 1,600 hosts would fill this machine.
constexpr double scale = 1000;

start simulate(rank_t ranks, const launcher& by, const machine& m, const habits& h) {
  const rank_t hosts = (ranks + m.ranks_a_host - 1) / m.ranks_a_host;
  const rank_t fan_out = by.fan_out == 0 ? hosts : by.fan_out;
  // Published values are read after all fences but the last.
  const auto phases = static_cast<double>(h.fences - 1);
  const double value_bytes = static_cast<double>(bytes_a_rank) / phases;
  const auto others = static_cast<double>(h.reads(false, ranks));
  const auto firsts = static_cast<double>(h.reads(true, ranks));
  const double reading_us =
      by.in_memory ? firsts * m.read_us : ((m.ranks_a_host - 1) * others + firsts) * m.answer_us;
  const mpx::sim::loggp network{
      .far = {.latency_ns = static_cast<std::int64_t>(m.latency_us * 1e3),
              .overhead_ns = static_cast<std::int64_t>(m.overhead_us * 1e3),
              .gap_ns = 5,
              .byte_ns = scale * 8 / m.gbit_s}};
  const auto size_for = [&](rank_t of_ranks) {
    return static_cast<std::size_t>(std::max(1.0, of_ranks * value_bytes / scale));
  };
  std::int64_t all_ns = 0;
  mpx::sim::run(hosts + 1, network, 1, [&](auto& env) {
    auto world = env.world();
    const rank_t me = world.rank();  // 0: the launcher itself.
    const rank_t local = me == 0 ? 0 : std::min(m.ranks_a_host, ranks - (me - 1) * m.ranks_a_host);
    const auto first = static_cast<std::int64_t>(me) * fan_out + 1;
    const auto last = std::min<std::int64_t>(first + fan_out, hosts + 1);
    const auto busy = [&](double us) {
      env.transport().compute(static_cast<std::int64_t>(us * 1e3));
    };
    world.barrier();
    const auto begin_ns = env.now_ns();
    for (std::uint64_t fence = 1; fence < h.fences; ++fence) {
      busy(local * m.answer_us * 2);  // Its ranks publish and wait.
      rank_t below = local;
      for (auto child = first; child < last; ++child) {
        rank_t theirs = 0;
        world.recv(theirs, static_cast<rank_t>(child), 1);
        below += theirs;
        std::vector<std::byte> values(size_for(theirs));
        world.recv(values, static_cast<rank_t>(child), 2);
      }
      std::vector<std::byte> all(size_for(ranks));
      if (me != 0) {
        const rank_t parent = (me - 1) / fan_out;
        const std::vector<std::byte> values(size_for(below));
        world.send(below, parent, 1);
        world.send(values, parent, 2);
        world.recv(all, parent, 3);
      }
      for (auto child = first; child < last; ++child)
        world.send(all, static_cast<rank_t>(child), 3);
      busy(local * m.answer_us);  // They may continue.
      const double reads = (local - (me == 1 ? 1 : 0)) * others + (me == 1 ? firsts : 0);
      if (me != 0)
        busy((by.in_memory ? (me == 1 ? firsts : others) * m.read_us : reads * m.answer_us) /
             phases);
    }
    all_ns = std::max(all_ns, env.now_ns() - begin_ns);
  });
  return {static_cast<double>(all_ns) / 1e9, reading_us / 1e6, h.reads(false, ranks),
          ranks * static_cast<double>(bytes_a_rank) / (1024 * 1024)};
}

std::string digits(double seconds) {
  return fmt::format("{:.{}f}", seconds,
                     seconds >= 10    ? 0
                     : seconds >= 1   ? 1
                     : seconds >= 0.1 ? 2
                                      : 3);
}

void play(const std::vector<rank_t>& sizes, const machine& m, const std::string& json) {
  const habits h = observe();
  nlohmann::json rows = nlohmann::json::array();
  fmt::print(
      "A rank publishes {} values, {} bytes, in {} fences, and reads {} of each rank.\n\n"
      "| ranks | hosts | launcher | start | of it reading | values read by a rank | on a host |\n"
      "|---|---|---|---|---|---|---|\n",
      h.values, h.bytes, h.fences, h.reads_each[1]);
  for (const rank_t n : sizes) {
    for (const launcher& by : launchers) {
      const start s = simulate(n, by, m, h);
      const rank_t hosts = (n + m.ranks_a_host - 1) / m.ranks_a_host;
      fmt::print("| {} | {} | {} | {} s | {} s | {} | {:.1f} MiB |\n", n, hosts, by.name,
                 digits(s.total_s), digits(s.reading_s), s.reads, s.host_mib);
      rows.push_back({{"ranks", n},
                      {"hosts", hosts},
                      {"launcher", by.name},
                      {"total_s", s.total_s},
                      {"reading_s", s.reading_s},
                      {"reads", s.reads},
                      {"host_mib", s.host_mib}});
    }
  }
  if (json.empty()) return;
  std::ofstream out(json);
  out << nlohmann::json{{"values", h.values},
                        {"bytes", h.bytes},
                        {"fences", h.fences},
                        {"reads_each", h.reads_each[1]},
                        {"rows", rows}}
             .dump(2)
      << '\n';
  if (!out.good()) throw std::runtime_error("cannot write " + json);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("How long jobs on many hosts take to start, simulated.");
  std::vector<rank_t> sizes;
  machine m;
  std::string json;
  app.add_option("--ranks", sizes, "sizes of jobs")->check(CLI::Range(100, 1'000'000));
  app.add_option("--ranks-a-host", m.ranks_a_host)->check(CLI::Range(1, 1024));
  app.add_option("--latency-us", m.latency_us, "between daemons");
  app.add_option("--overhead-us", m.overhead_us, "of a daemon, for each message");
  app.add_option("--gbit-s", m.gbit_s, "between hosts");
  app.add_option("--answer-us", m.answer_us, "of a daemon to one question");
  app.add_option("--read-us", m.read_us, "of a rank, in memory");
  app.add_option("--json", json, "where to write what is printed");
  CLI11_PARSE(app, argc, argv);
  if (sizes.empty()) sizes = {1000, 10'000, 100'000};
  try {
    play(sizes, m, json);
  } catch (const std::exception& e) {
    fmt::print(stderr, "sim_start: {}\n", e.what());
    return 1;
  }
  return 0;
}
