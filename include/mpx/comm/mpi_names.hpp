// SPDX-License-Identifier: BSL-1.0
#pragma once
// MPI's names for combinations of mode and form. Each stands for one call of an operation. Where
// MPI's call does not block, an optional std::error_code is the last argument.

#include <cstdint>
#include <source_location>
#include <utility>

#include "mpx/core/types.hpp"
#include "mpx/data/buffer.hpp"
#include "mpx/engine/requests/forms.hpp"

namespace mpx::inline v0 {

/// The condition under which a send completes.
enum class mode : std::uint8_t {
  standard,     ///< The buffer may be used again.
  synchronous,  ///< The receiver has started to receive.
  buffered,     ///< At once; the data is in memory attached to the environment.
  ready,        ///< As standard; the receive must be posted already, else errc::not_ready.
};

namespace detail {

/// Last argument of a call whose name implies its form: nothing, or a std::error_code.
template <class How, class Form>
concept OwnForm = std::is_same_v<How, Form> || is_code<How>;
/// The form that the name implies; it stores errors if there is an error code.
template <class Form, class How>
[[MPX_ALWAYS_INLINE]] inline auto as_form(How& how) noexcept {
  if constexpr (is_code<How&>) {
    return with_code<Form>{&how};
  } else {
    return Form{};
  }
}

/// MPI's names of a communicator's operations. The communicator derives from this.
template <class Comm>
class mpi_names {
  using site = std::source_location;
  [[MPX_ALWAYS_INLINE]] const Comm& me() const noexcept { return static_cast<const Comm&>(*this); }

 public:
  // Blocking sends in the other modes.
  /// send<mode::synchronous>. Source: MPI_Ssend.
  template <class B, class How = throws_t>
  auto ssend(B&& b, rank_t to, tag_t tag = 0, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().template send<mode::synchronous>(std::forward<B>(b), to, tag,
                                                 std::forward<How>(how), where);
  }
  /// send<mode::buffered>. Source: MPI_Bsend.
  template <class B, class How = throws_t>
  auto bsend(B&& b, rank_t to, tag_t tag = 0, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().template send<mode::buffered>(std::forward<B>(b), to, tag, std::forward<How>(how),
                                              where);
  }
  /// send<mode::ready>. Source: MPI_Rsend.
  template <class B, class How = throws_t>
  auto rsend(B&& b, rank_t to, tag_t tag = 0, How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().template send<mode::ready>(std::forward<B>(b), to, tag, std::forward<How>(how),
                                           where);
  }

  // Nonblocking sends and receives.
  /// send with mpx::start. Source: MPI_Isend.
  template <class B, class How = start_t>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B> && OwnForm<How, start_t>
  [[MPX_ALWAYS_INLINE]] auto isend(B&& b, rank_t to, tag_t tag = 0, How&& how = {},
                                   site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().template send<mode::standard>(std::forward<B>(b), to, tag, as_form<start_t>(how),
                                              where);
  }
  /// send<mode::synchronous> with mpx::start. Source: MPI_Issend.
  template <class B, class How = start_t>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B> && OwnForm<How, start_t>
  [[MPX_ALWAYS_INLINE]] auto issend(B&& b, rank_t to, tag_t tag = 0, How&& how = {},
                                    site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().template send<mode::synchronous>(std::forward<B>(b), to, tag, as_form<start_t>(how),
                                                 where);
  }
  /// send<mode::buffered> with mpx::start. Source: MPI_Ibsend.
  template <class B, class How = start_t>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B> && OwnForm<How, start_t>
  [[MPX_ALWAYS_INLINE]] auto ibsend(B&& b, rank_t to, tag_t tag = 0, How&& how = {},
                                    site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().template send<mode::buffered>(std::forward<B>(b), to, tag, as_form<start_t>(how),
                                              where);
  }
  /// send<mode::ready> with mpx::start. Source: MPI_Irsend.
  template <class B, class How = start_t>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B> && OwnForm<How, start_t>
  [[MPX_ALWAYS_INLINE]] auto irsend(B&& b, rank_t to, tag_t tag = 0, How&& how = {},
                                    site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().template send<mode::ready>(std::forward<B>(b), to, tag, as_form<start_t>(how),
                                           where);
  }
  /// recv with mpx::start. Source: MPI_Irecv.
  template <class B, class How = start_t>
  requires ReceiveBuffer<B&&> && BufferOutlivesCall<B> && OwnForm<How, start_t>
  [[MPX_ALWAYS_INLINE]] auto irecv(B&& b, rank_t from = any_source, tag_t tag = any_tag,
                                   How&& how = {}, site where = site::current()) const
      noexcept(stores_errors<How>) {
    return me().recv(std::forward<B>(b), from, tag, as_form<start_t>(how), where);
  }

