// SPDX-License-Identifier: BSL-1.0
#pragma once
// A table of portals at an endpoint: joins the engine of portals to packets, losses, locks, waits
// and requests of a rank. A table takes its packets as a window does, by the context of a
// communicator of its own.

#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "mpx/comm/detail/create.hpp"
#include "mpx/communicator.hpp"
#include "mpx/engine/base/extension.hpp"
#include "mpx/engine/endpoint/one_sided.hpp"
#include "mpx/portals/engine.hpp"

namespace mpx::inline v0::portals {

namespace detail {

using mpx::detail::call_site;
using mpx::detail::extension;

/// Extension behind a request: a message of this rank, or the wait for an event.
class portal_request final : public extension {
 public:
  using cut = void (*)(portal_request& r) noexcept;
  portal_request(const char* name, rank_t rank, cut detach) noexcept
      : extension(mpx::detail::extension_kind::portals),
        name_(name),
        rank_(rank),
        detach_(detach) {}
  ~portal_request() override {
    if (table != nullptr) detach_(*this);
  }
  errc start() noexcept override { return errc{}; }
  bool part_done_locked(const mpx::detail::operation&) noexcept override { return false; }
  void run_locked() noexcept override {}
  std::string describe() const override {
    return mpx::detail::formatted("%s on rank %d of a table of portals", name_, rank_);
  }

  mpx::detail::operation* op = nullptr;
  void* table = nullptr;        // While it is not complete.
  outgoing* message = nullptr;  // One of these.
  event_ring* events = nullptr;
  receipt* result = nullptr;

 private:
  const char* name_;
  rank_t rank_;
  cut detach_;
};

template <class Stack>
struct table_state final : mpx::detail::exposed_window, link, mpx::detail::allocated {
  using os = mpx::detail::one_sided<Stack>;
  using endpoint_type = mpx::detail::endpoint<Stack>;

  /// Packets to one rank that wait for its channel, at most, when a call is started.
  static constexpr std::uint32_t waiting_started_max = 4096;

  table_state(communicator<Stack> own, std::size_t packet_bytes, const limits& most,
              std::source_location where)
      : comm(std::move(own)),
        e(comm.endpoint_for_reports()),
        lifetime(e.lifetime()),
        made_at(where),
        run(*this, comm.rank(), comm.size(), packet_bytes, most) {
    const mpx::detail::communicator_access<Stack> a(comm, where);
    context = a.plain_context();
    ranks = a.state().ranks;
  }

  errc on_records(peer_id source, std::span<const std::byte> packet) noexcept override {
    const rank_t from = rank_of(source);
    if (from < 0 || from >= comm.size()) return errc::protocol;
    return run.on_packet(from, packet);
  }
  void on_loss(peer_id peer) noexcept override {
    const rank_t r = rank_of(peer);
    if (r >= 0 && r < comm.size()) run.on_loss(r, errc::peer_lost);
  }
  void explain(mpx::detail::hang_info&) noexcept override {}

  bool send(rank_t to, std::span<const std::byte> packet) noexcept override {
    return os::send_locked(e, peer_of(to), context, packet);
  }
  std::uint32_t waiting(rank_t to) noexcept override { return os::waiting_locked(e, peer_of(to)); }
  peer_id peer_of(rank_t r) const noexcept override {
    return ranks == nullptr ? mpx::world_peer(r) : ranks->peer_of(r);
  }
  rank_t rank_of(peer_id peer) const noexcept {
    return ranks == nullptr ? mpx::world_rank(peer) : ranks->rank_of(peer);
  }
  void complete(void* waiter, errc why) noexcept override {
    auto& r = *static_cast<portal_request*>(waiter);
    r.table = nullptr;
    if (outgoing* const o = std::exchange(r.message, nullptr); o != nullptr) {
      if (r.result != nullptr) *r.result = o->result;
      run.release(*o);
    }
    os::end_locked(e, *r.op, why);
  }
  void noticed() noexcept override { os::noticed_locked(e); }

  /// Blocks until `done()` returns true. `on`: the rank that is waited for, or proc_null.
  template <class F>
  void wait(call_site site, rank_t on, F&& done) {
    const awaits w(*this, on);
    e.wait_until(site, w.as(), done);
  }

  /// Makes a request; `begin(request)` starts it under the lock.
  template <class F>
  mpx::detail::started make(const char* name, F&& begin) {
    auto* const r = new (std::nothrow) portal_request(name, comm.rank(), &cut);
    if (r == nullptr) return {nullptr, errc::no_resources};
    const mpx::detail::compound with{
        .kind = mpx::detail::compound_kind::extended, .ranks = ranks, .more = r};
    r->op = mpx::detail::compounds<Stack>::make(e, with).op;
    if (r->op == nullptr) {
      delete r;
      return {nullptr, errc::no_resources};
    }
    errc why{};
    mpx::detail::operation* const op = r->op;
    {
      const auto guard = os::lock(e);
      r->table = this;
      why = begin(*r);
      if (why == errc{}) return {op};
      r->table = nullptr;
    }
    mpx::detail::compounds<Stack>::abandon(e, *op);
    return {nullptr, why};
  }

  communicator<Stack> comm;
  bool owns_comm = true;
  endpoint_type& e;
  const std::uint32_t lifetime;
  const group* ranks = nullptr;
  std::source_location made_at;
  engine run;

 private:
  /// Called under the lock, when a request is dropped.
  static void cut(portal_request& r) noexcept {
    auto& t = *static_cast<table_state*>(r.table);
    if (r.message != nullptr) {
      r.message->waiter = nullptr;
      t.run.abandon(*r.message);
    }
    if (r.events != nullptr) r.events->waiter = nullptr;
  }

  struct awaits : mpx::detail::awaited_above {
    awaits(const table_state& of, rank_t r) noexcept : awaited_above{&list_it}, table(of), on(r) {}
    mpx::detail::awaited as() const noexcept {
      return {mpx::detail::wait_kind::all, mpx::detail::awaited::form::above,
              static_cast<const awaited_above*>(this)};
    }
    [[gnu::cold]] static void list_it(const awaited_above& self,
                                      mpx::detail::hang_list<8>& into) noexcept {
      const auto& w = static_cast<const awaits&>(self);
      const rank_t world = w.on < 0 ? rank_t{-1} : mpx::world_rank(w.table.peer_of(w.on));
      into.add(
          {.peer = world, .context = w.table.context, .stage = mpx::detail::hang_stage::answers});
    }
    const table_state& table;
    rank_t on;
  };
};

}  // namespace detail
}  // namespace mpx::inline v0::portals
