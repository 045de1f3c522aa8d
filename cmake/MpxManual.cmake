# SPDX-License-Identifier: BSL-1.0
# Manual pages, and completions for shells, of the programs that are installed: tools/manual.py makes
# them from what the programs print for --help. Without Python, or if the programs are those of another
# machine, they are left out.
include(GNUInstallDirs)

set(manual_programs "")
foreach(program IN ITEMS mpxrun mpxinfo mpx-perf)
  if(TARGET ${program})
    list(APPEND manual_programs ${program})
  endif()
endforeach()
find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
if(NOT manual_programs OR CMAKE_CROSSCOMPILING)
  return()
elseif(NOT TARGET Python3::Interpreter)
  message(STATUS "mpx: no Python, manual pages and completions are left out")
  return()
endif()

set(manual "${PROJECT_BINARY_DIR}/manual")
list(TRANSFORM manual_programs REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE manual_files)
add_custom_command(OUTPUT "${manual}/stamp"
  COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tools/manual.py" --out "${manual}" ${manual_files}
  COMMAND "${CMAKE_COMMAND}" -E touch "${manual}/stamp"
  DEPENDS ${manual_programs} "${PROJECT_SOURCE_DIR}/tools/manual.py"
    "${PROJECT_SOURCE_DIR}/docs/ENVIRONMENT.md" "${PROJECT_SOURCE_DIR}/include/mpx/version.hpp"
  COMMENT "Writing manual pages" VERBATIM)
add_custom_target(mpx_manual ALL DEPENDS "${manual}/stamp")

install(DIRECTORY "${manual}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT tools OPTIONAL)
install(DIRECTORY "${manual}/bash/" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
  COMPONENT tools OPTIONAL)
install(DIRECTORY "${manual}/zsh/" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
  COMPONENT tools OPTIONAL)
install(DIRECTORY "${manual}/fish/" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d"
  COMPONENT tools OPTIONAL)
