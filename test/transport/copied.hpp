// SPDX-License-Identifier: BSL-1.0
#pragma once
// A transport whose posts never pend: it keeps a copy of each payload until the transport below has
// read it. For suites that post and forget, over transports that borrow payloads.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mpx/transport/concepts.hpp>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace copied_transport {

enum class state : std::uint8_t { closed, open };

/// Of T it needs `progress()` beyond Transport; see helped.hpp.
template <mpx::Transport T>
class copied : public mpx::transport::defaults {
 public:
  using policy_axis = mpx::transport_axis;
  static constexpr std::string_view name = T::name;
  static constexpr mpx::transport_traits traits{.inline_bytes_max = T::traits.inline_bytes_max,
                                                .packet_bytes_max = T::traits.packet_bytes_max,
                                                .layout = T::traits.layout,
                                                .posts_pend = false};
  template <class B>
  requires(!std::same_as<std::remove_const_t<B>, copied>)
  explicit copied(B& b) : lower_(b) {}

  T& lower() noexcept { return lower_; }
  mpx::peer_id self() const noexcept { return lower_.self(); }
  mpx::peer_id peers() const noexcept { return lower_.peers(); }
  bool oversubscribed() const noexcept { return lower_.oversubscribed(); }
  mpx::outcome post(mpx::peer_id peer, const mpx::frame_header& header,
                    std::span<const std::byte> payload, mpx::cookie_t) noexcept {
    auto& kept = kept_[++serial_];
    kept.assign(payload.begin(), payload.end());
    const mpx::outcome o = lower_.post(peer, header, kept, serial_);
    if (o == mpx::outcome::pending) return mpx::outcome::done;
    kept_.erase(serial_);
    return o;
  }
  template <mpx::PacketSink Sink>
  std::size_t poll(Sink& sink) noexcept {
    upper<Sink> s{*this, sink};
    const std::size_t before = completed_;
    return lower_.poll(s) - (completed_ - before);
  }
  bool arm() noexcept { return lower_.arm(); }
  void sleep(std::int64_t timeout_ns) noexcept { lower_.sleep(timeout_ns); }
  void disarm() noexcept { lower_.disarm(); }
  void wake() noexcept { lower_.wake(); }
  std::int64_t wait_max_ns() const noexcept { return lower_.wait_max_ns(); }
  int descriptor() noexcept requires mpx::PollableTransport<T>
  {
    return lower_.descriptor();
  }
  void progress() noexcept { lower_.progress(); }
  state state_of(mpx::peer_id) const noexcept { return state::open; }
  void drop_peer(mpx::peer_id peer) noexcept { lower_.drop_peer(peer); }

 private:
  template <class Sink>
  struct upper {
    copied& me;
    Sink& sink;
    void packet(mpx::peer_id source, const mpx::frame_header& header,
                std::span<const std::byte> payload) noexcept {
      sink.packet(source, header, payload);
    }
    std::span<std::byte> place(mpx::peer_id source, const mpx::frame_header& header,
                               std::size_t bytes) noexcept {
      return sink.place(source, header, bytes);
    }
    void complete(mpx::cookie_t cookie, bool) noexcept {
      me.kept_.erase(cookie);
      ++me.completed_;
    }
    void malformed(mpx::peer_id source) noexcept { sink.malformed(source); }
    void unreachable(mpx::peer_id source) noexcept { sink.unreachable(source); }
  };

  T lower_;
  std::map<mpx::cookie_t, std::vector<std::byte>> kept_;
  mpx::cookie_t serial_ = 0;
  std::size_t completed_ = 0;
};

}  // namespace copied_transport
