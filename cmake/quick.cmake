# SPDX-License-Identifier: MIT
# Builds that are done soon and whose code is slow, for a first run of the tests: nothing is optimised, headers are
# precompiled, and the host's loops are compiled for one instruction set.
string(APPEND CMAKE_CXX_FLAGS " -O0 -g0")
string(APPEND CMAKE_C_FLAGS " -O0 -g0")
set(CMAKE_BUILD_TYPE None CACHE STRING "" FORCE)

# quern_precompile(TARGET HEADER...): the headers that most files of a target include. Files must not rely on them,
# because other builds do not have them.
function(quern_precompile target)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <cmath> <complex> <cstring> <functional>
    <limits> <map> <memory> <mutex> <numeric> <optional> <span> <string> <string_view> <unordered_map> <utility>
    <vector> ${ARGN})
endfunction()

# The Python package with the module of this build, beside the source tree, whose own module stays as it is.
function(quern_link_package folder)
  file(MAKE_DIRECTORY ${folder})
  file(GLOB entries ${PROJECT_SOURCE_DIR}/python/quern/*)
  foreach(entry ${entries})
    get_filename_component(name ${entry} NAME)
    if(NOT name MATCHES "^_core|^__pycache__|[.]pyi$")
      file(CREATE_LINK ${entry} ${folder}/${name} SYMBOLIC)
    endif()
  endforeach()
endfunction()
