// SPDX-License-Identifier: BSL-1.0
#pragma once
// Contract suite of transports: packets and memory. One thread drives all ranks, so that these
// tests are deterministic; waiting.hpp has those that need threads, fabric.hpp those of rings in
// shared memory.

#include "cluster.hpp"
#include "pending.hpp"
#include "waiting.hpp"

namespace transport_contract {

template <mpx::Transport T>
void check_identity() {
  static_assert(T::traits.inline_bytes_max <= T::traits.packet_bytes_max);
  for (const peer_id n : {1u, 2u, 5u}) {
    cluster<T> job(n);
    for (peer_id r = 0; r < n; ++r) {
      CHECK(job[r].self() == r);
      CHECK(job[r].peers() == n);
      CHECK(job[r].oversubscribed() == job[0].oversubscribed());
    }
    keeper sink;
    for (int i = 0; i < 100; ++i) CHECK(job[0].poll(sink) == 0);  // Nothing was sent.
    CHECK(sink.packets.empty());
  }
}

/// The sizes at which something changes, and their neighbours.
template <mpx::Transport T>
std::vector<std::size_t> interesting_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t n = 0; n <= 200; ++n) sizes.push_back(n);
  for (std::size_t n = 256; n <= T::traits.packet_bytes_max; n *= 2)
    for (const std::size_t near : {n - 1, n, n + 1, n + 63})
      if (near <= T::traits.packet_bytes_max) sizes.push_back(near);
  sizes.push_back(T::traits.packet_bytes_max - 1);
  sizes.push_back(T::traits.packet_bytes_max);
  return sizes;
}

/// Every size, at every alignment of the source, to a peer and to oneself.
template <mpx::Transport T>
void check_sizes() {
  cluster<T> job(2);
  for (const peer_id to : {1u, 0u}) {
    std::uint32_t serial = 0;
    keeper sink;
    for (const std::size_t bytes : interesting_sizes<T>()) {
      for (std::size_t shift = 0; shift < 8; shift += bytes <= 256 ? 1 : 3) {
        CAPTURE(bytes);
        CAPTURE(shift);
        REQUIRE(post(job[0], to, ++serial, bytes, shift) == outcome::done);
        sink.packets.clear();
        poll_until(job[to], sink, 1);
        const arrived& p = sink.packets[0];
        CHECK(p.source == 0);
        CHECK(same(p.header, header_of(serial)));
        CHECK(p.payload.size() == bytes);
        CHECK(has_pattern(p.payload, serial));
      }
    }
    CHECK(sink.malformed_from.empty());
  }
}

template <mpx::Transport T>
void check_self_send() {
  for (const peer_id n : {1u, 3u}) {
    cluster<T> job(n);
    for (peer_id r = 0; r < n; ++r) {
      keeper sink;
      std::uint32_t posted = 0;
      for (int round = 0; round < 300; ++round) {
        while (posted < 1u + static_cast<unsigned>(round) * 3 &&
               post(job[r], r, posted, posted % 60) == outcome::done)
          ++posted;
        poll_until(job[r], sink, posted);
      }
      REQUIRE(sink.packets.size() == posted);
      for (std::uint32_t i = 0; i < posted; ++i) {
        CHECK(sink.packets[i].source == r);
        CHECK(same(sink.packets[i].header, header_of(i)));
        CHECK(has_pattern(sink.packets[i].payload, i));
      }
    }
  }
}

/// Takes packets, from number `taken` on, until the next one, `posted`, can be posted.
template <mpx::Transport T>
void make_room(T& from, T& to, std::uint32_t& posted, std::uint32_t& taken, std::size_t size) {
  const deadline limit;
  while (post(from, to.self(), posted, size) != outcome::done) {
    limit.check("a rank that takes packets makes room");
    keeper sink;
    to.poll(sink);
    for (const arrived& p : sink.packets) {
      require(same(p.header, header_of(taken)) && has_pattern(p.payload, taken),
              "packets arrive in order");
      ++taken;
    }
  }
  ++posted;
}

