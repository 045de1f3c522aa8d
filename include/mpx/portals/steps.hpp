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
#include "mpx/coll/call.hpp"
#include "mpx/portals/table.hpp"

namespace mpx::inline v0::portals {

/// Limits of collectives on portals.
struct collective_limits {
  /// Longest message that is kept whole if its receive is not posted, in bytes.
  std::size_t short_bytes_max = 4096;
  /// Bytes of the heap of such messages; at least 4 times as long as the longest one.
  std::size_t heap_bytes = 1024 * 1024;
};

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
///
/// Match bits of a message: 1 bit of type (long), 31 bits of the call's serial number, and 32 bits
/// that count the messages from this sender to this receiver in that call. So calls that overlap,
/// such as fan-ins in a row, and messages of one round are kept apart.
/// Source:     Puma, section 3.1 and figure 8; section 3.3 about fan-ins.
template <class Stack>
class collective_steps {
 public:
  /// Collective: makes a table of its own.
  collective_steps(const communicator<Stack>& comm, const collective_limits& most,
                   std::source_location where)
      : most_(most),
        room_(room_for(comm)),
        barrier_(std::in_place, comm, call_site{"portals::collectives", where}),
        table_(comm, limits_for(comm.size()), where),
        endpoint_(comm.endpoint_for_reports()),
        heap_(most.heap_bytes),
        notes_(slots(room_), independent_block::order::circular),
        events_(table_, 4 * room_) {
    add_entries();
    barrier_->begins();
    comm.barrier(mpx::detail::throws_t{}, where);  // All ranks have their entries.
  }
  struct at_comm {};
  /// With a table that takes packets of the communicator itself. Not collective: other ranks must
  /// not use theirs until this rank has it.
  collective_steps(const communicator<Stack>& comm, const collective_limits& most, at_comm,
                   std::source_location where)
      : most_(most),
        room_(room_for(comm)),
        table_(comm, limits_for(comm.size()), typename table<Stack>::at_comm{}, where),
        endpoint_(comm.endpoint_for_reports()),
        heap_(most.heap_bytes),
        notes_(slots(room_), independent_block::order::circular),
        events_(table_, 4 * room_) {
    add_entries();
  }
  collective_steps(const collective_steps&) = delete;
  collective_steps& operator=(const collective_steps&) = delete;

  /// Begins the next call. `of`: the communicator's call that these steps carry out. It is told of
  /// failures by the communicator's means, and a failure ends this call only. nullptr: the steps
  /// tell the other ranks, and all later calls fail, too.
  void begin(const mpx::detail::collective_call* of = nullptr) noexcept {
    // Ranks leave calls that they cannot make, so only the communicator counts them.
    serial_ = of == nullptr ? serial_ + 1 : static_cast<std::uint32_t>(of->serial);
    of_ = of;
    if (of_ != nullptr) recover();
    if (why_ == errc{} && serial_ >= failed_from_) fail(errc::pending, {failed_by_});
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
  std::uint64_t dropped() const noexcept { return table_.counted().dropped; }
  std::uint64_t found_in_heap() const noexcept { return found_; }

  // --- The steps: see coll::Steps ----------------------------------------------------------------

  rank_t rank() const noexcept { return table_.rank(); }
  rank_t size() const noexcept { return table_.size(); }
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
  static constexpr index messages = 0, reads = 1, misfits = 2, failures = 3, readies = 4;
  static constexpr index streams = 5;
  static constexpr match_bits long_bit = match_bits{1} << 63;
  static constexpr std::uint64_t misfit_label = 2, failure_label = 3;
  static constexpr std::uint64_t ready_label = 4, stream_label = 5;
  static constexpr std::uint64_t first_label = 8;
  static constexpr std::size_t spare = 64;  // Messages of a round beside one to each rank.

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
    std::unique_ptr<combined_block> block{};
    entry<Stack> posted{};
  };
  /// Number of messages between a pair in a call.
  struct counter {
    std::uint32_t serial = 0;
    std::uint32_t count = 0;
  };

