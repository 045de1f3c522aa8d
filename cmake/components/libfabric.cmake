# SPDX-License-Identifier: BSL-1.0
# mpx/transport/rdma/libfabric.hpp, mpx/fabric.hpp.
set(mpx_libfabric_description "cards that libfabric reaches")
set(mpx_libfabric_needs "libfabric 1.17 or newer, and pkg-config (Debian, Ubuntu: libfabric-dev)")
set(mpx_libfabric_requires "libfabric >= 1.17")
if(mpx_search AND NOT TARGET mpx::libfabric AND NOT CMAKE_CROSSCOMPILING)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(MPX_FABRIC QUIET IMPORTED_TARGET libfabric>=1.17)
  endif()
  if(TARGET PkgConfig::MPX_FABRIC)
    mpx_add_component(libfabric mpx::mpx PkgConfig::MPX_FABRIC)
  endif()
endif()
