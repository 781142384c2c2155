# SPDX-License-Identifier: MIT
# quern_read_strings(HEADER ARRAY RESULT): the strings of an array that a C++ header defines, so that
# the build needs no copy of the list.
function(quern_read_strings header array result)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(READ ${header} text)
  string(REGEX MATCH " ${array} = {[^}]*}" block "${text}")
  string(REGEX MATCHALL "\"[^\"]+\"" quoted "${block}")
  if(NOT quoted)
    message(FATAL_ERROR "${header} defines no strings in ${array}")
  endif()
  string(REPLACE "\"" "" strings "${quoted}")
  set(${result} ${strings} PARENT_SCOPE)
endfunction()
