# SPDX-License-Identifier: BSL-1.0
# mpx::libfabric, for programs that include mpx/transport/rdma/libfabric.hpp, if libfabric 1.17 or later
# is there. Shared by the build and the installed package.

if(NOT TARGET mpx::libfabric AND NOT CMAKE_CROSSCOMPILING)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(MPX_FABRIC QUIET IMPORTED_TARGET libfabric>=1.17)
  endif()
  if(TARGET PkgConfig::MPX_FABRIC)
    add_library(mpx::libfabric INTERFACE IMPORTED)
    target_link_libraries(mpx::libfabric INTERFACE mpx::mpx PkgConfig::MPX_FABRIC)
  endif()
endif()
