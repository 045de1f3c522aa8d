# SPDX-License-Identifier: BSL-1.0
# Installs mpx below the build directory and uses it in the ways that the README names.
# In: SOURCE, BINARY, GENERATOR, CXX, VERSION, LAUNCHER (whether mpxrun is built), COMPONENTS (those of
# tcp, tls, pmix, libfabric and sim whose libraries are there), TESTING (whether mpx::testing is), RELEASE
# (whether each way is built, as for a release; else find_package and one program by pkg-config are, and
# the others are configured).

set(here "${CMAKE_CURRENT_LIST_DIR}")
set(work "${BINARY}/consumer")
file(REMOVE_RECURSE "${work}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  message("${output}")
endfunction()

# configure(<folder of a project> <where to build it> <option>...): of an earlier configuration
# there, what was found of the compiler is kept, which takes longest, and nothing else.
set(configure "${CMAKE_COMMAND}" -G "${GENERATOR}" -Umpx_* -UMPX_* -UBoost_* -UCOMP* -UNO_BOOST
  -USOURCE "-DCMAKE_CXX_COMPILER=${CXX}" "-DVERSION=${VERSION}")
function(configure project build)
  run(${configure} -S "${here}/${project}" -B "${work}/${build}" ${ARGN})
endfunction()

run("${CMAKE_COMMAND}" --install "${BINARY}" --prefix "${work}/installed")
# Nothing may depend on where it was installed.
file(RENAME "${work}/installed" "${work}/prefix")
set(from_prefix "-DCMAKE_PREFIX_PATH=${work}/prefix")

# --- what a project does with it ---

configure(find_package find_package "${from_prefix}" -DCOMPILED=ON)
configure(add_subdirectory add_subdirectory "-DSOURCE=${SOURCE}" -DCMAKE_UNITY_BUILD=ON)
set(targets_find_package all)
set(targets_add_subdirectory consumer consumer_compiled mpxrun)
set(ways find_package)
if(RELEASE)
  list(APPEND ways add_subdirectory)
endif()
foreach(way IN LISTS ways)
  run("${CMAKE_COMMAND}" --build "${work}/${way}" --parallel 2 --target ${targets_${way}})
  run("${work}/${way}/consumer")
  if(LAUNCHER OR way STREQUAL add_subdirectory)
    run("${CMAKE_CTEST_COMMAND}" --test-dir "${work}/${way}" --output-on-failure
      --no-tests=error)
  endif()
  run("${work}/${way}/consumer_compiled")
endforeach()

# Each component by its name in a project's own folder; the program is built and run above.
string(REPLACE "," ";" COMPONENTS "${COMPONENTS}")
configure(fetch_content fetch_content "-DSOURCE=${SOURCE}" "-DCOMPONENTS=compiled;${COMPONENTS}")

find_program(PKG_CONFIG pkg-config REQUIRED)
file(GLOB compiled_pc "${work}/prefix/lib*/pkgconfig" "${work}/prefix/lib/*/pkgconfig")
set(ENV{PKG_CONFIG_PATH} "${work}/prefix/share/pkgconfig:${compiled_pc}")

# by_pkg_config(<module> <source> <program>): built as docs/COMPILING.md says, without a warning.
function(by_pkg_config module source program)
  execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs "${module} = ${VERSION}"
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${PKG_CONFIG}" --variable=includedir mpx
    OUTPUT_VARIABLE includedir OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags)
  run("${CXX}" -std=c++20 -Wall -Wextra -Wcast-align -Wswitch-enum -Weffc++ -Werror
    -isystem "${includedir}" "${source}" ${flags} -o "${program}")
endfunction()
by_pkg_config(mpx "${here}/main.cpp" "${work}/pkg_config_consumer")
run("${work}/pkg_config_consumer")
if(RELEASE)
  by_pkg_config(mpx-compiled "${here}/main.cpp" "${work}/pkg_config_compiled")
  run("${work}/pkg_config_compiled")
  # A program that needs the library of each component, where that is there.
  set(uses_tcp "#include <mpx/cluster.hpp>\nint main() { mpx::environment<mpx::tcp_stack> env; }")
  set(uses_tls "#include <mpx/tls.hpp>\nint main() { mpx::environment<mpx::tls_stack> env; }")
  set(uses_pmix "#include <mpx/mpx.hpp>\n#include <mpx/bootstrap/pmix.hpp>\nint main() { mpx::environment<> env; }")
  set(uses_libfabric "#include <mpx/mpx.hpp>\n#include <mpx/transport/rdma/libfabric.hpp>\nint main() { fi_freeinfo(fi_allocinfo()); }")
  set(uses_sim "#include <mpx/sim.hpp>\nint main() { mpx::sim::run(2, mpx::sim::loggp{}, 1, [](auto world) { world.barrier(); }); }")
  foreach(component IN LISTS COMPONENTS)
    file(WRITE "${work}/uses_${component}.cpp" "${uses_${component}}\n")
    by_pkg_config(mpx-${component} "${work}/uses_${component}.cpp" "${work}/uses_${component}")
    run("${work}/uses_${component}")
  endforeach()
