# SPDX-License-Identifier: BSL-1.0
# Debian packages, by `cpack -G DEB` in the build folder: libmpx-dev (headers, CMake, pkg-config, the
# single header, documents), mpx-tools (programs, manual pages, completions) and libmpx-compiled-dev.
# packaging/debian/prepare.cmake adds the files that Debian's policy asks for.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mpx)
set(CPACK_PACKAGE_VENDOR mpx)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL headers)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/debian/prepare.cmake")
set(CPACK_MPX_SOURCE "${PROJECT_SOURCE_DIR}")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(MPX_PACKAGE_MAINTAINER "mpx <mpx@localhost>" CACHE STRING
  "The maintainer that Debian packages name: NAME <ADDRESS>")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${MPX_PACKAGE_MAINTAINER}")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_HEADERS_PACKAGE_NAME libmpx-dev)
set(CPACK_DEBIAN_HEADERS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_HEADERS_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_HEADERS_PACKAGE_DEPENDS
  "libboost-dev (>= 1.74) | libboost1.81-dev | libboost1.83-dev")
set(CPACK_DEBIAN_HEADERS_PACKAGE_RECOMMENDS
  "mpx-tools, g++ (>= 4:12) | clang-16 | clang-17 | clang-18 | clang-19, pkgconf | pkg-config")
set(CPACK_DEBIAN_HEADERS_PACKAGE_SUGGESTS
  "libmpx-compiled-dev, cmake (>= 3.25), python3:any, libssl-dev, libfabric-dev, libpmix-dev, libboost-context-dev | libboost-context1.81-dev")
set(CPACK_COMPONENT_HEADERS_DESCRIPTION "message passing for HPC programs, headers
mpx is a header-only message-passing library in C++20, with the semantics
of MPI. A program chooses its transport, protocol, matching and flow control
at compile time.

This package has the headers, the same as one header, files for CMake and
pkg-config, the documents and the examples.")

if(TARGET mpxrun)
  list(APPEND CPACK_COMPONENTS_ALL tools)
endif()
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME mpx-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION net)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "message passing for HPC programs, launcher and tools
mpx is a header-only message-passing library in C++20, with the semantics
of MPI.

This package has mpxrun, which starts the ranks of a program on this machine,
mpxinfo, which tells what a program finds where it is started, and mpx-perf,
which measures.")

if(MPX_BUILD_COMPILED)
  list(APPEND CPACK_COMPONENTS_ALL compiled)
endif()
set(CPACK_DEBIAN_COMPILED_PACKAGE_NAME libmpx-compiled-dev)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_COMPONENT_COMPILED_DEPENDS headers)
set(CPACK_DEBIAN_COMPILED_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_COMPILED_DESCRIPTION "message passing for HPC programs, default stack as a library
mpx is a header-only message-passing library in C++20, with the semantics
of MPI.

This package has the default stack as a static library (mpx::compiled in
CMake): programs that link it compile faster.")

include(CPack)
