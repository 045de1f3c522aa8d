# SPDX-License-Identifier: BSL-1.0
# Boost::headers, at least 1.74, for Boost.Intrusive; else mpx_problem is set, if it was empty. Shared
# by the build and the installed package.

find_package(Boost 1.74 QUIET CONFIG)
if(NOT TARGET Boost::headers)
  # Some installations have the headers alone, without CMake files.
  find_path(MPX_BOOST_INCLUDE_DIR boost/intrusive/list.hpp)
  set(mpx_boost_version 0)
  if(MPX_BOOST_INCLUDE_DIR)
    file(STRINGS "${MPX_BOOST_INCLUDE_DIR}/boost/version.hpp" mpx_boost_version
      REGEX "#define BOOST_VERSION [0-9]+")
    string(REGEX MATCH "[0-9]+" mpx_boost_version "${mpx_boost_version}")
  endif()
  if(mpx_boost_version GREATER_EQUAL 107400)
    add_library(Boost::headers INTERFACE IMPORTED)
    target_include_directories(Boost::headers SYSTEM INTERFACE "${MPX_BOOST_INCLUDE_DIR}")
  elseif(NOT mpx_problem)
    set(mpx_problem
      "mpx needs the headers of Boost 1.74 or newer (Debian: libboost1.81-dev, Ubuntu: libboost-dev)")
    if(MPX_BOOST_INCLUDE_DIR)
      string(APPEND mpx_problem "; those in ${MPX_BOOST_INCLUDE_DIR} are older")
    endif()
  endif()
endif()

# Boost.Asio with cancellation slots, for mpx/asio.hpp; optional.
if(Boost_VERSION VERSION_GREATER_EQUAL 1.81 OR mpx_boost_version GREATER_EQUAL 108100)
  set(MPX_BOOST_ASIO TRUE)
endif()
