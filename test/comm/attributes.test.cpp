// SPDX-License-Identifier: BSL-1.0
// sanitizers: address
// Attributes, hints and names of communicators, and the handling of their errors.

#include <mpx/attributes.hpp>
#include <mpx/intercommunicator.hpp>

#include <memory>
#include <stdexcept>
#include <string>

#include "comm/aborts.hpp"
#include "comm/ranks.hpp"

namespace {

int dropped_attributes = 0;

struct counted {
  int value = 0;
  bool refuses = false;
};

std::optional<counted> copy_counted(const counted& c) {
  if (c.refuses) throw std::domain_error("not this one");
  if (c.value < 0) return std::nullopt;
  return counted{c.value + 1};
}

using solo = mpx::environment<ranks::inproc>;

}  // namespace

TEST_CASE("attributes: set, found, copied or not, dropped once") {
  dropped_attributes = 0;
  const mpx::attribute_key<counted> copied(copy_counted, [](counted&) { ++dropped_attributes; });
  const mpx::attribute_key<std::unique_ptr<int>> kept;
  const auto plain = mpx::attribute_key<std::string>::copied();
  {
    solo env{mpx::bootstrap::any(mpx::bootstrap::singleton())};
    auto world = env.world();
    CHECK(copied.get(world) == nullptr);
    copied.set(world, {5});
    CHECK(copied.set(world, {6}).value == 6);
    CHECK(dropped_attributes == 1);
    kept.set(world, std::make_unique<int>(3));
    plain.set(world, "text");
    auto twin = world.dup();
    CHECK(copied.get(twin)->value == 7);
    CHECK(kept.get(twin) == nullptr);
    CHECK(*plain.get(twin) == "text");
    CHECK(**kept.get(world) == 3);
    CHECK(copied.get(world.split(0)) == nullptr);
    copied.get(twin)->value = -1;
    CHECK(copied.get(twin.dup()) == nullptr);
    CHECK(copied.erase(world));
    CHECK(!copied.erase(world));
    CHECK(dropped_attributes == 2);
    twin.free();
    CHECK(dropped_attributes == 3);
    copied.set(world, {1});
  }
  CHECK(dropped_attributes == 4);
}

TEST_CASE("attributes: if one cannot be copied, no rank waits") {
  const mpx::attribute_key<counted> key(copy_counted);
  ranks::run<ranks::inproc>(3, [&](auto world) {
    key.set(world, {1, world.rank() == 1});
    if (world.rank() == 1) {
      CHECK_THROWS_AS((void)world.dup(), std::domain_error);
    } else {
      auto refused = world.dup();
      CHECK(ranks::errc_of([&] { refused.barrier(); }) == mpx::errc::revoked);
      refused.free();
    }
    // The same if it is started: no rank waits, and none has an incomplete communicator.
    for (const bool coded : {false, true}) {
      decltype(world) started;
      std::error_code ec;
      if (world.rank() != 1) {
        auto r = coded ? world.dup(started, mpx::start(ec)) : world.idup(started);
        r.wait();
        CHECK(ranks::errc_of([&] { started.barrier(); }) == mpx::errc::revoked);
        started.free();
      } else if (coded) {
        CHECK(!world.dup(started, mpx::start(ec)));
        CHECK(ec == mpx::errc::operation);
      } else {
        CHECK_THROWS_AS((void)world.idup(started), std::domain_error);
      }
      world.barrier();
    }
    key.set(world, {1});
    auto twin = world.dup();
    CHECK(key.get(twin)->value == 2);
    CHECK(twin.allreduce(1, std::plus<>{}) == 3);
  });
}

TEST_CASE("attributes: one that cannot be copied, of an intercommunicator") {
  const mpx::attribute_key<counted> key(copy_counted);
  // Ranks 0 and 2 lead the two groups.
  for (const mpx::rank_t refuser : {1, 2})
    ranks::run<ranks::inproc>(4, [&](auto world) {
      const bool low = world.rank() < 2;
      auto half = world.split(low ? 0 : 1);
      auto on = mpx::intercommunicator<ranks::inproc>::connect(half, 0, world, low ? 2 : 0);
      key.set(on.local(), {1, world.rank() == refuser});
      std::error_code ec;
      if (world.rank() == refuser) {
        CHECK_THROWS_AS((void)on.dup(), std::domain_error);
        CHECK(!on.dup(ec));
        CHECK(ec == mpx::errc::operation);
      } else {
        for (int i = 0; i < 2; ++i) {
          auto twin = on.dup();
          CHECK(ranks::errc_of([&] { twin.barrier(); }) == mpx::errc::revoked);
          CHECK(ranks::errc_of([&] { twin.local().barrier(); }) ==
                (low == (refuser < 2) ? mpx::errc::revoked : mpx::errc{}));
          twin.free();
        }
      }
      key.set(on.local(), {1});
      auto gone = on.dup();  // Of which the started duplicate reads nothing once it has thrown.
      key.set(gone.local(), {1, world.rank() == refuser});
      mpx::intercommunicator<ranks::inproc> late;
      if (world.rank() == refuser) {
        CHECK_THROWS_AS((void)gone.idup(late), std::domain_error);
        gone.free();
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        gone.idup(late).wait(ec);
        CHECK(ranks::errc_of([&] { late.barrier(); }) == mpx::errc::revoked);
        late.free();
        gone.free();
      }
      int go = 0;  // A rank whose copy fails waits for no other.
      key.set(on.local(), {1, world.rank() == refuser});
      mpx::intercommunicator<ranks::inproc> started;
      if (world.rank() == refuser) CHECK_THROWS_AS((void)on.idup(started), std::domain_error);
      world.bcast(go, refuser);
      if (world.rank() != refuser) {
        on.idup(started).wait(ec);
        CHECK(ranks::errc_of([&] { started.barrier(); }) == mpx::errc::revoked);
        started.free();
      }
      key.set(on.local(), {1});
      auto twin = on.dup();
      CHECK(twin.allreduce(1, std::plus<>{}) == 2);
      twin.free();
      on.free();
      world.barrier();
    });
}

