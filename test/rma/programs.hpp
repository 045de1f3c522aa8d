// SPDX-License-Identifier: BSL-1.0
#pragma once
// Random one-sided programs, and what each rank's memory holds after them. Every rank draws the
// accesses of all from one seed, so that it knows what its own part has to become.

#include <algorithm>
#include <array>
#include <cstdint>
#include <mpx/datatype.hpp>
#include <mpx/mpx.hpp>
#include <mpx/rma.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace programs {

using word = std::uint64_t;
using mpx::rma::protocol;

inline word mixed(word x) noexcept {
  x += 0x9e37'79b9'7f4a'7c15u;
  x = (x ^ x >> 30) * 0xbf58'476d'1ce4'e5b9u;
  x = (x ^ x >> 27) * 0x94d0'49bb'1331'11ebu;
  return x ^ x >> 31;
}
class dice {
 public:
  explicit dice(word seed) noexcept : state_(mixed(seed)) {}
  word next() noexcept { return state_ = mixed(state_); }
  word below(word n) noexcept { return next() % n; }

 private:
  word state_;
};

enum class how : unsigned { fence, groups, locks, all_locked, count };

/// The part of a window that accesses of one kind use in a phase: thirds of its elements.
struct shape {
  std::size_t elements = 3 * 2600;  // More than a packet in a third.
  std::size_t third() const noexcept { return elements / 3; }
};

/// Layout of an access's elements at its target.
enum class lies : unsigned { together, strided, typed, backwards, count };

/// Accesses of one rank to one target in one phase.
struct access {
  mpx::rma::action what;
  mpx::rank_t target;
  std::size_t at;
  std::size_t n;
  word value;
  lies there;
  bool spread_here;  // Every other element of a buffer.

  /// Index of element `i` at the target.
  std::size_t place(std::size_t i) const noexcept {
    if (there == lies::together) return at + i;
    return there == lies::backwards ? at + n - 1 - i : at + 2 * i;
  }
  std::size_t step_here() const noexcept { return spread_here ? 2 : 1; }
  /// Calls `use` with what a window's call takes as its displacement.
  template <class Use>
  void with_place(Use&& use) const {
    const auto count = static_cast<std::int64_t>(n);
    const auto type = mpx::datatype::of<word>();
    switch (there) {
      case lies::strided: return use(mpx::rma::strided{at, n, 1, 2});
      case lies::typed:
        return use(mpx::rma::typed{at, count, mpx::datatype::resized(type, 0, 2 * sizeof(word))});
      case lies::backwards:
        return use(mpx::rma::typed{at + n - 1, 1, mpx::datatype::vector(count, 1, -1, type)});
      default: return use(std::uint64_t{at});
    }
  }
  /// The same with its elements in `b`.
  template <class Use>
  void with_data(std::vector<word>& b, Use&& use) const {
    if (!spread_here) return use(b);
    const auto type = mpx::datatype::of<word>();
    use(mpx::buffer(b.data(), 1, mpx::datatype::vector(static_cast<std::int64_t>(n), 1, 2, type)));
  }
};

