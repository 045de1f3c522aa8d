// SPDX-License-Identifier: BSL-1.0
#pragma once
// A channel device over queues in memory, for ranks that are threads. Its options give it each
// ability that a device can have, and habits that a device may have. What breaks the contract of
// ChannelDevice on the adapter's side ends the program.

#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mpx/bootstrap/concepts.hpp>
#include <mpx/core/group.hpp>
#include <mpx/transport/channel.hpp>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memory_device {

using mpx::outcome;
using mpx::peer_id;
using mpx::remote_memory;

struct options {
  std::size_t control_bytes_max = 512;
  std::size_t packet_bytes_max = 4096;
  std::uint32_t buffered_packets = 0;
  std::size_t controls_max = 16;     ///< Of a pair, if no buffering is stated.
  std::size_t data_bytes_max = 700;  ///< Of a pair, unless buffering is stated.
  bool sends_to_self = false;
  bool is_unfair = false;  ///< It offers the first source that has a message.
};

[[noreturn]] inline void broken(const char* what) {
  std::fprintf(stderr, "memory_device: %s\n", what);
  std::abort();
}

/// The queues of a job.
struct office {
  struct pair {
    std::deque<std::vector<std::byte>> controls;
    std::deque<std::byte> data;
    std::deque<std::span<const std::byte>> sends;  // That were started and not received.
    std::uint64_t sends_done = 0;
    std::uint64_t sends_begun = 0;
    std::uint32_t packets = 0;  // Not received.
    std::size_t announced = 0;  // Data of the last control message that is not sent,
    std::size_t unread = 0;     // and that of received ones which is not read.
  };
  explicit office(std::size_t n) : pairs(n * n), exposed(n) {}
  std::mutex mutex;
  std::vector<pair> pairs;
  std::vector<std::map<std::uint64_t, std::span<std::byte>>> exposed;  // Of each rank, by key.
  std::uint64_t next_key = 1;
  std::deque<std::vector<std::byte>> abandoned;  // Payloads of sends.
};

template <options Options = options{}>
class plain {
 public:
  static constexpr std::string_view name = "memory";
  static constexpr mpx::device::traits traits{.control_bytes_max = Options.control_bytes_max,
                                              .packet_bytes_max = Options.packet_bytes_max,
                                              .buffered_packets = Options.buffered_packets,
                                              .sends_to_self = Options.sends_to_self};

  template <class B>  // Not to be taken for a copy: that would ask if a device is a Bootstrap.
  requires(!std::derived_from<B, plain>) && mpx::Bootstrap<B>
  explicit plain(B& b)
      : self_(mpx::world_peer(b.rank())), peers_(static_cast<std::size_t>(b.size())) {
    if (self_ == 0) office_ = std::make_shared<office>(peers_);
    const auto* address = &office_;
    std::string text(sizeof address, '\0');
    std::memcpy(text.data(), &address, sizeof address);
    if (self_ == 0) b.put("office", text);
    b.fence([] {});
    std::memcpy(&address, b.get(0, "office").value().data(), sizeof address);
    if (self_ != 0) office_ = *address;
    b.fence([] {});
  }
  plain(const plain&) = delete;

