// SPDX-License-Identifier: BSL-1.0
// Speed of a provider of libfabric, by bare calls: two ranks bounce 8 bytes, and send windows of
// long messages.
//   MPX_FABRIC_PROVIDER=shm mpxrun -n 2 fabric_raw
// A reference for the rows of mpx-perf --stack libfabric. With the name of a test it prints samples
// of that test, one object per line, for scripts/compare.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mpx/bootstrap/detect.hpp>
#include <mpx/transport/rdma/libfabric/resources.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "perf/board.h"

namespace {

using calls = mpx::nic::fabric_calls;

struct options {
  std::string test;
  std::size_t size = 8;
  int iters = 1000;
  int warmup = 100;
  int window = 16;
  int samples = 1;
  std::string probe_file;
};

/// One of two ranks.
class end {
 public:
  explicit end(mpx::bootstrap::any& me, std::size_t most, int window)
      : f_({}, 1024),
        most_(most),
        memory_(static_cast<std::size_t>(window + 1) * most, 1),
        contexts_(static_cast<std::size_t>(4 * window)) {
    std::string said(reinterpret_cast<const char*>(f_.address), f_.address_bytes);
    std::string hex;
    for (const char c : said)
      hex += {static_cast<char>('a' + (c >> 4 & 15)), static_cast<char>('a' + (c & 15))};
    me.put("raw", hex);
    me.fence([] {});
    const std::string theirs = me.get(1 - me.rank(), "raw").value_or("");
    std::string there;
    for (std::size_t i = 0; i + 1 < theirs.size(); i += 2)
      there += static_cast<char>((theirs[i] - 'a') << 4 | (theirs[i + 1] - 'a'));
    if (calls::av_insert(f_.av, there.data(), &peer_) != 1)
      throw std::runtime_error("the peer's address is not taken");
    if (f_.wants_local() &&
        calls::mr_reg(f_.domain, memory_.data(), memory_.size(), FI_SEND | FI_RECV, 77, &mr_) != 0)
      throw std::runtime_error("the memory cannot be registered");
    inject_max_ = f_.info->tx_attr->inject_size;
  }
  end(const end&) = delete;
  end& operator=(const end&) = delete;
  ~end() {
    if (mr_ != nullptr) calls::close(&mr_->fid);
  }
  const char* provider() const { return f_.provider(); }

  void receive(std::size_t bytes, int slot) {
    char* const into = memory_.data() + static_cast<std::size_t>(slot) * most_;
    while (calls::recv(f_.ep, into, bytes, descriptor(), next()) != 0) look();
  }
  void send(std::size_t bytes, int slot) {
    const char* const from = memory_.data() + static_cast<std::size_t>(slot) * most_;
    if (bytes <= inject_max_) {
      while (calls::inject(f_.ep, from, bytes, peer_) != 0) look();
      ++sent;
      return;
    }
    while (calls::send(f_.ep, from, bytes, descriptor(), peer_, next()) != 0) look();
  }
  void look() {
    ::fi_cq_data_entry e[16];
    const std::ptrdiff_t n = calls::cq_read(f_.cq, e, 16);
    if (n < 0 && n != -FI_EAGAIN) throw std::runtime_error("an operation has failed");
    for (std::ptrdiff_t i = 0; i < n; ++i) ++((e[i].flags & FI_RECV) != 0 ? received : sent);
  }

  std::uint64_t received = 0;
  std::uint64_t sent = 0;

 private:
  void* descriptor() const { return mr_ != nullptr ? ::fi_mr_desc(mr_) : nullptr; }
  void* next() { return &contexts_[at_++ % contexts_.size()]; }

