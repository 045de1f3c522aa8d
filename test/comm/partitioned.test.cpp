// SPDX-License-Identifier: BSL-1.0
// Partitioned communication: any counts on both sides, in any order, by several threads, matched in
// the order of the init calls and never with anything else; errors.

#include <array>
#include <mpx/datatype.hpp>
#include <mpx/partitioned.hpp>
#include <thread>

#include "comm/partitions.hpp"
#include "comm/ranks.hpp"

namespace {

/// From rank 0 to rank 1, several rounds of `bytes`, parted differently on both sides.
template <class Comm>
void send_in_parts(const Comm& world, std::size_t bytes, std::size_t out, std::size_t in) {
  constexpr std::uint64_t rounds = 3;
  if (world.rank() == 0) {
    std::vector<std::byte> data(bytes);
    auto send = mpx::psend_init(world, data, out, 1, 7);
    CHECK(send.persistent());
    for (std::uint64_t round = 0; round < rounds; ++round) {
      ranks::fill(data, round);
      send.start();
      for (const std::size_t i : partitions::shuffled(out, bytes + round)) mpx::pready(send, i);
      const mpx::status s = send.wait();
      CHECK(!s.error());
    }
  }
  if (world.rank() == 1) {
    std::vector<std::byte> data(bytes, ranks::canary);
    auto receive = mpx::precv_init(world, data, in, 0, 7);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      receive.start();
      if (round != 1) {
        for (const std::size_t i : partitions::shuffled(in, bytes)) {
          while (!mpx::parrived(receive, i)) std::this_thread::yield();
          const std::size_t n = bytes / in;
          bool right = true;
          for (std::size_t k = i * n; k < (i + 1) * n; ++k)
            right = right && data[k] == ranks::byte_of(round, k);
          CHECK(right);
        }
      }
      const mpx::status s = receive.wait();
      CHECK(s.source() == 0);
      CHECK(s.tag() == 7);
      CHECK(s.bytes() == bytes);
      CHECK(ranks::holds(data, round));
      CHECK(mpx::parrived(receive, 0));  // Inactive.
    }
  }
  world.barrier();
}

template <class Stack>
void send_all_parts() {
  ranks::run<Stack>(2, [](auto world) {
    constexpr std::size_t most = Stack::protocol_type::short_bytes_ceiling;
    for (const auto& [out, in] :
         {std::array<std::size_t, 2>{1, 1}, {4, 4}, {6, 4}, {4, 6}, {1, 12}, {12, 1}})
      for (const std::size_t a_part :
           {std::size_t{0}, std::size_t{1}, std::size_t{9}, most / 4, 3 * most})
        send_in_parts(world, 12 * a_part, out, in);
  });
}

}  // namespace

TEST_CASE("partitioned: inproc, all sizes and counts") { send_all_parts<ranks::inproc>(); }
TEST_CASE("partitioned: small rings") { send_all_parts<ranks::tiny>(); }
TEST_CASE("partitioned: posts that are late") { send_all_parts<ranks::late>(); }

TEST_CASE("partitioned: threads make partitions ready, others watch them arrive") {
  ranks::run<ranks::multiple>(2, [](auto world) {
    constexpr std::size_t out = 24;
    constexpr std::size_t in = 8;
    constexpr std::size_t a_part = 5000;
    constexpr std::size_t threads = 4;
    std::vector<std::byte> data(out * a_part);
    const bool sends = world.rank() == 0;
    auto r = sends ? mpx::psend_init(world, data, out, 1) : mpx::precv_init(world, data, in, 0);
    for (std::uint64_t round = 0; round < 20; ++round) {
      if (sends) ranks::fill(data, round);
      r.start();
      std::vector<std::thread> team;
      std::array<bool, threads> right{};
      for (std::size_t t = 0; t < threads; ++t)
        team.emplace_back([&, t] {
          right[t] = true;
          if (sends) {
            const partitions::list order = partitions::shuffled(out, round);
            for (std::size_t i = t; i < out; i += threads) mpx::pready(r, order[i]);
          } else {
            constexpr std::size_t n = out * a_part / in;
            for (std::size_t i = t; i < in; i += threads) {
              while (!mpx::parrived(r, i)) std::this_thread::yield();
              for (std::size_t k = i * n; k < (i + 1) * n; ++k)
                right[t] = right[t] && data[k] == ranks::byte_of(round, k);
            }
          }
        });
      if (round % 2 == 0) r.wait();  // While they are at it.
      for (auto& t : team) t.join();
      if (round % 2 == 1) r.wait();
      CHECK(right == std::array{true, true, true, true});
      CHECK(ranks::holds(data, round));
    }
  });
}

