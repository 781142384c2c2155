# SPDX-License-Identifier: MIT
# `cmake -B build` without options: the library, nothing for its developers, and warnings stay warnings. Each backend
# can be left out, and missing OpenCL headers leave that one out.
# cmake -Dsource=... -Dscratch=... -Dgenerator=... -Dcompiler=... -Dc_compiler=...
#   -Dopencl_headers=... -P plain.cmake
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${scratch})

# configure(FOLDER OPTION...): leaves what was said in `output`, and the commands of the build in `commands`.
macro(configure folder)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=QUERN_WERROR ${CMAKE_COMMAND} -S ${source}
    -B ${scratch}/${folder} -G ${generator} -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_C_COMPILER=${c_compiler} ${ARGN}
    OUTPUT_VARIABLE output ERROR_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")  # CMake breaks lines where it likes
  file(READ ${scratch}/${folder}/compile_commands.json commands)
endmacro()

# expect(TEXT FRAGMENT) and refuse(TEXT FRAGMENT): the text of that name has the fragment, or has not.
function(expect text fragment)
  string(FIND "${${text}}" "${fragment}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "the ${text} of the build have no ${fragment}; configuring it said:\n${output}")
  endif()
endfunction()
function(refuse text fragment)
  string(FIND "${${text}}" "${fragment}" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "the ${text} of the build have ${fragment}; configuring it said:\n${output}")
  endif()
endfunction()

configure(default)
expect(commands "${source}/src/runtime/queue.cpp")
expect(commands "${source}/src/backend/cuda/queue.cpp")
foreach(other tests benchmarks examples python)
  refuse(commands "${source}/${other}/")
endforeach()
refuse(commands "-Werror")

configure(werror -DQUERN_WERROR=ON)
expect(commands "-Werror")

configure(host_alone -DQUERN_CUDA=OFF -DQUERN_OPENCL=OFF)
expect(commands "${source}/src/backend/without_cuda.cpp")
expect(commands "${source}/src/backend/without_opencl.cpp")
refuse(commands "${source}/src/backend/cuda/")
refuse(commands "${source}/src/backend/opencl/")

file(WRITE ${scratch}/ignore.cmake
  "set(CMAKE_IGNORE_PATH \"${opencl_headers};/usr/include;/usr/local/include\" CACHE STRING \"\")\n")
configure(no_headers -C ${scratch}/ignore.cmake)
expect(output "this build of Quern has no OpenCL backend")
expect(commands "${source}/src/backend/without_opencl.cpp")
expect(commands "${source}/src/backend/cuda/queue.cpp")
