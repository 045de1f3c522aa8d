// SPDX-License-Identifier: BSL-1.0
#pragma once
// MPI's names for what a mode and a form say: each stands for one call of an operation, and nothing
// else is here. Where MPI's call does not block, an optional std::error_code comes last.

#include <cstdint>
#include <source_location>
#include <utility>

#include "mpx/core/types.hpp"
#include "mpx/engine/forms.hpp"

namespace mpx::inline v0 {

/// How a send completes.
enum class mode : std::uint8_t {
  standard,     ///< When the buffer may be used again.
  synchronous,  ///< When the receiver has started to receive.
  buffered,     ///< At once, from memory that was attached to the environment.
  ready,        ///< As standard, but the receive must be posted already, or it is errc::not_ready.
};

namespace detail {

/// The names of a communicator, which derives from this.
template <class Comm>
class mpi_names {
  using site = std::source_location;
  template <class... Ec>
  static constexpr bool stored = sizeof...(Ec) != 0;
  [[gnu::always_inline]] Comm& me() noexcept { return static_cast<Comm&>(*this); }

 public:
  // Blocking sends in the other modes.
  /// send<mode::synchronous>. Source: MPI_Ssend.
  template <class B, class How = throws_t>
  auto ssend(B&& b, rank_t to, tag_t tag = 0, How&& how = {},
             site where = site::current()) noexcept(stores_errors<How>) {
    return me().template send<mode::synchronous>(std::forward<B>(b), to, tag,
                                                 std::forward<How>(how), where);
  }
  /// send<mode::buffered>. Source: MPI_Bsend.
  template <class B, class How = throws_t>
  auto bsend(B&& b, rank_t to, tag_t tag = 0, How&& how = {},
             site where = site::current()) noexcept(stores_errors<How>) {
    return me().template send<mode::buffered>(std::forward<B>(b), to, tag, std::forward<How>(how),
                                              where);
  }
  /// send<mode::ready>. Source: MPI_Rsend.
  template <class B, class How = throws_t>
  auto rsend(B&& b, rank_t to, tag_t tag = 0, How&& how = {},
             site where = site::current()) noexcept(stores_errors<How>) {
    return me().template send<mode::ready>(std::forward<B>(b), to, tag, std::forward<How>(how),
                                           where);
  }

  // Nonblocking sends and receives.
  /// send with mpx::start. Source: MPI_Isend.
  template <class B, class... Ec>
  [[gnu::always_inline]] auto isend(B&& b, rank_t to, tag_t tag = 0,
                                    Ec&... ec) noexcept(stored<Ec...>) {
    return me().template send<mode::standard>(std::forward<B>(b), to, tag, start(ec...));
  }
  /// send<mode::synchronous> with mpx::start. Source: MPI_Issend.
  template <class B, class... Ec>
  [[gnu::always_inline]] auto issend(B&& b, rank_t to, tag_t tag = 0,
                                     Ec&... ec) noexcept(stored<Ec...>) {
    return me().template send<mode::synchronous>(std::forward<B>(b), to, tag, start(ec...));
  }
  /// send<mode::buffered> with mpx::start. Source: MPI_Ibsend.
  template <class B, class... Ec>
  [[gnu::always_inline]] auto ibsend(B&& b, rank_t to, tag_t tag = 0,
                                     Ec&... ec) noexcept(stored<Ec...>) {
    return me().template send<mode::buffered>(std::forward<B>(b), to, tag, start(ec...));
  }
  /// send<mode::ready> with mpx::start. Source: MPI_Irsend.
  template <class B, class... Ec>
  [[gnu::always_inline]] auto irsend(B&& b, rank_t to, tag_t tag = 0,
                                     Ec&... ec) noexcept(stored<Ec...>) {
    return me().template send<mode::ready>(std::forward<B>(b), to, tag, start(ec...));
  }
  /// recv with mpx::start. Source: MPI_Irecv.
  template <class B, class... Ec>
  [[gnu::always_inline]] auto irecv(B&& b, rank_t from = any_source, tag_t tag = any_tag,
                                    Ec&... ec) noexcept(stored<Ec...>) {
    return me().recv(std::forward<B>(b), from, tag, start(ec...));
  }

  // Persistent ones.
  /// send with mpx::prepare. Source: MPI_Send_init.
  template <class B, class... Ec>
  auto send_init(B&& b, rank_t to, tag_t tag = 0, Ec&... ec) noexcept(stored<Ec...>) {
    return me().template send<mode::standard>(std::forward<B>(b), to, tag, prepare(ec...));
  }
  /// send<mode::synchronous> with mpx::prepare. Source: MPI_Ssend_init.
  template <class B, class... Ec>
  auto ssend_init(B&& b, rank_t to, tag_t tag = 0, Ec&... ec) noexcept(stored<Ec...>) {
    return me().template send<mode::synchronous>(std::forward<B>(b), to, tag, prepare(ec...));
  }
  /// send<mode::buffered> with mpx::prepare. Source: MPI_Bsend_init.
  template <class B, class... Ec>
  auto bsend_init(B&& b, rank_t to, tag_t tag = 0, Ec&... ec) noexcept(stored<Ec...>) {
    return me().template send<mode::buffered>(std::forward<B>(b), to, tag, prepare(ec...));
  }
  /// send<mode::ready> with mpx::prepare. Source: MPI_Rsend_init.
  template <class B, class... Ec>
  auto rsend_init(B&& b, rank_t to, tag_t tag = 0, Ec&... ec) noexcept(stored<Ec...>) {
    return me().template send<mode::ready>(std::forward<B>(b), to, tag, prepare(ec...));
  }
  /// recv with mpx::prepare. Source: MPI_Recv_init.
  template <class B, class... Ec>
  auto recv_init(B&& b, rank_t from = any_source, tag_t tag = any_tag,
                 Ec&... ec) noexcept(stored<Ec...>) {
    return me().recv(std::forward<B>(b), from, tag, prepare(ec...));
  }

  // Probes that look once.
  /// probe with mpx::once. Source: MPI_Iprobe.
  template <class... Ec>
  auto iprobe(rank_t from = any_source, tag_t tag = any_tag, Ec&... ec) noexcept(stored<Ec...>) {
    return me().probe(from, tag, once(ec...));
  }
  /// mprobe with mpx::once. Source: MPI_Improbe.
  template <class... Ec>
  auto improbe(rank_t from = any_source, tag_t tag = any_tag, Ec&... ec) noexcept(stored<Ec...>) {
    return me().mprobe(from, tag, once(ec...));
  }
};

/// The names of a message that a matched probe has found.
template <class Message>
class message_mpi_names {
 public:
  /// recv with mpx::start. Source: MPI_Imrecv.
  template <class B, class... Ec>
  auto irecv(B&& b, Ec&... ec) noexcept(sizeof...(Ec) != 0) {
    return static_cast<Message&>(*this).recv(std::forward<B>(b), start(ec...));
  }
};

}  // namespace detail
}  // namespace mpx::inline v0
