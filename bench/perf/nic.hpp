// SPDX-License-Identifier: BSL-1.0
#pragma once
// Speed of a card without the transport above it: two ranks bounce a message by writes with an
// immediate, write long messages into registered memory, and register memory. A reference for the
// rows of transport rdma.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mpx/bootstrap/detect.hpp>
#include <mpx/transport/rdma/nic.hpp>
#include <span>
#include <stdexcept>
#include <vector>

#include "board.h"

namespace perf {

/// One end of a connection of two ranks, with a registered buffer.
template <mpx::Nic Card>
class card_end {
 public:
  card_end(Card& card, std::span<std::byte> memory) : card_(card), memory_(memory) {
    peer_ = 1 - card.self();
    if (card.register_memory(memory, mpx::nic_access::remote_write, region_) != mpx::errc{})
      throw std::runtime_error("the memory cannot be registered");
    for (int i = 0; i < receives; ++i) (void)card_.post_receive(peer_, 0, {}, 0);
    mpx::errc why;
    while ((why = card_.connect(peer_, std::as_bytes(std::span(&region_.remote, 1)))) ==
           mpx::errc::pending)
      look();
    if (why != mpx::errc{}) throw std::runtime_error("no connection");
    while (!up_) look();
    std::memcpy(&there_, card.peer_data(peer_).data(), sizeof there_);
  }

  void look() {
    mpx::nic_event events[16];
    const std::size_t n = card_.poll(events);
    for (std::size_t i = 0; i < n; ++i) {
      switch (events[i].kind) {
        case mpx::nic_event_kind::connected: up_ = true; break;
        case mpx::nic_event_kind::sent: break;
        case mpx::nic_event_kind::received:
          ++received_;
          (void)card_.post_receive(peer_, 0, {}, 0);
          break;
        case mpx::nic_event_kind::disconnected:
          if (!closing_) throw std::runtime_error("the connection broke");
          up_ = false;
          break;
        case mpx::nic_event_kind::asked: break;
      }
    }
  }
  /// Both sides do this, when nothing is under way.
  void close() {
    closing_ = true;
    card_.disconnect(peer_);
    while (up_) look();
    while (card_.deregister(region_.handle) == mpx::outcome::retry) look();
  }
  void write(std::size_t offset, std::size_t bytes, bool tells) {
    const auto from = memory_.subspan(offset, bytes);
    while ((tells ? card_.post_write_immediate(peer_, region_.handle, from, there_, offset,
                                               mpx::nic_until::taken, 1, 0)
                  : card_.post_write(peer_, region_.handle, from, there_, offset,
                                     mpx::nic_until::taken, 0)) == mpx::outcome::retry)
      look();
  }
  /// In pieces of the card's maximum length; the last one is announced.
  void write_all(std::size_t bytes) {
    const std::size_t most = card_.limits().transfer_bytes_max;
    for (std::size_t at = 0; at < bytes; at += most)
      write(at, std::min(most, bytes - at), at + most >= bytes);
  }
  /// For so many more than were awaited before: the first may come with the connection.
  void await(std::uint64_t more) {
    awaited_ += more;
    while (received_ < awaited_) look();
  }

 private:
  static constexpr int receives = 64;
  Card& card_;
  std::span<std::byte> memory_;
  mpx::nic_region region_;
  mpx::remote_memory there_{};
  mpx::peer_id peer_;
  std::uint64_t received_ = 0;
  std::uint64_t awaited_ = 0;
  bool up_ = false;
  bool closing_ = false;
};

/// A card, and a connection over memory that it has given, as rings have, or the program's own.
template <mpx::Nic Card>
class bare_card {
 public:
  explicit bare_card(mpx::bootstrap::any& me) : me_(me), card_(me), first_(me.rank() == 0) {
    me.fence([] {});
    given_ = {card_.allocate(ring_bytes), ring_bytes};
    if (given_.data() == nullptr) throw std::runtime_error("the card has no memory");
  }
  bare_card(const bare_card&) = delete;
  bare_card& operator=(const bare_card&) = delete;
  ~bare_card() { close(); }

  /// For messages of so many bytes.
  void open(std::size_t bytes) {
    close();
    own_.resize(bytes < ring_bytes ? 0 : bytes);
    end_ = new card_end<Card>(card_, own_.empty() ? given_ : std::span<std::byte>(own_));
  }
  void close() {
    if (end_ == nullptr) return;
    end_->close();
    me_.fence([this] { end_->look(); });
    delete end_;
    end_ = nullptr;
  }

  /// Microseconds one way.
  double latency_us(std::size_t bytes, std::uint64_t rounds) {
    const double start = perf_now();
    for (std::uint64_t i = 0; i < rounds; ++i) {
      if (first_) end_->write_all(bytes);
      end_->await(1);
      if (!first_) end_->write_all(bytes);
    }
    return (perf_now() - start) / (2.0 * static_cast<double>(rounds)) * 1e6;
  }
  /// GB/s: a window of messages is answered.
  double bandwidth(std::size_t bytes, std::uint64_t rounds, unsigned window) {
    const double start = perf_now();
    for (std::uint64_t i = 0; i < rounds; ++i) {
      for (unsigned w = 0; w < window && first_; ++w) end_->write_all(bytes);
      end_->await(first_ ? 1 : window);
      if (!first_) end_->write(0, std::min<std::size_t>(bytes, 64), true);
    }
    return static_cast<double>(bytes) * window * static_cast<double>(rounds) /
           (perf_now() - start) / 1e9;
  }
  /// Microseconds to register memory and deregister it.
  double register_us(std::span<std::byte> memory, std::uint64_t rounds) {
    const double start = perf_now();
    for (std::uint64_t i = 0; i < rounds; ++i) {
      mpx::nic_region r;
      if (card_.register_memory(memory, mpx::nic_access::remote_write, r) != mpx::errc{})
        throw std::runtime_error("the memory cannot be registered");
      while (card_.deregister(r.handle) == mpx::outcome::retry) end_->look();
    }
    return (perf_now() - start) / static_cast<double>(rounds) * 1e6;
  }

 private:
  static constexpr std::size_t ring_bytes = 4096;
  mpx::bootstrap::any& me_;
  Card card_;
  bool first_;
  std::span<std::byte> given_;
  std::vector<std::byte> own_;
  card_end<Card>* end_ = nullptr;
};

/// Microseconds to copy memory.
inline double copy_us(std::span<std::byte> from, std::span<std::byte> to, std::uint64_t rounds) {
  const double start = perf_now();
  for (std::uint64_t i = 0; i < rounds; ++i) {
    std::memcpy(to.data(), from.data(), from.size());
    asm volatile("" : : "r"(to.data()) : "memory");
  }
  return (perf_now() - start) / static_cast<double>(rounds) * 1e6;
}

}  // namespace perf
