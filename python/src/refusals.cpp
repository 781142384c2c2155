// SPDX-License-Identifier: MIT
// Replaces nanobind's error for arguments that no overload takes by an ArgumentError.
#include "refusals.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "errors.hpp"

namespace quern::python {
namespace {

// The few functions through which nanobind's function objects are called, each wrapped by one of ours.
constexpr std::size_t kMost = 16;
std::array<vectorcallfunc, kMost> originals = {};
std::size_t original_count = 0;

std::string_view between(std::string_view text, std::string_view before, std::string_view behind) {
  const std::size_t start = text.find(before);
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start + before.size());
  return text.substr(0, text.find(behind));
}

// "f(): incompatible function arguments. The following argument types are supported:\n    1. f(x: int) ->
// int\n\n Invoked with types: str"
void say_in_our_words() {
  constexpr std::string_view kTheirs = "(): incompatible function arguments.";
  nb::python_error error;
  const std::string text = text_of(error.value());
  const std::size_t name_end = text.find(kTheirs);
  if (name_end == std::string::npos) {
    error.restore();
    return;
  }
  std::string signature(between(text, "    1. ", "\n"));
  if (const std::size_t result = signature.rfind(" -> "); result != std::string::npos)
    signature.resize(result);
  const std::string given(between(text, "Invoked with types: ", "\n"));
  nb::object type = nb::module_::import_("quern._core").attr("ArgumentTypeError");
  const std::string what =
      text.substr(0, name_end) + ": unsupported arguments: expected " + signature + ", got (" + given + ")";
  PyErr_SetObject(type.ptr(), nb::str(what.c_str()).ptr());
}

template <std::size_t K>
PyObject* called(PyObject* self, PyObject* const* arguments, std::size_t count, PyObject* names) noexcept {
  PyObject* const result = originals[K](self, arguments, count, names);
  if (result != nullptr || PyErr_ExceptionMatches(PyExc_TypeError) == 0) [[likely]]
    return result;
  try {
    say_in_our_words();
  } catch (nb::python_error& error) {
    error.restore();
  }
  return nullptr;
}

template <std::size_t... K>
constexpr std::array<vectorcallfunc, kMost> wrappers_of(std::index_sequence<K...>) {
  return {&called<K>...};
}
constexpr std::array<vectorcallfunc, kMost> kWrappers = wrappers_of(std::make_index_sequence<kMost>());

void wrap(PyObject* function) {
  auto& slot = *reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(function) +
                                                  Py_TYPE(function)->tp_vectorcall_offset);
  std::size_t at = 0;
  while (at < original_count && originals[at] != slot) ++at;
  if (at == original_count) {
    if (original_count == kMost) return;  // keeps nanobind's message
    originals[original_count++] = slot;
  }
  slot = kWrappers[at];
}

bool is_function(nb::handle object) {
  const std::string_view type = Py_TYPE(object.ptr())->tp_name;
  return type.find("nb_func") != std::string_view::npos || type.find("nb_method") != std::string_view::npos;
}

}  // namespace

void word_refusals(nb::handle module) {
  const auto wrap_all = [](nb::handle names) {
    for (auto [name, object] : nb::cast<nb::dict>(names))
      if (is_function(object)) wrap(object.ptr());
  };
  const nb::object names = module.attr("__dict__");
  wrap_all(names);
  const nb::object copy = nb::module_::import_("builtins").attr("dict");
  for (auto [name, object] : nb::cast<nb::dict>(names))
    if (nb::isinstance<nb::type_object>(object)) wrap_all(copy(object.attr("__dict__")));
}

}  // namespace quern::python
