# SPDX-License-Identifier: BSL-1.0
# Run by CPack for Debian packages, when the files of each are in place and before they are packed: adds
# the copyright, the changelog and the dependence on the headers of this version, compresses manual pages,
# and moves files to the places that Debian has for them.

find_program(gzip gzip REQUIRED)
set(version "${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
# The changelog's date is that of the sources, so that the same sources make the same packages.
set(epoch "$ENV{SOURCE_DATE_EPOCH}")
if(epoch STREQUAL "")
  set(epoch 0)
endif()
execute_process(COMMAND date -u -R -d "@${epoch}" OUTPUT_VARIABLE day OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "[0-9][0-9][0-9][0-9]" year "${day}")

function(pack_file file)
  execute_process(COMMAND "${gzip}" -9nf "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER "${component}" upper)
  set(package "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
  set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr")
  if(NOT IS_DIRECTORY "${root}" OR package STREQUAL "")
    message(FATAL_ERROR "the component ${component} has no files in ${root}, or no package")
  endif()
  set(documents "${root}/share/doc/${package}")
  if(component STREQUAL "headers" AND IS_DIRECTORY "${root}/share/doc/mpx")
    file(RENAME "${root}/share/doc/mpx" "${documents}")
    file(COPY_FILE "${documents}/CHANGELOG.md" "${documents}/changelog")  # Documents link to the former.
    pack_file("${documents}/changelog")
  endif()
  file(MAKE_DIRECTORY "${documents}")
  file(READ "${CPACK_MPX_SOURCE}/LICENSE" licence)
  string(STRIP "${licence}" licence)
  string(REGEX REPLACE "\n\n" "\n.\n" licence "${licence}")
  string(REGEX REPLACE "\n" "\n " licence "${licence}")
  file(WRITE "${documents}/copyright"
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: mpx\n\n"
    "Files: *\nCopyright: ${year} the authors of mpx\nLicense: BSL-1.0\n ${licence}\n")
  file(WRITE "${documents}/changelog.Debian"
    "mpx (${version}) unstable; urgency=medium\n\n  * mpx ${CPACK_PACKAGE_VERSION}.\n\n"
    " -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${day}\n")
  pack_file("${documents}/changelog.Debian")

  file(GLOB_RECURSE pages "${root}/share/man/*.[1-9]")
  foreach(page IN LISTS pages)
    pack_file("${page}")
  endforeach()
  if(IS_DIRECTORY "${root}/share/zsh/site-functions")
    file(RENAME "${root}/share/zsh/site-functions" "${root}/share/zsh/vendor-completions")
  endif()
endforeach()

# Each package has a summary of its own, the first line of its description.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