/// `retry` means that nothing happened: exactly what was `done` arrives, in order, however often a
/// channel fills up, with packets of one size or of changing ones.
template <mpx::Transport T>
void check_full_channel() {
  constexpr std::size_t big = T::traits.packet_bytes_max;
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{8}, std::size_t{41}, big / 2, big, std::size_t{1} << 40}) {
    CAPTURE(bytes);
    cluster<T> job(2);
    std::mt19937 random(static_cast<unsigned>(bytes));
    std::uint32_t posted = 0;
    std::uint32_t taken = 0;
    for (int round = 0; round < 12; ++round) {
      auto next_size = [&, odd = posted]() mutable {
        return bytes <= big ? bytes : (++odd % 3 == 0 ? random() % (big + 1) : random() % 100);
      };
      std::size_t size = next_size();
      const std::uint32_t before = posted;
      while (post(job[0], 1, posted, size) == outcome::done) {
        ++posted;
        size = next_size();
        REQUIRE(posted - before < 10'000'000);  // A channel is bounded.
      }
      if constexpr (requires { job[0].lower(); }) {
        // A connection that replaces another begins with the bytes that were not acknowledged.
        if (posted == before) {
          CHECK_NOTHROW(make_room(job[0], job[1], posted, taken, size));
          continue;
        }
      }
      CHECK(posted > before);
      for (int again = 0; again < 3; ++again) {
        REQUIRE(post(job[0], 1, posted, size) == outcome::retry);
        REQUIRE(post(job[0], 1, posted, big) == outcome::retry);
      }
      keeper sink;
      const std::uint32_t part = round % 3 == 0 ? posted - taken : (posted - taken) / 2 + 1;
      while (sink.packets.size() < part) poll_until(job[1], sink, sink.packets.size() + 1);
      for (const arrived& p : sink.packets) {
        REQUIRE(same(p.header, header_of(taken)));
        REQUIRE(has_pattern(p.payload, taken));
        ++taken;
      }
    }
    keeper rest;
    poll_until(job[1], rest, posted - taken);
    for (int i = 0; i < 100; ++i) job[1].poll(rest);
    CHECK(rest.packets.size() == posted - taken);  // And no more.
    CHECK(rest.malformed_from.empty());
  }
}

/// No source is served twice while another has something waiting.
template <mpx::Transport T>
void check_fairness() {
  constexpr peer_id n = 6;
  cluster<T> job(n);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::uint32_t> waiting(n, 0);
    std::uint32_t total = 0;
    for (peer_id s = 0; s < n; ++s) {  // Very different loads, oneself among the sources.
      const std::uint32_t wanted = s == 2 ? 60 : 1 + s;
      while (waiting[s] < wanted && post(job[s], 0, waiting[s], 8) == outcome::done) ++waiting[s];
      total += waiting[s];
    }
    keeper sink;
    poll_until(job[0], sink, total);
    // Between two packets of a source comes one of every other source that still has some.
    std::vector<std::vector<bool>> passed(n, std::vector<bool>(n, true));
    int unfair = 0;
    for (const arrived& p : sink.packets) {
      for (peer_id other = 0; other < n; ++other)
        if (other != p.source && waiting[other] > 0 && !passed[p.source][other]) ++unfair;
      std::fill(passed[p.source].begin(), passed[p.source].end(), false);
      for (peer_id other = 0; other < n; ++other) passed[other][p.source] = true;
      --waiting[p.source];
    }
    CHECK(unfair == 0);
  }
}

/// A source that begins to send is served although another has kept its ring full all along.
template <mpx::Transport T>
void check_no_starvation() {
  cluster<T> job(3);
  std::uint32_t flood = 0;
  keeper sink;
  const auto fill = [&] {
    while (post(job[1], 0, flood, 8) == outcome::done) ++flood;
  };
  for (int i = 0; i < 50; ++i) {
    fill();
    job[0].poll(sink);
  }
  for (std::uint32_t late = 0; late < 20; ++late) {
    fill();
    REQUIRE(post(job[2], 0, late, 8) == outcome::done);
    bool served = false;
    for (int polls = 0; polls < 2 && !served; ++polls) {
      sink.packets.clear();
      job[0].poll(sink);
      fill();
      for (const arrived& p : sink.packets) served = served || p.source == 2;
    }
    CHECK(served);
  }
}

