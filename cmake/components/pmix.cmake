# SPDX-License-Identifier: BSL-1.0
# mpx/bootstrap/pmix.hpp.
set(mpx_pmix_description "jobs of launchers that speak PMIx")
set(mpx_pmix_needs "libpmix (Debian, Ubuntu: libpmix-dev)")
set(mpx_pmix_requires pmix)
if(mpx_search AND NOT TARGET mpx::pmix)
  find_library(MPX_PMIX_LIBRARY pmix
    PATH_SUFFIXES "${CMAKE_LIBRARY_ARCHITECTURE}/pmix2/lib" pmix2/lib)  # Debian's place.
  get_filename_component(mpx_pmix_prefix "${MPX_PMIX_LIBRARY}" DIRECTORY)
  find_path(MPX_PMIX_INCLUDE_DIR pmix.h HINTS "${mpx_pmix_prefix}/../include")
  unset(mpx_pmix_prefix)
  mark_as_advanced(MPX_PMIX_INCLUDE_DIR MPX_PMIX_LIBRARY)
  if(MPX_PMIX_INCLUDE_DIR AND MPX_PMIX_LIBRARY AND NOT CMAKE_CROSSCOMPILING)
    add_library(mpx_pmix_library INTERFACE IMPORTED)
    target_link_libraries(mpx_pmix_library INTERFACE "${MPX_PMIX_LIBRARY}")
    target_include_directories(mpx_pmix_library SYSTEM INTERFACE "${MPX_PMIX_INCLUDE_DIR}")
    mpx_add_component(pmix mpx::mpx mpx_pmix_library)
  endif()
endif()
