# SPDX-License-Identifier: MIT
# Programs that the build runs to write sources. They are made of quern_front, the layers that need no device.

# quern_build_tool(NAME SOURCES file...): the program NAME, built here, or taken from the native build that
# QUERN_HOST_TOOLS names: what a cross build compiles runs on another machine.
function(quern_build_tool name)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  if(QUERN_HOST_TOOLS)
    set(program ${QUERN_HOST_TOOLS}/tools/${name})
    if(NOT EXISTS ${program})
      message(FATAL_ERROR "QUERN_HOST_TOOLS names ${QUERN_HOST_TOOLS}, where there is no tools/${name}. It must be the "
        "folder of a native build of these sources: cmake -B FOLDER && cmake --build FOLDER --target quern_tools")
    endif()
    add_executable(${name} IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${program})
    return()
  elseif(CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "A cross build of Quern runs programs that write sources, on this machine. Build them first: "
      "cmake -B FOLDER && cmake --build FOLDER --target quern_tools; then configure with -DQUERN_HOST_TOOLS=FOLDER")
  endif()
  add_executable(${name} ${arg_SOURCES} $<TARGET_OBJECTS:quern_front>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tools)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(QUERN_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=${QUERN_SANITIZE})
    target_link_options(${name} PRIVATE -fsanitize=${QUERN_SANITIZE})
  endif()
  if(NOT TARGET quern_tools)
    add_custom_target(quern_tools)
  endif()
  add_dependencies(quern_tools ${name})
endfunction()
