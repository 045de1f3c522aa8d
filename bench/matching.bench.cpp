// SPDX-License-Identifier: BSL-1.0
// Matching with 1 to 100,000 receives or messages pending: the hashed matcher's cost must not grow,
// that of the list and of portals does. The partner looked for is always the youngest.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <mpx/mpx.hpp>
#include <vector>

namespace {

constexpr mpx::context_id context = 2;
constexpr mpx::peer_id source = 3;

mpx::tag_t tag_of(std::size_t i) { return static_cast<mpx::tag_t>(i); }

/// An arrival matches the last of `depth` posted receives, which is posted again.
template <mpx::Matcher M>
void arrival(benchmark::State& state) {
  const auto depth = static_cast<std::size_t>(state.range(0));
  std::vector<mpx::posted_receive> receives(depth);
  M matcher;
  for (std::size_t i = 0; i < depth; ++i) {
    receives[i].want = {context, source, tag_of(i)};
    matcher.post(receives[i]);
  }
  const mpx::envelope last{context, source, tag_of(depth - 1)};
  for (auto _ : state) {
    mpx::posted_receive* r = matcher.match_arrival(last);
    if (r != &receives.back()) {
      state.SkipWithError("matched the wrong receive");
      break;
    }
    matcher.post(*r);
  }
  for (auto& r : receives) matcher.cancel(r);
}
BENCHMARK(arrival<mpx::matching::hashed>)->RangeMultiplier(10)->Range(1, 100'000);
BENCHMARK(arrival<mpx::matching::list>)->RangeMultiplier(10)->Range(1, 100'000);
BENCHMARK(arrival<mpx::matching::portals>)->RangeMultiplier(10)->Range(1, 100'000);

/// A receive matches the last of `depth` unexpected messages, which then arrives again.
template <mpx::Matcher M>
void receive(benchmark::State& state) {
  const auto depth = static_cast<std::size_t>(state.range(0));
  std::vector<mpx::unexpected_message> messages(depth);
  M matcher;
  for (std::size_t i = 0; i < depth; ++i) {
    messages[i].is = {context, source, tag_of(i)};
    matcher.store(messages[i]);
  }
  const mpx::pattern last{context, source, tag_of(depth - 1)};
  for (auto _ : state) {
    mpx::unexpected_message* m = matcher.match_receive(last);
    if (m != &messages.back()) {
      state.SkipWithError("matched the wrong message");
      break;
    }
    matcher.store(*m);
  }
  for (auto& m : messages) matcher.withdraw(m);
}
BENCHMARK(receive<mpx::matching::hashed>)->RangeMultiplier(10)->Range(1, 100'000);
BENCHMARK(receive<mpx::matching::list>)->RangeMultiplier(10)->Range(1, 100'000);
BENCHMARK(receive<mpx::matching::portals>)->RangeMultiplier(10)->Range(1, 100'000);

/// The same with one wildcard receive pending that does not match: its price for the others.
template <mpx::Matcher M>
void arrival_beside_wildcard(benchmark::State& state) {
  std::vector<mpx::posted_receive> receives(2);
  receives[0].want = {context + 2, mpx::any_peer, mpx::any_tag};
  receives[1].want = {context, source, 1};
  M matcher;
  for (auto& r : receives) matcher.post(r);
  for (auto _ : state) {
    mpx::posted_receive* r = matcher.match_arrival({context, source, 1});
    if (r != &receives[1]) {
      state.SkipWithError("matched the wrong receive");
      break;
    }
    matcher.post(*r);
  }
  for (auto& r : receives) matcher.cancel(r);
}
BENCHMARK(arrival_beside_wildcard<mpx::matching::hashed>);
BENCHMARK(arrival_beside_wildcard<mpx::matching::list>);
BENCHMARK(arrival_beside_wildcard<mpx::matching::portals>);

}  // namespace
