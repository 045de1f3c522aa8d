# SPDX-License-Identifier: BSL-1.0
# mpx/tls.hpp, mpx/transport/tls.hpp.
set(mpx_tls_description "encrypted sockets")
set(mpx_tls_needs "mpx::tcp, and OpenSSL 3 (Debian, Ubuntu: libssl-dev)")
set(mpx_tls_requires mpx-tcp "libssl >= 3.0")
if(mpx_search AND TARGET mpx::tcp)
  find_package(OpenSSL 3.0 QUIET)
  if(TARGET OpenSSL::SSL)
    mpx_add_component(tls mpx::tcp OpenSSL::SSL)
  endif()
endif()
