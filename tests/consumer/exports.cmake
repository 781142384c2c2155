# SPDX-License-Identifier: MIT
# A shared library shows the public interface, types of errors included, and no internals.
# cmake -Dlibrary=... -Dnm=... -P exports.cmake
execute_process(COMMAND ${nm} --dynamic --defined-only --demangle ${library} OUTPUT_VARIABLE symbols
  COMMAND_ERROR_IS_FATAL ANY)
foreach(name "quern::devices(" "quern::operator==(quern::DType const&" "quern::Array::" "quern::registry::"
    "quern::random::" "typeinfo for quern::BuildError" "typeinfo for quern::ArgumentError")
  string(FIND "${symbols}" "${name}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "${library} does not export ${name}")
  endif()
endforeach()
# Classes that public headers name without saying what is in them (quern::detail::QueueState) may be seen.
if(symbols MATCHES "\n[0-9a-f]+ [A-Za-z] (quern::(frontend|kernels|process|backend::(discover|host|cuda|opencl))[^\n]*)")
  message(FATAL_ERROR "${library} exports an internal of the library: ${CMAKE_MATCH_1}")
endif()