TEST_CASE("partitioned: matched in the order of init, and with nothing else") {
  ranks::run_at_all_counts<ranks::inproc>([](auto world) {
    const mpx::rank_t n = world.size();
    const mpx::rank_t right = (world.rank() + 1) % n;
    const mpx::rank_t left = (world.rank() + n - 1) % n;
    const auto other = world.dup();
    // Four sends, two of them with one tag, one in another communicator: inited in one order,
    // started in another. The receivers in yet another.
    std::array<std::array<int, 6>, 4> out{};
    std::array<std::array<int, 6>, 4> in{};
    std::vector<mpx::request<ranks::inproc>> sends;
    for (std::size_t i = 0; i < 4; ++i)
      sends.push_back(mpx::psend_init(i == 3 ? other : world, out[i], 3, right, i == 1 ? 1 : 0));
    std::vector<mpx::request<ranks::inproc>> receives(4);
    for (const std::size_t i : {std::size_t{3}, std::size_t{0}, std::size_t{1}, std::size_t{2}})
      receives[i] =
          mpx::precv_init(i == 3 ? other : world, in[i], i == 0 ? 6 : 2, left, i == 1 ? 1 : 0);
    for (int round = 0; round < 3; ++round) {
      // Receives and probes that would take anything are not given any of it.
      int anything = -1;
      auto wild = world.irecv(anything, mpx::any_source, mpx::any_tag);
      for (std::size_t i = 0; i < 4; ++i)
        out[i].fill(100 * world.rank() + 10 * static_cast<int>(i) + round);
      for (std::size_t i = 4; i-- > 0;) {
        sends[i].start();
        if (i != 2) receives[i].start();
        mpx::pready_range(sends[i], 0, 2);
      }
      world.barrier();
      CHECK(!world.iprobe());
      receives[2].start();
      mpx::wait_all(receives);
      mpx::wait_all(sends);
      for (std::size_t i = 0; i < 4; ++i)
        CHECK(in[i][0] == 100 * left + 10 * static_cast<int>(i) + round);
      CHECK(!wild.test());
      world.barrier();
      world.send(round, right, 9);
      CHECK(wild.wait().tag() == 9);
      CHECK(anything == round);
      world.barrier();
    }
  });
}

TEST_CASE("partitioned: requests outlive their communicator") {
  ranks::run_at_all_counts<ranks::multiple>([](auto world) {
    const mpx::rank_t n = world.size();
    const mpx::rank_t me = n - 1 - world.rank();
    std::array<int, 4> out{};
    std::array<int, 4> in{};
    auto turned = world.split(0, me);
    auto send = mpx::psend_init(turned, out, 2, (me + 1) % n, 3);
    auto receive = mpx::precv_init(turned, in, 4, (me + n - 1) % n, 3);
    turned.free();
    for (int round = 0; round < 3; ++round) {
      out.fill(10 * me + round);
      receive.start();
      send.start();
      mpx::pready_range(send, 0, 1);
      CHECK(receive.wait().source() == (me + n - 1) % n);
      send.wait();
      CHECK(in[3] == 10 * ((me + n - 1) % n) + round);
      world.dup().free();  // What is freed and not in use ends here.
      world.barrier();
    }
  });
}

