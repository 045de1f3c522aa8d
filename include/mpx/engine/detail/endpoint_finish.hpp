// SPDX-License-Identifier: BSL-1.0
#pragma once
// Progress, waiting, and what ends operations out of turn: abandoning, cancelling, the death of a
// peer. Included by endpoint.hpp.

#include "mpx/engine/endpoint.hpp"

namespace mpx::inline v0::detail {

template <class Stack>
endpoint<Stack>::~endpoint() {
  matcher_.for_each([this](unexpected_message& m) {
    matcher_.withdraw(m);
    forget(static_cast<arrived_message*>(&m));
  });
  while (!claimed_.empty()) {
    arrived_message& m = claimed_.front();
    claimed_.pop_front();
    forget(&m);
  }
  pool_.for_each([this](operation& op) {
    if (op.owned != nullptr && !op.owned_by_attached) free_copy(op);
  });
}

template <class Stack>
[[gnu::noinline]] std::size_t endpoint<Stack>::progress_locked() {
  return progress_inlined();
}

/// One look by a call that does not block. Many in a row are a way of blocking: they owe the same.
template <class Stack>
void endpoint<Stack>::look_locked() {
  if (progress_locked() == 0 && ++looks_ % looks_per_check == 0) before_sleep();
}

/// The first look of a call that waits: most often it finds it, so nothing more is set up before.
template <class Stack>
[[gnu::noinline]] bool endpoint<Stack>::look_for(const operation& op) {
  const std::lock_guard lock(threading_);
  progress_inlined();
  return op.done();
}

template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::wait_slow(operation& op, call_site site) {
  wait_until(site, {wait_kind::all, awaited::form::one, &op}, [&op] { return op.done(); });
}

template <class Stack>
template <class Lost>
bool endpoint<Stack>::wait_unless(operation& op, call_site site, Lost&& lost) {
  if (look(op)) return true;
  bool done = false;
  wait_until(site, {wait_kind::all, awaited::form::one, &op}, [&] {
    done = op.done();
    return done || (failures_ != 0 && lost());
  });
  return done;
}

template <class Stack>
inline std::size_t endpoint<Stack>::progress_inlined() {
  const std::uint64_t before = completions_;
  sink s{*this};
  std::size_t n = transport_.poll(s);
  if (troubles_ != 0) [[unlikely]]
    n += flush_busy();
  if constexpr (concurrent) {
    if (completions_ != before && (followers_ != 0 || leader_)) rouse();
  }
  return n;
}

template <class Stack>
template <class Done>
[[gnu::noinline]] void endpoint<Stack>::wait_until(call_site site, awaited on, Done&& done) {
  std::unique_lock lock(threading_);
  if (done()) return;
  const blocked_scope scope(*this, site, on);
  typename Stack::wait_type::pace pace(transport_.oversubscribed());
  for (unsigned looks = 1;; ++looks) {
    if (progress_locked() > 0) {
      ++moves_;
      if (done()) break;
      pace.reset();
      continue;
    }
    if (looks % looks_per_check == 0) [[unlikely]] {
      before_sleep();
      if (done()) break;
    }
    if constexpr (concurrent) lock.unlock();
    const bool tired = pace.should_sleep();
    if constexpr (concurrent) {
      lock.lock();
      if (done()) break;
    }
    if (tired) {
      before_sleep();
      if (done()) break;  // Its peer is lost: nobody would wake this thread for that any more.
      sleep(lock);
      if (done()) break;
    }
  }
  if constexpr (concurrent) {
    if (followers_ != 0 && !leader_) rouse();  // Somebody else must look now.
  }
}

/// What a blocked rank owes to the others, and what it must know, before it rests.
template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::before_sleep() {
  check_failures();
  if (step_ != nullptr) [[unlikely]]
    step_(*this);
  if (stalled_.empty() || (matcher_.nothing_posted() && probing_ == 0)) return;
  // The message that this rank waits for may be behind those that a peer may not announce: let it.
  for (const peer_id peer : stalled_) {
    link& l = *links_[peer];
    l.peer_stalled = false;
    l.granted = lesser(l.granted + announced_max_, allowance_max);
    answer(peer, {.kind = wire::kind::allow, .tag = static_cast<tag_t>(announced_max_)});
  }
  stalled_.clear();
}

template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::sleep(
    std::unique_lock<typename Stack::threading_type>& lock) {
  if constexpr (concurrent) {
    if (leader_) return follow(lock);
  }
  if (!transport_.arm()) return;
  trace_.on(event::sleeps, 1);
  leader_ = true;
  if constexpr (concurrent) lock.unlock();
  transport_.sleep(Stack::wait_type::sleep_ns_max);
  if constexpr (concurrent) lock.lock();
  leader_ = false;
  transport_.disarm();
}

template <class Stack>
void endpoint<Stack>::follow(std::unique_lock<typename Stack::threading_type>& lock) {
  ++followers_;
  const std::uint32_t epoch = epoch_.load(std::memory_order_relaxed);
  lock.unlock();
  platform::futex_wait(epoch_, epoch, Stack::wait_type::sleep_ns_max);
  lock.lock();
  --followers_;
}

template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::rouse() noexcept {
  if (followers_ != 0) {
    epoch_.fetch_add(1, std::memory_order_relaxed);
    platform::futex_wake(epoch_, static_cast<int>(followers_));
  }
  if (leader_) transport_.wake();
}

template <class Stack>
void endpoint<Stack>::drain() noexcept {
  std::lock_guard lock(threading_);
  while (progress_locked() > 0) ++moves_;
  if (step_ != nullptr) step_(*this);
}

template <class Stack>
bool endpoint<Stack>::cancel(operation& op) {
  std::lock_guard lock(threading_);
  if (op.role != role::receive || op.stage != stage::posted) return false;
  matcher_.cancel(op);
  op.cancelled = true;
  op.message_bytes = 0;
  op.peer = op.want.source;
  op.tag = op.want.tag;
  finish(op, errc{});
  return true;
}

template <class Stack>
void endpoint<Stack>::abandon(operation& op) {
  {
    std::lock_guard lock(threading_);
    if (op.done()) return give(op);
    if (op.role == role::receive) {
      if (op.stage == stage::posted) {
        matcher_.cancel(op);
        return give(op);
      }
      if (op.stage == stage::streaming && !op.exposed) {
        op.buffer = nullptr;  // The rest arrives, and is dropped.
        op.handled = false;
        return;
      }
    } else if (op.split) {
      // The receiver is fetching: it will say so when it has.
    } else if (op.stage == stage::answer && !op.announced) {
      op.handled = false;  // The data has been sent; only the answer is missing.
      return;
    } else if (op.stage != stage::moving && op.owned == nullptr) {
      op.owned = static_cast<std::byte*>(::operator new(op.bytes + 1, std::nothrow));
      if (op.owned != nullptr) {
        if (op.bytes > 0) std::memcpy(op.owned, op.buffer, op.bytes);
        op.buffer = op.owned;
        if (!op.exposed || op.stage != stage::answer) {
          op.handled = false;
          return;
        }
        remote_memory there{};
        if constexpr (RmaTransport<transport_type>)
          there = transport_.expose({op.buffer, op.bytes});
        answer(op.peer, {.kind = wire::kind::move, .ticket = op.ticket},
               std::as_bytes(std::span(&there, 1)));
      }
    }
  }
  // The peer or the transport may be in the middle of this memory: see it through.
  wait_until({"the end of a dropped request"}, {wait_kind::all, awaited::form::one, &op},
             [&op] { return op.done() || op.moved_away; });
  std::lock_guard lock(threading_);
  if (op.done()) return give(op);
  op.handled = false;
}

/// Looks whether ranks have died since the last look, and ends what waits for them.
template <class Stack>
void endpoint<Stack>::check_failures() {
  const std::uint32_t epoch = job_.failure_epoch();
  if (epoch == failure_epoch_) return;
  failure_epoch_ = epoch;
  for (peer_id peer = 0; peer < transport_.peers(); ++peer)
    if (job_.state(static_cast<rank_t>(peer)) == rank_state::failed)
      fail_peer_locked(peer, errc::peer_lost);
}

template <class Stack>
[[gnu::noinline]] void endpoint<Stack>::fail_peer_locked(peer_id peer, errc why) {
  link& l = link_to(peer);
  if (l.failure != errc{}) return;
  if (direct_ != nullptr) post_direct();
  l.failure = why;
  ++troubles_;
  ++failures_;
  pool_.for_each([&](operation& op) { fail_operation(op, peer, why); });
  l.control.clear();
  l.backlog.clear();
  l.streams.clear();
  l.answers = 0;
  l.owes_credit = false;
  l.peer_stalled = false;
  stalled_.erase_if([peer](peer_id other) { return other == peer; });
  if constexpr (concurrent) {
    ++completions_;
    rouse();
  }
}

/// Ends one operation if it depends on `peer`; its links into the peer's queues are dropped by the
/// caller.
template <class Stack>
void endpoint<Stack>::fail_operation(operation& op, peer_id peer, errc why) {
  if (op.done()) return;
  if (op.role == role::receive && op.stage == stage::posted) {
    if (op.want.source != peer && op.want.source != any_peer) return;
    matcher_.cancel(op);
    op.peer = op.want.source;
    op.tag = op.want.tag;
    op.message_bytes = 0;
    return finish(op, why);
  }
  if (op.peer != peer) return;
  if (op.role == role::control) return give(op);
  finish(op, why);
}

}  // namespace mpx::inline v0::detail
