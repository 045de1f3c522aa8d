// SPDX-License-Identifier: BSL-1.0
#pragma once
// The steps of collective algorithms over portals: a message goes into the receiver's memory if its
// receive is posted, else into a heap; of a long one the heap keeps the header, and the receiver
// pulls the data.

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mpx/coll/algorithms/blocks.hpp"
#include "mpx/coll/algorithms/steps.hpp"
#include "mpx/portals/collective_portals.hpp"

namespace mpx::inline v0::portals {

namespace detail {

/// A message that has failed, or is awaited.
struct blamed {
  rank_t other = proc_null;  ///< Its receiver or its sender; proc_null: there is no such message.
  bool sends = false;        ///< This rank has sent it.
  std::size_t bytes = 0;
  bool is_message = false;  ///< False: only the rank is known.
};

/// State of collectives of one communicator, and the steps of the call that is being made. Models
/// coll::Steps. Each message is acknowledged. A message that its receiver drops, as its heap is
/// full, is sent again.
/// Source:     Puma, section 3.
template <class Stack>
class collective_steps {
 public:
  /// With these portals: see collective_portals.
  template <class... Args>
  explicit collective_steps(const communicator<Stack>& comm, const collective_limits& most,
                            Args... more)
      : at_(comm, most, more...) {}
  collective_steps(const collective_steps&) = delete;
  collective_steps& operator=(const collective_steps&) = delete;

  /// Begins the next call. `of`: the communicator's call that these steps carry out. It is told of
  /// failures by the communicator's means, and a failure ends this call only. nullptr: the steps
  /// tell the other ranks, and all later calls fail, too.
  void begin(const mpx::detail::collective_call* of = nullptr) noexcept {
    // Ranks leave calls that they cannot make, so only the communicator counts them.
    at_.serial = of == nullptr ? at_.serial + 1 : static_cast<std::uint32_t>(of->serial);
    of_ = of;
    if (of_ != nullptr) recover();
    if (why_ == errc{} && at_.serial >= failed_from_) fail(errc::pending, {failed_by_});
  }
  /// Ends a call. After a failure nothing accesses its buffers any more.
  errc end() noexcept {
    if (why_ != errc{}) give_up();
    scratch_.clear();
    of_ = nullptr;
    return why_;
  }
  /// Fails the call because of its arguments.
  void refuse(errc why) noexcept { fail(why, {}); }
  std::exception_ptr thrown() const noexcept { return thrown_; }
  /// The message that has failed, or was awaited when the call failed.
  const blamed& blame() const noexcept { return blame_; }
  std::uint64_t sent_again() const noexcept { return again_; }
  std::uint64_t dropped() const noexcept { return at_.ports.counted().dropped; }
  std::uint64_t found_in_heap() const noexcept { return found_; }

  // --- The steps: see coll::Steps ----------------------------------------------------------------

  rank_t rank() const noexcept { return at_.ports.rank(); }
  rank_t size() const noexcept { return at_.ports.size(); }
  bool failed() const noexcept { return why_ != errc{}; }
  void start_send(const memory& data, rank_t to) noexcept {
    guarded([&] { begin_send(data, to); });
  }
  void start_receive(const memory& into, rank_t from) noexcept {
    guarded([&] { begin_receive(into, from, round_); });
  }
  void start_receive_ahead(const memory& into, rank_t from) noexcept {
    guarded([&] { begin_receive(into, from, round_ + 1); });
  }
  void finish() noexcept {
    guarded([&] {
      while (why_ == errc{} && !is_over()) step();
      if (why_ != errc{}) return;  // `end` drops entries that are still active.
      std::erase_if(receives_, [this](const receiving& r) { return r.round <= round_; });
      sends_.clear();
      ++round_;
    });
  }
  void send(const memory& data, rank_t to) noexcept {
    start_send(data, to);
    finish();
  }
  void receive(const memory& into, rank_t from) noexcept {
    start_receive(into, from);
    finish();
  }
  void exchange(const memory& out, rank_t to, const memory& in, rank_t from) noexcept {
    start_receive(in, from);
    start_send(out, to);
    finish();
  }
  void copy(const memory& to, const memory& from) noexcept {
    if (why_ == errc{} && (to.base != from.base || to.how != from.how))
      mpx::detail::copy_message(to, from);
  }
  void combine(const coll::reduction& op, const memory& out, const memory& left,
               const memory& right) noexcept {
    if (why_ != errc{} || right.bytes == 0) return;
    try {
      op.apply(op.context, out.base, left.base, right.base, out.bytes);
    } catch (...) {
      thrown_ = std::current_exception();
      fail(errc::operation);
    }
  }
  void call(void (*function)(void*), void* with) {
    if (why_ == errc{}) function(with);
  }
  /// Passes blocks of `bytes` round a ring, from the block of this rank in `all` to those of all.
  /// A rank tells its left neighbour that its memory is exposed, and waits until its right one has
  /// told so. Then blocks stream from memory to memory: no headers are matched, and none is kept.
  /// Source:     Puma, section 3.2, figures 9 and 10.
  void bucket(const memory& all, std::size_t bytes) noexcept {
    guarded([&] { pass_round(all, bytes); });
  }
  memory scratch(std::size_t bytes) noexcept {
    if (why_ != errc{}) return {};
    try {
      scratch_.push_back(
          std::make_unique<mpx::scratch_bytes>(bytes + 2 * mpx::detail::scratch_alignment));
    } catch (...) {
      fail(errc::no_resources);
      return {};
    }
    const auto at = reinterpret_cast<std::uintptr_t>(scratch_.back()->data());
    const std::uintptr_t mask = mpx::detail::scratch_alignment - 1;
    return {reinterpret_cast<std::byte*>((at + mask) & ~mask), bytes};
  }

