# SPDX-License-Identifier: MIT
# Installs the library into a prefix, moves the prefix, and builds and runs the consumer against it: by find_package
# and by pkg-config.
# cmake -Dbuild=... -Dscratch=... -Dgenerator=... -Dcompiler=... -P run.cmake
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${scratch})

run(${CMAKE_COMMAND} --install ${build} --prefix ${scratch}/installed)
file(RENAME ${scratch}/installed ${scratch}/moved)
set(prefix ${scratch}/moved)

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${scratch}/build -G ${generator}
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${scratch}/build)
run(${CMAKE_COMMAND} -E env QUERN_DEVICE=host ${scratch}/build/consumer)

# Neither where it was first, nor where it was built.
file(GLOB_RECURSE texts ${prefix}/*.cmake ${prefix}/*.pc ${prefix}/*.hpp)
foreach(file ${texts})
  file(READ ${file} text)
  foreach(folder ${scratch}/installed ${build})
    string(FIND "${text}" "${folder}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder}: an installation that was moved would look there")
    endif()
  endforeach()
endforeach()

find_program(pkg_config NAMES pkg-config pkgconf)
if(NOT pkg_config)
  message(STATUS "no pkg-config here: quern.pc was not tried")
  return()
endif()
file(GLOB_RECURSE quern_pc ${prefix}/quern.pc)
cmake_path(GET quern_pc PARENT_PATH folder)
cmake_path(GET folder PARENT_PATH libraries)
execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${pkg_config} --cflags --libs "quern >= 0.1"
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "pkg-config: ${flags}")
separate_arguments(flags UNIX_COMMAND "${flags}")
run(${compiler} -std=c++20 ${CMAKE_CURRENT_LIST_DIR}/main.cpp ${flags} -o ${scratch}/by_pkg_config)
run(${CMAKE_COMMAND} -E env QUERN_DEVICE=host LD_LIBRARY_PATH=${libraries} ${scratch}/by_pkg_config)
