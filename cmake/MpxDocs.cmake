# SPDX-License-Identifier: BSL-1.0
# The checks of what is written: ctests with the label `tree`, each a script of tools/.

mpx_add_tree_test(docs.links tree 60 Python3::Interpreter "${tools}/check_links.py")
mpx_add_tree_test(docs.words tree 60 Python3::Interpreter "${tools}/check_words.py")
# Their commands are run as they are written.
if(NOT MPX_SANITIZE)
  unset(newest_clang)
  find_program(newest_clang NAMES clang++-20 clang++-19 clang++-18 clang++-17 clang++-16 NO_CACHE)
  if(NOT newest_clang)
    set(newest_clang "")
  endif()
  set(nvcc "${MPX_NVCC}")
  if(NOT nvcc)
    set(nvcc "")
  endif()
  set(pages README.md docs/GUIDE.md)
  if(MPX_TEST_RELEASE)  # Each way of building a program.
    list(APPEND pages docs/COMPILING.md docs/cluster.md)
  endif()
  mpx_add_tree_test(docs.commands tree 1800 Python3::Interpreter "${tools}/doc_commands.py"
    --root "${PROJECT_SOURCE_DIR}" --cxx "${CMAKE_CXX_COMPILER}" "--clang=${newest_clang}"
    "--nvcc=${nvcc}" ${pages})
  set_tests_properties(docs.commands PROPERTIES PROCESSORS 2 COST 60)
endif()
mpx_add_tree_test(docs.environment tree 60
  Python3::Interpreter "${tools}/check_environment.py")

find_program(MPX_DOXYGEN doxygen)
if(MPX_DOXYGEN)
  mpx_add_tree_test(docs.reference tree 120 Python3::Interpreter "${tools}/reference.py"
    --doxygen "${MPX_DOXYGEN}" "${PROJECT_BINARY_DIR}/docs")
  set_tests_properties(docs.reference PROPERTIES COST 20)
else()
  message(STATUS "mpx: no doxygen, the API reference is not built")
endif()

# Programs and output in the documents are compiled, run and compared.
set(simulate --no-sim)
set(context_library "")
if(TARGET mpx::sim)
  set(simulate "")
  set(context_library "${MPX_BOOST_CONTEXT}")
  if(TARGET Boost::context)
    set(context_library "$<TARGET_FILE:Boost::context>")
  endif()
endif()
set(async_page "")
if(TARGET mpx::asio)
  set(async_page docs/ASYNC.md)
endif()
mpx_add_tree_test(docs.code tree 120 Python3::Interpreter "${tools}/doc_blocks.py"
  --compiler "${CMAKE_CXX_COMPILER}" --mpxrun "$<TARGET_FILE:mpxrun>" ${simulate}
  README.md docs/GUIDE.md ${async_page} docs/SIMULATION.md docs/TRANSPORT.md
  -- ${mpx_bare_flags} ${mpx_warnings} -Werror -include "${precompiled}/all.hpp"
  ${context_library})
set_tests_properties(docs.code PROPERTIES PROCESSORS 2 COST 40 FIXTURES_REQUIRED precompiled)
if(TARGET sim_scale)
  mpx_add_tree_test(docs.scale tree 180 Python3::Interpreter "${tools}/check_scale.py"
    "$<TARGET_FILE:sim_scale>")
endif()
