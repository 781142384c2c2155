// SPDX-License-Identifier: MIT
// Checks of text, with errors that name the argument.
#include "text.hpp"

#include <cstdio>

#include "errors.hpp"

namespace quern::python {
namespace {

// The first code point that stands for no character. What os.fsdecode() makes of other bytes are such, too.
[[noreturn]] void refuse_surrogate(nb::handle text, const std::string& argument) {
  for (Py_ssize_t i = 0; i < PyUnicode_GetLength(text.ptr()); ++i) {
    const Py_UCS4 point = PyUnicode_ReadChar(text.ptr(), i);
    if (point < 0xd800 || point > 0xdfff) continue;
    char shown[16];
    std::snprintf(shown, sizeof shown, "U+%04X", static_cast<unsigned>(point));
    value_error(argument + ": the character at index " + std::to_string(i) + " is " + shown +
                ", half of a surrogate pair; decode the text from the encoding that it was written in");
  }
  value_error(argument + ": the text cannot be encoded in UTF-8");
}

}  // namespace

std::string text_argument(nb::handle text, const std::string& argument) {
  if (!PyUnicode_Check(text.ptr())) type_error(argument + ": expected a str, got " + class_name(text));
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    refuse_surrogate(text, argument);
  }
  return {bytes, static_cast<std::size_t>(size)};
}

std::string optional_text_argument(nb::handle text, const std::string& argument) {
  return text.is_none() ? std::string() : text_argument(text, argument);
}

std::string path_argument(nb::handle path, const std::string& argument) {
  const nb::object text = nb::str(path);
  const auto bytes = nb::steal<nb::bytes>(PyUnicode_EncodeFSDefault(text.ptr()));
  if (!bytes.is_valid()) {
    PyErr_Clear();
    refuse_surrogate(text, argument);
  }
  return {bytes.c_str(), bytes.size()};
}

}  // namespace quern::python