  // Persistent sends and receives.
  /// send with mpx::prepare. Source: MPI_Send_init.
  template <class B, class How = prepare_t>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B> && OwnForm<How, prepare_t>
  auto send_init(B&& b, rank_t to, tag_t tag = 0, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return me().template send<mode::standard>(std::forward<B>(b), to, tag, as_form<prepare_t>(how),
                                              where);
  }
  /// send<mode::synchronous> with mpx::prepare. Source: MPI_Ssend_init.
  template <class B, class How = prepare_t>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B> && OwnForm<How, prepare_t>
  auto ssend_init(B&& b, rank_t to, tag_t tag = 0, How&& how = {},
                  site where = site::current()) const noexcept(stores_errors<How>) {
    return me().template send<mode::synchronous>(std::forward<B>(b), to, tag,
                                                 as_form<prepare_t>(how), where);
  }
  /// send<mode::buffered> with mpx::prepare. Source: MPI_Bsend_init.
  template <class B, class How = prepare_t>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B> && OwnForm<How, prepare_t>
  auto bsend_init(B&& b, rank_t to, tag_t tag = 0, How&& how = {},
                  site where = site::current()) const noexcept(stores_errors<How>) {
    return me().template send<mode::buffered>(std::forward<B>(b), to, tag, as_form<prepare_t>(how),
                                              where);
  }
  /// send<mode::ready> with mpx::prepare. Source: MPI_Rsend_init.
  template <class B, class How = prepare_t>
  requires SendBuffer<std::remove_cvref_t<B>> && BufferOutlivesCall<B> && OwnForm<How, prepare_t>
  auto rsend_init(B&& b, rank_t to, tag_t tag = 0, How&& how = {},
                  site where = site::current()) const noexcept(stores_errors<How>) {
    return me().template send<mode::ready>(std::forward<B>(b), to, tag, as_form<prepare_t>(how),
                                           where);
  }
  /// recv with mpx::prepare. Source: MPI_Recv_init.
  template <class B, class How = prepare_t>
  requires ReceiveBuffer<B&&> && BufferOutlivesCall<B> && OwnForm<How, prepare_t>
  auto recv_init(B&& b, rank_t from = any_source, tag_t tag = any_tag, How&& how = {},
                 site where = site::current()) const noexcept(stores_errors<How>) {
    return me().recv(std::forward<B>(b), from, tag, as_form<prepare_t>(how), where);
  }

  // Nonblocking probes.
  /// probe with mpx::once. Source: MPI_Iprobe.
  template <class How = once_t>
  requires OwnForm<How, once_t>
  auto iprobe(rank_t from = any_source, tag_t tag = any_tag, How&& how = {},
              site where = site::current()) const noexcept(stores_errors<How>) {
    return me().probe(from, tag, as_form<once_t>(how), where);
  }
  /// mprobe with mpx::once. Source: MPI_Improbe.
  template <class How = once_t>
  requires OwnForm<How, once_t>
  auto improbe(rank_t from = any_source, tag_t tag = any_tag, How&& how = {},
               site where = site::current()) const noexcept(stores_errors<How>) {
    return me().mprobe(from, tag, as_form<once_t>(how), where);
  }
};

/// MPI's names of a message that a matched probe has found.
template <class Message>
class message_mpi_names {
 public:
  /// recv with mpx::start. Source: MPI_Imrecv.
  template <class B, class How = start_t>
  requires OwnForm<How, start_t>
  auto irecv(
      B&& b, How&& how = {},
      std::source_location where = std::source_location::current()) noexcept(stores_errors<How>) {
    return static_cast<Message&>(*this).recv(std::forward<B>(b), as_form<start_t>(how), where);
  }
};

}  // namespace detail
}  // namespace mpx::inline v0
