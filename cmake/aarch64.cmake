# SPDX-License-Identifier: BSL-1.0
# Toolchain of the preset aarch64: Debian's cross compiler, and qemu-user to run what it makes.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
find_program(MPX_QEMU NAMES qemu-aarch64 qemu-aarch64-static REQUIRED)
# It keeps a table of all addresses that were ever mapped: so many, and it begins anew. (Without, tests
# that map thousands of segments took more than 20 GB. Eight ranks map 256 GiB of each other's arenas.)
set(CMAKE_CROSSCOMPILING_EMULATOR "${MPX_QEMU}" -L /usr/aarch64-linux-gnu -R 0x6000000000)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

# Headers that belong to no architecture; not all of /usr/include, which is this machine's.
set(MPX_BORROWED_HEADERS "${CMAKE_BINARY_DIR}/borrowed")
if(NOT EXISTS "${MPX_BORROWED_HEADERS}/boost" AND NOT CMAKE_BINARY_DIR MATCHES "CMakeFiles")
  file(MAKE_DIRECTORY "${MPX_BORROWED_HEADERS}")
  foreach(library IN ITEMS boost doctest)
    file(CREATE_LINK "/usr/include/${library}" "${MPX_BORROWED_HEADERS}/${library}" SYMBOLIC)
  endforeach()
endif()
set(MPX_BOOST_INCLUDE_DIR "${MPX_BORROWED_HEADERS}" CACHE PATH "")
