// SPDX-License-Identifier: MIT
// Macros, paths and options of a program, converted from Python's objects.
#include "program_options.hpp"

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conversions.hpp"
#include "errors.hpp"
#include "numpy.hpp"

namespace quern::python {
namespace {

Language language_of(const std::string& name) {
  if (name == "opencl") return Language::opencl_c;
  if (name == "cuda") return Language::cuda_c;
  value_error("language: expected \"opencl\" or \"cuda\", got \"" + name + "\"");
}

std::vector<std::string> strings_of(nb::handle values, const char* role) {
  std::vector<std::string> result;
  if (values.is_none()) return result;
  if (PyUnicode_Check(values.ptr())) type_error(std::string(role) + ": expected a list of strings");
  if (PyObject_HasAttrString(values.ptr(), "__iter__") == 0)
    type_error(std::string(role) + ": expected a list of strings, got " + class_name(values));
  for (nb::handle value : values) result.push_back(text_argument(nb::str(value), role));
  return result;
}

std::vector<std::string> paths_of(nb::handle paths) {
  std::vector<std::string> result;
  if (paths.is_none()) return result;
  if (PyUnicode_Check(paths.ptr()) || PyObject_HasAttrString(paths.ptr(), "__iter__") == 0)
    type_error("include_paths: expected a list of paths, got " + class_name(paths));
  for (nb::handle path : paths) result.push_back(path_argument(path, "include_paths"));
  return result;
}

std::vector<std::string> options_of(nb::handle options) {
  // A string is split at spaces like a command line.
  if (PyUnicode_Check(options.ptr()))
    return strings_of(nb::module_::import_("shlex").attr("split")(options), "options");
  return strings_of(options, "options");
}

// The text of a macro. A bool is 1 or 0, and None is empty.
std::string define_text(const std::string& name, nb::handle value) {
  if (value.is_none()) return "";
  if (PyUnicode_Check(value.ptr())) return text_argument(value, "defines: '" + name + "'");
  switch (number_kind(value)) {
    case 'b':
      return PyObject_IsTrue(value.ptr()) == 1 ? "1" : "0";
    case 'i':
    case 'u':
      return nb::str(nb::int_(value)).c_str();  // str() of an IntEnum is its name
    case 'f':
      return nb::str(value).c_str();
    default:
      type_error("defines: '" + name + "': expected an int, a float, a bool, a string or None, got " +
                 class_name(value));
  }
}

std::vector<std::pair<std::string, std::string>> defines_of(nb::handle defines) {
  std::vector<std::pair<std::string, std::string>> result;
  if (defines.is_none()) return result;
  if (!PyDict_Check(defines.ptr()))
    type_error("defines: expected a dict of names and values, got " + class_name(defines));
  for (auto [key, value] : nb::borrow<nb::dict>(defines)) {
    if (!PyUnicode_Check(key.ptr()))
      type_error("defines: expected a dict of names and values, got a name that is a " + class_name(key));
    std::string name = text_argument(key, "defines");
    std::string text = define_text(name, value);
    result.emplace_back(std::move(name), std::move(text));
  }
  return result;
}

}  // namespace

ProgramOptions program_options(nb::handle language, nb::handle defines, nb::handle include_paths,
                               nb::handle options, nb::handle name, nb::handle name_expressions,
                               nb::handle debug, nb::handle check_bounds) {
  ProgramOptions result;
  result.language = language_of(text_argument(language, "language"));
  result.defines = defines_of(defines);
  result.include_paths = paths_of(include_paths);
  result.options = options_of(options);
  result.name = text_argument(name, "name");
  result.name_expressions = strings_of(name_expressions, "name_expressions");
  result.debug = flag_argument(debug, "debug");
  const char* const wanted = std::getenv("QUERN_CHECK_BOUNDS");
  const bool by_environment =
      wanted != nullptr && std::string_view(wanted) != "" && std::string_view(wanted) != "0";
  if (check_bounds.is_none() ? by_environment : flag_argument(check_bounds, "check_bounds"))
    result.options.emplace_back("-quern-check-bounds");
  return result;
}

}  // namespace quern::python