 private:
  using portal = collective_portals<Stack>;

  struct sending {
    std::uint64_t label;
    match_bits bits;
    rank_t to;
    memory data;
    bool saved = false;   // The receiver has it, or its header.
    bool served = false;  // Its data is there.
    bool answered = false;
    std::unique_ptr<receipt> answer = std::make_unique<receipt>();
    request<Stack> leaves{};
    std::unique_ptr<combined_block> block{};
    entry<Stack> read{};
  };
  struct receiving {
    std::uint64_t label;
    std::uint64_t round;
    match_bits bits;
    rank_t from;
    memory into;
    bool here = false;
    request<Stack> pull{};
    heap_message<Stack> found{};  // It is still arriving in the heap.
    std::unique_ptr<combined_block> block{};
    entry<Stack> posted{};
  };
  template <class F>
  void guarded(F&& f) noexcept {
    if (why_ != errc{}) return;
    try {
      f();
    } catch (const error& e) {
      fail(static_cast<errc>(e.code().value()));
    } catch (...) {
      fail(errc::no_resources);
    }
  }
  void fail(errc why) noexcept { fail(why, awaited()); }
  void fail(errc why, const blamed& by) noexcept {
    if (why_ != errc{}) return;
    why_ = why;
    blame_ = by;
  }
  static blamed blame_for(const sending& s) noexcept { return {s.to, true, s.data.bytes, true}; }
  static blamed blame_for(const receiving& r) noexcept {
    return {r.from, false, r.into.bytes, true};
  }
  /// The first message that this rank waits for: reports of hangs and errors name it.
  blamed awaited() const noexcept {
    for (const receiving& r : receives_)
      if (r.round <= round_ && !r.here) return blame_for(r);
    for (const sending& s : sends_)
      if (!(s.saved && s.served)) return blame_for(s);
    return {owed_};
  }
  /// Drops everything that is under way, and tells the other ranks not to wait for this one.
  void give_up() noexcept {
    receives_.clear();
    sends_.clear();
    leaving_.clear();
    owed_ = proc_null;
    if (of_ != nullptr || std::exchange(told_, true)) return;
    for (rank_t r = 0; r < size(); ++r) {
      std::error_code ec;
      if (r != rank())
        at_.ports.put(std::span<const std::byte>(), r, {portal::failures, at_.serial}, {}, ec);
    }
  }
  /// Forgets the failure of the call before, and what it has left in the heap. Messages of calls
  /// that have ended here are of no use; nothing but a failure leaves some.
  void recover() noexcept {
    const bool failed = std::exchange(why_, errc{}) != errc{};
    thrown_ = nullptr;
    blame_ = {};
    guarded([&] {
      while (const auto e = at_.queue.poll()) handle(*e);
      const std::uint64_t drops = dropped();
      if (!failed && drops == drops_seen_) return;
      drops_seen_ = drops;
      at_.forget_old();
    });
  }
  /// Handles the next event; or answers to messages, data that is there, and blocks that have left.
  /// Fails if the call can never end. No other function waits.
  void step() {
    bool lost = false;
    bool answered = false;
    const auto next = at_.queue.wait_unless(
        [&] {
          for (sending& s : sends_)
            if (!s.saved && is_answered(s)) s.answered = answered = true;
          for (const receiving& r : receives_)
            answered = answered || r.found.is_whole_locked() ||
                       (r.pull && mpx::detail::request_access::done_locked(r.pull));
          for (const request<Stack>& r : leaving_)
            answered = answered || mpx::detail::request_access::done_locked(r);
          if (owed_ != proc_null && at_.has_left_locked(owed_)) {
            owed_ = proc_null;
            answered = true;
          }
          return answered || (lost = of_ != nullptr && at_.e.collective_lost(*of_));
        },
        awaited().other);
    if (next) return handle(*next);
    if (lost) return fail(errc::peer_lost);
    for (std::size_t i = 0; i < sends_.size() && why_ == errc{}; ++i)
      if (std::exchange(sends_[i].answered, false)) look_at(sends_[i]);
    for (receiving& r : receives_) {
      if (r.found) take(r);
      if (r.pull && mpx::detail::request_access::is_done(r.pull)) {
        std::error_code ec;
        r.pull.wait(ec);
        if (ec) return fail(static_cast<errc>(ec.value()), blame_for(r));
        r.here = true;
      }
    }
    std::erase_if(leaving_, [](request<Stack>& r) {
      if (!mpx::detail::request_access::is_done(r)) return false;
      if (r) r.wait();
      return true;
    });
  }
  static bool is_answered(const sending& s) noexcept {
    return s.answer->what != saved::nothing || s.answer->reason != drop_reason::none;
  }

