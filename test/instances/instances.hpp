// SPDX-License-Identifier: BSL-1.0
#pragma once
// The engine of a stack that many tests share is compiled once a preset, in the library
// mpx_test_instances (one source in this folder for each stack), and not in each of their sources.

#include <mpx/environment.hpp>

/// MPX_TEST_INSTANCES(, stack) is the definitions, MPX_TEST_INSTANCES(extern, stack) says that they
/// are elsewhere. A simulation's environment is not made of nothing: MPX_TEST_ENGINE goes without.
/// A rendezvous_component as a whole is only for a transport that moves memory: MPX_TEST_PACKETS
/// for others. With MPX_TEST_ALONE a source has all that it needs itself.
#ifdef MPX_TEST_ALONE
#define MPX_TEST_PACKETS(Where, ...)
#define MPX_TEST_ENGINE(Where, ...)
#define MPX_TEST_INSTANCES(Where, ...)
#else
// clang-format off
#define MPX_TEST_PACKETS(Where, ...)                                                               \
  Where template class mpx::detail::peers_component<__VA_ARGS__, mpx::detail::endpoint<__VA_ARGS__>>;   \
  Where template class mpx::detail::outbox_component<__VA_ARGS__, mpx::detail::endpoint<__VA_ARGS__>>;  \
  Where template class mpx::detail::inbox_component<__VA_ARGS__, mpx::detail::endpoint<__VA_ARGS__>>;   \
  Where template class mpx::detail::progress_component<__VA_ARGS__, mpx::detail::endpoint<__VA_ARGS__>>; \
  Where template struct mpx::detail::schedules<__VA_ARGS__>;                                       \
  Where template struct mpx::detail::compounds<__VA_ARGS__>;                                       \
  Where template class mpx::detail::endpoint<__VA_ARGS__>;                                         \
  Where template class mpx::detail::point_to_point<__VA_ARGS__>;                                   \
  Where template class mpx::detail::collective_channel<__VA_ARGS__>;                               \
  Where template class mpx::detail::maker<__VA_ARGS__>;                                            \
  Where template class mpx::request<__VA_ARGS__>;                                                  \
  Where template class mpx::communicator<__VA_ARGS__>;
#define MPX_TEST_ENGINE(Where, ...)                                                              \
  Where template class mpx::detail::rendezvous_component<__VA_ARGS__, mpx::detail::endpoint<__VA_ARGS__>>; \
  MPX_TEST_PACKETS(Where, __VA_ARGS__)
#define MPX_TEST_INSTANCES(Where, ...)  \
  MPX_TEST_ENGINE(Where, __VA_ARGS__)   \
  Where template class mpx::environment<__VA_ARGS__>;
// clang-format on
#endif