/// Accesses of rank `origin` in phase `phase`. Third 0, turned by the phase, is put to: of each
/// target by blocks of 25 that belong to one origin. Third 1 is combined with by all, third 2 is
/// read.
inline std::vector<access> accesses_of(word seed, unsigned phase, mpx::rank_t origin,
                                       mpx::rank_t size, const shape& s) {
  dice d(mixed(seed) ^ mixed(phase * 1000u + static_cast<unsigned>(origin)));
  std::vector<access> all;
  const std::size_t third = s.third();
  const auto base = [&](unsigned k) { return (k + phase) % 3 * third; };
  const std::size_t many = d.below(12);
  std::vector<std::size_t> next(static_cast<std::size_t>(size));  // No block is put to twice.
  for (std::size_t i = 0; i < many; ++i) {
    access a{};
    a.target = static_cast<mpx::rank_t>(d.below(static_cast<word>(size)));
    a.value = d.next();
    switch (d.below(5)) {
      case 0:
      case 1: {
        a.what = mpx::rma::action::put;
        const std::size_t mine = third / 25 / static_cast<std::size_t>(size);
        const std::size_t first = mine * static_cast<std::size_t>(origin);
        std::size_t& from = next[static_cast<std::size_t>(a.target)];
        if (from == mine) continue;
        const std::size_t block = from + d.below(mine - from);
        a.n = d.below(3) == 0 ? 25 * (1 + d.below(mine - block)) : 1 + d.below(24);
        a.at = base(0) + 25 * (first + block);
        from = block + (a.n + 24) / 25;
        break;
      }
      case 2:
        a.what = mpx::rma::action::get;
        a.n = d.below(3) == 0 ? d.below(third) : 1 + d.below(5);
        a.at = base(2) + d.below(third - a.n + 1);
        break;
      case 3:
        a.what = mpx::rma::action::accumulate;
        a.n = d.below(4) == 0 ? 1 + d.below(third) : 1;
        a.at = base(1) + d.below(third - a.n + 1);
        break;
      default:
        a.what = mpx::rma::action::fetch;
        a.n = 1 + d.below(3);
        a.at = base(1) + d.below(third - a.n + 1);
        break;
    }
    a.there = d.below(2) == 0 ? lies::together
                              : static_cast<lies>(d.below(static_cast<word>(lies::count)));
    if (a.n == 0) a.there = lies::together;
    a.spread_here = d.below(4) == 0;
    if ((a.there == lies::strided || a.there == lies::typed) && a.n > 1) a.n /= 2;
    all.push_back(a);
  }
  return all;
}

inline void apply(std::vector<word>& to, const access& a) {
  for (std::size_t i = 0; i < a.n; ++i) {
    word& x = to[a.place(i)];
    if (a.what == mpx::rma::action::put) x = a.value + i;
    if (a.what == mpx::rma::action::accumulate || a.what == mpx::rma::action::fetch)
      x += a.value + i;
  }
}

template <class Comm>
struct player {
  const Comm& world;
  word seed;
  shape s;
  std::vector<std::vector<word>> expected;
  bool right = true;

  player(const Comm& w, word of) : world(w), seed(of) {
    for (mpx::rank_t r = 0; r < w.size(); ++r) {
      std::vector<word> part(s.elements);
      for (std::size_t i = 0; i < part.size(); ++i) part[i] = mixed(seed + i) + word(r);
      expected.push_back(std::move(part));
    }
  }

  template <class W>
  void one(W& w, const access& a, std::vector<std::vector<word>>& buffers,
           std::vector<std::pair<std::size_t, access>>& reads, bool starts) {
    buffers.emplace_back(a.step_here() * a.n);
    std::vector<word>& b = buffers.back();
    for (std::size_t i = 0; i < a.n; ++i) b[a.step_here() * i] = a.value + i;
    std::error_code ec;
    const bool plain = a.n == 1 && a.there == lies::together && !a.spread_here;
    const auto with = [&](auto&& use) {
      a.with_place([&](const auto& at) { a.with_data(b, [&](auto&& data) { use(data, at); }); });
    };
    switch (a.what) {
      case mpx::rma::action::put:
        if (starts) {
          with([&](auto& data, const auto& at) { w.put(data, a.target, at, mpx::start).wait(); });
          for (word& x : b) x = 0;
        } else if (plain) {
          w.put(word{a.value}, a.target, a.at);
        } else {
          with([&](auto& data, const auto& at) { w.put(data, a.target, at, ec); });
        }
        break;
      case mpx::rma::action::get:
        with([&](auto& data, const auto& at) {
          if (starts) {
            w.get(data, a.target, at, mpx::start).wait();
          } else {
            w.get(data, a.target, at);
          }
        });
        reads.emplace_back(buffers.size() - 1, a);
        break;
      case mpx::rma::action::accumulate:
        with([&](auto& data, const auto& at) { w.accumulate(data, a.target, at, mpx::sum); });
        break;
      default: {
        buffers.emplace_back(a.n);
        std::vector<word>& was = buffers.back();
        if (plain) {
          w.fetch_and_op(word{a.value}, was[0], a.target, a.at, mpx::sum);
        } else {
          with([&](auto& data, const auto& at) {
            w.get_accumulate(data, was, a.target, at, mpx::sum);
          });
        }
      }
    }
    right = right && !ec;
  }

