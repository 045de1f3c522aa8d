// SPDX-License-Identifier: BSL-1.0
#pragma once
// A program that uses everything once, and checks what it gets; and what may become of it when an
// allocation fails. Include scarce.hpp before.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <mpx/mpx.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace alloc_program {

/// A promise that was not kept.
struct broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};
inline void require(bool kept, const std::string& what) {
  if (!kept) throw broken(what);
}

/// Makes a call that could not start for lack of memory once more: nothing may have happened.
template <class F>
auto again(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const mpx::error& e) {
    if (e.code() != mpx::errc::no_resources) throw;
  }
  return f();
}
/// The same with the forms that do not throw.
template <class F>
auto again(std::error_code& ec, F&& f) -> decltype(f()) {
  auto result = f();
  if (ec == mpx::errc::no_resources) result = f();
  if (ec) throw mpx::error(ec, "with std::error_code");
  return result;
}

/// Program of one rank. All ranks send to the next, and receive from the one before.
template <class Stack>
class program {
  using request = mpx::request<Stack>;
  using bytes = std::vector<std::byte>;

 public:
  /// `attached` outlives the environment: a rank that fails cannot wait until buffered sends are
  /// out.
  program(mpx::environment<Stack>& env, bytes& attached)
      : env_(env),
        world_(env.world()),
        attached_(attached),
        to_((world_.rank() + 1) % world_.size()),
        from_((world_.rank() + world_.size() - 1) % world_.size()) {}

  void run() {
    attached_.assign(64 * 1024, {});
    again([&] { env_.attach_buffer(attached_); });
    modes();
    blocking();
    unexpected();
    wildcards();
    probes();
    persistent();
    dropped();
    many();
    require(env_.detach_buffer().size() == attached_.size(), "the attached buffer has changed");
    collectives();
  }

 private:
  static constexpr std::size_t sizes[] = {8, 0, 600, 3000, 20'000};
  static constexpr mpx::tag_t meeting = 1'000'000;

  static bytes message(mpx::rank_t from, mpx::tag_t tag, std::size_t size) {
    bytes m(size);
    std::uint64_t word = static_cast<std::uint64_t>(from) * 1'000'003 +
                         static_cast<std::uint64_t>(tag) * 0x9e37'79b9'7f4a'7c15u + 1;
    for (std::size_t at = 0; at < size; at += 8) {
      word = (word ^ word >> 29) * 6364136223846793005u + 1442695040888963407u;
      std::memcpy(m.data() + at, &word, std::min<std::size_t>(8, size - at));
    }
    return m;
  }
  bytes outgoing(mpx::tag_t tag, std::size_t size) const {
    return message(world_.rank(), tag, size);
  }
  void check(const bytes& in, mpx::tag_t tag) const {
    require(in == message(from_, tag, in.size()),
            "a message of " + std::to_string(in.size()) + " bytes has wrong contents");
  }

  /// Returns when all ranks are here. (Not by a collective, which could not be made again.)
  void meet() {
    for (mpx::rank_t step = 1; step < world_.size(); step *= 2) {
      const mpx::rank_t n = world_.size();
      int in = 0;
      const int out = ++met_;
      auto receiving =
          again([&] { return world_.irecv(in, (world_.rank() + n - step) % n, meeting + step); });
      again([&] { world_.send(out, (world_.rank() + step) % n, meeting + step); });
      receiving.wait();
      require(in == out, "two ranks meet that should not");
    }
  }

  request start(mpx::mode mode, const bytes& out, mpx::tag_t tag) {
    return again([&]() -> request {
      switch (mode) {
        case mpx::mode::synchronous: return world_.issend(out, to_, tag);
        case mpx::mode::buffered: return world_.ibsend(out, to_, tag);
        case mpx::mode::ready: return world_.irsend(out, to_, tag);
        case mpx::mode::standard: break;
      }
      return world_.isend(out, to_, tag);
    });
  }

  /// Every mode and length, to a receive that is posted.
  void modes() {
    for (const auto mode :
         {mpx::mode::standard, mpx::mode::synchronous, mpx::mode::buffered, mpx::mode::ready}) {
      for (const std::size_t size : sizes) {
        const mpx::tag_t tag = ++tag_;
        const bytes out = outgoing(tag, size);
        bytes in(size);
        std::error_code ec;
        auto receiving = again(ec, [&] { return world_.irecv(in, from_, tag, ec); });
        if (mode == mpx::mode::ready) meet();
        start(mode, out, tag).wait();
        receiving.wait();
        check(in, tag);
      }
    }
  }

  /// Receives that look for their message themselves, and both halves at once.
  void blocking() {
    for (const std::size_t size : sizes) {
      for (const bool late : {false, true}) {
        const mpx::tag_t tag = ++tag_;
        const bytes out = outgoing(tag, size);
        bytes in(size);
        auto sending = start(mpx::mode::standard, out, tag);
        if (late) meet();
        std::error_code ec;
        if (late) again(ec, [&] { return world_.recv(in, from_, tag, ec); });
        if (!late) again([&] { return world_.recv(in, from_, tag); });
        sending.wait();
        check(in, tag);
      }
    }
  }

  /// Every mode and length, long before the receive; and more than there is credit for.
  void unexpected() {
    const mpx::tag_t first = tag_ + 1;
    std::vector<bytes> out;
    for (const std::size_t size : sizes)
      for (int i = 0; i < 3; ++i) out.push_back(outgoing(++tag_, size));
    for (int i = 0; i < 60; ++i) out.push_back(outgoing(++tag_, 200));
    std::vector<request> sending;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto mode = i % 3 == 0   ? mpx::mode::synchronous
                        : i % 3 == 1 ? mpx::mode::buffered
                                     : mpx::mode::standard;
      sending.push_back(start(out[i].size() > 5000 ? mpx::mode::standard : mode, out[i],
                              first + static_cast<mpx::tag_t>(i)));
    }
    meet();
    for (std::size_t i = out.size(); i-- > 0;) {
      bytes in(out[i].size());
      const mpx::tag_t tag = first + static_cast<mpx::tag_t>(i);
      const mpx::status got = again([&] { return world_.recv(in, from_, tag); });
      require(got.bytes() == in.size(), "a message has another length");
      check(in, tag);
    }
    for (request& r : sending) r.wait();
  }