TEST_CASE("partitioned: in both directions at once, with other requests, to proc_null") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    const mpx::rank_t other = 1 - world.rank();
    std::array<double, 8> out{};
    std::array<double, 8> in{};
    std::vector<mpx::request<ranks::inproc>> all;
    all.push_back(mpx::psend_init(world, out, 8, other));
    all.push_back(mpx::precv_init(world, in, 4, other));
    all.push_back(mpx::psend_init(world, out, 2, mpx::proc_null));
    all.push_back(mpx::precv_init(world, in, 2, mpx::proc_null));
    int token = 0;
    all.push_back(world.recv_init(token, other, 3));
    out.fill(world.rank() + 1);
    for (auto& r : all) r.start();
    CHECK(!all[0].test());
    CHECK(all[3].wait().source() == mpx::proc_null);
    const std::array<std::size_t, 2> both{1, 0};
    mpx::pready_list(all[2], both);
    mpx::pready_range(all[0], 4, 7);
    mpx::pready_range(all[0], 0, 3);
    world.send(5, other, 3);
    mpx::wait_all(all);
    CHECK(token == 5);
    CHECK(in[7] == other + 1);
    // Dropped while it is active: what was ready goes, and nothing touches the buffers any more.
    {
      auto s = mpx::psend_init(world, out, 8, other, 4);
      std::array<double, 8> gone{};
      auto r = mpx::precv_init(world, gone, 8, other, 4);
      auto never = mpx::precv_init(world, gone, 8, other, 5);
      s.start();
      r.start();
      never.start();
      mpx::pready(s, 3);
      while (!mpx::parrived(r, 3)) std::this_thread::yield();
      CHECK(!mpx::parrived(r, 2));
      CHECK(!mpx::parrived(never, 0));
      CHECK(!r.cancel());
      world.barrier();
    }
    world.barrier();
  });
}

TEST_CASE("partitioned: errors") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    const mpx::rank_t other = 1 - world.rank();
    std::array<int, 6> data{};
    std::error_code ec;
    const auto init = [&](std::size_t partitions, mpx::rank_t to, mpx::tag_t tag) {
      CHECK(!mpx::psend_init(world, data, partitions, to, tag, ec).persistent());
      return ec;
    };
    const auto expect = [&](std::size_t partitions, mpx::rank_t from, mpx::tag_t tag) {
      CHECK(!mpx::precv_init(world, data, partitions, from, tag, ec).persistent());
      return ec;
    };
    CHECK(init(3, 2, 0) == mpx::errc::rank);
    CHECK(init(3, mpx::any_source, 0) == mpx::errc::rank);
    CHECK(init(3, other, -1) == mpx::errc::tag);
    CHECK(init(0, other, 0) == mpx::errc::count);
    CHECK(init(4, other, 0) == mpx::errc::count);
    CHECK(expect(3, mpx::any_source, 0) == mpx::errc::rank);
    CHECK(expect(3, other, mpx::any_tag) == mpx::errc::tag);
    CHECK(expect(4, other, 0) == mpx::errc::count);
    CHECK(ranks::contains(ranks::text_of([&] { (void)mpx::psend_init(world, data, 4, other, 8); }),
                          "tag 8, communicator 0, 24 bytes, 6 elements in 4 partitions"));
    for (const std::size_t count : {std::size_t{0}, std::size_t{1} << 32}) {
      const std::span<int> nothing;
      CHECK(ranks::contains(
          ranks::text_of([&] { (void)mpx::psend_init(world, nothing, count, other); }),
          "partitions: give 1 to 1073741823 partitions"));
    }

    auto send = mpx::psend_init(world, data, 3, other);
    auto receive = mpx::precv_init(world, data, 3, other);
    const auto ready = [&](const auto& r, std::size_t i) {
      mpx::pready(r, i, ec);
      return ec;
    };
    CHECK(ready(send, 0) == mpx::errc::request);  // Not started.
    send.start();
    receive.start();
    send.start(ec);
    CHECK(ec == mpx::errc::request);
    CHECK(ready(send, 3) == mpx::errc::argument);
    CHECK(ready(receive, 0) == mpx::errc::request);
    CHECK(!ready(send, 1));
    CHECK(ready(send, 1) == mpx::errc::request);  // Twice.
    mpx::pready_range(send, 0, 1, ec);
    CHECK(ec == mpx::errc::request);
    mpx::pready_range(send, 2, 3, ec);
    CHECK(ec == mpx::errc::argument);
    CHECK(ranks::contains(ranks::text_of([&] { mpx::pready(send, 1); }),
                          "pready of partition 1 of a partitioned send on rank"));
    CHECK(!ready(send, 0));
    CHECK(!ready(send, 2));
    CHECK(ready(send, 2) == mpx::errc::request);
    mpx::parrived(receive, 3, ec);
    CHECK(ec == mpx::errc::argument);
    mpx::parrived(send, 0, ec);
    CHECK(ec == mpx::errc::request);
    auto plain = world.recv_init(data, other, 1);
    mpx::parrived(plain, 0, ec);
    CHECK(ec == mpx::errc::request);
    CHECK(ready(plain, 0) == mpx::errc::request);
    CHECK(ready(mpx::request<ranks::inproc>(), 0) == mpx::errc::request);
    receive.wait();
    send.wait();
    world.barrier();

    // Another length: the receiver gets an error, in every round, and the sender does not wait.
    std::vector<int> large(60'000);
    auto long_send = mpx::psend_init(world, large, 3, other);
    auto short_receive = mpx::precv_init(world, data, 3, other);
    for (int round = 0; round < 2; ++round) {
      data.fill(7);
      long_send.start();
      short_receive.start();
      mpx::pready_range(long_send, 0, 2);
      const std::string text = ranks::text_of([&] { short_receive.wait(); });
      CHECK(ranks::contains(text, "24 bytes in 3 partitions, whose sender has 240000 bytes in 3"));
      CHECK(data[0] == 7);
      long_send.wait();
      world.barrier();
    }
  });
}