  template <class W>
  void phase(W& w, unsigned number, how by) {
    const mpx::rank_t n = world.size();
    const auto mine = accesses_of(seed, number, world.rank(), n, s);
    std::vector<std::vector<word>> buffers;
    buffers.reserve(2 * mine.size());
    std::vector<std::pair<std::size_t, access>> reads;
    const bool starts = (seed + number) % 3 == 0;
    const auto everybody = world.group();
    switch (by) {
      case how::fence:
        w.fence(mpx::rma::assertion::no_precede);
        for (const access& a : mine) one(w, a, buffers, reads, starts);
        w.fence(mpx::rma::assertion::no_succeed);
        break;
      case how::groups:
        w.post(everybody);
        w.start(everybody);
        for (const access& a : mine) one(w, a, buffers, reads, starts);
        w.complete();
        if (number % 2 == 0)
          while (!w.test()) continue;
        else
          w.wait();
        break;
      case how::locks:
        for (const access& a : mine) {
          auto e = a.value % 2 == 0 ? w.lock(a.target) : w.lock_shared(a.target);
          one(w, a, buffers, reads, starts);
        }
        break;
      default: {
        auto e = w.lock_all();
        for (const access& a : mine) {
          one(w, a, buffers, reads, starts);
          if (a.value % 5 == 0) w.flush(a.target);
          if (a.value % 7 == 0) w.flush_local_all();
        }
        if (number % 2 == 0) w.flush_all();
      }
    }
    for (const auto& [at, a] : reads)
      for (std::size_t i = 0; i < a.n; ++i)
        right = right && buffers[at][a.step_here() * i] ==
                             expected[static_cast<std::size_t>(a.target)][a.place(i)];
    world.barrier();
    for (mpx::rank_t r = 0; r < n; ++r)
      for (const access& a : accesses_of(seed, number, r, n, s))
        apply(expected[static_cast<std::size_t>(a.target)], a);
    const auto here = w.local();
    const auto& should = expected[static_cast<std::size_t>(world.rank())];
    for (std::size_t i = 0; i < here.size(); ++i) right = right && here[i] == should[i];
    world.barrier();
  }
};

/// A window of each kind, whose accesses all go by `by`; phases in all kinds of epochs.
/// Returns whether all came out as it should.
template <class Comm>
bool play(const Comm& world, word seed, protocol by, bool over, unsigned phases) {
  player p(world, seed);
  std::vector<word> own(p.s.elements);
  auto w = over ? mpx::window_over(world, std::span<word>(own), by)
                : mpx::allocate_window<word>(world, p.s.elements, by);
  const auto& first = p.expected[static_cast<std::size_t>(world.rank())];
  std::copy(first.begin(), first.end(), w.local().begin());
  world.barrier();
  dice d(seed);
  for (unsigned i = 0; i < phases; ++i)
    p.phase(w, i, static_cast<how>(d.below(static_cast<word>(how::count))));
  w.free();
  return p.right;
}

/// Call in which ranks are when rank 0 frees its window by an exception.
enum class waits_in : unsigned { fence, free, wait, flush, put, count };

/// Rank 0 frees its window by an exception, and the others make calls that need it. Returns the
/// errors; empty: as expected, none at rank 0, and errc::window with rank 0's name at the others.
template <class Comm>
std::string let_go(const Comm& world, protocol by, waits_in call) {
  constexpr const char* left = "rank 0 has let its window go without free";
  std::string said;
  const auto told = [&](auto&& use) {
    try {
      use();
      said += "nothing; ";
    } catch (const mpx::error& e) {
      if (e.code() != mpx::errc::window || std::string(e.what()).find(left) == std::string::npos)
        said += std::string(e.what()) + "; ";
    }
  };
  try {
    auto w = mpx::allocate_window<word>(world, 8, by);
    w.fence();
    w.fence(mpx::rma::assertion::no_succeed);
    if (world.rank() == 0) throw 1;
    const auto first = mpx::group::identity(1, 0);
    const auto own = static_cast<std::uint64_t>(world.rank());  // No other rank puts here.
    std::error_code ec;
    switch (call) {
      case waits_in::fence: told([&] { w.fence(); }); break;
      case waits_in::free: return told([&] { w.free(); }), said;
      case waits_in::wait:
        w.post(first);
        told([&] { w.wait(); });
        break;
      case waits_in::flush: {
        auto e = w.lock_shared(0);
        told([&] {
          for (;;) {
            w.sync();
            w.put(word{1}, 0, own);
            w.flush(0);
          }
        });
        e.unlock(ec);
        break;
      }
      default:
        w.start(first);
        told([&] {
          w.put(word{1}, 0, own);
          w.complete();
        });
        w.complete(ec);
    }
    told([&] { w.put(word{1}, 0, own); });
    told([&] { w.fence(); });
    told([&] { w.free(); });
  } catch (int) {
  }
  return said;
}

