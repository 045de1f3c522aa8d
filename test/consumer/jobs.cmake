# SPDX-License-Identifier: BSL-1.0
# The tests of a project that uses mpx: `consumer` as a job, if there is the launcher.
if(TARGET mpx::mpxrun)
  enable_testing()
  add_test(NAME job COMMAND mpx::mpxrun -n 4 $<TARGET_FILE:consumer>)
  add_test(NAME job_by_path
    COMMAND "${CMAKE_COMMAND}" -E env $<TARGET_FILE:mpx::mpxrun> -np 2 $<TARGET_FILE:consumer>)
  set_tests_properties(job job_by_path PROPERTIES TIMEOUT 30)
endif()
