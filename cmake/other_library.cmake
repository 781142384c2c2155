# SPDX-License-Identifier: MIT
# The library as tests need it: quern_with_internals with all its names, quern_exports with the public ones.

# quern_other_library(NAME KIND): the library's objects once more as a STATIC or SHARED library, beside the one that
# is installed.
function(quern_other_library name kind)
  get_target_property(objects quern SOURCES)
  list(FILTER objects INCLUDE REGEX "TARGET_OBJECTS")
  add_library(${name} ${kind} EXCLUDE_FROM_ALL $<TARGET_OBJECTS:quern> ${objects})
  target_include_directories(${name} PUBLIC $<TARGET_PROPERTY:quern,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_compile_options(${name} PUBLIC $<TARGET_PROPERTY:quern,INTERFACE_COMPILE_OPTIONS>)
  target_link_options(${name} PUBLIC $<TARGET_PROPERTY:quern,INTERFACE_LINK_OPTIONS>)
  target_link_libraries(${name} PUBLIC Threads::Threads PRIVATE ${CMAKE_DL_LIBS} m)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  add_dependencies(${name} quern)
endfunction()

# Tests and benchmarks use what a shared library hides, consumers only what it exports: both kinds are there in
# every build.
if(BUILD_SHARED_LIBS)
  quern_other_library(quern_with_internals STATIC)
  add_library(quern_exports ALIAS quern)
else()
  add_library(quern_with_internals ALIAS quern)
  quern_other_library(quern_exports SHARED)
endif()
