# SPDX-License-Identifier: BSL-1.0
# Installs the contract suites of mpx::testing (components/testing.cmake), which are in test/, below the
# headers of mpx.
set(mpx_testing_headers
  patience.hpp patterns.hpp core/errc_of.hpp
  bootstrap/contract.hpp flow/contract.hpp matching/comparison.hpp matching/contract.hpp
  transport/channel_cases.hpp transport/cluster.hpp transport/contract.hpp transport/copied.hpp
  transport/elastic.hpp transport/helped.hpp transport/immediate.hpp transport/memory_device.hpp
  transport/nic_contract.hpp transport/nic_player.hpp transport/pending.hpp transport/pollable.hpp
  transport/waiting.hpp)

function(mpx_install_testing)
  set(to "${CMAKE_INSTALL_INCLUDEDIR}/mpx/testing")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/test/kit/mpx/testing/" DESTINATION "${to}")
  foreach(header IN LISTS mpx_testing_headers)
    cmake_path(GET header PARENT_PATH folder)
    install(FILES "${PROJECT_SOURCE_DIR}/test/${header}" DESTINATION "${to}/${folder}")
  endforeach()
endfunction()
