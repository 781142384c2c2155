# SPDX-License-Identifier: MIT
# Installs the library into a scratch prefix, then configures, builds and runs the consumer project against it.
# cmake -Dbuild=... -Dscratch=... -Dgenerator=... -Dcompiler=... -P run.cmake
file(REMOVE_RECURSE ${scratch})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV} gave ${status}:\n${output}")
  endif()
  message(STATUS "${output}")
endfunction()

run(${CMAKE_COMMAND} --install ${build} --prefix ${scratch}/prefix)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${scratch}/build -G ${generator}
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_PREFIX_PATH=${scratch}/prefix)
run(${CMAKE_COMMAND} --build ${scratch}/build)
run(${CMAKE_COMMAND} -E env QUERN_DEVICE=host ${scratch}/build/consumer)
