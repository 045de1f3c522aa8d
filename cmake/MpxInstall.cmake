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
install(FILES modules/mpx.cppm DESTINATION "${CMAKE_INSTALL_DATADIR}/mpx/modules")
install(FILES LICENSE README.md CHANGELOG.md docs/GUIDE.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
