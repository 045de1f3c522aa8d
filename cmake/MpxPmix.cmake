# SPDX-License-Identifier: BSL-1.0
# mpx::pmix, for programs that include mpx/bootstrap/pmix.hpp, if libpmix is there. Shared by the build
# and the installed package.

if(NOT TARGET mpx::pmix)
  find_library(MPX_PMIX_LIBRARY pmix
    PATH_SUFFIXES "${CMAKE_LIBRARY_ARCHITECTURE}/pmix2/lib" pmix2/lib)  # Debian's place.
  get_filename_component(mpx_pmix_prefix "${MPX_PMIX_LIBRARY}" DIRECTORY)
  find_path(MPX_PMIX_INCLUDE_DIR pmix.h HINTS "${mpx_pmix_prefix}/../include")
  unset(mpx_pmix_prefix)
  mark_as_advanced(MPX_PMIX_INCLUDE_DIR MPX_PMIX_LIBRARY)
  if(MPX_PMIX_INCLUDE_DIR AND MPX_PMIX_LIBRARY AND NOT CMAKE_CROSSCOMPILING)
    add_library(mpx::pmix INTERFACE IMPORTED)
    target_link_libraries(mpx::pmix INTERFACE mpx::mpx "${MPX_PMIX_LIBRARY}")
    target_include_directories(mpx::pmix SYSTEM INTERFACE "${MPX_PMIX_INCLUDE_DIR}")
  endif()
endif()
