# SPDX-License-Identifier: BSL-1.0
# mpx::testing: the contract suites of the axes, mpx/testing/*.hpp, for policies in other repositories.
# Where doctest is. Installed, they lie below the headers of mpx; here, in test/.
set(mpx_testing_headers
  patience.hpp patterns.hpp core/errc_of.hpp
  bootstrap/contract.hpp flow/contract.hpp matching/comparison.hpp matching/contract.hpp
  transport/channel_cases.hpp transport/cluster.hpp transport/contract.hpp transport/copied.hpp
  transport/elastic.hpp transport/helped.hpp transport/immediate.hpp transport/memory_device.hpp
  transport/nic_contract.hpp transport/nic_player.hpp transport/pending.hpp transport/pollable.hpp
  transport/waiting.hpp)

if(NOT CMAKE_CROSSCOMPILING)
  find_package(doctest QUIET CONFIG)
  if(TARGET doctest::doctest)
    add_library(mpx_testing INTERFACE)
    add_library(mpx::testing ALIAS mpx_testing)
    target_link_libraries(mpx_testing INTERFACE mpx doctest::doctest)
    target_include_directories(mpx_testing SYSTEM INTERFACE
      "${PROJECT_SOURCE_DIR}/test/kit" "${PROJECT_SOURCE_DIR}/test")
  endif()
endif()

function(mpx_install_testing)
  set(to "${CMAKE_INSTALL_INCLUDEDIR}/mpx/testing")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/test/kit/mpx/testing/" DESTINATION "${to}")
  foreach(header IN LISTS mpx_testing_headers)
    cmake_path(GET header PARENT_PATH folder)
    install(FILES "${PROJECT_SOURCE_DIR}/test/${header}" DESTINATION "${to}/${folder}")
  endforeach()
endfunction()