  void wildcards() {
    for (const std::size_t size : sizes) {
      const mpx::tag_t tag = ++tag_;
      const bytes out = outgoing(tag, size);
      std::vector<bytes> in(3, bytes(size));
      std::vector<request> all;
      all.push_back(again([&] { return world_.irecv(in[0]); }));
      all.push_back(again([&] { return world_.irecv(in[1], mpx::any_source, tag); }));
      all.push_back(again([&] { return world_.irecv(in[2], from_, mpx::any_tag); }));
      for (int i = 0; i < 3; ++i) all.push_back(start(mpx::mode::standard, out, tag));
      for (request& r : all) r.wait();
      for (const bytes& one : in) check(one, tag);
      meet();
    }
  }

  void probes() {
    for (const std::size_t size : sizes) {
      const mpx::tag_t tag = ++tag_;
      const bytes out = outgoing(tag, size);
      bytes in(size);
      std::vector<request> sending;
      for (int i = 0; i < 4; ++i)
        sending.push_back(start(i == 3 ? mpx::mode::synchronous : mpx::mode::standard, out, tag));
      require(again([&] { return world_.probe(mpx::any_source, tag); }).bytes() == size,
              "a probe has another length");
      while (!again([&] { return world_.iprobe(from_, tag); })) {
      }
      again([&] { return world_.recv(in, from_, tag); });
      check(in, tag);
      in.assign(size, {});
      {
        auto found = again([&] { return world_.mprobe(from_, tag); });
        again([&] { return found.recv(in); });
      }
      check(in, tag);
      {
        auto claimed = again([&] { return world_.improbe(from_, tag); });
        while (!claimed) claimed = again([&] { return world_.improbe(from_, tag); });
        in.assign(size, {});
        auto matched = again([&] { return claimed->irecv(in); });
      }  // The data is dropped as it arrives.
      {
        auto unwanted = again([&] { return world_.mprobe(from_, tag); });
      }
      for (request& r : sending) r.wait();
    }
  }

  void persistent() {
    for (const std::size_t size : sizes) {
      const mpx::tag_t tag = ++tag_;
      const bytes out = outgoing(tag, size);
      bytes in(size);
      auto receiving = world_.recv_init(in, from_, tag);
      auto sending = world_.send_init(out, to_, tag);
      for (int round = 0; round < 2; ++round) {
        in.assign(size, {});
        again([&] { receiving.start(); });
        again([&] { sending.start(); });
        receiving.wait();
        sending.wait();
        check(in, tag);
      }
    }
  }

