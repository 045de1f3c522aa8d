// SPDX-License-Identifier: BSL-1.0
#pragma once
// The loops of mpx-perf, for any stack. Each is the twin of one in mpi_perf.c.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mpx/mpx.hpp>
#include <mpx/topology.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "board.h"

namespace perf {

using buffer = std::span<std::byte>;

/// Order of the calls if both sides send and receive.
enum class order : std::uint8_t { receives, sends, sendrecv };

/// One size, ready to be measured.
struct setting {
  std::size_t size = 0;
  std::uint64_t iters = 0;
  std::uint64_t warmup = 0;
  unsigned window = 64;
  unsigned tags = 1;     // Of the messages of a window, in rotation.
  unsigned buffers = 1;  // The same.
  perf::order order = perf::order::receives;
  bool posted = false;    // A window's receives are posted before its first message is sent.
  bool reverse = false;   // Receives are posted in reverse order of the messages.
  bool recv_any = false;  // From any source.
  double seconds = 0;
  buffer out;  // `buffers` times `size`.
  buffer in;
};

template <class Stack>
class bench {
 public:
  using communicator = mpx::communicator<Stack>;
  using request = mpx::request<Stack>;

  bench(communicator world, const setting& s) : world_(world), s_(s), requests_(2 * s.window) {
    for (unsigned w = 0; w < s.window; ++w) {
      const unsigned taken = s.reverse ? s.window - 1 - w : w;
      send_tags_.push_back(static_cast<mpx::tag_t>(first_tag + w % s.tags));
      recv_tags_.push_back(static_cast<mpx::tag_t>(first_tag + taken % s.tags));
      outs_.push_back(s.out.subspan(w % s.buffers * s.size, s.size));
      ins_.push_back(s.in.subspan(taken % s.buffers * s.size, s.size));
    }
  }

  double latency_us() {
    const double t = timed([this](std::uint64_t n) { ping_pong(n); });
    return t / (2.0 * static_cast<double>(s_.iters)) * 1e6;
  }
  double rate() {
    return messages() / timed([this](std::uint64_t n) { windows(n); }) / 1e6;
  }
  double bandwidth() {
    return bytes() / timed([this](std::uint64_t n) { windows(n); }) / 1e9;
  }
  double bandwidth_both_ways() {
    return 2 * bytes() / timed([this](std::uint64_t n) { both_ways(n); }) / 1e9;
  }

  /// Exchanges of 8 bytes of ranks 0 and 1, until rank 0 sends a negative one. Returns us one way.
  double exchange_us() {
    std::int64_t token = 0;
    world_.barrier();
    const double start = perf_now();
    std::uint64_t done = 0;
    for (bool last = world_.rank() > 1; !last; ++done) {
      if (world_.rank() == 0) {
        token = time_is_up(done + 1, start) ? -1 : static_cast<std::int64_t>(done);
        world_.send(token, 1, 1);
      }
      world_.recv(token, 1 - world_.rank(), 1);
      last = token < 0;
      if (world_.rank() == 1) world_.send(token, 0, 1);
    }
    return (perf_now() - start) / (2.0 * static_cast<double>(done)) * 1e6;
  }

  /// A token of 8 bytes goes round until rank 0 sends it round negative. Returns us a hop.
  double ring_us() {
    return token_round(
        [this](std::int64_t& token, mpx::rank_t from) { world_.recv(token, from, 4); });
  }

  /// The same by a program that polls: receives are posted first, and tested.
  double poll_test_us() {
    request posted;
    const auto post = [&](std::int64_t& token, mpx::rank_t from) {
      posted = world_.irecv(token, from, 4);
    };
    const auto receive = [&](std::int64_t&, mpx::rank_t) {
      while (!posted.test()) {
      }
    };
    return token_round(receive, post);
  }

  /// The same by a program that probes.
  double poll_probe_us() {
    return token_round([this](std::int64_t& token, mpx::rank_t from) {
      while (!world_.iprobe(from, 4)) {
      }
      world_.recv(token, from, 4);
    });
  }

  /// Every rank sends 8 bytes to every other one, and asks for one completion after the other.
  /// Until rank 0 sends negative ones. Returns us a round.
  double poll_any_us() {
    const mpx::rank_t size = world_.size();
    const auto n = static_cast<std::size_t>(size);
    std::vector<std::int64_t> in(n);
    std::vector<request> all(2 * n);  // Two stay empty: no rank sends to itself.
    world_.barrier();
    const double start = perf_now();
    std::uint64_t rounds = 0;
    for (bool last = false; !last; ++rounds) {
      const bool stop = world_.rank() == 0 && time_is_up(rounds + 1, start);
      const std::int64_t out = stop ? -1 : static_cast<std::int64_t>(rounds);
      for (mpx::rank_t r = 0; r < size; ++r) {
        if (r == world_.rank()) continue;
        const auto at = static_cast<std::size_t>(r);
        all[at] = world_.irecv(in[at], r, 4);
        all[n + at] = world_.isend(out, r, 4);
      }
      while (!mpx::test_any(all).none_active()) {
      }
      last = world_.rank() == 0 ? stop : in[0] < 0;
    }
    return (perf_now() - start) / static_cast<double>(rounds) * 1e6;
  }

