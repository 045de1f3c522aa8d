# SPDX-License-Identifier: BSL-1.0
# mpx/cluster.hpp, mpx/transport/tcp.hpp.
set(mpx_tcp_description "sockets")
set(mpx_tcp_needs "OpenSSL 3 (Debian, Ubuntu: libssl-dev)")
set(mpx_tcp_requires "libcrypto >= 3.0")
if(mpx_search)
  find_package(OpenSSL 3.0 QUIET)
  if(TARGET OpenSSL::Crypto)
    mpx_add_component(tcp mpx::mpx OpenSSL::Crypto)
  endif()
endif()