/// A look at one source takes its next packet if it is small and wanted; else nothing has happened.
template <class T>
void check_peeking() {
  cluster<T> job(3);
  keeper sink;
  const auto wanted = [](const frame_header&, std::span<const std::byte>) { return true; };
  const auto unwanted = [](const frame_header&, std::span<const std::byte>) { return false; };
  CHECK(!job[0].take_if(1, wanted));  // It has never sent.
  for (std::uint32_t first = 0; first < 40; first += 4) {
    REQUIRE(post(job[1], 0, first, 8) == outcome::done);
    poll_until(job[0], sink, 1);  // Now this source is looked at.
    REQUIRE(post(job[1], 0, first + 1, 40) == outcome::done);
    REQUIRE(post(job[1], 0, first + 2, 41) == outcome::done);
    REQUIRE(post(job[1], 0, first + 3, 0) == outcome::done);
    CHECK(!job[0].take_if(2, wanted));
    CHECK(!job[0].take_if(1, unwanted));
    bool right = false;
    const auto second = [&](const frame_header& h, std::span<const std::byte> body) {
      right = same(h, header_of(first + 1)) && body.size() == 40 && has_pattern(body, first + 1);
      return true;
    };
    CHECK(job[0].take_if(1, second));
    CHECK(right);
    CHECK(!job[0].take_if(1, wanted));  // A larger one comes next.
    sink.packets.clear();
    poll_until(job[0], sink, 2);
    CHECK(same(sink.packets[0].header, header_of(first + 2)));
    CHECK(same(sink.packets[1].header, header_of(first + 3)));
    CHECK(!job[0].take_if(1, wanted));
    sink.packets.clear();
  }
  // Room that a look makes is room for a starved sender.
  REQUIRE(post(job[1], 0, 0, 8) == outcome::done);
  poll_until(job[0], sink, 1);
  while (post(job[1], 0, 1, 8) == outcome::done) continue;
  bool room = false;  // At once, or when half of it has been taken.
  while (!room && job[0].take_if(1, wanted)) room = post(job[1], 0, 2, 8) == outcome::done;
  CHECK(room);
}

/// A poll ends with a large payload, so that what it is for is done before more is taken; but not
/// within a message, if the sink says so. For transports of rings.
template <class T>
void check_going_on() {
  struct in_threes : keeper {
    bool more_fragments() const noexcept { return packets.size() % 3 != 0; }
  };
  const auto taken = [](T& t, auto& sink) {  // By the first poll that finds some.
    for (int i = 0; i < 1000; ++i)
      if (const std::size_t n = t.poll(sink); n != 0) return n;
    return std::size_t{0};
  };
  cluster<T> job(2);
  keeper each;
  in_threes threes;
  const auto post_three = [&job](std::uint32_t first) {
    for (std::uint32_t i = first; i < first + 3; ++i)
      REQUIRE(post(job[1], 0, i, 2048) == outcome::done);
  };
  post_three(0);
  for (int i = 0; i < 3; ++i) CHECK(taken(job[0], each) == 1);
  for (const std::uint32_t first : {3u, 6u}) {
    post_three(first);
    CHECK(taken(job[0], threes) == 3);
  }
  CHECK(same(threes.packets.back().header, header_of(8)));
}

