// SPDX-License-Identifier: BSL-1.0
#pragma once
// Memory attached for buffered sends, and allocation of shared memory. Included by endpoint.hpp.

#include "mpx/engine/endpoint/endpoint.hpp"

namespace mpx::inline v0::detail {

template <class Stack>
errc endpoint<Stack>::attach(std::span<std::byte> piece) {
  lock_guard lock(threading());
  return outbox().attach(piece);
}

template <class Stack>
std::span<std::byte> endpoint<Stack>::detach(call_site site) {
  wait_until(site, {wait_kind::buffered}, [this] { return outbox().attached_is_free(); });
  lock_guard lock(threading());
  return outbox().detach();
}

template <class Stack>
void* endpoint<Stack>::allocate(std::size_t bytes, std::size_t alignment)
    requires gives_memory<transport_type>
{
  lock_guard lock(threading());
  if (orphaned()) throw error(errc::not_a_rank, "an allocation of shared memory");
  if constexpr (RegisteredTransport<transport_type>) {
    return transport().allocate(bytes, alignment);
  } else {
    return transport().allocate_shared(bytes, alignment);
  }
}

template <class Stack>
void endpoint<Stack>::deallocate(void* p, std::size_t bytes) noexcept
    requires gives_memory<transport_type>
{
  lock_guard lock(threading());
  if constexpr (RegisteredTransport<transport_type>) {
    transport().deallocate(p, bytes);
  } else {
    transport().deallocate_shared(p, bytes);
  }
}

}  // namespace mpx::inline v0::detail
