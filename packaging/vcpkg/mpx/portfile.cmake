# SPDX-License-Identifier: BSL-1.0
# An overlay port: it packages the source tree that it lies in. The port of a registry, which
# tools/registry_port.py writes, takes the tree from a release's tarball instead.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

if(NOT "compiled" IN_LIST FEATURES)
  set(VCPKG_BUILD_TYPE release)  # Headers and programs: there is nothing to debug.
endif()
vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES
  compiled MPX_BUILD_COMPILED
  tools MPX_BUILD_MPXRUN)
file(GLOB components RELATIVE "${SOURCE_PATH}/cmake/components" "${SOURCE_PATH}/cmake/components/*.cmake")
foreach(component IN LISTS components)  # A feature each: nothing is there because it was found.
  string(REPLACE ".cmake" "" component "${component}")
  string(TOUPPER "${component}" option)
  if(component IN_LIST FEATURES)
    list(APPEND options "-DMPX_WITH_${option}=ON")
  else()
    list(APPEND options "-DMPX_WITH_${option}=OFF")
  endif()
endforeach()

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${options} -DMPX_INSTALL=ON -DMPX_BUILD_TESTS=OFF -DMPX_BUILD_BENCH=OFF -DMPX_BUILD_EXAMPLES=OFF
  OPTIONS_DEBUG -DMPX_BUILD_MPXRUN=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/mpx)

if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES mpxrun mpxinfo AUTO_CLEAN)
endif()
# Headers, CMake files and documents of the debug build are those of the release build.
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
  "${CURRENT_PACKAGES_DIR}/share/doc" "${CURRENT_PACKAGES_DIR}/share/mpx/single_include"
  "${CURRENT_PACKAGES_DIR}/share/mpx/new-transport")  # It needs the documents.
vcpkg_replace_string("${CURRENT_PACKAGES_DIR}/share/pkgconfig/mpx.pc" "/bin/mpxrun" "/tools/mpx/mpxrun")
vcpkg_fixup_pkgconfig()

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