TEST_CASE("attributes: callbacks of a dropped duplicate may call mpx") {
  using comm = mpx::communicator<ranks::multiple>;
  static int dropped;
  dropped = 0;
  struct calls_at_its_end {
    comm on;
    bool copy = false;
  };
  const mpx::attribute_key<calls_at_its_end> key(
      [](const calls_at_its_end& c) { return std::optional(calls_at_its_end{c.on, true}); },
      [](calls_at_its_end& c) {
        if (!c.copy) return;
        c.on.progress();  // Takes the endpoint's lock.
        ++dropped;
      });
  ranks::run<ranks::multiple>(2, [&](auto world) {
    auto of = world.dup();
    if (world.rank() == 1) {
      key.set(of, {world});
      comm into;
      of.idup(into).detach();  // Rank 0 does not take part in it.
      of.revoke();
      std::error_code ec;
      of.barrier(ec);
      CHECK(ec == mpx::errc::revoked);
    }
    auto alone = world.split(world.rank());
    for (int i = 0; world.rank() == 1 && dropped == 0 && i < 1000; ++i) {
      world.progress();
      alone.ibarrier().wait();
    }
    if (world.rank() == 1) CHECK(dropped == 1);
    of.free();
  });
}

TEST_CASE("attributes: hints, names") {
  mpx::info hints;
  CHECK(hints.size() == 0);
  hints.set("a", "1");
  hints.set("b", "2");
  hints.set("a", "3");
  CHECK(hints.get("a") == "3");
  CHECK(!hints.get("c"));
  CHECK(hints.size() == 2);
  CHECK(hints.begin()->first == "a");
  CHECK(ranks::errc_of([&] { hints.set("", "x"); }) == mpx::errc::argument);
  ranks::run<ranks::inproc>(2, [&](auto world) {
    CHECK(mpx::info_of(world) == mpx::info());
    set_info(world, hints);
    auto twin = world.dup();
    CHECK(mpx::info_of(twin) == hints);
    CHECK(world.name().empty());
    twin.set_name("halo");
    twin.set_name("halo exchange");
    CHECK(twin.name() == "halo exchange");
    const char* named = " (halo exchange)";
    int x = 0;
    CHECK(ranks::contains(ranks::text_of([&] { twin.send(1, 9); }), named));
    CHECK(ranks::contains(ranks::text_of([&] { twin.bcast(x, 9); }), named));
    std::int64_t wide = 0;
    auto sent = twin.isend(wide, 1 - twin.rank(), 1);
    auto r = twin.irecv(x, 1 - twin.rank(), 1);
    CHECK(ranks::contains(ranks::text_of([&] { r.wait(); }), named));
    sent.wait();
    twin.set_name(std::string(100, 'x'));
    CHECK(twin.name().size() == 63);
    world.barrier();
  });
}

TEST_CASE("error handlers: throw, return, abort, the program's own") {
  ranks::run<ranks::inproc>(2, [](auto world) {
    auto c = world.dup();
    CHECK(c.error_handler() == mpx::on_error::throws);
    std::string told;
    c.set_error_handler([](const mpx::error& e,
                           void* with) { *static_cast<std::string*>(with) = e.what_went_wrong(); },
                        &told);
    CHECK(ranks::errc_of([&] { c.send(1, 5); }) == mpx::errc::rank);
    CHECK(ranks::contains(told, "to rank 5"));
    told.clear();
    std::error_code ec;
    c.send(1, 5, 0, ec);
    CHECK(ec == mpx::errc::rank);
    CHECK(told.empty());  // A caller that asks for the code gets that, and nothing else.
    int x = 0;
    CHECK(ranks::errc_of([&] { c.bcast(x, 7); }) == mpx::errc::root);
    CHECK(ranks::contains(told, "root 7"));
    auto child = c.split(0);  // Has it, too.
    told.clear();
    CHECK(ranks::errc_of([&] { child.send(1, 6); }) == mpx::errc::rank);
    CHECK(ranks::contains(told, "to rank 6"));
    c.set_error_handler([](const mpx::error&, void*) { throw std::domain_error("own"); });
    CHECK_THROWS_AS(c.send(1, 5), std::domain_error);
    c.set_error_handler(mpx::on_error::returns);
    CHECK(c.error_handler() == mpx::on_error::returns);
    CHECK(ranks::errc_of([&] { c.send(1, 5); }) == mpx::errc::rank);
    CHECK(world.error_handler() == mpx::on_error::throws);
  });
  const std::string said = [] {
    try {
      mpx::run_threads<ranks::inproc>(2, [](mpx::communicator<ranks::inproc> world) {
        world.set_error_handler(mpx::on_error::aborts);
        if (world.rank() == 1) world.send(1, 5);
        world.barrier();
      });
    } catch (const mpx::error& e) {
      CHECK(e.code() == mpx::errc::aborted);
      return std::string(e.what());
    }
    return std::string();
  }();
  CHECK(ranks::contains(said, "to rank 5"));
}