  void begin_send(const memory& data, rank_t to) {
    if (sends_.size() >= at_.room) return fail(errc::no_resources);
    const bool is_long = data.bytes > at_.most.short_bytes_max;
    sends_.push_back({.label = next_label_++,
                      .bits = at_.next_to(to) | (is_long ? portal::long_bit : 0),
                      .to = to,
                      .data = data});
    sending& s = sends_.back();
    if (is_long) {
      s.block = std::make_unique<combined_block>(data);
      s.read =
          at_.ports.append(portal::reads, {.bits = s.bits, .from = to}, *s.block,
                           {.how = {.direction = access::read_only}, .label = s.label}, at_.queue);
    }
    post(s);
  }
  void post(sending& s) {
    *s.answer = {};
    s.leaves =
        at_.ports.put_acknowledged(s.data, s.to, {portal::messages, s.bits}, *s.answer, mpx::start);
  }
  void begin_receive(const memory& into, rank_t from, std::uint64_t round) {
    if (receives_.size() >= at_.room) return fail(errc::no_resources);
    receives_.push_back({.label = next_label_++,
                         .round = round,
                         .bits = at_.next_from(from),
                         .from = from,
                         .into = into,
                         .block = std::make_unique<combined_block>(into)});
    receiving& r = receives_.back();
    r.posted = at_.ports.insert(
        at_.shorts, portal::messages, {.bits = r.bits, .ignore = portal::long_bit, .from = from},
        *r.block, {.too_small = at_.ports.to(at_.misfit), .label = r.label, .active = false},
        at_.queue);
    auto m = at_.ports.take_or_activate(at_.heap, r.posted);
    if (!m) return;
    ++found_;
    r.posted.remove();
    if (m.is().length != into.bytes) return fail(errc::count, blame_for(r));
    if (m.what() == saved::header) {
      r.pull = at_.ports.get(into, from, {portal::reads, r.bits | portal::long_bit}, mpx::start);
    } else {
      r.found = std::move(m);
      take(r);
    }
  }
  /// Copies a message that was found in the heap, if all of it has arrived.
  void take(receiving& r) {
    if (!r.found.is_whole()) return;
    std::error_code ec;
    r.found.wait(ec);
    if (ec) return fail(static_cast<errc>(ec.value()), blame_for(r));
    r.into.write(0, r.found.data());
    r.found = {};
    r.here = true;
  }

  void pass_round(const memory& all, std::size_t bytes) {
    const rank_t n = size();
    const rank_t left = coll::around(rank() - 1, n);
    const rank_t right = coll::around(rank() + 1, n);
    combined_block block(all);
    const auto stream = at_.ports.append(portal::streams, {.bits = at_.serial, .from = left}, block,
                                         {.label = portal::stream_label}, at_.queue);
    streamed_ = 0;
    leaving_.push_back(at_.ports.put(std::span<const std::byte>(), left,
                                     {portal::readies, at_.serial, bytes}, {}, mpx::start));
    while (why_ == errc{} && ready_serial_ != at_.serial) step();
    if (why_ == errc{} && ready_bytes_ != bytes) fail(errc::count);
    for (rank_t i = 0; i + 1 < n; ++i) {
      while (why_ == errc{} && streamed_ < i) step();  // Block i has arrived.
      if (why_ != errc{}) return;
      const std::size_t at = static_cast<std::size_t>(coll::around(rank() - i, n)) * bytes;
      leaving_.push_back(at_.ports.put(coll::slice(all, at, bytes), right,
                                       {portal::streams, at_.serial, at}, {}, mpx::start));
    }
    while (why_ == errc{} && (streamed_ < n - 1 || !leaving_.empty())) step();
    // This rank may not call mpx for a while: nothing is left to be sent by later calls.
    owed_ = right;
    while (why_ == errc{} && owed_ != proc_null) step();
  }

