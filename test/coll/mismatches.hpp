// SPDX-License-Identifier: BSL-1.0
#pragma once
// Calls of which one rank makes another than the others, on a stack with checks::collectives: every
// rank gets an error that names the same two ranks, and continues. The same for all stacks.

#include <functional>
#include <mpx/checks.hpp>
#include <mpx/mpx.hpp>
#include <mpx/topology.hpp>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

#include "coll/suite.hpp"

namespace mismatches {

/// Error of `call`, and its text.
template <class Call>
std::pair<std::error_code, std::string> error_of(Call&& call) {
  try {
    call();
  } catch (const mpx::error& e) {
    return {e.code(), e.what()};
  }
  return {};
}
inline bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// The call signatures in a text: the part that is equal at all ranks.
inline std::string signatures_in(const std::string& text) {
  const std::size_t first = text.find(": rank ");
  const std::size_t last = text.find(": ranks have made");
  return first == std::string::npos ? "" : text.substr(first, last - first);
}

/// Failed expectations of all ranks. (The test reads them afterwards: fibers must not use doctest's
/// state of a test case in turn.)
class findings {
 public:
  void check(bool right, const std::string& what) {
    if (right) return;
    const std::lock_guard lock(mutex_);
    first_ = first_.empty() ? what : first_;
  }
  /// The first of it.
  std::string first() const { return first_; }

