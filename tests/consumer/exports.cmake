# SPDX-License-Identifier: MIT
# A shared library shows the public interface, types of errors included, and no internals.
# cmake -Dlibrary=... -Dnm=... -P exports.cmake
execute_process(COMMAND ${nm} --dynamic --defined-only --demangle ${library} OUTPUT_VARIABLE symbols
  COMMAND_ERROR_IS_FATAL ANY)
foreach(name "quern::devices(" "quern::Array::" "quern::registry::" "quern::random::" "typeinfo for quern::BuildError"
    "typeinfo for quern::ArgumentError")
  string(FIND "${symbols}" "${name}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "${library} does not export ${name}")
  endif()
endforeach()
# Classes that public headers name without saying what is in them (quern::backend::Device) may be seen.
foreach(name "quern::frontend::" "quern::backend::discover" "quern::backend::host::" "quern::process::")
  string(FIND "${symbols}" " ${name}" position)
  if(NOT position EQUAL -1)
    string(SUBSTRING "${symbols}" ${position} 200 which)
    message(FATAL_ERROR "${library} exports an internal of the library:${which}")
  endif()
endforeach()
