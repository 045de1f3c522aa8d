# SPDX-License-Identifier: BSL-1.0
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Header only: one installation serves every architecture, so it lives in share/.
set(mpx_cmake_dir "${CMAKE_INSTALL_DATADIR}/cmake/mpx")
set(mpx_pc_dir "${CMAKE_INSTALL_DATADIR}/pkgconfig")

install(TARGETS mpx EXPORT mpxTargets FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT mpxTargets NAMESPACE mpx:: DESTINATION "${mpx_cmake_dir}")
if(MPX_BUILD_COMPILED)  # The one part that belongs to an architecture.
  install(TARGETS mpx_compiled EXPORT mpxCompiledTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT mpxCompiledTargets NAMESPACE mpx:: DESTINATION "${mpx_cmake_dir}")
endif()
foreach(program IN ITEMS mpxrun mpxinfo)  # No part of the header-only export: mpxConfig looks for it.
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  endif()
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
  cmake/MpxPmix.cmake
  cmake/MpxFabric.cmake
  DESTINATION "${mpx_cmake_dir}")

# Relative to the .pc file, so that an installation can be moved.
file(RELATIVE_PATH mpx_pc_prefix "/x/${mpx_pc_dir}" "/x")
configure_file(cmake/mpx.pc.in "${PROJECT_BINARY_DIR}/mpx.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/mpx.pc" DESTINATION "${mpx_pc_dir}")
# mpx_install_component_pc(<name> <folder> <description> [REQUIRES <module>...] [CFLAGS <f>] [LIBS <l>...])
# As the target of that name; each is installed, whatever is found here: it names what it needs.
function(mpx_install_component_pc name folder description)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "CFLAGS" "REQUIRES;LIBS")
  file(RELATIVE_PATH prefix "/x/${folder}" "/x")
  string(REGEX REPLACE "/$" "" prefix "${prefix}")
  list(JOIN arg_REQUIRES ", " requires)
  list(JOIN arg_LIBS " " libs)
  configure_file(cmake/component.pc.in "${PROJECT_BINARY_DIR}/mpx-${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/mpx-${name}.pc" DESTINATION "${folder}")
endfunction()
set(mpx_this "mpx = ${PROJECT_VERSION}")
mpx_install_component_pc(tcp "${mpx_pc_dir}" "sockets" REQUIRES "${mpx_this}" "libcrypto >= 3.0")
mpx_install_component_pc(tls "${mpx_pc_dir}" "encrypted sockets"
  REQUIRES "mpx-tcp = ${PROJECT_VERSION}" "libssl >= 3.0")
mpx_install_component_pc(pmix "${mpx_pc_dir}" "jobs of launchers that speak PMIx"
  REQUIRES "${mpx_this}" pmix)
mpx_install_component_pc(libfabric "${mpx_pc_dir}" "cards that libfabric reaches"
  REQUIRES "${mpx_this}" "libfabric >= 1.17")
mpx_install_component_pc(sim "${mpx_pc_dir}" "simulated jobs"
  REQUIRES "${mpx_this}" LIBS -lboost_context)
if(MPX_MPI)
  mpx_install_component_pc(mpi "${CMAKE_INSTALL_LIBDIR}/pkgconfig" "MPI 5.0 in the standard ABI"
    CFLAGS "-I\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}/mpx-mpi"
    LIBS "-L\${prefix}/${CMAKE_INSTALL_LIBDIR}" -lmpi_abi)
endif()
if(MPX_BUILD_COMPILED)
  mpx_install_component_pc(compiled "${CMAKE_INSTALL_LIBDIR}/pkgconfig" "the default stack as a library"
    REQUIRES "${mpx_this}" CFLAGS -DMPX_COMPILED=1
    LIBS "-L\${prefix}/${CMAKE_INSTALL_LIBDIR}" -lmpx_compiled)
endif()

install(FILES modules/mpx.cppm DESTINATION "${CMAKE_INSTALL_DATADIR}/mpx/modules")
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.csv" PATTERN docs/api EXCLUDE)
install(DIRECTORY examples DESTINATION "${CMAKE_INSTALL_DOCDIR}")
