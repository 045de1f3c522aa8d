# SPDX-License-Identifier: BSL-1.0
# The optional targets: mpx::<name> for each file components/<name>.cmake. Shared by the build and the
# installed package.
#
# In: mpx_with_<name>, of the build MPX_WITH_<NAME>: AUTO or unset (the target is there if what it needs
# is found), ON (it must be there: else mpx_problem says what is missing, if it was empty) or OFF
# (nothing is searched for); mpx_is_built_here.
# Out: mpx_optional_components, the names of all files. A file sets
#   mpx_<name>_description   for pkg-config
#   mpx_<name>_needs         what has to be installed
#   mpx_<name>_requires      modules of pkg-config, mpx-<other> for another component
#   mpx_<name>_libraries     further arguments of the linker
# and calls mpx_add_component(<name> <library>...) if all is there.

function(mpx_add_component name)
  if(TARGET mpx::${name})  # find_package was called twice.
    return()
  endif()
  if(mpx_is_built_here)  # A project may use the targets in any of its folders.
    add_library(mpx_${name} INTERFACE)
    add_library(mpx::${name} ALIAS mpx_${name})
    target_link_libraries(mpx_${name} INTERFACE ${ARGN})
  else()
    add_library(mpx::${name} INTERFACE IMPORTED)
    target_link_libraries(mpx::${name} INTERFACE ${ARGN})
  endif()
endfunction()

file(GLOB mpx_component_files "${CMAKE_CURRENT_LIST_DIR}/components/*.cmake")
list(SORT mpx_component_files)  # tcp before tls.
set(mpx_optional_components "")
foreach(mpx_component_file IN LISTS mpx_component_files)
  get_filename_component(mpx_component "${mpx_component_file}" NAME_WE)
  list(APPEND mpx_optional_components ${mpx_component})
  if(mpx_is_built_here)
    string(TOUPPER "MPX_WITH_${mpx_component}" mpx_option)
    set(mpx_with_${mpx_component} "${${mpx_option}}")
    unset(mpx_option)
  endif()
  set(mpx_search TRUE)
  set(mpx_demand FALSE)
  if("${mpx_with_${mpx_component}}" STREQUAL "")
    set(mpx_with_${mpx_component} AUTO)
  endif()
  if(NOT mpx_with_${mpx_component})
    set(mpx_search FALSE)
    set(mpx_with_${mpx_component} OFF)
  elseif(NOT mpx_with_${mpx_component} STREQUAL "AUTO")
    set(mpx_demand TRUE)
  endif()
  include("${mpx_component_file}")
  if(mpx_demand AND NOT mpx_problem AND NOT TARGET mpx::${mpx_component})
    set(mpx_problem "mpx::${mpx_component} needs ${mpx_${mpx_component}_needs}")
  endif()
endforeach()
unset(mpx_component)
unset(mpx_demand)
unset(mpx_component_file)
unset(mpx_component_files)
unset(mpx_search)