  /// A sum of one double, until rank 0 adds 1. Returns us an operation.
  double allreduce_us() {
    world_.barrier();
    const double start = perf_now();
    std::uint64_t done = 0;
    for (double sum = 0; sum < 0.5; ++done) {
      const double mine = world_.rank() == 0 && time_is_up(done + 1, start) ? 1.0 : 0.0;
      sum = world_.allreduce(mine, std::plus<>{});
    }
    return (perf_now() - start) / static_cast<double>(done) * 1e6;
  }

  // Collectives, of `size` bytes or of blocks of as many. Each returns us an operation.
  double barrier_us() {
    return collective([this](std::uint64_t) { world_.barrier(); });
  }
  /// The root rotates: a rank that has not got a message does not send the next one.
  double bcast_us() {
    const auto n = ranks();
    return collective([this, n](std::uint64_t i) {
      const auto root = static_cast<mpx::rank_t>(i % n);
      if (root == world_.rank()) write_anew(s_.out, i);
      world_.bcast(s_.out, root);
      use(s_.out);
    });
  }
  double sum_us() {
    std::vector<double> in(elements(), 1.0);
    std::vector<double> out(elements());
    return collective([&](std::uint64_t i) {
      write_anew(in, i);
      world_.allreduce(in, out, mpx::sum);
      use(out);
    });
  }
  double allgather_us() {
    std::vector<std::byte> all(s_.size * ranks());
    return collective([&](std::uint64_t i) {
      write_anew(s_.out, i);
      world_.allgather(s_.out, all);
      use(all);
    });
  }
  double alltoall_us() {
    std::vector<std::byte> in(s_.size * ranks());
    std::vector<std::byte> out(s_.size * ranks());
    return collective([&](std::uint64_t i) {
      write_anew(in, i);
      world_.alltoall(in, out);
      use(out);
    });
  }
  double reduce_scatter_us() {
    std::vector<double> in(elements() * ranks(), 1.0);
    std::vector<double> out(elements());
    return collective([&](std::uint64_t i) {
      write_anew(in, i);
      world_.reduce_scatter_block(in, out, mpx::sum);
      use(out);
    });
  }
  /// On a ring: a block to the rank on either side, which is the same one if there are two.
  double neighbor_alltoall_us() {
    const mpx::cart_dimension dims[] = {{world_.size(), true}};
    auto ring = mpx::cart_create(world_, dims);
    std::vector<std::byte> in(s_.size * 2);
    std::vector<std::byte> out(s_.size * 2);
    return collective([&](std::uint64_t i) {
      write_anew(in, i);
      ring.neighbor_alltoall(in, out);
      use(out);
    });
  }

  /// CPU time that rank 1 uses while it waits `seconds` for a message, reported at rank 0.
  double idle_cpu_s() {
    double used = 0;
    char byte = 0;
    world_.barrier();
    if (world_.rank() == 0) {
      perf_sleep(s_.seconds);
      world_.send(byte, 1, 5);
      world_.recv(used, 1, 6);
    } else if (world_.rank() == 1) {
      const double before = perf_cpu_seconds();
      world_.recv(byte, 0, 5);
      used = perf_cpu_seconds() - before;
      world_.send(used, 0, 6);
    }
    return used;
  }

 private:
  static constexpr unsigned first_tag = 16;

  std::size_t elements() const { return s_.size / sizeof(double); }
  template <class Range>
  static void write_anew(Range& given, std::uint64_t call) {
    perf_write_anew(given.data(), given.size() * sizeof(given[0]), call);
  }
  template <class Range>
  static void use(const Range& got) {
    perf_use(got.data(), got.size() * sizeof(got[0]));
  }
  /// `call(i)` again and again, as often as rank 0 thinks will take `seconds`.
  template <class Call>
  double collective(Call&& call) {
    constexpr std::uint64_t tries = 4;
    const auto run = [&](std::uint64_t n) {
      world_.barrier();
      const double start = perf_now();
      for (std::uint64_t i = 0; i < n; ++i) call(i);
      world_.barrier();
      return perf_now() - start;
    };
    run(tries);
    const double once = run(tries) / static_cast<double>(tries);
    std::uint64_t n = std::min(s_.iters, static_cast<std::uint64_t>(s_.seconds / once) + 1);
    world_.bcast(n, 0);
    return run(n) / static_cast<double>(n) * 1e6;
  }