/// Rank 0 frees its window by an exception, and so does each of the others when it gets the error,
/// while it puts to the rank below it. Returns the errors; empty: rank 0's name, as expected.
template <class Comm>
std::string let_go_in_a_row(const Comm& world, protocol by) {
  try {
    auto w = mpx::allocate_window<word>(world, 8, by);
    w.fence();
    w.fence(mpx::rma::assertion::no_succeed);
    if (world.rank() == 0) throw 1;
    const mpx::rank_t below = world.rank() - 1;
    const auto lock = w.lock_shared(below);
    for (;;) {
      w.sync();
      w.put(word{1}, below, static_cast<std::uint64_t>(world.rank()));
      w.flush(below);
    }
  } catch (int) {
    return "";
  } catch (const mpx::error& e) {
    const std::string said = e.what();
    const char* const first = world.rank() == 1 ? ": rank 0 has let its window go without free"
                                                : " go without free, as rank 0 had before";
    return said.find(first) != std::string::npos ? "" : said;
  }
}

/// Windows are used, and destroyed without free. Returns true if no rank was disturbed before.
template <class Comm>
bool go_quietly(const Comm& world, protocol by) {
  std::error_code ec;
  auto w = mpx::allocate_window<word>(world, 8, by);
  for (int i = 0; i < 3 && !ec; ++i) {
    w.fence({}, ec);
    if (!ec) w.put(word{1}, (world.rank() + 1) % world.size(), 0, ec);
    if (!ec) w.fence(mpx::rma::assertion::no_succeed, ec);
  }
  return !ec && w.local()[0] == 1;
}

inline constexpr protocol all_protocols[] = {protocol::automatic, protocol::direct,
                                             protocol::rdma,      protocol::buffered,
                                             protocol::send_recv, protocol::portals};

/// Two threads put to words 0 and 1 of `other`, and get them back: `flushed()` ends what has been
/// got. Requires: an epoch that allows it. Returns whether each got what it had put, all the time.
template <class Window, class Flushed>
std::array<bool, 2> threads_get_what_they_put(Window& w, mpx::rank_t other, Flushed&& flushed) {
  constexpr word times = 200;
  const auto access = [&](word at) {
    bool good = true;
    for (word i = 1; i <= times; ++i) {
      word seen = 0;
      w.put(i, other, at);
      w.flush(other);
      w.get(seen, other, at);
      flushed();
      good = good && seen == i;
    }
    return good;
  };
  bool there = false;
  std::thread second([&] { there = access(1); });
  const bool here = access(0);
  second.join();
  return {here, there};
}

/// Swaps words through a window over the ranks that share memory with this one, by stores and
/// loads. Returns how many they are, or 0 if a word was wrong.
template <class Stack>
mpx::rank_t share_parts(const mpx::communicator<Stack>& world) {
  auto here = world.split(mpx::split_by::shared_memory);
  const mpx::rank_t n = here.size();
  auto w = mpx::shared_window<word>(here, static_cast<word>(n));
  bool good = true;
  w.fence();
  for (mpx::rank_t r = 0; r < n; ++r)
    w.part(r)[static_cast<std::size_t>(here.rank())] = static_cast<word>(100 * r + here.rank());
  w.fence();
  for (mpx::rank_t r = 0; r < n; ++r)
    good =
        good && w.local()[static_cast<std::size_t>(r)] == static_cast<word>(100 * here.rank() + r);
  w.free();
  here.free();
  return good ? n : 0;
}

}  // namespace programs