/// A prepaid packet is sent as by a post, in order with posts, or not at all; prepaid credit pays
/// for packets that were sent, and for nothing else.
template <mpx::PrepaidTransport T>
void check_prepaid() {
  constexpr std::size_t most = T::traits.inline_bytes_max;
  cluster<T> job(2);
  keeper sink;
  std::uint32_t posted = 0;
  const auto paid = [&](std::size_t bytes, std::uint32_t price) {
    const payload data(posted, bytes);
    const bool went = job[0].try_post_prepaid(1, header_of(posted), data.view(), price);
    posted += went ? 1 : 0;
    return went;
  };
  CHECK(job[0].prepaid_credit(1) == nullptr);
  CHECK(!paid(8, 1));
  REQUIRE(post(job[0], 1, posted++, 8) == outcome::done);
  REQUIRE(job[0].prepaid_credit(1) != nullptr);
  std::uint32_t& prepaid_credit = *job[0].prepaid_credit(1);
  CHECK(prepaid_credit == 0);
  CHECK(!paid(8, 1));
  prepaid_credit = 5;
  CHECK(!paid(8, 6));
  CHECK(prepaid_credit == 5);
  CHECK(paid(8, 2));
  CHECK(paid(0, 0));
  CHECK(paid(most + 1, 3));
  CHECK(prepaid_credit == 0);
  CHECK(!paid(8, 1));
  std::uint32_t taken = 0;
  std::uint64_t refused = 0;
  const auto take = [&] {
    const deadline limit;
    while (taken != posted) {
      sink.packets.clear();
      job[1].poll(sink);
      for (const arrived& p : sink.packets) {
        REQUIRE(same(p.header, header_of(taken)));
        REQUIRE(has_pattern(p.payload, taken));
        ++taken;
      }
      limit.check("a prepaid packet arrives");
    }
  };
  for (int round = 0; round < 20; ++round) {  // Until the channel is full, round after round.
    prepaid_credit = 3'000'000;
    const std::uint32_t before = posted;
    std::uint32_t spent = 0;
    for (outcome o = outcome::done; o == outcome::done;) {
      const std::uint32_t price = posted % 4;
      const std::size_t bytes =
          posted % 5 == 0 ? posted * 97 % (T::traits.packet_bytes_max + 1) : posted % (most + 1);
      if (posted % 7 != 3 && paid(bytes, price)) {
        spent += price;
        continue;
      }
      refused += posted % 7 != 3 ? 1 : 0;
      // Room has to be looked for, or it is a larger one's turn.
      o = post(job[0], 1, posted, posted % 100);
      posted += o == outcome::done ? 1 : 0;
      REQUIRE(posted - before < 10'000'000);
    }
    CHECK(prepaid_credit == 3'000'000 - spent);
    CHECK(!paid(T::traits.packet_bytes_max, 0));
    take();
  }
  CHECK(refused > 0);
  for (int i = 0; i < 100; ++i) CHECK(job[1].poll(sink) == 0);
  CHECK(job[0].prepaid_credit(0) == nullptr);  // Each peer has its own.
  REQUIRE(post(job[0], 0, 0, 8) == outcome::done);
  CHECK(*job[0].prepaid_credit(0) == 0);
}