  bool control_available() noexcept {
    const std::lock_guard lock(office_->mutex);
    for (std::size_t i = 0; i < peers_; ++i) {
      const std::size_t p = Options.is_unfair ? i : (next_ + i) % peers_;
      const office::pair& from = pair(static_cast<peer_id>(p), self_);
      if (from.controls.empty() || from.unread != 0) continue;
      source_ = static_cast<peer_id>(p);
      next_ = p + 1;
      return true;
    }
    return false;
  }
  mpx::device::arrival receive_any_control(std::span<std::byte> into) noexcept {
    const std::lock_guard lock(office_->mutex);
    office::pair& from = pair(source_, self_);
    if (into.size() < Options.control_bytes_max) broken("no memory for a control message");
    const std::vector<std::byte> control = std::move(from.controls.front());
    from.controls.pop_front();
    std::uint32_t channel_bytes = 0;
    std::memcpy(&channel_bytes, control.data(), sizeof channel_bytes);
    const std::size_t bytes = control.size() - sizeof channel_bytes;
    if (bytes != 0) std::memcpy(into.data(), control.data() + sizeof channel_bytes, bytes);
    from.unread = channel_bytes;
    if (channel_bytes == 0) --from.packets;
    return {source_, bytes};
  }
  bool send_control(peer_id peer, std::span<const std::byte> control,
                    std::size_t channel_bytes) noexcept {
    const std::lock_guard lock(office_->mutex);
    office::pair& to = pair(self_, peer);
    if (peer == self_ && !Options.sends_to_self) broken("a message to oneself");
    if (to.announced != 0) broken("a control message before the data of the last one");
    if (control.size() > Options.control_bytes_max) broken("a control message that is too long");
    if (channel_bytes > Options.packet_bytes_max) broken("data that is too long");
    if (Options.buffered_packets != 0) {
      if (to.packets == Options.buffered_packets) broken("more packets than the device buffers");
    } else if (to.controls.size() >= Options.controls_max) {
      return false;
    }
    ++to.packets;
    to.announced = channel_bytes;
    const auto n = static_cast<std::uint32_t>(channel_bytes);
    std::vector<std::byte> copy(sizeof n + control.size());
    std::memcpy(copy.data(), &n, sizeof n);
    if (!control.empty()) std::memcpy(copy.data() + sizeof n, control.data(), control.size());
    to.controls.push_back(std::move(copy));
    return true;
  }
  std::size_t send_channel(peer_id peer, std::span<const std::byte> data) noexcept {
    const std::lock_guard lock(office_->mutex);
    office::pair& to = pair(self_, peer);
    std::size_t n = data.size();
    if (Options.buffered_packets == 0) {
      const std::size_t room = Options.data_bytes_max - to.data.size();
      n = n < room ? n : room;
    }
    if (n > to.announced) broken("data that no control message has announced");
    to.announced -= n;
    to.data.insert(to.data.end(), data.begin(), data.begin() + static_cast<std::ptrdiff_t>(n));
    return n;
  }
  std::size_t receive_channel(peer_id peer, std::span<std::byte> into) noexcept {
    const std::lock_guard lock(office_->mutex);
    office::pair& from = pair(peer, self_);
    if (into.size() != from.unread) broken("a receive of another length than the data has");
    const std::size_t n = into.size() < from.data.size() ? into.size() : from.data.size();
    std::copy_n(from.data.begin(), n, into.begin());
    from.data.erase(from.data.begin(), from.data.begin() + static_cast<std::ptrdiff_t>(n));
    read(from, n);
    return n;
  }

 protected:
  office::pair& pair(peer_id from, peer_id to) { return office_->pairs[from * peers_ + to]; }
  static void read(office::pair& from, std::size_t n) {
    from.unread -= n;
    if (n != 0 && from.unread == 0) --from.packets;
  }
  peer_id self_;
  std::size_t peers_;
  std::shared_ptr<office> office_;

 private:
  peer_id source_ = 0;
  std::size_t next_ = 0;
};

/// Sends and receives that are started and tested. A receive is complete at the third test.
template <options Options = options{}>
class nonblocking : public plain<Options> {
 public:
  using plain<Options>::plain;
  std::int64_t start_send(peer_id peer, std::span<const std::byte> data) noexcept {
    const std::lock_guard lock(this->office_->mutex);
    office::pair& to = this->pair(this->self_, peer);
    if (data.size() != to.announced) broken("a send of another length than was announced");
    if (++starts_ % 3 == 0) return -1;  // Not now.
    to.announced = 0;
    to.sends.push_back(data);
    operations_[++serial_] = {peer, ++to.sends_begun, {}, 0, data.data()};
    return serial_;
  }
  std::int64_t start_receive(peer_id peer, std::span<std::byte> into) noexcept {
    if (++starts_ % 3 == 0) return -1;
    operations_[++serial_] = {peer, 0, into, 0, nullptr};
    return serial_;
  }
  bool test(std::int64_t id) noexcept {
    const std::lock_guard lock(this->office_->mutex);
    const auto at = operations_.find(id);
    if (at == operations_.end()) broken("a test of an operation that is complete");
    operation& o = at->second;
    if (o.serial != 0) {
      if (this->pair(this->self_, o.peer).sends_done < o.serial) return false;
    } else {
      office::pair& from = this->pair(o.peer, this->self_);
      if (from.sends.empty() || ++o.tests < 3) return false;
      const std::span<const std::byte> data = from.sends.front();
      if (data.size() != o.into.size()) broken("a receive of another length");
      std::memcpy(o.into.data(), data.data(), data.size());
      from.sends.pop_front();
      ++from.sends_done;
      this->read(from, data.size());
    }
    operations_.erase(at);
    return true;
  }