  /// Requests that go before their operation is over.
  void dropped() {
    {
      int never = 0;
      auto unmatched = again([&] { return world_.irecv(never, from_, meeting - 1); });
      auto cancelled = again([&] { return world_.irecv(never, from_, meeting - 1); });
      require(cancelled.cancel() && cancelled.wait().cancelled(), "a receive is not cancelled");
    }
    for (const std::size_t size : sizes) {
      for (const auto mode : {mpx::mode::standard, mpx::mode::synchronous}) {
        const mpx::tag_t tag = ++tag_;
        {
          bytes out = outgoing(tag, size);
          {
            auto sending = start(mode, out, tag);
          }
          std::fill(out.begin(), out.end(), std::byte{});
        }
        meet();
        bytes in(size);
        again([&] { return world_.recv(in, from_, tag); });
        check(in, tag);
      }
    }
  }

  /// More at once than any table has room for at first.
  void many() {
    for (const bool early : {false, true}) {
      constexpr std::size_t count = 100;
      const mpx::tag_t first = tag_ + 1;
      tag_ += static_cast<mpx::tag_t>(count);
      std::vector<bytes> out;
      std::vector<bytes> in;
      for (std::size_t i = 0; i < count; ++i) {
        out.push_back(outgoing(first + static_cast<mpx::tag_t>(i), i % 7 == 0 ? 1500 : i));
        in.emplace_back(out.back().size());
      }
      std::vector<request> all;
      const auto post_all = [&] {
        for (std::size_t i = 0; i < count; ++i)
          all.push_back(again(
              [&] { return world_.irecv(in[i], from_, first + static_cast<mpx::tag_t>(i)); }));
      };
      const auto send_all = [&] {
        for (std::size_t i = 0; i < count; ++i)
          all.push_back(start(mpx::mode::standard, out[i], first + static_cast<mpx::tag_t>(i)));
      };
      if (early) {
        send_all();
        meet();
        post_all();
      } else {
        post_all();
        send_all();
      }
      for (request& r : all) r.wait();
      for (std::size_t i = 0; i < count; ++i) check(in[i], first + static_cast<mpx::tag_t>(i));
    }
  }

  void collectives() {
    auto other = world_.dup();
    other.barrier();
    std::vector<std::int64_t> values(1000, world_.rank() + 1);
    world_.allreduce(std::span(values), std::plus<>{});
    const std::int64_t n = world_.size();
    require(values == std::vector<std::int64_t>(1000, n * (n + 1) / 2), "a sum is wrong");
    other.bcast(values, n - 1 > 0 ? 1 : 0);
    require(values.front() == n * (n + 1) / 2, "a broadcast is wrong");
    bytes both = outgoing(++tag_, 3000);
    other.sendrecv_replace(both, to_, 1, from_, 1);
    check(both, tag_);
    world_.barrier();
  }

  mpx::environment<Stack>& env_;
  mpx::communicator<Stack> world_;
  bytes& attached_;
  mpx::rank_t to_;
  mpx::rank_t from_;
  mpx::tag_t tag_ = 0;
  int met_ = 0;
};

/// Results of a run: of each rank that reached its program, and of the run as a whole.
class record {
 public:
  explicit record(mpx::rank_t ranks)
      : attached_(static_cast<std::size_t>(ranks)), ends_(static_cast<std::size_t>(ranks)) {}

  /// One rank's program.
  template <class Stack>
  void play(mpx::environment<Stack>& env) {
    const auto rank = static_cast<std::size_t>(env.rank());
    try {
      program<Stack>(env, attached_[rank]).run();
      ends_[rank] = "done";
    } catch (const std::exception& e) {
      ends_[rank] = end_of(e);
      throw;
    }
  }
  void note(const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& e) {
      whole_ = end_of(e);
    } catch (...) {
      whole_ = "something that is no std::exception";
    }
  }

  bool all_done() const {
    return whole_.empty() && std::count(ends_.begin(), ends_.end(), "done") == std::ssize(ends_);
  }
  /// Returns what is not as it may be when memory was out, or "".
  std::string wrong() const {
    bool out = whole_ == no_memory;
    for (const std::string& end : ends_) {
      out = out || end == no_memory;
      if (end != "done" && !end.empty() && end != no_memory && end != lost) return "a rank: " + end;
    }
    if (!whole_.empty() && whole_ != no_memory && whole_ != lost) return "the run: " + whole_;
    if (!all_done() && !out) return "it failed, but no rank got errc::no_resources";
    return "";
  }

 private:
  static constexpr const char* no_memory = "no_resources";
  static constexpr const char* lost = "peer_lost";

  static std::string end_of(const std::exception& e) {
    if (const auto* known = dynamic_cast<const mpx::error*>(&e); known != nullptr) {
      if (known->code() == mpx::errc::no_resources) return no_memory;
      if (known->code() == mpx::errc::peer_lost) return lost;
    }
    return e.what();
  }

  std::vector<std::vector<std::byte>> attached_;
  std::vector<std::string> ends_;
  std::string whole_;
};

}  // namespace alloc_program
