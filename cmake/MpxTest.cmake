# SPDX-License-Identifier: BSL-1.0
# The functions that turn the files below test/ into ctests. Every ctest has a TIMEOUT.

set(MPX_TEST_TIMEOUT_S 120 CACHE STRING
  "Seconds stated for a test that says nothing else: five times as many are its limit")
set(mpx_default_ranks 1 2 3 4 7 8)
set(mpx_fuzz_seconds 3)
if(MPX_TEST_RELEASE)
  set(mpx_fuzz_seconds 6)
endif()
set(mpx_sanitizer_slowdown 5)
set(mpx_emulator_slowdown 8)
set(mpx_busy_slowdown 5)  # Others may use the machine; test/patience.hpp has it for limits within.

# mpx_set_limit(<test> <seconds>): the limit of a test, which is for hangs alone, from the seconds that
# are stated for it: some times what it takes on an idle machine.
function(mpx_set_limit name stated)
  math(EXPR limit "${stated} * ${mpx_busy_slowdown}")
  if(MPX_SANITIZE)
    math(EXPR limit "${limit} * ${mpx_sanitizer_slowdown}")
  elseif(CMAKE_CROSSCOMPILING)
    math(EXPR limit "${limit} * ${mpx_emulator_slowdown}")
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${limit})
endfunction()

# Names the functions in the reports of sanitizers.
find_program(MPX_SYMBOLIZER NAMES llvm-symbolizer-19 llvm-symbolizer addr2line)
set(mpx_symbolizer "")
if(MPX_SYMBOLIZER)
  set(mpx_symbolizer ":external_symbolizer_path=${MPX_SYMBOLIZER}")
endif()

