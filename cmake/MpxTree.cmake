# SPDX-License-Identifier: BSL-1.0
# The checks of the source tree itself, as ctests with the label `tree`; those that depend on the
# compiler (headers, compile_fail) have the label `compiler`.

set(tools "${PROJECT_SOURCE_DIR}/tools")

# mpx_append_system(<list> <directory>...): a directory that the compiler searches anyway must not be
# named again: it would break the order of the standard headers.
function(mpx_append_system list)
  foreach(directory IN LISTS ARGN)
    get_filename_component(directory "${directory}" REALPATH)
    if(NOT directory IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
      list(APPEND ${list} -isystem "${directory}")
    endif()
  endforeach()
  set(${list} ${${list}} PARENT_SCOPE)
endfunction()

# Flags that let a bare compiler see mpx.
set(mpx_bare_flags -std=c++20 -pthread "-I${PROJECT_SOURCE_DIR}/include")
get_target_property(boost_includes Boost::headers INTERFACE_INCLUDE_DIRECTORIES)
mpx_append_system(mpx_bare_flags ${boost_includes})
if(TARGET mpx::pmix)
  mpx_append_system(mpx_bare_flags "${MPX_PMIX_INCLUDE_DIR}")
endif()

function(mpx_add_tree_test name label timeout)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  mpx_set_limit(${name} ${timeout})
  set_tests_properties(${name} PROPERTIES LABELS "${label}")
endfunction()

mpx_add_tree_test(tree.layers tree 60 Python3::Interpreter "${tools}/check_layers.py")
mpx_add_tree_test(tree.layers_self_test tree 60
  Python3::Interpreter "${tools}/check_layers.py" --self-test)
mpx_add_tree_test(tree.suites tree 60 Python3::Interpreter "${tools}/check_suites.py")
mpx_add_tree_test(tree.suites_self_test tree 60
  Python3::Interpreter "${tools}/check_suites.py" --self-test)
mpx_add_tree_test(tree.limits tree 60 Python3::Interpreter "${tools}/check_limits.py"
  "${CMAKE_CTEST_COMMAND}" "${PROJECT_BINARY_DIR}")
mpx_add_tree_test(tree.version tree 60 Python3::Interpreter "${tools}/version.py")
mpx_add_tree_test(tree.version_self_test tree 60 Python3::Interpreter "${tools}/version.py" --self-test)
mpx_add_tree_test(tree.manual_self_test tree 60 Python3::Interpreter "${tools}/manual.py" --self-test)
mpx_add_tree_test(tree.amalgamated tree 60
  Python3::Interpreter "${tools}/amalgamate.py" --check)

set(which_headers --users)
if(MPX_TEST_RELEASE)
  set(which_headers "")
endif()
mpx_add_tree_test(tree.headers compiler 600 Python3::Interpreter "${tools}/check_headers.py"
  ${which_headers} --compiler "${CMAKE_CXX_COMPILER}" --jobs 2 -- ${mpx_bare_flags} ${mpx_warnings} -Wshadow -Werror)
set_tests_properties(tree.headers PROPERTIES PROCESSORS 2 COST 50)

# The limits are those of g++, whose libstdc++ the unit is made of.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT MPX_SANITIZE AND MPX_TEST_RELEASE)
  mpx_add_tree_test(tree.compile_time tree 600 Python3::Interpreter "${tools}/compile_time.py"
    --compiler "${CMAKE_CXX_COMPILER}" --rounds 1 -- ${mpx_bare_flags})
  set_tests_properties(tree.compile_time PROPERTIES PROCESSORS 2 COST 50)
endif()

mpx_add_tree_test(tree.module tree 300 Python3::Interpreter "${tools}/check_module.py"
  --root "${PROJECT_SOURCE_DIR}" -- ${mpx_bare_flags})
set_tests_properties(tree.module PROPERTIES SKIP_RETURN_CODE 77)

# Users' programs by each compiler that mpx is for: those that are stated minima are built whole and run,
# for a release; without MPX_TEST_RELEASE they check them, and other compilers do not.
set(users_flags "")
if(TARGET mpx::tcp)
  list(APPEND users_flags -DMPX_USERS_TCP -lcrypto)
endif()
if(TARGET mpx::tls)
  list(APPEND users_flags -DMPX_USERS_TLS -lssl -lcrypto)
endif()
if(TARGET mpx::sim)
  list(APPEND users_flags -DMPX_USERS_SIM)
  if(TARGET Boost::context)
    list(APPEND users_flags "$<TARGET_FILE:Boost::context>")
  else()
    list(APPEND users_flags "${MPX_BOOST_CONTEXT}")
  endif()
endif()
if(TARGET mpx::asio)
  list(APPEND users_flags -DMPX_USERS_ASIO)
endif()
if(TARGET mpx::pmix)
  list(APPEND users_flags -DMPX_USERS_PMIX "${MPX_PMIX_LIBRARY}")
  mpx_append_system(users_flags "${MPX_PMIX_INCLUDE_DIR}")
endif()
if(TARGET mpx::libfabric)
  list(APPEND users_flags -DMPX_USERS_LIBFABRIC ${MPX_FABRIC_LINK_LIBRARIES})
  mpx_append_system(users_flags ${MPX_FABRIC_INCLUDE_DIRS})
endif()
# mpx_add_compiler_test(<name> <compiler> [--minimum])
function(mpx_add_compiler_test name compiler)
  mpx_add_tree_test(compilers.${name} tree 900 Python3::Interpreter "${tools}/check_compilers.py"
    --root "${PROJECT_SOURCE_DIR}" --mpxrun "$<TARGET_FILE:mpxrun>" ${ARGN} "${compiler}"
    -- ${users_flags})
  set_tests_properties(compilers.${name} PROPERTIES SKIP_RETURN_CODE 77 COST 60)
endfunction()
if(TARGET mpxrun AND NOT MPX_SANITIZE AND NOT MPX_TEST_RELEASE)
  mpx_add_compiler_test(clang++-16 clang++-16)
elseif(TARGET mpxrun AND NOT MPX_SANITIZE)
  mpx_add_compiler_test(g++-12 g++-12 --minimum)
  mpx_add_compiler_test(clang++-16 clang++-16 --minimum)
  foreach(name IN ITEMS g++-13 g++-14 g++-15 clang++-17 clang++-18 clang++-19 clang++-20)
    unset(found)
    find_program(found ${name} NO_CACHE)
    if(found)
      mpx_add_compiler_test(${name} "${found}")
    endif()
  endforeach()
  find_program(MPX_NVCC nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
  mark_as_advanced(MPX_NVCC)
  if(MPX_NVCC)
    mpx_add_compiler_test(nvcc "${MPX_NVCC}")
  else()
    message(STATUS "mpx: no nvcc, programs for it are not compiled")
  endif()
endif()

# The compile-fail tests share one precompiled mpx.hpp: each compiles twice. A second compiler
# compiles them only for a release.
if(MPX_TEST_RELEASE OR NOT MPX_SANITIZE)
  set(precompiled "${PROJECT_BINARY_DIR}/precompiled")
  file(WRITE "${precompiled}/all.hpp" "#include <mpx/mpx.hpp>\n")
  mpx_add_tree_test(compile_fail.precompile compiler 120 "${CMAKE_CXX_COMPILER}" ${mpx_bare_flags}
    -x c++-header "${precompiled}/all.hpp" -o "${precompiled}/all.hpp.gch")
  set_tests_properties(compile_fail.precompile PROPERTIES FIXTURES_SETUP precompiled)
  file(GLOB compile_fail_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/test/compile_fail/*.cpp")
  foreach(file IN LISTS compile_fail_sources)
    mpx_stem_of(name "${file}")
    mpx_add_tree_test(compile_fail.${name} compiler 120
      Python3::Interpreter "${tools}/compile_fail.py" --compiler "${CMAKE_CXX_COMPILER}" "${file}"
      -- ${mpx_bare_flags} -include "${precompiled}/all.hpp")
    set_tests_properties(compile_fail.${name} PROPERTIES FIXTURES_REQUIRED precompiled)
  endforeach()
endif()

# Other versions format differently: only the one that the tree was formatted with can judge it.
find_program(MPX_CLANG_FORMAT clang-format-19)
if(MPX_CLANG_FORMAT)
  set(patterns include/*.hpp bench/*.[ch])
  foreach(folder IN ITEMS test bench examples tools mpi/src mpi/modules)
    list(APPEND patterns ${folder}/*.hpp ${folder}/*.cpp)
  endforeach()
  list(TRANSFORM patterns PREPEND "${PROJECT_SOURCE_DIR}/")
  file(GLOB_RECURSE formatted CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" ${patterns})
  mpx_add_tree_test(tree.format tree 120
    "${MPX_CLANG_FORMAT}" --dry-run --Werror ${formatted})
  add_custom_target(format COMMAND "${MPX_CLANG_FORMAT}" -i ${formatted}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" VERBATIM)
else()
  message(STATUS "mpx: no clang-format-19, the formatting is not checked")
endif()

find_program(MPX_CLANG_TIDY NAMES clang-tidy-19 clang-tidy-18)
if(NOT MPX_CLANG_TIDY)
  message(STATUS "mpx: no clang-tidy, the sources are not analysed")
elseif(MPX_TEST_RELEASE)
  file(GLOB tidied CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/test/tidy/*.cpp")
  foreach(file IN LISTS tidied)
    mpx_stem_of(name "${file}")
    mpx_add_tree_test(tidy.${name} tree 300
      "${MPX_CLANG_TIDY}" --quiet "${file}" -- ${mpx_bare_flags})
    set_tests_properties(tidy.${name} PROPERTIES COST 20)
  endforeach()
  mpx_add_tree_test(tidy.mpxrun tree 300 Python3::Interpreter "${tools}/tidy.py"
    "${MPX_CLANG_TIDY}" "${tools}/mpxrun" -- ${mpx_bare_flags})
  set_tests_properties(tidy.mpxrun PROPERTIES COST 30)
endif()

if(MPX_INSTALL)
  set(components tcp tls pmix libfabric sim)
  foreach(component IN LISTS components)
    if(NOT TARGET mpx::${component})
      list(REMOVE_ITEM components ${component})
    endif()
  endforeach()
  list(JOIN components "," components)  # A list would become several arguments.
  mpx_add_tree_test(tree.consumer tree 1800 "${CMAKE_COMMAND}"
    "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DBINARY=${PROJECT_BINARY_DIR}"
    "-DGENERATOR=${CMAKE_GENERATOR}" "-DCXX=${CMAKE_CXX_COMPILER}" "-DVERSION=${PROJECT_VERSION}"
    "-DRELEASE=${MPX_TEST_RELEASE}" "-DLAUNCHER=$<TARGET_EXISTS:mpxrun>" "-DTESTING=$<TARGET_EXISTS:mpx::testing>" "-DCOMPONENTS=${components}"
    -P "${PROJECT_SOURCE_DIR}/test/consumer/run.cmake")
  set_tests_properties(tree.consumer PROPERTIES COST 60)
endif()