/// Even when the first source refills its ring as fast as it is read, within the poll itself.
/// `met`: the second has sent before, where it takes long to get through for the first time.
template <mpx::Transport T>
void check_refilling_source(bool met = false) {
  cluster<T> job(3);
  keeper warm;
  REQUIRE(post(job[1], 0, 0, 8) == outcome::done);
  poll_until(job[0], warm, 1);
  if (met) {
    REQUIRE(post(job[2], 0, 0, 8) == outcome::done);
    poll_until(job[0], warm, 2);
  }
  int before_second = 0;
  bool second = false;
  calling_sink sink{[&](peer_id source, const frame_header&, std::span<const std::byte>) {
    second = second || source == 2;
    if (second) return;
    if (++before_second == 1) post(job[2], 0, 0, 8);
    if (before_second < 10'000) post(job[1], 0, 0, 8);
  }};
  REQUIRE(post(job[1], 0, 0, 8) == outcome::done);
  for (int i = 0; i < 10 && !second; ++i) job[0].poll(sink);
  CHECK(second);
  CHECK(before_second <= 64);
}

template <mpx::RmaTransport T>
void check_memory_between(T& reader, T& owner, std::vector<std::byte>& there) {
  const std::size_t bytes = there.size();
  patterns::fill(std::span(there).first(bytes), 1);
  const mpx::remote_memory at = owner.expose(reader.self(), there);
  CHECK(at.key != 0);
  std::vector<std::byte> here(bytes);
  REQUIRE(reader.get(owner.self(), at, 0, here, 1) == outcome::done);
  CHECK(here == there);
  if (bytes >= 100) {
    std::fill(here.begin(), here.end(), std::byte{0});
    REQUIRE(reader.get(owner.self(), at, 33, std::span(here).subspan(7, 50), 1) == outcome::done);
    CHECK(std::equal(here.begin() + 7, here.begin() + 57, there.begin() + 33));
    CHECK(here[6] == std::byte{0});
    CHECK(here[57] == std::byte{0});
    const payload news(9, 40);
    REQUIRE(reader.put(owner.self(), at, 60, news.view(), 1) == outcome::done);
    CHECK(has_pattern(std::span(there).subspan(60, 40), 9));
    CHECK(there[59] == patterns::at(1, 59));
    CHECK((bytes == 100 || there[100] == patterns::at(1, 100)));
  }
  // Withdrawn memory is not touched any more, though others use its place.
  CHECK(owner.withdraw(reader.self(), at) == outcome::done);
  const std::vector<std::byte> before = there;
  for (int again = 0; again < 2; ++again) {
    CHECK(reader.get(owner.self(), at, 0, here, 1) == outcome::refused);
    CHECK(reader.put(owner.self(), at, 0, payload(3, bytes).view(), 1) == outcome::refused);
    CHECK(there == before);
    const mpx::remote_memory other = owner.expose(reader.self(), there);
    CHECK(other.key != at.key);
    if constexpr (mpx::CpuCopyTransport<T>) {
      {
        const auto held = reader.pin_exposure(owner.self(), other, 1);
        REQUIRE(static_cast<bool>(held));
        CHECK(owner.withdraw(reader.self(), other) == outcome::retry);
        CHECK(reader.get_held(owner.self(), other, 0, here));
        CHECK(owner.withdraw(reader.self(), other) == outcome::retry);
      }
    }
    CHECK(owner.withdraw(reader.self(), other) == outcome::done);
    CHECK(reader.get(owner.self(), other, 0, here, 1) == outcome::refused);
  }
}

/// Several gets at once bring all, or say that they have not.
template <mpx::CpuCopyTransport T>
void check_batches() {
  cluster<T> job(3);
  constexpr std::size_t most = mpx::batched_gets_max;
  std::vector<std::vector<std::byte>> there;
  std::vector<std::vector<std::byte>> here;
  std::vector<mpx::remote_memory> at;
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t bytes = 1 + i * 5000;
    const payload p(static_cast<std::uint32_t>(i), bytes);
    there.emplace_back(p.view().begin(), p.view().end());
    here.emplace_back(bytes);
  }
  for (auto& memory : there) at.push_back(job[2].expose(0, memory));
  for (const std::size_t n : {std::size_t{1}, std::size_t{3}, most}) {
    std::vector<mpx::batched_get> gets;
    for (std::size_t i = 0; i < n; ++i) {
      std::ranges::fill(here[i], std::byte{0});
      gets.push_back({at[i], here[i]});
    }
    CHECK(job[0].get_batch(2, gets.data(), n));
    for (std::size_t i = 0; i < n; ++i) CHECK(here[i] == there[i]);
    // One of them has been taken back.
    REQUIRE(job[2].withdraw(0, at[n - 1]) == outcome::done);
    CHECK(!job[0].get_batch(2, gets.data(), n));
    at[n - 1] = job[2].expose(0, there[n - 1]);
  }
  // No peer holds them any more.
  for (const auto& memory : at) CHECK(job[2].withdraw(0, memory) == outcome::done);
}