 private:
  std::mutex mutex_;
  std::string first_;
};

/// Makes `call(is_odd)` at all ranks, one of which is odd. `one` and `other`: what the text says.
template <class World, class Call>
void expect(findings& found, const World& world, mpx::rank_t odd, Call&& call, std::string_view one,
            std::string_view other) {
  const bool is_odd = world.rank() == odd;
  const auto [ec, text] = error_of([&] { call(is_odd); });
  const bool right = ec == mpx::errc::call_mismatch && says(text, one) && says(text, other) &&
                     says(text, "rank " + std::to_string(odd)) && says(text, "mismatches.hpp:");
  found.check(right,
              "expected " + std::string(one) + " and " + std::string(other) + ", got " + text);
  // The same at all ranks, and collectives continue.
  const auto hash = static_cast<std::int64_t>(std::hash<std::string>()(signatures_in(text)) >> 2);
  const bool same = world.allreduce(hash, mpx::max) == world.allreduce(hash, mpx::min);
  found.check(same, "ranks name different calls: " + text);
}

/// Arguments that all ranks have to give alike.
template <class World>
void of_all(findings& found, const World& world, mpx::rank_t odd, suite::form f) {
  const mpx::rank_t n = world.size();
  const auto size = static_cast<std::size_t>(n);
  int x = 1;
  double d = 1;
  std::vector<int> some(3 * size, 1);
  std::vector<int> more(4 * size, 1);
  std::vector<int> all(4 * size * size, 1);
  const auto in_form = [f](auto&& call) { suite::in_form(f, call); };
  const auto bcast = [&](auto&& how) { return world.bcast(x, 0, how); };
  const auto sum = [&](auto&& how) { return world.allreduce(some, mpx::sum, how); };
  const auto sum_of_more = [&](auto&& how) { return world.allreduce(more, mpx::sum, how); };

  expect(
      found, world, odd, [&](bool is) { return is ? in_form(sum) : in_form(bcast); },
      "allreduce of " + std::to_string(12 * size) + " bytes (", "bcast of 4 bytes from root 0 (");
  expect(
      found, world, odd,
      [&](bool is) { in_form([&](auto&& how) { return world.bcast(x, is ? 1 : 0, how); }); },
      "bcast of 4 bytes from root 0 (", "bcast of 4 bytes from root 1 (");
  expect(
      found, world, odd, [&](bool is) { return is ? in_form(sum) : in_form(sum_of_more); },
      "allreduce of " + std::to_string(16 * size) + " bytes", "allreduce of ");
  expect(
      found, world, odd,
      [&](bool is) {
        if (is)
          in_form([&](auto&& how) { return world.allreduce(some, mpx::max, how); });
        else
          in_form(sum);
      },
      "by max", "by sum");
  expect(
      found, world, odd,
      [&](bool is) {
        const auto own = [](int a, int b) { return a + b; };
        if (is)
          in_form([&](auto&& how) { return world.reduce(some, own, 0, how); });
        else
          in_form([&](auto&& how) { return world.reduce(some, mpx::commutative(own), 0, how); });
      },
      "by an operation of its own", "by a commutative operation of its own");
  expect(
      found, world, odd,
      [&](bool is) {
        if (is)
          in_form([&](auto&& how) { return world.bcast(d, 0, how); });
        else
          in_form([&](auto&& how) { return world.bcast(std::span(some).first(2), 0, how); });
      },
      "in floating-point numbers of 8 bytes", "in integers of 4 bytes");
  expect(
      found, world, odd,
      [&](bool is) {
        if (is)
          in_form([&](auto&& how) { return world.exscan(some, mpx::sum, how); });
        else
          in_form([&](auto&& how) { return world.scan(some, mpx::sum, how); });
      },
      "exscan of ", " scan of ");
  expect(
      found, world, odd,
      [&](bool is) {
        const std::span<int> mine = is ? std::span(more) : std::span(some);
        in_form([&](auto&& how) {
          return world.gather(mine, std::span(all).first(mine.size() * size), 0, how);
        });
      },
      "gather of " + std::to_string(16 * size) + " bytes to root 0", "gather of ");
}

/// Arguments that pairs of ranks have to give alike.
template <class World>
void of_pairs(findings& found, const World& world, mpx::rank_t odd, suite::form f) {
  const mpx::rank_t n = world.size();
  const auto size = static_cast<std::size_t>(n);
  const mpx::rank_t root = (odd + 1) % n;
  const std::vector<int> counts(size, 2);
  std::vector<int> mine(3, 1);
  std::vector<int> all(2 * size + 2, 1);
  const auto in_form = [f](auto&& call) { suite::in_form(f, call); };
  expect(
      found, world, odd,
      [&](bool is) {
        in_form([&](auto&& how) {
          return world.gatherv(std::span(mine).first(is ? 3 : 2), all, counts, root, how);
        });
      },
      "gatherv", "with 12 bytes for rank " + std::to_string(root) + ", which expects 8 bytes (");
  expect(
      found, world, odd,
      [&](bool is) {
        in_form([&](auto&& how) {
          return world.scatterv(all, counts, std::span(mine).first(is ? 3 : 2), root, how);
        });
      },
      "scatterv", "with 8 bytes for rank " + std::to_string(odd) + ", which expects 12 bytes (");
  expect(
      found, world, odd,
      [&](bool is) {
        std::vector<int> going = counts;
        if (is) going[static_cast<std::size_t>(root)] = 3;
        in_form([&](auto&& how) { return world.alltoallv(all, going, all, counts, how); });
      },
      "alltoallv", "with 12 bytes for rank " + std::to_string(root) + ", which expects 8 bytes (");
}

/// Calls that make communicators, and those among neighbours.
template <class World>
void of_communicators(findings& found, const World& world, mpx::rank_t odd) {
  const mpx::rank_t n = world.size();
  expect(
      found, world, odd, [&](bool is) { is ? (void)world.dup() : (void)world.split(0); }, "dup (",
      "split (");
  expect(
      found, world, odd,
      [&](bool is) {
        World made;
        if (is)
          world.idup(made).wait();
        else
          world.barrier(mpx::start).wait();
      },
      "dup (", "barrier (");
  expect(
      found, world, odd,
      [&](bool is) {
        const auto all = world.group();
        const mpx::rank_t last = (odd + 1) % n;
        (void)world.create(is ? mpx::exclude(all, std::span(&last, 1))
                              : mpx::exclude(all, std::span<const mpx::rank_t>()));
      },
      "create (", "with another group than rank");
  int x = 0;
  expect(
      found, world, odd,
      [&](bool is) {
        is ? world.bcast(x, 0, mpx::start).wait() : (world.bcast(x, 0), mpx::status());
      },
      "a started bcast", "a blocking bcast");
  expect(
      found, world, odd,
      [&](bool is) {
        using mpx::coll::algorithm;
        world.with(is ? algorithm::binomial : algorithm::linear).bcast(x, 0);
      },
      "by algorithm ", "by algorithm ");

  const auto ring = mpx::cart_create(world, {{n, true}});
  std::vector<int> out(4, 1);
  std::vector<int> in(4, 1);
  expect(
      found, ring, odd,
      [&](bool is) {
        const std::span<int> mine = is ? std::span(out) : std::span(out).first(2);
        ring.neighbor_alltoall(mine, std::span(in).first(2));
      },
      "neighbor_alltoall", "which expects ");
  // An edge that only one of its ends knows.
  const mpx::rank_t next = (odd + 1) % n;
  mpx::graph_neighbors around;
  if (world.rank() == odd) around.destinations.push_back(next);
  const auto graph = mpx::dist_graph_create_adjacent(world, around);
  expect(
      found, graph, odd,
      [&](bool) { graph.neighbor_allgather(x, std::span(in).first(graph.sources().size())); },
      "neighbor_allgather",
      "with 4 bytes for rank " + std::to_string(next) + ", which expects 0 bytes in 0 blocks");
}

/// Everything, `late`: called by a rank before each group of calls.
template <class World, class Late>
void everything(findings& found, const World& world, Late&& late) {
  const mpx::rank_t n = world.size();
  if (n == 1) return;
  for (const mpx::rank_t odd : {n - 1, mpx::rank_t{0}}) {
    for (const auto f : {suite::form::at_once, suite::form::started, suite::form::prepared}) {
      late();
      of_all(found, world, odd, f);
      late();
      of_pairs(found, world, odd, f);
    }
    of_communicators(found, world, odd);
  }
}

/// Matching calls raise no error: bytes with any type, disjoint groups, and ranks in no group.
template <class World>
void nothing(findings& found, const World& world) {
  double d = world.rank() == 0 ? 2.5 : 0;
  if (world.rank() == 0)
    world.bcast(std::as_writable_bytes(std::span(&d, 1)), 0);
  else
    world.bcast(d, 0);
  found.check(d == 2.5, "bytes do not go with anything");
  std::vector<mpx::rank_t> half;
  for (mpx::rank_t r = world.rank() % 2; r < world.size(); r += 2) half.push_back(r);
  auto part = world.create(mpx::include(world.group(), half));
  found.check(part.allreduce(1, mpx::sum) == static_cast<int>(half.size()), "a half is wrong");
  part.free();
  // One group, of which most are not; and what a rank gives that is in none does not count.
  const mpx::rank_t ends[] = {world.size() - 1, 0};
  for (const std::size_t many : {1u, 2u}) {
    if (many == 2 && world.size() == 1) continue;
    const auto chosen = mpx::include(world.group(), std::span(ends).last(many));
    const bool among = chosen.contains(chosen.self());
    const bool other = world.size() > 3 && world.rank() == 2;
    auto few = world.create(
        mpx::include(world.group(), other ? std::span(ends).first(1) : std::span(ends).last(many)));
    found.check(static_cast<bool>(few) == among, "a group has wrong members");
    if (few) {
      found.check(few.allreduce(1, mpx::sum) == static_cast<int>(many), "a group is wrong");
      few.free();
    }
  }
}

}  // namespace mismatches
