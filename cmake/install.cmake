# SPDX-License-Identifier: MIT
# Installs the library, its headers, the CMake package that find_package(quern) reads and the file for pkg-config. An
# installation can be moved: everything is found from where these files are.
include(CMakePackageConfigHelpers)

if(SKBUILD)  # a wheel holds the extension module alone
  return()
endif()

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

# pkg-config: the prefix relative to the folder of the file, unless the installation folders are absolute paths.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(quern_pc_prefix ${CMAKE_INSTALL_PREFIX})
  set(quern_pc_libdir ${CMAKE_INSTALL_LIBDIR})
else()
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" up ${up})
  set(quern_pc_prefix "\${pcfiledir}/${up}")
  set(quern_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(quern_pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
else()
  set(quern_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
# A shared library knows what it needs; with a static one the program links it.
set(quern_pc_libs "")
if(NOT BUILD_SHARED_LIBS)
  set(quern_pc_libs " -pthread -lm")
  foreach(library ${CMAKE_DL_LIBS})
    string(APPEND quern_pc_libs " -l${library}")
  endforeach()
endif()
configure_file(cmake/quern.pc.in quern.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/quern.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