/// More memory can be exposed than there are places for: then the rest is not, until some is free.
template <mpx::FetchTransport T>
void check_exposures_end() {
  cluster<T> job(2);
  std::vector<std::byte> memory(64);
  std::vector<mpx::remote_memory> all;
  for (std::size_t i = 0; i < 100'000; ++i) {
    const mpx::remote_memory at = job[0].expose(1, memory);
    if (at.key == 0) break;
    all.push_back(at);
  }
  CHECK(all.size() >= 1024);
  CHECK(all.size() < 100'000);
  REQUIRE(job[0].withdraw(1, all.front()) == outcome::done);
  all.front() = job[0].expose(1, memory);
  CHECK(all.front().key != 0);
  for (const auto& at : all) REQUIRE(job[0].withdraw(1, at) == outcome::done);
}

/// Ordinary memory, where the transport reaches it; and keys that mean nothing.
template <mpx::RmaTransport T>
void check_rma(bool reaches_ordinary_memory) {
  cluster<T> job(2);
  for (const peer_id owner : {1u, 0u}) {
    for (const std::size_t bytes : {1u, 100u, 4096u, 100'001u}) {
      std::vector<std::byte> memory(bytes);
      if (reaches_ordinary_memory) check_memory_between(job[0], job[owner], memory);
    }
  }
  check_exposures_end<T>();
  if constexpr (mpx::CpuCopyTransport<T>)
    if (reaches_ordinary_memory) check_batches<T>();
  std::vector<std::byte> buffer(64);
  for (const std::uint64_t key : {std::uint64_t{0}, std::uint64_t{3}, ~std::uint64_t{0}}) {
    const mpx::remote_memory nowhere{reinterpret_cast<std::uintptr_t>(buffer.data()), key};
    CHECK(job[0].get(1, nowhere, 0, buffer, 1) == outcome::refused);
    CHECK(job[0].put(1, nowhere, 0, buffer, 1) == outcome::refused);
    CHECK(job[0].get_cost_hint(1, nowhere, buffer.size()) == mpx::cost_hint::never);
  }
}

/// Blocks: every rank finds them under their names, and wakes a rank that waits for a store.
template <mpx::SharedMemoryTransport T>
void check_blocks() {
  constexpr std::size_t bytes = 1000;
  cluster<T> job(3);
  std::vector<std::uint64_t> names;
  for (std::uint32_t i = 0; i < 8; ++i) {
    names.push_back(job[0].make_block(bytes));
    REQUIRE(names.back() != 0);
    std::byte* const mine = job[0].block_at(0, names.back(), bytes);
    REQUIRE(mine != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(mine) % mpx::cache_line_bytes == 0);
    patterns::fill({mine, bytes}, i);
  }
  for (std::uint32_t i = 0; i < names.size(); ++i)
    for (const peer_id r : {0u, 1u, 2u}) {
      std::byte* const there = job[r].block_at(0, names[i], bytes);
      REQUIRE(there != nullptr);
      CHECK(has_pattern({there, bytes}, i));
    }
  CHECK(job[1].block_at(0, ~std::uint64_t{0}, bytes) == nullptr);
  CHECK(job[1].block_at(0, names[0] + 1, bytes) == nullptr);
  for (const std::uint64_t name : names) job[0].free_block(name);
  job[1].wake_peer(0);  // It is awake: nothing happens.
  for (int i = 0; i < 20; ++i) {
    if (!job[0].arm()) continue;
    job[1].wake_peer(0);
    const std::int64_t begin = mpx::platform::now_ns();
    job[0].sleep(20 * second_ns);
    job[0].disarm();
    CHECK(mpx::platform::now_ns() - begin < 10 * second_ns);
  }
}

/// A rank that may run on one core only finds out that a peer which sends to it waits there too.
template <mpx::SharedMemoryTransport T>
void check_core_sharing() {
  std::thread([] {
    cluster<T> job(2);
    mpx::platform::core_set one;
    one.add(static_cast<int>(mpx::platform::current_core()));
    if (!one.bind()) return;
    CHECK(!job[1].shares_core());
    CHECK(!job[0].shares_core());  // It has received nothing.
    keeper sink;
    REQUIRE(post(job[1], 0, 1, 8) == outcome::done);
    poll_until(job[0], sink, 1);
    CHECK(job[0].shares_core());
    CHECK(!job[1].shares_core());
  }).join();
}

/// Memory that all peers reach: aligned, apart, readable and writable from everywhere, used again.
template <mpx::SharedMemoryTransport T>
void check_shared_memory() {
  cluster<T> job(2);
  struct piece {
    std::byte* p;
    std::size_t bytes;
  };
  std::vector<piece> pieces;
  for (std::size_t i = 0; i < 30; ++i) {
    const std::size_t alignment = std::size_t{1} << i % 13;
    const std::size_t bytes = 1 + i * 97;
    auto* p = static_cast<std::byte*>(job[0].allocate_shared(bytes, alignment));
    REQUIRE(p != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(p) % alignment == 0);
    patterns::fill({p, bytes}, static_cast<std::uint64_t>(i));
    pieces.push_back({p, bytes});
  }
  for (std::uint32_t i = 0; i < pieces.size(); ++i) {
    const std::span mine(pieces[i].p, pieces[i].bytes);
    CHECK(has_pattern(mine, i));
    const mpx::remote_memory at = job[0].expose(1, mine);
    CHECK(job[1].get_cost_hint(0, at, mine.size()) == mpx::cost_hint::always);
    std::vector<std::byte> copy(mine.size());
    REQUIRE(job[1].get(0, at, 0, copy, 1) == outcome::done);
    CHECK(has_pattern(copy, i));
    REQUIRE(job[1].put(0, at, 0, payload(i + 100, mine.size()).view(), 1) == outcome::done);
    CHECK(has_pattern(mine, i + 100));
  }
  for (const piece& piece : pieces) job[0].deallocate_shared(piece.p, piece.bytes);
  void* empty = job[0].allocate_shared(0, 1);
  CHECK(empty != nullptr);
  job[0].deallocate_shared(empty, 0);
  check_blocks<T>();
  check_core_sharing<T>();
}

/// Counts those that are lost, too.
struct mourner : keeper {
  unsigned losses = 0;
  void lost(peer_id) noexcept { ++losses; }
};

/// A rank that has waited until all its packets are out may leave; a peer that sees this first
/// receives all of them, and then that it left. Then it is lost, since a peer may depend on it.
template <mpx::ConnectionTransport T>
void check_parting() {
  for (const std::size_t bytes : {std::size_t{8}, T::traits.packet_bytes_max}) {
    for (const bool met : {false, true}) {
      CAPTURE(bytes);
      CAPTURE(met);
      cluster<T> job(2);
      mourner sink;
      keeper own;
      CHECK(!job[0].has_unsent());
      CHECK(job[1].has_heard_out(0));  // It knows nothing of it.
      CHECK(!job[1].is_connected(0));
      const deadline limit;
      const auto until = [&](auto done) {
        while (!done()) {
          job[0].poll(own);
          job[1].poll(sink);
          limit.check("posted packets leave");
        }
      };
      if (met) {
        CHECK(post(job[0], 1, 77, 8) != outcome::refused);
        until([&] { return !sink.packets.empty() && !job[0].has_unsent(); });
        CHECK(job[0].is_connected(1));
        CHECK(job[1].is_connected(0));
        sink.packets.clear();
      }
      std::uint32_t posted = 0;
      const payload data(1, bytes);
      for (outcome o = outcome::done; posted < 100 && o != outcome::retry;) {
        o = job[0].post(1, header_of(posted), data.view(), posted);
        CHECK(o != outcome::refused);
        posted += o != outcome::retry ? 1 : 0;
      }
      until([&] { return !job[0].has_unsent(); });
      job.end(0);
      while (!job[1].has_heard_out(0)) {
        job[1].poll(sink);
        limit.check("the end of a departed rank is noticed");
      }
      CHECK(!job[1].is_connected(0));
      CHECK(sink.packets.size() == posted);
      while (sink.losses == 0) {
        job[1].poll(sink);
        limit.check("a departed rank is lost");
      }
      job[1].poll(sink);
      CHECK(sink.losses == 1);
    }
  }
}

/// The suite. `T`: a transport with its usual sizes, or with tiny ones, which fill up often.
template <mpx::Transport T>
void check_packets(bool met = false) {
  check_identity<T>();
  check_sizes<T>();
  check_self_send<T>();
  check_full_channel<T>();
  check_fairness<T>();
  check_no_starvation<T>();
  check_refilling_source<T>(met);
  if constexpr (mpx::PrepaidTransport<T>) check_prepaid<T>();
  check_pending<T>();
  if constexpr (mpx::StreamTransport<T>) check_placing<T>();
  if constexpr (DropsPeers<T>) check_dropping<T>();
}
}  // namespace transport_contract