# Reads `// <key>: <value>` near the top of a source into ${variable}; unset where it is absent.
function(mpx_directive variable file key)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(STRINGS "${file}" lines LIMIT_COUNT 20)
  unset(${variable} PARENT_SCOPE)
  foreach(line IN LISTS lines)
    if(line MATCHES "^(//|#) ${key}: *(.*[^ ]) *$")
      set(${variable} "${CMAKE_MATCH_2}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# `// sanitizers: none` (or address, or thread) near the top of a source says that others than that
# would tell nothing new there: takes what is not for this preset from ${list}.
function(mpx_drop_unsanitized list)
  set(kept ${${list}})
  foreach(file IN LISTS kept)
    mpx_directive(sanitizers "${CMAKE_CURRENT_SOURCE_DIR}/${file}" sanitizers)
    if(MPX_SANITIZE AND sanitizers AND NOT MPX_SANITIZE MATCHES "${sanitizers}")
      list(REMOVE_ITEM kept "${file}")
    endif()
  endforeach()
  set(${list} ${kept} PARENT_SCOPE)
endfunction()

# `// release: all` (or tsan) near the top of a source: takes it from ${list} without MPX_TEST_RELEASE (in
# that preset). For `// release: dev` see mpx_drop_repeated.
function(mpx_drop_release list)
  set(kept ${${list}})
  foreach(file IN LISTS kept)
    mpx_directive(release "${CMAKE_CURRENT_SOURCE_DIR}/${file}" release)
    if(NOT MPX_TEST_RELEASE AND (release STREQUAL "all"
        OR (release MATCHES "tsan" AND MPX_SANITIZE MATCHES "thread")))
      list(REMOVE_ITEM kept "${file}")
    endif()
  endforeach()
  set(${list} ${kept} PARENT_SCOPE)
endfunction()

# With MPX_TEST_ONCE, takes what the preset asan runs as well from ${list}, and lists it for
# tools/check_suites.py: unit tests and jobs for any sanitizer or for that one, but for those with a
# line `// compilers: both` near the top, unless `// release: dev` says that only a release needs both;
# and with them the programs of jobs without such a line.
function(mpx_drop_repeated list)
  if(NOT MPX_TEST_ONCE)
    return()
  endif()
  set(kept ${${list}})
  foreach(file IN LISTS kept)
    set(name "")  # A program of jobs is no test.
    if(file MATCHES "^mp/([^.]*)\\.cpp$")
      set(name "mp.${CMAKE_MATCH_1}")
    elseif(file MATCHES "^(.*)\\.test\\.cpp$")
      set(name "unit.${CMAKE_MATCH_1}")
    elseif(file MATCHES "^(jobs/.*)\\.test\\.py$")
      set(name "script.${CMAKE_MATCH_1}")
    elseif(NOT file MATCHES "^jobs/.*\\.cpp$")
      continue()
    endif()
    foreach(key IN ITEMS sanitizers compilers labels release)
      mpx_directive(${key} "${CMAKE_CURRENT_SOURCE_DIR}/${file}" ${key})
    endforeach()
    if(release MATCHES "dev" AND NOT MPX_TEST_RELEASE)
      unset(compilers)
    endif()
    if(compilers OR sanitizers MATCHES "none|thread" OR labels MATCHES "slow")
      continue()
    endif()
    list(REMOVE_ITEM kept "${file}")
    if(name)
      string(REPLACE "/" "." name "${name}")
      file(APPEND "${PROJECT_BINARY_DIR}/left_to_asan.txt" "${name}\n")
    endif()
  endforeach()
  set(${list} ${kept} PARENT_SCOPE)
endfunction()

# `// optimise: yes` near the top of a source that runs for long is -O1 (-O2 takes longer to compile);
# `// optimise: some` is -Og, which takes little longer to compile than -O0, and runs in a fifth of its
# time. Unset under sanitizers.
function(mpx_optimisation variable file)
  mpx_directive(optimise "${file}" optimise)
  unset(${variable} PARENT_SCOPE)
  if(MPX_SANITIZE OR NOT optimise)
    return()
  elseif(optimise STREQUAL "some")
    set(${variable} -Og PARENT_SCOPE)
  else()
    set(${variable} -O1 PARENT_SCOPE)
  endif()
endfunction()

# Gives a ctest its timeout, labels and environment; `file` may override by directives.
function(mpx_finish_test name file label)
  mpx_directive(timeout "${file}" timeout)
  mpx_directive(labels "${file}" labels)
  mpx_directive(release "${file}" release)
  set(cost 0)
  if(timeout)  # Who says so takes long, and begins early where no run before has told ctest.
    math(EXPR cost "${timeout} / 10")
  else()
    set(timeout ${MPX_TEST_TIMEOUT_S})
  endif()
  mpx_set_limit(${name} ${timeout})
  separate_arguments(labels)
  if(release STREQUAL "all")
    list(APPEND labels release)
  endif()
  set(after_return 1)
  # It doubles what a simulated rank takes; others run the same code.
  if(file MATCHES "/test/(sim/|alloc/sim)")
    set(after_return 0)
  endif()
  # A sanitizer looks at each byte of the pools that an endpoint of libfabric has to itself, and gets
  # them from the system anew for each: they are small there, and who is not instrumented is not
  # looked at (libfabric's threads meet in ways that ThreadSanitizer does not see, anyway). What is
  # sent is looked at behind the call, when the peer may have it, and the sender freed it, for long.
  set(fabric "")
  set(instrumented "")
  set(sends "")
  if(MPX_SANITIZE AND file MATCHES "libfabric")
    set(fabric ";FI_OFI_RXM_BUFFER_SIZE=6144;FI_OFI_RXM_MSG_TX_SIZE=32;FI_OFI_RXM_MSG_RX_SIZE=32")
    set(instrumented ":ignore_noninstrumented_modules=1")
    set(sends ":intercept_send=0")
  endif()
  set_tests_properties(${name} PROPERTIES
    COST ${cost}
    LABELS "${label};${labels}"
    ENVIRONMENT "ASAN_OPTIONS=handle_sigill=1:allocator_may_return_null=1:detect_stack_use_after_return=${after_return}${sends}${mpx_symbolizer};LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/test/lsan.supp:print_suppressions=0${mpx_symbolizer};UBSAN_OPTIONS=print_stacktrace=1${mpx_symbolizer};TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/test/tsan.supp:print_suppressions=0:halt_on_error=1:allocator_may_return_null=1${instrumented}${mpx_symbolizer}${fabric}")
endfunction()

# Flags that differ from those of mpx_test_headers lose what it has read.
function(mpx_finish_test_target name)
  target_link_libraries(${name} PRIVATE mpx_under_test mpx_own ${ARGN})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/test")
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_precompile_headers(${name} REUSE_FROM mpx_test_headers)
endfunction()

# An object of it that a program has no use for is left out.
function(mpx_add_test_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_library(${name} STATIC ${arg_SOURCES})
  mpx_finish_test_target(${name} ${arg_LIBRARIES})
endfunction()

function(mpx_add_test_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  mpx_finish_test_target(${name} ${arg_LIBRARIES})
  if(TARGET OpenSSL::Crypto AND "${arg_SOURCES}" MATCHES "(^|[/;])(tcp|hybrid)")
    target_link_libraries(${name} PRIVATE OpenSSL::Crypto)
  endif()
  if(TARGET mpx::libfabric AND "${arg_SOURCES}" MATCHES "(^|[/;])libfabric")
    target_link_libraries(${name} PRIVATE mpx::libfabric)
  endif()
  if(TARGET OpenSSL::SSL AND "${arg_SOURCES}" MATCHES "(^|[/;])tls")
    target_link_libraries(${name} PRIVATE OpenSSL::SSL)
  endif()
endfunction()

# The tests of test/<folder>: one doctest program for its *.test.cpp and their other sources, or, in
# a folder with *.test.py, the other sources as helper programs of those.
function(mpx_add_folder_tests folder)
  set(units ${sources})
  list(FILTER units INCLUDE REGEX "^${folder}/.*\\.test\\.cpp$")
  set(others ${sources})
  list(FILTER others INCLUDE REGEX "^${folder}/")
  list(FILTER others EXCLUDE REGEX "\\.test\\.cpp$")
  set(folder_scripts ${scripts})
  list(FILTER folder_scripts INCLUDE REGEX "^${folder}/")

  if(folder_scripts)
    mpx_add_script_tests(${folder} "${folder_scripts}" "${others}")
    set(others "")
  endif()
  if(NOT units)
    return()
  endif()
  set(libraries mpx_test_main doctest::doctest)
  if(folder MATCHES "^(sim|alloc)$" AND TARGET mpx::sim)
    list(APPEND libraries mpx::sim)
  endif()
  if(folder STREQUAL "sim")
    list(APPEND libraries mpx_test_sim_instances)
  elseif(NOT folder MATCHES "^(alloc|levels|pace|preempt)$")  # Those have an mpx of their own.
    list(APPEND libraries mpx_test_instances)
  endif()
  mpx_add_test_program(test_${folder} SOURCES ${units} ${others} LIBRARIES ${libraries})
  foreach(file IN LISTS units)
    mpx_directive(own_headers "${CMAKE_CURRENT_SOURCE_DIR}/${file}" own_headers)
    if(own_headers)  # Something must come before mpx.
      set_target_properties(test_${folder} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
    endif()
    mpx_optimisation(optimisation "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    if(optimisation)
      set_source_files_properties("${CMAKE_CURRENT_SOURCE_DIR}/${file}" PROPERTIES
        COMPILE_OPTIONS ${optimisation} SKIP_PRECOMPILE_HEADERS ON)
    endif()
    mpx_directive(alone "${CMAKE_CURRENT_SOURCE_DIR}/${file}" alone)
    if(alone)
      set_source_files_properties("${CMAKE_CURRENT_SOURCE_DIR}/${file}" PROPERTIES
        SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  # Their files instantiate the same for the same stacks: up to two fifths of what each would. (As
  # many as go into two gigabytes.)
  if(folder MATCHES "^(coll|comm|engine|portals|rma|sim|transport)$")
    set(batch 4)
    if(folder STREQUAL "comm")
      set(batch 10)
    elseif(folder STREQUAL "portals")
      set(batch 6)
    elseif(folder STREQUAL "rma")
      set(batch 5)
    endif()
    set_target_properties(test_${folder} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
  add_dependencies(mpx_unit_tests test_${folder})
  foreach(file IN LISTS units)
    string(REGEX REPLACE "\\.test\\.cpp$" "" name "${file}")
    string(REPLACE "/" "." name "unit.${name}")
    add_test(NAME ${name} COMMAND test_${folder} "--source-file=*${file}")
    mpx_finish_test(${name} "${CMAKE_CURRENT_SOURCE_DIR}/${file}" unit)
    # A filter that selects nothing must not pass.
    set_tests_properties(${name} PROPERTIES FAIL_REGULAR_EXPRESSION "test cases: +0 \\|")
  endforeach()
endfunction()

# A helper with a line `// libraries: TARGET...` is left out where one of them is not there.
# Also in the environment of a script: MPX_BIN (the folder of cg, mpx-perf, ...), MPX_SOURCE, and
# FOR_RELEASE (1 or 0: MPX_TEST_RELEASE).
function(mpx_add_script_tests folder files helper_sources)
  mpx_require_mpxrun("test/${folder}")
  set(helpers "")
  foreach(file IN LISTS helper_sources)
    mpx_stem_of(stem "${file}")
    set(helper "${folder}_${stem}")
    mpx_directive(libraries "${CMAKE_CURRENT_SOURCE_DIR}/${file}" libraries)
    separate_arguments(libraries)
    set(missing "${libraries}")
    list(FILTER missing EXCLUDE REGEX "^$")
    foreach(library IN LISTS libraries)
      if(TARGET ${library})
        list(REMOVE_ITEM missing ${library})
      endif()
    endforeach()
    if(missing)  # Scripts say what they leave out for want of it.
      continue()
    endif()
    if(folder STREQUAL "jobs")
      list(PREPEND libraries mpx_test_job_instances)
    endif()
    mpx_add_test_program(${helper} SOURCES "${file}" LIBRARIES ${libraries})
    if(folder STREQUAL "sim")
      target_link_libraries(${helper} PRIVATE mpx::sim)
    endif()
    mpx_directive(own_headers "${CMAKE_CURRENT_SOURCE_DIR}/${file}" own_headers)
    if(own_headers)  # Something must come before mpx.
      set_target_properties(${helper} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
    endif()
    mpx_optimisation(optimisation "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    if(optimisation)
      target_compile_options(${helper} PRIVATE ${optimisation})
      set_target_properties(${helper} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
    endif()
    list(APPEND helpers "$<TARGET_FILE:${helper}>")
  endforeach()
  foreach(file IN LISTS files)
    mpx_stem_of(stem "${file}")
    add_test(NAME script.${folder}.${stem}
      COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/${file}"
        "$<TARGET_FILE:mpxrun>" ${helpers})
    mpx_finish_test(script.${folder}.${stem} "${CMAKE_CURRENT_SOURCE_DIR}/${file}" mp)
    set_property(TEST script.${folder}.${stem} APPEND PROPERTY ENVIRONMENT
      "MPX_BIN=${PROJECT_BINARY_DIR}/bin" "MPX_SOURCE=${PROJECT_SOURCE_DIR}"
      "FOR_RELEASE=$<BOOL:${MPX_TEST_RELEASE}>")
    set_tests_properties(script.${folder}.${stem} PROPERTIES SKIP_RETURN_CODE 77)
    if("${folder}/${stem}" MATCHES "^(jobs|mpxrun)/|^bench/(compare|tune)$")
      # They look at what jobs leave in /dev/shm, and at processes, so at one job at a time: the
      # longest chain of all, which has to begin at once where no run before has told ctest so.
      set_tests_properties(script.${folder}.${stem} PROPERTIES PROCESSORS 2 RESOURCE_LOCK jobs
        COST 100)
    elseif(folder MATCHES "^(examples|mpi)$")
      set_tests_properties(script.${folder}.${stem} PROPERTIES PROCESSORS 2)
    endif()
  endforeach()
endfunction()

function(mpx_require_mpxrun who)
  if(NOT TARGET mpxrun)
    message(FATAL_ERROR "${who} needs mpxrun: set MPX_BUILD_MPXRUN")
  endif()
endfunction()

# mpx_add_mp_test(<name> [RANKS <n>...] [TIMEOUT <s>] [LABELS <l>...] [ARGS <a>...])
# Runs test/mp/<name>.cpp as `mpxrun -n N <name> ARGS`, one ctest for each rank count.
function(mpx_add_mp_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "RANKS;LABELS;ARGS")
  if(TARGET mp_${name})
    return()  # Added by hand, before the glob found it.
  endif()
  mpx_require_mpxrun("test/mp/${name}.cpp")
  set(file "${CMAKE_CURRENT_SOURCE_DIR}/mp/${name}.cpp")
  mpx_directive(ranks "${file}" ranks)
  mpx_directive(arguments "${file}" args)
  separate_arguments(ranks)
  separate_arguments(arguments)
  if(arg_RANKS)
    set(ranks ${arg_RANKS})
  elseif(NOT ranks)
    set(ranks ${mpx_default_ranks})
  endif()
  mpx_add_test_program(mp_${name} SOURCES "${file}" LIBRARIES mpx_test_job_instances)
  foreach(n IN LISTS ranks)
    set(test mp.${name}.${n})
    add_test(NAME ${test}
      COMMAND mpxrun -n ${n} "$<TARGET_FILE:mp_${name}>" ${arguments} ${arg_ARGS})
    mpx_finish_test(${test} "${file}" mp)
    if(n GREATER 1)
      set_tests_properties(${test} PROPERTIES PROCESSORS 2)
    endif()
    if(arg_TIMEOUT)
      mpx_set_limit(${test} ${arg_TIMEOUT})
    endif()
    if(arg_LABELS)
      set_property(TEST ${test} APPEND PROPERTY LABELS ${arg_LABELS})
    endif()
  endforeach()
endfunction()

# test/fuzz/<name>.cpp defines LLVMFuzzerTestOneInput.
function(mpx_add_fuzz_test name)
  set(file "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}.cpp")
  mpx_add_test_program(fuzz_${name} SOURCES "${file}")
  set_target_properties(fuzz_${name} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,address,undefined
    -fno-sanitize-recover=all)
  # (Behind what other targets lack.)
  set_source_files_properties("${file}" PROPERTIES COMPILE_OPTIONS -fsanitize=alignment)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,address,undefined)
  add_test(NAME fuzz.${name}
    COMMAND fuzz_${name} -seed=1 -max_total_time=${mpx_fuzz_seconds} -rss_limit_mb=2048)
  mpx_finish_test(fuzz.${name} "${file}" fuzz)
endfunction()
