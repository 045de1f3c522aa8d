# SPDX-License-Identifier: BSL-1.0
# Installs mpx below the build directory and uses it in the ways that the README names.
# In: SOURCE, BINARY, GENERATOR, CXX, VERSION, LAUNCHER (whether mpxrun is built).

set(here "${CMAKE_CURRENT_LIST_DIR}")
set(work "${BINARY}/consumer")
file(REMOVE_RECURSE "${work}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  message("${output}")
endfunction()

run("${CMAKE_COMMAND}" --install "${BINARY}" --prefix "${work}/installed")
# Nothing may depend on where it was installed.
file(RENAME "${work}/installed" "${work}/prefix")

foreach(way IN ITEMS find_package add_subdirectory)
  run("${CMAKE_COMMAND}" -S "${here}/${way}" -B "${work}/${way}" -G "${GENERATOR}"
    "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_PREFIX_PATH=${work}/prefix"
    "-DSOURCE=${SOURCE}" "-DVERSION=${VERSION}")
  run("${CMAKE_COMMAND}" --build "${work}/${way}")
  run("${work}/${way}/consumer")
  run("${work}/${way}/consumer_compiled")
endforeach()

find_program(PKG_CONFIG pkg-config REQUIRED)
set(ENV{PKG_CONFIG_PATH} "${work}/prefix/share/pkgconfig")
execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs "mpx = ${VERSION}"
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags)
run("${CXX}" -std=c++20 "${here}/main.cpp" ${flags} -o "${work}/pkg_config_consumer")
run("${work}/pkg_config_consumer")

if(LAUNCHER)
  run("${work}/prefix/bin/mpxrun" --version)
  run("${work}/prefix/bin/mpxrun" -n 2 "${work}/find_package/consumer")
endif()