TEST_CASE("partitioned: ranges and lists are ready as a whole, or not at all") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    std::array<int, 6> data{};
    if (world.rank() == 1) {
      auto receive = mpx::precv_init(world, data, 6, 0, 1);
      receive.start();
      receive.wait();
      CHECK(data == std::array{1, 2, 3, 4, 5, 6});
      return;
    }
    auto send = mpx::psend_init(world, data, 6, 1, 1);
    send.start();
    data.fill(-1);  // Partitions that are sent already keep this value.
    std::error_code ec;
    constexpr std::size_t none = std::size_t(-1);
    for (const auto& [first, last] : partitions::wrong_ranges) {
      mpx::pready_range(send, first, last, ec);
      CHECK(ec == mpx::errc::argument);
    }
    for (const partitions::list& list : {partitions::list{3, 3}, {0, 1, 0}, {2, 6}, {5, none}}) {
      mpx::pready_list(send, list, ec);
      CHECK(ec == mpx::errc::argument);
    }
    mpx::pready_list(send, partitions::list(), ec);
    CHECK(!ec);
    CHECK(ranks::contains(ranks::text_of([&] { mpx::pready_range(send, 4, 2); }),
                          "pready_range of a partitioned send on rank 0"));
    CHECK(ranks::contains(ranks::text_of([&] { mpx::pready_list(send, partitions::list{3, 3}); }),
                          "in 6 partitions: they are 0 .. 5, each named once, a range from its"));
    data = {1, 2, 3, 4, 5, 6};
    mpx::pready_list(send, partitions::list{4, 0}, ec);
    CHECK(!ec);
    mpx::pready_list(send, partitions::list{1, 4}, ec);
    CHECK(ec == mpx::errc::request);
    mpx::pready_range(send, 1, 3, ec);
    CHECK(!ec);
    mpx::pready(send, 5);
    send.wait();
  });
}

