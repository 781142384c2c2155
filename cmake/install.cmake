# SPDX-License-Identifier: MIT
# Installs the library, its headers and the CMake package that find_package(quern) reads.
include(CMakePackageConfigHelpers)

if(NOT SKBUILD)  # a wheel holds the extension module alone
  install(TARGETS quern EXPORT quern-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY include/quern ${PROJECT_BINARY_DIR}/include/quern DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/quern)
  install(EXPORT quern-targets NAMESPACE quern:: DESTINATION ${package_dir})
  configure_package_config_file(cmake/quern-config.cmake.in quern-config.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(quern-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/quern-config.cmake ${PROJECT_BINARY_DIR}/quern-config-version.cmake
    DESTINATION ${package_dir})
endif()
