# SPDX-License-Identifier: BSL-1.0
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(MpxTesting)

# Header only: one installation serves every architecture, so it lives in share/.
set(mpx_cmake_dir "${CMAKE_INSTALL_DATADIR}/cmake/mpx")
set(mpx_pc_dir "${CMAKE_INSTALL_DATADIR}/pkgconfig")

# Each file belongs to a component, of which packages are made (cmake/MpxPackages.cmake): headers, unless
# it says compiled or tools.
install(TARGETS mpx EXPORT mpxTargets FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT mpxTargets NAMESPACE mpx:: DESTINATION "${mpx_cmake_dir}")
if(MPX_BUILD_COMPILED)  # The one part that belongs to an architecture.
  install(TARGETS mpx_compiled EXPORT mpxCompiledTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT compiled)
  install(EXPORT mpxCompiledTargets NAMESPACE mpx:: DESTINATION "${mpx_cmake_dir}" COMPONENT compiled)
endif()
foreach(program IN ITEMS mpxrun mpxinfo mpx-perf)  # No part of the header-only export: mpxConfig looks for it.
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
  endif()
endforeach()

set(mpx_choices "")
foreach(name IN LISTS mpx_optional_components)
  string(APPEND mpx_choices "set(mpx_with_${name} ${mpx_with_${name}})\n")
endforeach()
configure_package_config_file(cmake/mpxConfig.cmake.in "${PROJECT_BINARY_DIR}/mpxConfig.cmake"
  INSTALL_DESTINATION "${mpx_cmake_dir}" PATH_VARS CMAKE_INSTALL_BINDIR)
# Before 1.0 a minor version may break.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/mpxConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
  "${PROJECT_BINARY_DIR}/mpxConfig.cmake"
  "${PROJECT_BINARY_DIR}/mpxConfigVersion.cmake"
  cmake/MpxBoost.cmake
  cmake/MpxCompiler.cmake
  cmake/MpxComponents.cmake
  DESTINATION "${mpx_cmake_dir}")
install(DIRECTORY cmake/components DESTINATION "${mpx_cmake_dir}")

# Relative to the .pc file, so that an installation can be moved.
file(RELATIVE_PATH mpx_pc_prefix "/x/${mpx_pc_dir}" "/x")
configure_file(cmake/mpx.pc.in "${PROJECT_BINARY_DIR}/mpx.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/mpx.pc" DESTINATION "${mpx_pc_dir}")
# mpx_install_component_pc(<name> <folder> <description> [COMPONENT <c>] [REQUIRES <module>...]
#   [CFLAGS <f>] [LIBS <l>...])
# As the target of that name; each is installed, whatever is found here, if it is not left out by
# MPX_WITH_<NAME>: it names what it needs. mpx and its modules are required in this version.
function(mpx_install_component_pc name folder description)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "CFLAGS;COMPONENT" "REQUIRES;LIBS")
  file(RELATIVE_PATH prefix "/x/${folder}" "/x")
  string(REGEX REPLACE "/$" "" prefix "${prefix}")
  if(NOT arg_COMPONENT)
    set(arg_COMPONENT headers)
  endif()
  list(TRANSFORM arg_REQUIRES REPLACE "^(mpx[^ ]*)$" "\\1 = ${PROJECT_VERSION}")
  list(JOIN arg_REQUIRES ", " requires)
  list(JOIN arg_LIBS " " libs)
  configure_file(cmake/component.pc.in "${PROJECT_BINARY_DIR}/mpx-${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/mpx-${name}.pc" DESTINATION "${folder}"
    COMPONENT ${arg_COMPONENT})
endfunction()
foreach(name IN LISTS mpx_optional_components)
  if(NOT "${mpx_with_${name}}" STREQUAL "OFF")
    mpx_install_component_pc(${name} "${mpx_pc_dir}" "${mpx_${name}_description}"
      REQUIRES mpx ${mpx_${name}_requires} LIBS ${mpx_${name}_libraries})
  endif()
endforeach()
if(MPX_MPI)
  mpx_install_component_pc(mpi "${CMAKE_INSTALL_LIBDIR}/pkgconfig" "MPI 5.0 in the standard ABI"
    COMPONENT mpi CFLAGS "-I\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}/mpx-mpi"
    LIBS "-L\${prefix}/${CMAKE_INSTALL_LIBDIR}" -lmpi_abi)
endif()
if(MPX_BUILD_COMPILED)
  mpx_install_component_pc(compiled "${CMAKE_INSTALL_LIBDIR}/pkgconfig" "the default stack as a library"
    COMPONENT compiled REQUIRES mpx CFLAGS -DMPX_COMPILED=1
    LIBS "-L\${prefix}/${CMAKE_INSTALL_LIBDIR}" -lmpx_compiled)
endif()

mpx_install_testing()
install(PROGRAMS tools/new-transport DESTINATION "${CMAKE_INSTALL_DATADIR}/mpx")
install(FILES modules/mpx.cppm DESTINATION "${CMAKE_INSTALL_DATADIR}/mpx/modules")
# Not in a folder that compilers search: a program takes one of the two.
install(FILES single_include/mpx/mpx.hpp DESTINATION "${CMAKE_INSTALL_DATADIR}/mpx/single_include/mpx")
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.csv" PATTERN docs/api EXCLUDE)
install(DIRECTORY examples DESTINATION "${CMAKE_INSTALL_DOCDIR}")