  static limits limits_for(rank_t ranks) noexcept {
    const auto n = static_cast<std::uint32_t>(ranks);
    return {.portals = 6, .entries = 4 * (n + 64), .operations = 4 * (n + 64), .replies = n + 64};
  }
  static std::vector<std::span<std::byte>> slots(std::size_t n) {
    return std::vector<std::span<std::byte>>(n);
  }
  static std::size_t room_for(const communicator<Stack>& comm) noexcept {
    return static_cast<std::size_t>(comm.size()) + spare;
  }
  void add_entries() {
    const auto n = static_cast<std::size_t>(size());
    sent_.resize(n);
    got_.resize(n);
    const options headers{.keep = saves::header};
    const onward following = onward::following();
    shorts_ = table_.append(messages, {.bits = 0, .ignore = ~long_bit}, heap_,
                            {.how = {.keep = saves::both}});
    longs_ = table_.append(messages, {.bits = long_bit, .ignore = ~long_bit}, heap_,
                           {.how = {.keep = saves::header}});
    const auto note = [&](index portal, std::uint64_t label) {
      return table_.append(portal, {.ignore = ~match_bits{0}}, notes_,
                           {.how = headers, .no_buffer = following, .label = label}, events_);
    };
    misfit_ = note(misfits, misfit_label);
    failure_ = note(failures, failure_label);
    ready_ = note(readies, ready_label);
  }
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
    return {};
  }
  /// Drops everything that is under way, and tells the other ranks not to wait for this one.
  void give_up() noexcept {
    receives_.clear();
    sends_.clear();
    leaving_.clear();
    if (of_ != nullptr || std::exchange(told_, true)) return;
    for (rank_t r = 0; r < size(); ++r) {
      std::error_code ec;
      if (r != rank()) table_.put(std::span<const std::byte>(), r, {failures, serial_}, {}, ec);
    }
  }
  /// Forgets the failure of the call before, and what it has left in the heap. Messages of calls
  /// that have ended here are of no use; nothing but a failure leaves some.
  void recover() noexcept {
    const bool failed = std::exchange(why_, errc{}) != errc{};
    thrown_ = nullptr;
    blame_ = {};
    guarded([&] {
      while (const auto e = events_.poll()) handle(*e);
      const std::uint64_t drops = dropped();
      if (!failed && drops == drops_seen_) return;
      drops_seen_ = drops;
      const auto is_old = [this](const message& m) { return is_before(m.bits); };
      while (table_.take_if(heap_, is_old)) {
      }
    });
  }
  /// True if a message is of a call before this one.
  bool is_before(match_bits bits) const noexcept {
    const auto serial = static_cast<std::uint32_t>(bits >> 32) & 0x7fff'ffffu;
    return ((serial - serial_) & 0x7fff'ffffu) >= 0x4000'0000u;
  }
  /// Handles the next event; or answers to messages, data that was pulled, and blocks that have
  /// left. Fails if the call can never end.
  void step() {
    bool lost = false;
    bool answered = false;
    const auto next = events_.wait_unless(
        [&] {
          for (sending& s : sends_)
            if (!s.saved && is_answered(s)) s.answered = answered = true;
          for (const receiving& r : receives_)
            answered = answered || (r.pull && mpx::detail::request_access::done_locked(r.pull));
          for (const request<Stack>& r : leaving_)
            answered = answered || mpx::detail::request_access::done_locked(r);
          return answered || (lost = of_ != nullptr && endpoint_.collective_lost(*of_));
        },
        awaited().other);
    if (next) return handle(*next);
    if (lost) return fail(errc::peer_lost);
    for (std::size_t i = 0; i < sends_.size() && why_ == errc{}; ++i)
      if (std::exchange(sends_[i].answered, false)) look_at(sends_[i]);
    for (receiving& r : receives_)
      if (r.pull && mpx::detail::request_access::is_done(r.pull)) {
        std::error_code ec;
        r.pull.wait(ec);
        if (ec) return fail(static_cast<errc>(ec.value()), blame_for(r));
        r.here = true;
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

  match_bits next(std::vector<counter>& all, rank_t r) noexcept {
    counter& c = all[static_cast<std::size_t>(r)];
    if (c.serial != serial_) c = {serial_, 0};
    return match_bits{serial_ & 0x7fff'ffffu} << 32 | c.count++;
  }

  void begin_send(const memory& data, rank_t to) {
    if (sends_.size() >= room_) return fail(errc::no_resources);
    const bool is_long = data.bytes > most_.short_bytes_max;
    sends_.push_back({.label = next_label_++,
                      .bits = next(sent_, to) | (is_long ? long_bit : 0),
                      .to = to,
                      .data = data});
    sending& s = sends_.back();
    if (is_long) {
      s.block = std::make_unique<combined_block>(data);
      s.read = table_.append(reads, {.bits = s.bits, .from = to}, *s.block,
                             {.how = {.direction = access::read_only}, .label = s.label}, events_);
    }
    post(s);
  }
  void post(sending& s) {
    *s.answer = {};
    s.leaves = table_.put_acknowledged(s.data, s.to, {messages, s.bits}, *s.answer, mpx::start);
  }
  void begin_receive(const memory& into, rank_t from, std::uint64_t round) {
    if (receives_.size() >= room_) return fail(errc::no_resources);
    receives_.push_back({.label = next_label_++,
                         .round = round,
                         .bits = next(got_, from),
                         .from = from,
                         .into = into,
                         .block = std::make_unique<combined_block>(into)});
    receiving& r = receives_.back();
    r.posted = table_.insert(
        shorts_, messages, {.bits = r.bits, .ignore = long_bit, .from = from}, *r.block,
        {.too_small = table_.to(misfit_), .label = r.label, .active = false}, events_);
    auto m = table_.take_or_activate(heap_, r.posted);
    if (!m) return;
    ++found_;
    r.posted.remove();
    if (m.is().length != into.bytes) return fail(errc::count, blame_for(r));
    if (m.what() == saved::header) {
      r.pull = table_.get(into, from, {reads, r.bits | long_bit}, mpx::start);
    } else {
      m.wait();
      into.write(0, m.data());
      r.here = true;
    }
  }

  void pass_round(const memory& all, std::size_t bytes) {
    const rank_t n = size();
    const rank_t left = coll::around(rank() - 1, n);
    const rank_t right = coll::around(rank() + 1, n);
    combined_block block(all);
    const auto stream = table_.append(streams, {.bits = serial_, .from = left}, block,
                                      {.label = stream_label}, events_);
    streamed_ = 0;
    table_.put(std::span<const std::byte>(), left, {readies, serial_, bytes});
    while (why_ == errc{} && ready_serial_ != serial_) step();
    if (why_ == errc{} && ready_bytes_ != bytes) fail(errc::count);
    for (rank_t i = 0; i + 1 < n; ++i) {
      while (why_ == errc{} && streamed_ < i) step();  // Block i has arrived.
      if (why_ != errc{}) return;
      const std::size_t at = static_cast<std::size_t>(coll::around(rank() - i, n)) * bytes;
      leaving_.push_back(
          table_.put(coll::slice(all, at, bytes), right, {streams, serial_, at}, {}, mpx::start));
    }
    while (why_ == errc{} && (streamed_ < n - 1 || !leaving_.empty())) step();
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
      case misfit_label: table_.release(notes_, e.buffer); return fail(errc::count, {e.is.source});
      case failure_label:
        table_.release(notes_, e.buffer);
        if (e.is.bits < failed_from_) failed_by_ = e.is.source;
        failed_from_ = lesser<std::uint64_t>(failed_from_, e.is.bits);
        return serial_ >= failed_from_ ? fail(errc::pending, {e.is.source}) : void();
      case ready_label:
        table_.release(notes_, e.buffer);
        ready_serial_ = e.is.bits;
        ready_bytes_ = e.is.offset;
        return;
      case stream_label:
        if (e.is.bits != serial_) return;  // Of a call that has failed.
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

  collective_limits most_;
  std::size_t room_;
  std::optional<mpx::detail::second_call<Stack>> barrier_;
  table<Stack> table_;
  mpx::detail::endpoint<Stack>& endpoint_;
  const mpx::detail::collective_call* of_ = nullptr;
  dynamic_block heap_;
  independent_block notes_;
  events<Stack> events_;  // Of receives, pulls and notes: none is lost.
  entry<Stack> shorts_, longs_, misfit_, failure_, ready_;
  std::uint32_t serial_ = 0;
  std::uint64_t failed_from_ = ~std::uint64_t{0};
  rank_t failed_by_ = proc_null;
  std::uint64_t round_ = 0;
  // Last call for which the right neighbour was ready,
  std::uint64_t ready_serial_ = ~std::uint64_t{0};
  std::uint64_t ready_bytes_ = 0;  // and the length of its blocks.
  rank_t streamed_ = 0;            // Blocks that have arrived in this call.
  std::uint64_t next_label_ = first_label;
  std::vector<counter> sent_;
  std::vector<counter> got_;
  std::vector<sending> sends_;
  std::vector<receiving> receives_;
  std::vector<request<Stack>> leaving_;  // Blocks on their way round the ring.
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
