# SPDX-License-Identifier: BSL-1.0
# Sets mpx_problem to why the compiler cannot build mpx, or to nothing. Shared by the build and the
# installed package.

set(mpx_problem "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
  set(mpx_problem "mpx needs clang 16 or newer, this is ${CMAKE_CXX_COMPILER_VERSION}")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  set(mpx_problem "mpx needs g++ 12 or newer, this is ${CMAKE_CXX_COMPILER_VERSION}")
endif()
