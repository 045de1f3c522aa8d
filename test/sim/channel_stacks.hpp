// SPDX-License-Identifier: BSL-1.0
#pragma once
// Stacks over transport channel on a simulated device, with each ability of devices.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mpx/mpx.hpp>
#include <mpx/sim.hpp>
#include <mpx/transport/channel.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/explorer_stacks.hpp"

namespace explorer {

using mpx::outcome;
using mpx::peer_id;

/// Sizes of a simulated device. It takes data in pieces.
struct device_options {
  std::size_t control_bytes_max;
  std::size_t packet_bytes_max;
  std::size_t piece_bytes;
  std::uint32_t depth;  ///< Control messages and pieces of a pair.
  std::uint32_t buffered_packets = 0;
};

/// A channel device over the simulated network: control messages and pieces of data are packets.
template <device_options Options, sim_rma Rma = sim_rma::none>
class sim_device {
  static constexpr std::size_t most = Options.control_bytes_max < Options.piece_bytes
                                          ? Options.piece_bytes
                                          : Options.control_bytes_max;
  using network = basic_sim<Rma, most, Options.depth>;

 public:
  using bootstrap_type = mpx::bootstrap::sim;
  static constexpr std::string_view name = "sim_device";
  static constexpr mpx::device::traits traits{.control_bytes_max = Options.control_bytes_max,
                                              .packet_bytes_max = Options.packet_bytes_max,
                                              .buffered_packets = Options.buffered_packets};
  explicit sim_device(mpx::bootstrap::sim& b) : network_(b), sources_(network_.peers()) {}

  bool control_available() noexcept {
    if (!controls_.empty()) return true;
    network_.poll(*this);
    return !controls_.empty();
  }
  mpx::device::arrival receive_any_control(std::span<std::byte> into) noexcept {
    const held c = std::move(controls_.front());
    controls_.pop_front();
    if (!c.bytes.empty()) std::memcpy(into.data(), c.bytes.data(), c.bytes.size());
    return {c.source, c.bytes.size()};
  }
  bool send_control(peer_id peer, std::span<const std::byte> control,
                    std::size_t channel_bytes) noexcept {
    const auto bytes = static_cast<std::uint32_t>(channel_bytes);
    return post(peer, {{1, bytes, 0, 0, 0}}, control);
  }
  std::size_t send_channel(peer_id peer, std::span<const std::byte> data) noexcept {
    const auto piece = data.first(std::min(data.size(), Options.piece_bytes));
    return post(peer, {{2, 0, 0, 0, 0}}, piece) ? piece.size() : 0;
  }
  std::size_t receive_channel(peer_id peer, std::span<std::byte> into) noexcept {
    auto& from = sources_[peer];
    if (from.empty()) network_.poll(*this);
    const std::size_t n = std::min(into.size(), from.size());
    std::copy_n(from.begin(), n, into.begin());
    from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(n));
    return n;
  }

  /// Data may have come in after its receive has looked for it.
  bool arm() noexcept {
    return !std::exchange(has_news_, false) && controls_.empty() && network_.arm();
  }
  void sleep(std::int64_t timeout_ns) noexcept { network_.sleep(timeout_ns); }
  void disarm() noexcept { network_.disarm(); }
  void wake() noexcept { network_.wake(); }
  std::int64_t now_ns() const noexcept { return network_.now_ns(); }
  bool oversubscribed() const noexcept { return network_.oversubscribed(); }
  void compute(std::int64_t ns) noexcept { network_.compute(ns); }

  mpx::remote_memory expose(peer_id peer, std::span<const std::byte> memory) noexcept
      requires(Rma == sim_rma::cpu)
  {
    return network_.expose(peer, memory);
  }
  outcome withdraw(peer_id peer, const mpx::remote_memory& memory) noexcept
      requires(Rma == sim_rma::cpu)
  {
    return network_.withdraw(peer, memory);
  }
  bool reaches(const mpx::remote_memory& memory) noexcept requires(Rma == sim_rma::cpu)
  {
    return network_.get_cost_hint(0, memory, 0) != mpx::cost_hint::never;
  }
  std::optional<std::size_t> get(peer_id peer, const mpx::remote_memory& memory,
                                 std::uint64_t offset, std::span<std::byte> into) noexcept
      requires(Rma == sim_rma::cpu)
  {
    if (into.size() > 300 && ++calls_ % 3 == 0) return wait();
    const auto piece = into.first(std::min<std::size_t>(into.size(), 300));
    if (network_.get(peer, memory, offset, piece, 0) != outcome::done) return {};
    return piece.size();
  }
  std::optional<std::size_t> put(peer_id peer, const mpx::remote_memory& memory,
                                 std::uint64_t offset, std::span<const std::byte> from) noexcept
      requires(Rma == sim_rma::cpu)
  {
    if (from.size() > 300 && ++calls_ % 3 == 0) return wait();
    const auto piece = from.first(std::min<std::size_t>(from.size(), 300));
    if (network_.put(peer, memory, offset, piece, 0) != outcome::done) return {};
    return piece.size();
  }