  bool is_over() const noexcept {
    for (const receiving& r : receives_)
      if (r.round <= round_ && !r.here) return false;
    for (const sending& s : sends_)
      if (!s.saved || !s.served) return false;
    return true;
  }
  void handle(const event& e) {
    if (e.kind == event_kind::lost)
      return awaits(e.is.source) ? fail(e.failure, {e.is.source}) : void();
    if (e.kind == event_kind::served) {
      for (sending& s : sends_)
        if (s.label == e.label) s.served = true;
      return;
    }
    switch (e.label) {
      case portal::misfit_label:
        at_.ports.release(at_.notes, e.buffer);
        return fail(errc::count, {e.is.source});
      case portal::failure_label:
        at_.ports.release(at_.notes, e.buffer);
        if (e.is.bits < failed_from_) failed_by_ = e.is.source;
        failed_from_ = lesser<std::uint64_t>(failed_from_, e.is.bits);
        return at_.serial >= failed_from_ ? fail(errc::pending, {e.is.source}) : void();
      case portal::ready_label:
        at_.ports.release(at_.notes, e.buffer);
        ready_serial_ = e.is.bits;
        ready_bytes_ = e.is.offset;
        return;
      case portal::stream_label:
        if (e.is.bits != at_.serial) return;  // Of a call that has failed.
        ++streamed_;
        return e.failure == errc{} ? void() : fail(e.failure, {e.is.source});
      default: break;
    }
    for (receiving& r : receives_) {
      if (r.label != e.label) continue;
      r.posted.remove();
      r.here = true;
      if (e.failure != errc{}) return fail(e.failure, blame_for(r));
      if (e.is.length != r.into.bytes) fail(errc::count, blame_for(r));
      return;
    }
  }
  /// Takes notice of the answer to a message.
  void look_at(sending& s) {
    std::error_code ec;
    s.leaves.wait(ec);  // It is complete. A message that was dropped is told by the answer.
    const receipt how = *s.answer;
    if (how.what == saved::nothing) {
      // A receiver that has given up tells so by other means.
      if (how.reason == drop_reason::given_up) return fail(errc::pending, blame_for(s));
      if (how.reason != drop_reason::no_buffer) return fail(errc::count, blame_for(s));
      ++again_;
      return post(s);
    }
    s.saved = true;
    if (how.what == saved::header) return;
    s.served = true;
    s.read.remove();
  }
  /// True if this call waits for a message or an answer of `r`; always, if no communicator tells of
  /// lost ranks.
  bool awaits(rank_t r) const noexcept {
    bool yes = of_ == nullptr;
    for (const sending& s : sends_) yes = yes || (s.to == r && !(s.saved && s.served));
    for (const receiving& x : receives_) yes = yes || (x.from == r && !x.here);
    return yes;
  }

  collective_portals<Stack> at_;
  const mpx::detail::collective_call* of_ = nullptr;
  std::uint64_t failed_from_ = ~std::uint64_t{0};
  rank_t failed_by_ = proc_null;
  std::uint64_t round_ = 0;
  // Last call for which the right neighbour was ready,
  std::uint64_t ready_serial_ = ~std::uint64_t{0};
  std::uint64_t ready_bytes_ = 0;  // and the length of its blocks.
  rank_t streamed_ = 0;            // Blocks that have arrived in this call.
  std::uint64_t next_label_ = portal::first_label;
  std::vector<sending> sends_;
  std::vector<receiving> receives_;
  rank_t owed_ = proc_null;  // The rank whose channel has not taken all packets of a bucket.
  std::vector<request<Stack>> leaving_;  // Messages of a bucket that wait for a channel.
  std::vector<std::unique_ptr<mpx::scratch_bytes>> scratch_;
  std::exception_ptr thrown_;
  errc why_{};
  blamed blame_;
  bool told_ = false;
  std::uint64_t again_ = 0;
  std::uint64_t found_ = 0;
  std::uint64_t drops_seen_ = 0;
};

}  // namespace detail
}  // namespace mpx::inline v0::portals