  /// A send that was not received goes on from a copy.
  bool abandon(std::int64_t id) noexcept {
    const std::lock_guard lock(this->office_->mutex);
    const operation& o = operations_.at(id);
    for (std::span<const std::byte>& s : this->pair(this->self_, o.peer).sends) {
      if (s.data() != o.from) continue;
      this->office_->abandoned.emplace_back(s.begin(), s.end());
      s = this->office_->abandoned.back();
    }
    operations_.erase(id);
    return true;
  }

 private:
  struct operation {
    peer_id peer;
    std::uint64_t serial;  // Of a send; 0: a receive.
    std::span<std::byte> into;
    int tests;
    const std::byte* from;
  };
  std::map<std::int64_t, operation> operations_;
  std::int64_t serial_ = 0;
  unsigned starts_ = 0;
};

/// Gets and puts in pieces of 1000 bytes, of which each third one has to wait.
template <options Options = options{}>
class getting : public plain<Options> {
 public:
  using plain<Options>::plain;
  remote_memory expose(peer_id, std::span<const std::byte> memory) noexcept {
    const std::lock_guard lock(this->office_->mutex);
    auto& mine = this->office_->exposed[this->self_];
    if (mine.size() == 2000) return {};
    const std::uint64_t key = key_mark | this->office_->next_key++;
    mine[key] = {const_cast<std::byte*>(memory.data()), memory.size()};
    return {0, key};
  }
  outcome withdraw(peer_id, const remote_memory& memory) noexcept {
    const std::lock_guard lock(this->office_->mutex);
    this->office_->exposed[this->self_].erase(memory.key);
    return outcome::done;
  }
  bool reaches(const remote_memory& memory) noexcept { return memory.key >> 32 == 0x1234; }
  std::optional<std::size_t> get(peer_id peer, const remote_memory& memory, std::uint64_t offset,
                                 std::span<std::byte> into) noexcept {
    return copy(peer, memory, offset, into.size(), [&](std::byte* there, std::size_t n) {
      if (n != 0) std::memcpy(into.data(), there, n);
    });
  }
  std::optional<std::size_t> put(peer_id peer, const remote_memory& memory, std::uint64_t offset,
                                 std::span<const std::byte> from) noexcept {
    return copy(peer, memory, offset, from.size(), [&](std::byte* there, std::size_t n) {
      if (n != 0) std::memcpy(there, from.data(), n);
    });
  }

 private:
  static constexpr std::uint64_t key_mark = std::uint64_t{0x1234} << 32;
  template <class Copy>
  std::optional<std::size_t> copy(peer_id peer, const remote_memory& memory, std::uint64_t offset,
                                  std::size_t bytes, Copy c) noexcept {
    const std::lock_guard lock(this->office_->mutex);
    auto& theirs = this->office_->exposed[peer];
    const auto at = theirs.find(memory.key);
    if (at == theirs.end() || offset > at->second.size() || bytes > at->second.size() - offset)
      return {};
    if (waits && bytes > 1000 && ++calls_ % 3 == 0) return 0;
    const std::size_t n = bytes < 1000 ? bytes : 1000;
    c(at->second.data() + offset, n);
    return n;
  }
  unsigned calls_ = 0;

 public:
  /// Some pieces have to wait. (check_rma expects that gets are complete at once.)
  static inline bool waits = false;
};

/// The payload within a control message depends on the time.
template <options Options = options{}>
class changing : public plain<Options> {
 public:
  using plain<Options>::plain;
  std::size_t payload_bytes() const noexcept { return ++calls_ % 4 * 50; }

 private:
  mutable unsigned calls_ = 0;
};

}  // namespace memory_device