  std::uint64_t ranks() const { return static_cast<std::uint64_t>(world_.size()); }
  double messages() const { return static_cast<double>(s_.iters * s_.window); }
  double bytes() const { return messages() * static_cast<double>(s_.size); }
  mpx::rank_t from(mpx::rank_t partner) const {
    return s_.recv_any ? mpx::rank_t{mpx::any_source} : partner;
  }

  template <class Loop>
  double timed(Loop&& loop) {
    loop(s_.warmup);
    world_.barrier();
    const double start = perf_now();
    loop(s_.iters);
    return perf_now() - start;
  }

  /// Reading the clock must not weigh: always at first, then now and then.
  bool time_is_up(std::uint64_t done, double start) const {
    if (done >= s_.iters) return true;
    return (done < 64 || done % 64 == 0) && perf_now() - start > s_.seconds;
  }

  /// `post(token, from)` is called before a rank may be sent the token, `receive` after.
  template <class Receive, class Post>
  double token_round(Receive&& receive, Post&& post) {
    const mpx::rank_t to = (world_.rank() + 1) % world_.size();
    const mpx::rank_t from = (world_.rank() + world_.size() - 1) % world_.size();
    std::int64_t out = 0;
    std::int64_t in = 0;
    world_.barrier();
    const double start = perf_now();
    std::uint64_t laps = 0;
    for (bool last = false; !last; ++laps) {
      post(in, from);
      if (world_.rank() == 0) {
        out = time_is_up(laps + 1, start) ? -1 : static_cast<std::int64_t>(laps);
        world_.send(out, to, 4);
      }
      receive(in, from);
      last = in < 0;
      if (world_.rank() != 0) world_.send(in, to, 4);
    }
    return (perf_now() - start) / static_cast<double>(laps * ranks()) * 1e6;
  }
  template <class Receive>
  double token_round(Receive&& receive) {
    return token_round(receive, [](std::int64_t&, mpx::rank_t) {});
  }

  void ping_pong(std::uint64_t iters) {
    for (std::uint64_t i = 0; i < iters; ++i) {
      if (world_.rank() == 0) {
        world_.send(s_.out, 1, 1);
        world_.recv(s_.in, from(1), 1);
      } else if (world_.rank() == 1) {
        world_.recv(s_.in, from(0), 1);
        world_.send(s_.out, 0, 1);
      }
    }
  }

  void post_window(mpx::rank_t source, std::span<request> window) {
    for (std::size_t w = 0; w < window.size(); ++w)
      window[w] = world_.irecv(ins_[w], source, recv_tags_[w]);
  }
  void send_window(mpx::rank_t to, std::span<request> window) {
    for (std::size_t w = 0; w < window.size(); ++w)
      window[w] = world_.isend(outs_[w], to, send_tags_[w]);
  }

  /// A window of messages from rank 0, then an answer of 4 bytes.
  void windows(std::uint64_t iters) {
    const std::span window(requests_.data(), s_.window);
    std::int32_t answer = 0;
    if (iters == 0) return;
    if (world_.rank() == 0) {
      if (s_.posted) world_.recv(answer, from(1), 3);
      for (std::uint64_t i = 0; i < iters; ++i) {
        send_window(1, window);
        mpx::wait_all(window);
        world_.recv(answer, from(1), 3);
      }
    } else if (world_.rank() == 1) {
      if (s_.posted) {
        post_window(from(0), window);
        world_.send(answer, 0, 3);
      }
      for (std::uint64_t i = 0; i < iters; ++i) {
        if (!s_.posted) post_window(from(0), window);
        mpx::wait_all(window);
        if (s_.posted && i + 1 < iters) post_window(from(0), window);
        world_.send(answer, 0, 3);
      }
    }
  }

  /// Both sides send a window at once; then an answer to rank 0.
  void both_ways(std::uint64_t iters) {
    if (world_.rank() > 1) return;
    const mpx::rank_t partner = 1 - world_.rank();
    const std::span receives = std::span(requests_).first(s_.window);
    const std::span sends = std::span(requests_).last(s_.window);
    std::int32_t answer = 0;
    for (std::uint64_t i = 0; i < iters; ++i) {
      if (s_.order == order::sendrecv) {
        for (unsigned w = 0; w < s_.window; ++w)
          world_.sendrecv(outs_[w], partner, send_tags_[w], ins_[w], from(partner), recv_tags_[w]);
      } else {
        if (s_.order == order::sends) send_window(partner, sends);
        post_window(from(partner), receives);
        if (s_.order == order::receives) send_window(partner, sends);
        mpx::wait_all(std::span(requests_));
      }
      if (world_.rank() == 0) {
        world_.recv(answer, from(1), 3);
      } else {
        world_.send(answer, 0, 3);
      }
    }
  }

  communicator world_;
  setting s_;
  std::vector<request> requests_;
  std::vector<mpx::tag_t> send_tags_;
  std::vector<mpx::tag_t> recv_tags_;
  std::vector<buffer> outs_;
  std::vector<buffer> ins_;
};

}  // namespace perf
