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
  collective_steps(const communicator<Stack>& comm, const collective_limits& most,
                   std::source_location where)
      : table_(comm, limits_for(comm.size()), where),
        most_(most),
        room_(static_cast<std::size_t>(comm.size()) + spare),
        heap_(most.heap_bytes),
        acks_(slots(room_), independent_block::order::circular),
        notes_(slots(room_), independent_block::order::circular),
        events_(table_,
                4 * room_),  // Of receives, acknowledgements, pulls and notes: none is lost.
        sent_(static_cast<std::size_t>(comm.size())),
        got_(static_cast<std::size_t>(comm.size())) {
    const options headers{.keep = saves::header};
    const onward following = onward::following();
    shorts_ = table_.append(messages, {.bits = 0, .ignore = ~long_bit}, heap_,
                            {.how = {.keep = saves::both, .acknowledge = true}});
    longs_ = table_.append(messages, {.bits = long_bit, .ignore = ~long_bit}, heap_,
                           {.how = {.keep = saves::header, .acknowledge = true}});
    acknowledged_ = table_.attach(acks, acks_, {.how = headers, .label = ack_label}, events_);
    misfit_ =
        table_.append(misfits, {.ignore = ~match_bits{0}}, notes_,
                      {.how = headers, .no_buffer = following, .label = misfit_label}, events_);
    failure_ =
        table_.append(failures, {.ignore = ~match_bits{0}}, notes_,
                      {.how = headers, .no_buffer = following, .label = failure_label}, events_);
    ready_ = table_.append(readies, {.ignore = ~match_bits{0}}, notes_,
                           {.how = headers, .no_buffer = following, .label = ready_label}, events_);
    comm.barrier(mpx::detail::throws_t{}, where);  // All ranks have their entries.
  }
  collective_steps(const collective_steps&) = delete;
  collective_steps& operator=(const collective_steps&) = delete;

  /// Begins the next call.
  void begin() noexcept {
    ++serial_;
    scratch_.clear();
    if (why_ == errc{} && serial_ >= failed_from_) fail(errc::pending);
  }
  /// Ends a call that has failed: tells the other ranks. All later calls fail, too.
  errc end() noexcept {
    if (why_ != errc{}) give_up();
    return why_;
  }
  /// Fails the call because of its arguments.
  void refuse(errc why) noexcept { fail(why); }
  std::exception_ptr thrown() const noexcept { return thrown_; }
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
      for (receiving& r : receives_) {
        if (r.round > round_ || r.here || !r.pull) continue;
        r.pull.wait();
        r.here = true;
      }
      while (why_ == errc{} && !is_over()) handle(events_.wait());
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
  static constexpr index messages = 0, reads = 1, acks = 2, misfits = 3, failures = 4;
  static constexpr index readies = 5, streams = 6;
  static constexpr match_bits long_bit = match_bits{1} << 63;
  static constexpr std::uint64_t ack_label = 1, misfit_label = 2, failure_label = 3;
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
    return {.portals = 7, .entries = 4 * (n + 64), .operations = 4 * (n + 64), .replies = n + 64};
  }
  static std::vector<std::span<std::byte>> slots(std::size_t n) {
    return std::vector<std::span<std::byte>>(n);
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
  void fail(errc why) noexcept {
    if (why_ == errc{}) why_ = why;
  }
  /// Drops everything that is under way, and tells the other ranks not to wait for this one.
  void give_up() noexcept {
    receives_.clear();
    sends_.clear();
    if (std::exchange(told_, true)) return;
    for (rank_t r = 0; r < size(); ++r) {
      std::error_code ec;
      if (r != rank()) table_.put(std::span<const std::byte>(), r, {failures, serial_}, {}, ec);
    }
  }
  match_bits next(std::vector<counter>& all, rank_t r) noexcept {
    counter& c = all[static_cast<std::size_t>(r)];
    if (c.serial != serial_) c = {serial_, 0};
    return match_bits{serial_ & 0x7fff'ffffu} << 32 | c.count++;
  }

  void begin_send(const memory& data, rank_t to) {
    while (sends_.size() >= room_ && why_ == errc{}) handle(events_.wait());
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
    s.leaves = table_.put(s.data, s.to, {messages, s.bits}, {acks, s.bits}, mpx::start);
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
    r.posted = table_.insert(shorts_, messages, {.bits = r.bits, .ignore = long_bit, .from = from},
                             *r.block,
                             {.how = {.acknowledge = true},
                              .too_small = table_.to(misfit_),
                              .label = r.label,
                              .active = false},
                             events_);
    auto m = table_.take_or_activate(heap_, r.posted);
    if (!m) return;
    ++found_;
    r.posted.remove();
    if (m.is().length != into.bytes) return fail(errc::count);
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
    while (why_ == errc{} && ready_serial_ != serial_) handle(events_.wait());
    if (why_ == errc{} && ready_bytes_ != bytes) fail(errc::count);
    std::vector<request<Stack>> leaving;
    for (rank_t i = 0; i + 1 < n; ++i) {
      while (why_ == errc{} && streamed_ < i) handle(events_.wait());  // Block i has arrived.
      if (why_ != errc{}) return;
      const std::size_t at = static_cast<std::size_t>(coll::around(rank() - i, n)) * bytes;
      leaving.push_back(
          table_.put(coll::slice(all, at, bytes), right, {streams, serial_, at}, {}, mpx::start));
    }
    while (why_ == errc{} && streamed_ < n - 1) handle(events_.wait());
    for (auto& r : leaving)
      if (why_ == errc{} && r) r.wait();
  }

  bool is_over() const noexcept {
    for (const receiving& r : receives_)
      if (r.round <= round_ && !r.here) return false;
    for (const sending& s : sends_)
      if (!s.saved || !s.served) return false;
    return true;
  }
  void handle(const event& e) {
    if (e.kind == event_kind::lost) return fail(e.failure);
    if (e.kind == event_kind::served) {
      for (sending& s : sends_)
        if (s.label == e.label) s.served = true;
      return;
    }
    switch (e.label) {
      case ack_label: {
        table_.release(acks_, e.buffer);
        sending* const s = find(e.is.bits, e.is.source);
        return s == nullptr ? void() : told(*s, e.is);
      }
      case misfit_label: table_.release(notes_, e.buffer); return fail(errc::count);
      case failure_label:
        table_.release(notes_, e.buffer);
        failed_from_ = lesser<std::uint64_t>(failed_from_, e.is.bits);
        return serial_ >= failed_from_ ? fail(errc::pending) : void();
      case ready_label:
        table_.release(notes_, e.buffer);
        ready_serial_ = static_cast<std::uint32_t>(e.is.bits);
        ready_bytes_ = e.is.offset;
        return;
      case stream_label: ++streamed_; return e.failure == errc{} ? void() : fail(e.failure);
      default: break;
    }
    for (receiving& r : receives_) {
      if (r.label != e.label) continue;
      r.posted.remove();
      r.here = true;
      if (e.failure != errc{}) return fail(e.failure);
      if (e.is.length != r.into.bytes) fail(errc::count);
      return;
    }
  }
  void told(sending& s, const message& how) {
    switch (how.result()) {
      case saved::nothing:
        if (how.reason() != drop_reason::no_buffer) return fail(errc::count);
        s.leaves.wait();
        ++again_;
        return post(s);
      case saved::header:
        s.leaves.wait();
        s.saved = true;
        return;
      default:
        s.leaves.wait();
        s.saved = s.served = true;
        s.read.remove();
    }
  }
  sending* find(match_bits bits, rank_t to) noexcept {
    for (sending& s : sends_)
      if (s.bits == bits && s.to == to) return &s;
    return nullptr;
  }

  table<Stack> table_;
  collective_limits most_;
  std::size_t room_;
  dynamic_block heap_;
  independent_block acks_;
  independent_block notes_;
  events<Stack> events_;
  entry<Stack> shorts_, longs_, acknowledged_, misfit_, failure_, ready_;
  std::uint32_t serial_ = 0;
  std::uint64_t failed_from_ = ~std::uint64_t{0};
  std::uint64_t round_ = 0;
  std::uint32_t ready_serial_ = 0;  // Last call for which the right neighbour was ready,
  std::uint64_t ready_bytes_ = 0;   // and the length of its blocks.
  rank_t streamed_ = 0;             // Blocks that have arrived in this call.
  std::uint64_t next_label_ = first_label;
  std::vector<counter> sent_;
  std::vector<counter> got_;
  std::vector<sending> sends_;
  std::vector<receiving> receives_;
  std::vector<std::unique_ptr<mpx::scratch_bytes>> scratch_;
  std::exception_ptr thrown_;
  errc why_{};
  bool told_ = false;
  std::uint64_t again_ = 0;
  std::uint64_t found_ = 0;
};

}  // namespace detail
}  // namespace mpx::inline v0::portals