  // --- What the network calls --------------------------------------------------------------------

  void packet(peer_id source, const mpx::frame_header& h,
              std::span<const std::byte> payload) noexcept {
    if (h.word[0] == 1) return controls_.push_back({source, {payload.begin(), payload.end()}});
    has_news_ = true;
    sources_[source].insert(sources_[source].end(), payload.begin(), payload.end());
  }
  std::span<std::byte> place(peer_id, const mpx::frame_header&, std::size_t) noexcept { return {}; }
  void complete(mpx::cookie_t, bool) noexcept {}
  void malformed(peer_id) noexcept {}
  void unreachable(peer_id) noexcept {}

 protected:
  network network_;

 private:
  struct held {
    peer_id source;
    std::vector<std::byte> bytes;
  };
  bool post(peer_id peer, const mpx::frame_header& h, std::span<const std::byte> bytes) noexcept {
    const bool is_done = network_.post(peer, h, bytes, 0) == outcome::done;
    if (!is_done && Options.buffered_packets != 0) {
      std::fprintf(stderr, "sim_device: more packets than it buffers\n");
      std::abort();
    }
    return is_done;
  }
  std::optional<std::size_t> wait() noexcept {
    has_news_ = true;  // It goes on at once.
    return 0;
  }

  std::deque<held> controls_;
  std::vector<std::deque<std::byte>> sources_;
  unsigned calls_ = 0;
  bool has_news_ = false;
};

/// The same with operations that are started and tested.
template <device_options Options>
class sim_starting : public sim_device<Options> {
 public:
  using sim_device<Options>::sim_device;
  std::int64_t start_send(peer_id peer, std::span<const std::byte> data) noexcept {
    operations_[++serial_] = {peer, data, {}};
    return serial_;
  }
  std::int64_t start_receive(peer_id peer, std::span<std::byte> into) noexcept {
    operations_[++serial_] = {peer, {}, into};
    return serial_;
  }
  bool test(std::int64_t id) noexcept {
    operation& o = operations_.at(id);
    while (!o.from.empty()) {
      const std::size_t n = this->send_channel(o.peer, o.from);
      if (n == 0) return false;
      o.from = o.from.subspan(n);
    }
    while (!o.into.empty()) {
      const std::size_t n = this->receive_channel(o.peer, o.into);
      if (n == 0) return false;
      o.into = o.into.subspan(n);
    }
    operations_.erase(id);
    return true;
  }
  bool abandon(std::int64_t id) noexcept {
    operations_.erase(id);
    return true;
  }

 private:
  struct operation {
    peer_id peer;
    std::span<const std::byte> from;
    std::span<std::byte> into;
  };
  std::map<std::int64_t, operation> operations_;
  std::int64_t serial_ = 0;
};

template <class Device, std::size_t Payload, class... Others>
using over_device =
    mpx::stack<mpx::transport::channel<Device, Payload>, mpx::waiting::sleep, Others...>;

/// Long packets come in pieces of 100 bytes, four of which are on their way.
using channel_plain =
    over_device<sim_device<{128, 1024, 100, 4}>, 92, sized<40, 1024, long_path::automatic, 1024>,
                mpx::flow::credits<16384, 4096, 16>>;
/// Two packets of a pair are buffered; sixteen bytes within a control message.
using channel_counted =
    over_device<sim_device<{64, 128, 128, 5, 2}>, 16, sized<16, 128, long_path::packets, 100>,
                mpx::flow::credits<4096, 512, 16>>;
/// Operations that are started and tested, under a lock.
using channel_starting =
    over_device<sim_starting<{128, 1024, 300, 2}>, 92, mpx::threading::multiple,
                sized<40, 1024, long_path::automatic, 1024>>;
/// Gets in pieces.
using channel_getting = over_device<sim_device<{128, 1024, 300, 4}, sim_rma::cpu>, 92,
                                    sized<40, 512, long_path::get, 1024>>;

}  // namespace explorer