TEST_CASE("partitioned: the limit of partitions") {
  ranks::run<ranks::inproc>(1, [](auto world) {
    std::error_code ec;
    const std::span<std::byte> nothing;
    constexpr std::size_t half = std::size_t{1} << 29;
    const auto one = mpx::psend_init(world, nothing, half, 0, 0, ec);
    CHECK(!ec);
    const auto refused = mpx::psend_init(world, nothing, half, 0, 0, ec);
    CHECK(ec == mpx::errc::no_resources);
    const auto rest = mpx::psend_init(world, nothing, half - 1, 0, 0, ec);
    CHECK(!ec);
    (void)mpx::psend_init(world, nothing, 1, 0, 0, ec);
    CHECK(ec == mpx::errc::no_resources);
    CHECK(mpx::psend_init(world.dup(), nothing, 1, 0).persistent());
  });
}

TEST_CASE_TEMPLATE("partitioned: noncontiguous data", Stack, ranks::inproc, ranks::shm,
                   ranks::late) {
  ranks::run<Stack>(2, [](auto world) {
    const mpx::rank_t me = world.rank();
    for (const std::size_t rows : {6u, 6000u}) {
      constexpr std::size_t columns = 4;
      std::vector<int> matrix(rows * columns, -1), flat(rows, -1);
      const auto column = [&] {  // The view and the datatype go before the request.
        return mpx::strided(matrix.data() + 1, rows, columns);
      };
      const auto typed = [&] {
        const auto type =
            mpx::datatype::resized(mpx::datatype::of<int>(), 0, columns * sizeof(int));
        return mpx::buffer(matrix.data() + 2, static_cast<std::int64_t>(rows), type);
      };
      auto out = me == 0 ? mpx::psend_init(world, column(), 6, 1, 1)
                         : mpx::precv_init(world, typed(), 3, 0, 1);
      auto back = me == 0 ? mpx::precv_init(world, flat, 2, 1, 2)
                          : mpx::psend_init(world, typed(), 6, 0, 2);
      for (int round = 0; round < 3; ++round) {
        const auto value = [&](std::size_t i) { return round * 100'000 + static_cast<int>(i); };
        if (me == 0)
          for (std::size_t i = 0; i < rows; ++i) matrix[i * columns + 1] = value(i);
        out.start();
        back.start();
        if (me == 0)
          for (const std::size_t i : partitions::shuffled(6, rows)) mpx::pready(out, i);
        if (me == 1) {
          for (std::size_t i = 0; i < 3; ++i) {
            while (!mpx::parrived(out, i)) std::this_thread::yield();
            bool right = true;
            for (std::size_t k = i * rows / 3; k < (i + 1) * rows / 3; ++k)
              right = right && matrix[k * columns + 2] == value(k);
            CHECK(right);
          }
        }
        CHECK(out.wait().bytes() == rows * sizeof(int));
        if (me == 1)
          for (std::size_t i = 0; i < 6; ++i) mpx::pready(back, i);
        CHECK(back.wait().bytes() == rows * sizeof(int));
        bool right = true;
        for (std::size_t i = 0; me == 0 && i < rows; ++i) right = right && flat[i] == value(i);
        for (std::size_t i = 0; i < rows; ++i)  // Nothing beside it.
          right = right && matrix[i * columns] == -1 && matrix[i * columns + 3] == -1 &&
                  matrix[i * columns + (me == 0 ? 2 : 1)] == -1;
        CHECK(right);
      }
    }
    std::error_code ec;
    int x = 0;
    CHECK(!mpx::psend_init(world, mpx::buffer(&x, -1, mpx::datatype::of<int>()), 1, 0, 3, ec)
               .persistent());
    CHECK(ec == mpx::errc::datatype);
    CHECK(ranks::contains(
        ranks::text_of([&] { (void)mpx::precv_init(world, mpx::strided(&x, 2, 0), 1, 0); }),
        "lie at the same place"));
    CHECK(!mpx::psend_init(world, mpx::buffer(&x, 1, mpx::datatype::of<int>()), 2, 0, 3, ec)
               .persistent());
    CHECK(ec == mpx::errc::count);
  });
}
