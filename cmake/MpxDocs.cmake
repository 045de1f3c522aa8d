# SPDX-License-Identifier: BSL-1.0
# The checks of what is written: ctests with the label `house`, each a script of tools/.

mpx_add_house_test(docs.links house 60 Python3::Interpreter "${tools}/check_links.py")

find_program(MPX_DOXYGEN doxygen)
if(MPX_DOXYGEN)
  mpx_add_house_test(docs.reference house 120 Python3::Interpreter "${tools}/reference.py"
    --doxygen "${MPX_DOXYGEN}" "${PROJECT_BINARY_DIR}/docs")
else()
  message(STATUS "mpx: no doxygen, the API reference is not built")
endif()
