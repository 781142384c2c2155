# SPDX-License-Identifier: MIT
# A cross build runs no program that it compiled: it takes the tools of a native build, and asks for them when
# configured without. The toolchain names another system and this machine's compiler.
# cmake -Dsource=... -Dbuild=... -Dscratch=... -Dgenerator=... -Dcompiler=... -Dc_compiler=... -P cross.cmake
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${scratch})
file(WRITE ${scratch}/toolchain.cmake "set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR aarch64)\n"
  "set(CMAKE_C_COMPILER ${c_compiler})\nset(CMAKE_CXX_COMPILER ${compiler})\n")
set(configure ${CMAKE_COMMAND} -S ${source} -G ${generator} -DCMAKE_TOOLCHAIN_FILE=${scratch}/toolchain.cmake)

execute_process(COMMAND ${configure} -B ${scratch}/without RESULT_VARIABLE status OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "QUERN_HOST_TOOLS=FOLDER")
  message(FATAL_ERROR "without native tools, configuring gave ${status} and said:\n${output}")
endif()
execute_process(COMMAND ${configure} -B ${scratch}/wrong -DQUERN_HOST_TOOLS=${scratch} RESULT_VARIABLE status
  OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "no[ \n]+tools/quern_")
  message(FATAL_ERROR "with a folder without tools, configuring gave ${status} and said:\n${output}")
endif()

run(${configure} -B ${scratch}/with -DQUERN_HOST_TOOLS=${build})
run(${CMAKE_COMMAND} --build ${scratch}/with --target quern_function_header quern_loop_files)
file(GLOB_RECURSE programs ${scratch}/with/tools/*)
if(programs)
  message(FATAL_ERROR "the cross build made tools of its own: ${programs}")
endif()
