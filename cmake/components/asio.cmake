# SPDX-License-Identifier: BSL-1.0
# mpx/asio.hpp.
set(mpx_asio_description "completions by Boost.Asio")
set(mpx_asio_needs "the headers of Boost.Asio 1.81 or newer (Debian: libboost1.81-dev, Ubuntu: libboost-dev)")
if(mpx_search AND MPX_BOOST_ASIO)
  mpx_add_component(asio mpx::mpx)
endif()