  mpx::nic::detail::fabric_resources<calls> f_;
  std::size_t most_;
  std::vector<char> memory_;
  std::vector<::fi_context2> contexts_;
  ::fid_mr* mr_ = nullptr;
  ::fi_addr_t peer_ = FI_ADDR_UNSPEC;
  std::size_t at_ = 0;
  std::size_t inject_max_ = 0;
};

/// Microseconds one way.
double latency(end& e, bool first, std::size_t bytes, int rounds) {
  const double start = perf_now();
  for (int i = 0; i < rounds; ++i) {
    const std::uint64_t before = e.received;
    e.receive(bytes, 0);
    if (first) e.send(bytes, 1);
    while (e.received == before) e.look();
    if (!first) e.send(bytes, 1);
  }
  return (perf_now() - start) / (2.0 * rounds) * 1e6;
}
/// GB/s.
double bandwidth(end& e, bool first, std::size_t bytes, int window, int windows) {
  const auto each = static_cast<std::uint64_t>(window);
  const double start = perf_now();
  for (int i = 0; i < windows; ++i) {
    const std::uint64_t received = e.received;
    const std::uint64_t sent = e.sent;
    if (first) {
      e.receive(8, window);
      for (int w = 0; w < window; ++w) e.send(bytes, w);
      while (e.received == received || e.sent != sent + each) e.look();
    } else {
      for (int w = 0; w < window; ++w) e.receive(bytes, w);
      while (e.received != received + each) e.look();
      e.send(8, window);
    }
  }
  return static_cast<double>(bytes) * window * windows / (perf_now() - start) / 1e9;
}

/// A table of what matters, the best of many repetitions: a busy machine only ever adds.
void show(mpx::bootstrap::any& me, bool first) {
  constexpr int window = 16;
  end e(me, std::size_t{4} << 20, window);
  if (first) std::printf("provider %s\n", e.provider());
  double best = latency(e, first, 8, 1000);
  for (int again = 0; again < 100; ++again) best = std::min(best, latency(e, first, 8, 200));
  if (first) std::printf("latency  %10d bytes %10.3f us\n", 8, best);
  for (const std::size_t bytes :
       {std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{4} << 20}) {
    double most = 0;
    for (int again = 0; again < 5; ++again)
      most = std::max(most, bandwidth(e, first, bytes, window, bytes > 100'000 ? 4 : 40));
    if (first) std::printf("bw       %10zu bytes %10.2f GB/s\n", bytes, most);
  }
  me.fence([&e] { e.look(); });
}

/// Samples of one test.
void measure(mpx::bootstrap::any& me, bool first, perf_side& side, const options& o) {
  end e(me, std::max<std::size_t>(o.size, 8), o.window);
  const bool bounces = o.test == "latency";
  const auto run = [&](int times) {
    return bounces ? latency(e, first, o.size, times)
                   : bandwidth(e, first, o.size, o.window, times);
  };
  perf_mark before = perf_bracket(&side);
  for (int i = 0; i < o.samples; ++i) {
    if (o.warmup > 0) run(o.warmup);
    const double value = run(o.iters);
    const perf_mark after = perf_bracket(&side);
    if (first)
      perf_print_sample("raw", o.test.c_str(), o.size, 2, bounces ? "us" : "GB/s", value, before,
                        after);
    before = after;
  }
  me.fence([&e] { e.look(); });
}

void parse(CLI::App& app, options& o, int argc, char** argv) {
  const auto positive = CLI::Range(1, 1 << 24);
  app.add_option("test", o.test, "latency or bw; none: a table of both")
      ->check(CLI::IsMember({"latency", "bw"}));
  app.add_option("--size", o.size, "bytes of a message")->check(positive);
  app.add_option("--iters", o.iters, "round trips, or windows, of a sample")->check(positive);
  app.add_option("--warmup", o.warmup, "of them before each sample");
  app.add_option("--window", o.window, "messages under way at once")->check(CLI::Range(1, 256));
  app.add_option("--samples", o.samples, "so many")->check(positive);
  app.add_option("--probe-file", o.probe_file, "as of mpx-perf");
  app.add_flag_callback("--pin", [] {}, "pin the ranks, as is always done");
  app.parse(argc, argv);
}

}  // namespace

int main(int argc, char** argv) try {
  options o;
  CLI::App app("Measures a provider of libfabric by bare calls.", "fabric_raw");
  try {
    parse(app, o, argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  }
  perf_side side;
  perf_join(&side, nullptr, 0, 1);
  mpx::bootstrap::any me;
  if (me.size() != 2) throw std::runtime_error("needs 2 ranks: mpxrun -n 2 fabric_raw");
  side.rank = me.rank();
  side.ranks = me.size();
  side.board = perf_open_board(o.probe_file.c_str());
  perf_pin(me.rank(), &side.usable);
  const bool first = me.rank() == 0;
  if (o.test.empty())
    show(me, first);
  else
    measure(me, first, side, o);
  me.mark_finished();
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "fabric_raw: %s\n", e.what());
  return 1;
}
