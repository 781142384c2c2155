// SPDX-License-Identifier: MIT
// Shared code of calls of generated kernels.
#include "generator_call.hpp"

#include "conversions.hpp"
#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

// The elements of the first array argument, to which a slice refers.
std::int64_t first_size(std::span<const KernelArgument> arguments) {
  for (const KernelArgument& argument : arguments)
    if (argument.kind == KernelArgument::Kind::array)
      return static_cast<std::int64_t>(argument.array->size());
  value_error("slice: no array argument determines the number of elements; pass range=range(n)");
}

std::int64_t index_of(nb::handle number, const char* role) {
  const auto index = nb::steal(PyNumber_Index(number.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0)
    value_error(std::string(role) + ": " + nb::str(index).c_str() + " is out of range for an index");
  return value;
}

// A Python range, an int n for range(n), or a slice, whose open ends are those of the first array.
IndexRange range_of(nb::handle range, std::span<const KernelArgument> arguments) {
  if (PySlice_Check(range.ptr())) {
    const nb::object indices = range.attr("indices")(first_size(arguments));
    return {index_of(indices[0], "slice"), index_of(indices[1], "slice"), index_of(indices[2], "slice")};
  }
  if (PyIndex_Check(range.ptr())) return {0, index_of(range, "range"), 1};
  if (!PyRange_Check(range.ptr()))
    type_error("range: expected a range, a slice or an int, got " + class_name(range));
  return {index_of(range.attr("start"), "range"), index_of(range.attr("stop"), "range"),
          index_of(range.attr("step"), "range")};
}

// The queue if none is named: that of the first array's memory.
Queue queue_of(nb::handle queue, std::span<PyObject* const> arguments) {
  if (queue.is_none()) {
    for (nb::handle object : arguments) {
      if (nb::isinstance<PyArray>(object)) return queue_for(nb::none(), nb::inst_ptr<PyArray>(object)->array);
      if (nb::isinstance<Buffer>(object)) return queue_for(nb::none(), *nb::inst_ptr<Buffer>(object));
    }
  }
  nb::object keep;
  return queue_or_current(queue, keep);
}

}  // namespace

GeneratorCall::GeneratorCall(const Signature& signature, nb::args positional, nb::kwargs named,
                             std::initializer_list<const char*> extra,
                             const std::function<bool(std::size_t)>& may_miss) {
  release_kept();
  const std::size_t expected = signature.parameters.size();
  const auto fail = [&](const std::string& why) { type_error(signature_text(signature) + ": " + why); };
  if (positional.size() > expected)
    fail("takes " + std::to_string(expected) + " arguments, got " + std::to_string(positional.size()));
  std::vector<PyObject*> all(expected, nullptr);
  for (std::size_t i = 0; i < positional.size(); ++i) all[i] = positional[i].ptr();
  for (auto [key, value] : named) {
    const std::string name = text_of(key);
    std::size_t at = 0;
    while (at < expected && signature.parameters[at].name != name) ++at;
    if (at < expected) {
      if (all[at] != nullptr) fail("'" + name + "' is given by position and by name");
      all[at] = value.ptr();
      continue;
    }
    const bool known = name == "queue" || name == "wait_for" || name == "wait" || name == "range" ||
                       name == "slice" ||
                       std::any_of(extra.begin(), extra.end(), [&](const char* e) { return name == e; });
    if (!known) fail("has no parameter '" + name + "'");
    options_[key] = value;
  }
  for (std::size_t i = 0; i < expected; ++i) {
    if ((all[i] == nullptr || all[i] == Py_None) && may_miss(i)) {
      all[i] = Py_None;
      misses_any_ = true;
    }
    if (all[i] == nullptr) fail("is missing '" + signature.parameters[i].name + "'");
  }
  queue_ = queue_of(own_option("queue"), all);
  wait_for_ = events_of(own_option("wait_for"));
  if (const nb::object wait = own_option("wait"); !wait.is_none()) waits_ = flag_argument(wait, "wait");
  const nb::object range = own_option("range"), slice = own_option("slice");
  if (!range.is_none() && !slice.is_none()) fail("takes range or slice, not both");
  arguments_.emplace(signature, *queue_);
  arguments_->add(all);
  const nb::object& indices = range.is_none() ? slice : range;
  if (!indices.is_none()) range_ = range_of(indices, std::as_const(*arguments_).list());
}

nb::object GeneratorCall::own_option(const char* name) const {
  return options_.contains(name) ? nb::object(options_[name]) : nb::none();
}

GeneratorOptions generator_options(nb::handle name, nb::handle preamble, nb::handle options) {
  GeneratorOptions result{text_argument(name, "name"), text_argument(preamble, "preamble"), {}};
  if (options.is_none()) return result;
  if (nb::isinstance<nb::str>(options)) {
    for (nb::handle word : options.attr("split")()) result.options.push_back(text_argument(word, "options"));
    return result;
  }
  if (PySequence_Check(options.ptr()) == 0)
    type_error("options: expected strings, got " + class_name(options));
  for (nb::handle word : options) result.options.push_back(text_argument(word, "options"));
  return result;
}

ItemType item_type(nb::handle dtype) {
  const bool is_name = nb::isinstance<nb::str>(dtype);
  nb::object known;
  try {
    known = numpy_dtype(dtype);
  } catch (nb::python_error&) {
    if (!is_name) throw;
  }
  // A package may have registered NumPy dtypes of its own: `uint2` of ml_dtypes has two bits, ours has two
  // numbers.
  constexpr int user_defined = 2;
  if (is_name && (!known.is_valid() || nb::cast<int>(known.attr("isbuiltin")) == user_defined))
    return {{}, text_argument(dtype, "dtype")};
  return {element_type(known), {}};
}

PyArray as_python_array(Array array) {
  nb::object dtype = numpy_dtype_of(array.dtype());
  return {std::move(array), std::move(dtype)};
}

nb::object array_object(PyArray array) {
  static const nb::handle type = nb::type<PyArray>();
  nb::object result = nb::inst_alloc(type);
  new (nb::inst_ptr<PyArray>(result)) PyArray(std::move(array));
  nb::inst_mark_ready(result);
  return result;
}

}  // namespace quern::python