endif()

if(LAUNCHER)
  execute_process(COMMAND "${PKG_CONFIG}" --variable=mpxrun mpx
    OUTPUT_VARIABLE mpxrun OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  run("${mpxrun}" --version)
  run("${work}/prefix/bin/mpxrun" -n 2 "${work}/pkg_config_consumer")
endif()

# --- the single header ---

find_program(PYTHON3 python3 REQUIRED)
if(RELEASE)  # The preset asan has it, too.
  run("${PYTHON3}" "${SOURCE}/tools/amalgamate.py" --out "${work}/single/mpx/mpx.hpp")
  set(to_single "${CXX}" -std=c++20 -fsyntax-only "-I${work}/single")
  run(${to_single} "${here}/main.cpp")
  # One file of a program holds the default stack for all, without a library (docs/COMPILING.md).
  file(WRITE "${work}/stack.cpp" "#undef MPX_COMPILED\n#define MPX_COMPILED 2\n#include <mpx/mpx.hpp>\n")
  run("${CXX}" -std=c++20 -pthread -DMPX_COMPILED=1 "-I${work}/single" "${here}/main.cpp"
    "${work}/stack.cpp" -o "${work}/single_consumer")
  run("${work}/single_consumer")
  # Beside an installation it would define all of it once more: that is told, and nothing else.
  file(WRITE "${work}/behind.cpp" "#include <mpx/mpx.hpp>\n#include <mpx/rma.hpp>\n")
  file(WRITE "${work}/before.cpp" "#include <mpx/rma.hpp>\n#include <${work}/single/mpx/mpx.hpp>\n")
  foreach(order IN ITEMS behind before)
    set(folders "-I${work}/single" "-I${work}/prefix/include")
    if(order STREQUAL "before")
      list(REVERSE folders)
    endif()
    execute_process(COMMAND "${CXX}" -std=c++20 -fsyntax-only ${folders} "${work}/${order}.cpp"
      RESULT_VARIABLE result ERROR_VARIABLE complaint)
    if(result EQUAL 0 OR NOT complaint MATCHES "headers of mpx's tree beside its single header"
        OR complaint MATCHES "redefinition")
      message(FATAL_ERROR "the single header ${order} others: ${complaint}")
    endif()
  endforeach()
endif()

# --- transports of other repositories ---

# A transport and a device as the script writes them pass the suite that is installed.
if(TESTING AND RELEASE)
  run("${work}/prefix/share/mpx/new-transport" slow_bus "${work}/slow_bus")
  run("${work}/prefix/share/mpx/new-transport" --device rapid_bus "${work}/rapid_bus")
  foreach(name IN ITEMS slow_bus rapid_bus)
    run(${configure} -S "${work}/${name}" -B "${work}/${name}/build" "${from_prefix}")
    run("${CMAKE_COMMAND}" --build "${work}/${name}/build")
    run("${CMAKE_CTEST_COMMAND}" --test-dir "${work}/${name}/build" --output-on-failure --no-tests=error)
  endforeach()
  foreach(axis IN ITEMS bootstrap device flow matching nic transport)
    file(APPEND "${work}/suites.cpp" "#include <mpx/testing/${axis}.hpp>\n")
  endforeach()
  run("${CXX}" -std=c++20 -fsyntax-only "-I${work}/prefix/include" "-I${work}/prefix/include/mpx/testing"
    "${work}/suites.cpp")
endif()

# --- what a project is told that cannot have it ---

# refused(<text> <option>...): without mpx a project goes on if it can; else it is told why.
function(refused text)
  foreach(ask IN ITEMS QUIET REQUIRED)
    execute_process(
      COMMAND ${configure} -S "${here}/not_found" -B "${work}/not_found" "-DASK=${ask}" ${ARGN}
      RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE complaint)
    string(REGEX REPLACE "[ \n]+" " " complaint "${complaint}")
    string(FIND "${said}" "went on without mpx: ${text}" went_on)
    string(FIND "${complaint}" "${text}" told)
    if(ask STREQUAL "QUIET" AND (NOT result EQUAL 0 OR went_on LESS 0 OR NOT complaint STREQUAL ""))
      message(FATAL_ERROR "'${text}' has to stop nobody who can do without: ${said}${complaint}")
    elseif(ask STREQUAL "REQUIRED" AND (result EQUAL 0 OR told LESS 0))
      message(FATAL_ERROR "'${text}' has to be said: ${said}${complaint}")
    endif()
  endforeach()
endfunction()

# stopped_with(<text> <result> <complaint>): CMake has failed, and said `text`.
function(stopped_with text result complaint)
  string(REGEX REPLACE "[ \n]+" " " complaint "${complaint}")
  string(FIND "${complaint}" "${text}" told)
  if(result EQUAL 0 OR told LESS 0)
    message(FATAL_ERROR "'${text}' has to be said: ${complaint}")
  endif()
endfunction()

# not_a_part(<text> <option>...): the same by add_subdirectory.
function(not_a_part text)
  execute_process(
    COMMAND ${configure} -S "${here}/not_found" -B "${work}/not_found" "-DSOURCE=${SOURCE}" ${ARGN}
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE complaint)
  stopped_with("${text}" "${result}" "${complaint}")
endfunction()

refused("mpx needs clang 16 or newer, this is 14.0.6" "${from_prefix}"
  -DCOMPILER_ID=Clang -DCOMPILER_VERSION=14.0.6)
refused("mpx needs g++ 12 or newer, this is 11.4.0" "${from_prefix}"
  -DCOMPILER_ID=GNU -DCOMPILER_VERSION=11.4.0)
not_a_part("mpx needs clang 16 or newer, this is 15.0.7"
  -DCOMPILER_ID=Clang -DCOMPILER_VERSION=15.0.7)

# Another minor version may break a program, before 1.0; so may a patch that is not there yet.
string(REGEX MATCH "^([0-9]+)\\.([0-9]+)\\.([0-9]+)$" matched "${VERSION}")
set(major ${CMAKE_MATCH_1})
math(EXPR next_minor "${CMAKE_MATCH_2} + 1")
math(EXPR next_patch "${CMAKE_MATCH_3} + 1")
set(refused_versions ${major}.${next_minor} ${major}.${CMAKE_MATCH_2}.${next_patch} 99.0)
if(CMAKE_MATCH_2 GREATER 0)
  math(EXPR last_minor "${CMAKE_MATCH_2} - 1")
  list(APPEND refused_versions ${major}.${last_minor})
endif()
foreach(other IN LISTS refused_versions)
  refused("" "${from_prefix}" -DVERSION=${other})
endforeach()
configure(find_package components "${from_prefix}" -DVERSION=${major}.${CMAKE_MATCH_2} -DCOMPILED=ON)
configure(find_package components "${from_prefix}" -DVERSION= -DCOMPILED=ON)

# No Boost where CMake looks; then one that is too old.
set(no_boost -DNO_BOOST=ON)
refused("mpx needs the headers of Boost 1.74 or newer" "${from_prefix}" ${no_boost})
file(WRITE "${work}/old_boost/boost/version.hpp" "#define BOOST_VERSION 107300\n")
file(WRITE "${work}/old_boost/boost/intrusive/list.hpp" "")
refused("mpx needs the headers of Boost 1.74 or newer (Debian: libboost1.81-dev, Ubuntu: libboost-dev); those in ${work}/old_boost are older"
  "${from_prefix}" ${no_boost} "-DMPX_BOOST_INCLUDE_DIR=${work}/old_boost")
not_a_part("mpx needs the headers of Boost 1.74 or newer" ${no_boost})

# --- from a checkout ---

# scripts/install, without the launcher: who cannot do without that is told so.
# (The library that is compiled, at -O3 here, was installed above.)
run("${SOURCE}/scripts/install" "${work}/a folder" "-DCMAKE_CXX_COMPILER=${CXX}" -DMPX_BUILD_MPXRUN=OFF
  -DMPX_BUILD_COMPILED=OFF -DMPX_WITH_TCP=OFF -DMPX_WITH_TLS=OFF)
configure(find_package components "-DCMAKE_PREFIX_PATH=${work}/a folder" -DCOMPILED=OFF)

# lacks(<component> <text>): who asks for it is told.
function(lacks component text)
  execute_process(
    COMMAND ${configure} -S "${here}/find_package" -B "${work}/components"
      "-DCMAKE_PREFIX_PATH=${work}/a folder" "-DCOMPONENTS=${component}"
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE complaint)
  stopped_with("${text}" "${result}" "${complaint}")
endfunction()
lacks(mpxrun "this installation of mpx has no mpx::mpxrun")
lacks(tcp "this installation of mpx has no mpx::tcp")
lacks(compiled "this installation of mpx has no mpx::compiled")
lacks("mpx;compield" "mpx has no component compield; there are mpx, compiled, mpxrun, asio,")
configure(find_package components "-DCMAKE_PREFIX_PATH=${work}/a folder" -DCOMPONENTS=mpx -DCOMPILED=OFF)
configure(find_package components "${from_prefix}" -DCOMPONENTS=compiled -DCOMPILED=ON)
if(LAUNCHER)
  configure(find_package components "${from_prefix}" -DCOMPONENTS=mpxrun -DCOMPILED=ON)
endif()

# The documents are installed as well.
foreach(file IN ITEMS LICENSE README.md CHANGELOG.md docs/GUIDE.md examples/hello.cpp)
  if(NOT EXISTS "${work}/a folder/share/doc/mpx/${file}")
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
run("${PYTHON3}" "${SOURCE}/tools/check_links.py" --installed "${work}/a folder/share/doc/mpx")
