# SPDX-License-Identifier: MIT
# What the tests of the package share.
cmake_minimum_required(VERSION 3.22)

# run(COMMAND...): fails with the output when the command does.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV} gave ${status}:\n${output}")
  endif()
  message(STATUS "${output}")
endfunction()
