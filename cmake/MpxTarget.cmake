# SPDX-License-Identifier: BSL-1.0
# Build of mpx's own programs: warnings, sanitizers, assertion level.

set(mpx_warnings -Wall -Wextra -Wpedantic -Wconversion)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND mpx_warnings -Wno-sign-conversion)  # -Wconversion as g++ understands it in C++.
endif()

add_library(mpx_own INTERFACE)
target_compile_options(mpx_own INTERFACE ${mpx_warnings} $<$<BOOL:${MPX_WERROR}>:-Werror>)
if(NOT MPX_ASSERT_LEVEL STREQUAL "")
  target_compile_definitions(mpx_own INTERFACE MPX_ASSERT_LEVEL=${MPX_ASSERT_LEVEL})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # Collecting garbage takes a tenth of its time.
  target_compile_options(mpx_own INTERFACE "SHELL:--param ggc-min-heapsize=1000000")
endif()
if(MPX_TEST_FEW_STACKS)
  target_compile_definitions(mpx_own INTERFACE MPX_TEST_FEW_STACKS)
endif()
if(CMAKE_CROSSCOMPILING)
  target_compile_definitions(mpx_own INTERFACE MPX_TEST_EMULATED)
endif()
if(MPX_SANITIZE)
  target_compile_definitions(mpx_own INTERFACE MPX_TEST_SANITIZED)
  target_compile_options(mpx_own INTERFACE
    -fsanitize=${MPX_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(MPX_SANITIZE MATCHES "address")  # It tells of null pointers itself, where they are followed.
    target_compile_options(mpx_own INTERFACE -fno-sanitize=null)
    if(NOT MPX_TEST_RELEASE)
      target_compile_definitions(mpx_own INTERFACE MPX_TEST_BRIEF)  # The other numbers of ranks are tsan's.
    endif()
    if(MPX_SANITIZE MATCHES "undefined" AND NOT MPX_TEST_RELEASE)
      # A sixth of the time to compile. (The fuzzers look at how data from peers is aligned.)
      target_compile_options(mpx_own INTERFACE -fno-sanitize=alignment,vptr)
    elseif(MPX_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      # Each access is checked, and what calls UBSan to say what is wrong takes a fourteenth of
      # the time to compile. AddressSanitizer reports a trap (handle_sigill, cmake/MpxTest.cmake).
      target_compile_options(mpx_own INTERFACE -fsanitize-trap=alignment)
    endif()
  endif()
  target_link_options(mpx_own INTERFACE -fsanitize=${MPX_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")  # The programs are large, and lld takes a third of the time.
    string(REGEX REPLACE "[.].*" "" clang_version "${CMAKE_CXX_COMPILER_VERSION}")
    find_program(MPX_LLD NAMES ld.lld-${clang_version} ld.lld)
    if(MPX_LLD)
      target_link_options(mpx_own INTERFACE "--ld-path=${MPX_LLD}")
    endif()
  endif()
  if(MPX_SANITIZE MATCHES "thread")
    target_compile_definitions(mpx_own INTERFACE MPX_TEST_REPEATED)
  endif()
  if(MPX_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ warns about every fence under TSan; the algorithms need them.
    target_compile_options(mpx_own INTERFACE -Wno-tsan)
  endif()
endif()

find_program(MPX_CCACHE ccache)
if(PROJECT_IS_TOP_LEVEL AND MPX_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${MPX_CCACHE}")
endif()

# mpx_add_program(<name> SOURCES <file>... [LIBRARIES <target>...])
# Makes bin/<name> below the build directory.
function(mpx_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE mpx::mpx mpx_own ${arg_LIBRARIES})
  set_target_properties(${name} PROPERTIES
    CXX_EXTENSIONS OFF
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
endfunction()

# mpx_share_headers(<name>...): what programs with options include is read once where they are built to
# be tested, which took a third of their time; a release build reads what each includes itself.
# They link CLI11 and fmt.
function(mpx_share_headers)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" OR CMAKE_CROSSCOMPILING)
    return()
  endif()
  if(NOT TARGET mpx_program_headers)
    file(WRITE "${PROJECT_BINARY_DIR}/program_headers.cpp" "")
    add_library(mpx_program_headers OBJECT "${PROJECT_BINARY_DIR}/program_headers.cpp")
    target_link_libraries(mpx_program_headers PRIVATE mpx::mpx mpx_own CLI11::CLI11 fmt::fmt)
    set_target_properties(mpx_program_headers PROPERTIES CXX_EXTENSIONS OFF)
    target_precompile_headers(mpx_program_headers PRIVATE <CLI/CLI.hpp> <fmt/core.h> <mpx/mpx.hpp>)
  endif()
  foreach(name IN LISTS ARGN)
    target_precompile_headers(${name} REUSE_FROM mpx_program_headers)
  endforeach()
endfunction()

# mpx_stem_of(<variable> <file>): the file name up to its first dot, `_` as it is.
function(mpx_stem_of variable file)
  get_filename_component(stem "${file}" NAME_WE)
  set(${variable} "${stem}" PARENT_SCOPE)
endfunction()
