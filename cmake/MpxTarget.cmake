# SPDX-License-Identifier: BSL-1.0
# How mpx's own programs are built: warnings, sanitizers, assertion level.

set(mpx_warnings -Wall -Wextra -Wpedantic -Wconversion)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND mpx_warnings -Wno-sign-conversion)  # -Wconversion as g++ understands it in C++.
endif()

add_library(mpx_own INTERFACE)
target_compile_options(mpx_own INTERFACE ${mpx_warnings} $<$<BOOL:${MPX_WERROR}>:-Werror>)
if(NOT MPX_ASSERT_LEVEL STREQUAL "")
  target_compile_definitions(mpx_own INTERFACE MPX_ASSERT_LEVEL=${MPX_ASSERT_LEVEL})
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
  target_link_options(mpx_own INTERFACE -fsanitize=${MPX_SANITIZE})
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

# mpx_stem_of(<variable> <file>): the file name up to its first dot, `_` as it is.
function(mpx_stem_of variable file)
  get_filename_component(stem "${file}" NAME_WE)
  set(${variable} "${stem}" PARENT_SCOPE)
endfunction()
