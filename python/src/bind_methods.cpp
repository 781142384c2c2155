// SPDX-License-Identifier: MIT
// Methods and operators of arrays that are not rows of the registry: x @ y, x.mT, x.item().

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "current.hpp"
#include "errors.hpp"
#include "generator_call.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "views.hpp"

namespace quern::python {
namespace {

nb::object matrix_product(nb::handle a, nb::handle b) {
  const bool is_left = nb::isinstance<PyArray>(a), is_right = nb::isinstance<PyArray>(b);
  const auto is_operand = [](nb::handle x, bool is_array) {
    return is_array || is_numpy_array(x) || PyList_Check(x.ptr()) || PyTuple_Check(x.ptr());
  };
  if ((!is_left && !is_right) || !is_operand(a, is_left) || !is_operand(b, is_right))
    return nb::borrow(Py_NotImplemented);
  const nb::handle own = is_left ? a : b;
  const auto beside = [&](nb::handle x, bool is_array) {
    if (is_array) return nb::inst_ptr<PyArray>(x)->array;
    const nb::object moved =
        nb::module_::import_("quern._array")
            .attr("asarray")(x, nb::arg("device") = nb::inst_ptr<PyArray>(own)->array.device());
    return nb::inst_ptr<PyArray>(moved)->array;
  };
  const Array left = beside(a, is_left), right = beside(b, is_right);
  const Queue queue = queue_for(nb::none(), left);
  return nb::cast(as_python_array(without_gil([&] {
    const QueueScope scope(queue);
    return matmul(left, right);
  })));
}

PyArray with_last_axes_exchanged(nb::handle_t<PyArray> self) {
  const Array array = nb::inst_ptr<PyArray>(self)->array;
  const auto rank = static_cast<int>(array.shape().size());
  if (rank < 2) value_error("mT: expected two dimensions or more, got " + std::to_string(rank));
  std::vector<int> axes;
  for (int axis = 0; axis < rank; ++axis) axes.push_back(axis);
  std::swap(axes[rank - 2], axes[rank - 1]);
  return view_of(self, without_gil([&] { return permute_dims(array, axes); }));
}

// As in NumPy, a real array is its own conjugate; the function converts booleans to numbers.
nb::object conjugate(nb::handle_t<PyArray> self) {
  const Array array = nb::inst_ptr<PyArray>(self)->array;
  const Scalar scalar = array.dtype().scalar;
  if (scalar != Scalar::complex64 && scalar != Scalar::complex128) return nb::borrow(self);
  const Queue queue = queue_for(nb::none(), array);
  return nb::cast(as_python_array(without_gil([&] {
    const QueueScope scope(queue);
    return conj(array);
  })));
}

nb::object ndarray_function(const char* name) {
  return nb::module_::import_("quern._ndarray").attr(name);
}

// Code for another version of the standard must not get this one.
nb::object array_namespace(nb::handle_t<PyArray> /*self*/, nb::handle api_version) {
  nb::module_ package = nb::module_::import_("quern");
  if (!api_version.is_none()) {
    const nb::object known = package.attr("_array_api_versions");
    if (!nb::cast<bool>(known.attr("__contains__")(api_version)))
      value_error("api_version: expected one of " + std::string(nb::str(known).c_str()) + ", got " +
                  nb::repr(api_version).c_str());
  }
  return package;
}

// Nested lists of arrays.
Blocks blocks_of(nb::handle nested) {
  if (nb::isinstance<PyArray>(nested)) return nb::inst_ptr<PyArray>(nested)->array;
  std::vector<Blocks> list;
  for (nb::handle one : nested) list.push_back(blocks_of(one));
  return Blocks(std::move(list));
}

PyArray joined_blocks(nb::handle nested, const PyArray& first) {
  const Blocks blocks = blocks_of(nested);
  const Queue queue = queue_for(nb::none(), first.array);
  return as_python_array(without_gil([&] {
    const QueueScope scope(queue);
    return block(blocks);
  }));
}

}  // namespace

void bind_methods(nb::module_& module, nb::class_<PyArray>& array) {
  module.def("block", &joined_blocks, nb::arg("arrays"), nb::arg("first"),
             "Join nested lists of arrays to one array, on the queue of the first.");
  array
      .def("__array_namespace__", &array_namespace, nb::kw_only(), nb::arg("api_version") = nb::none(),
           nb::sig("def __array_namespace__(self, /, *, api_version: str | None = None) -> "
                   "types.ModuleType"))
      .def("__matmul__", &matrix_product, nb::is_operator(),
           nb::sig("def __matmul__(self, other: object, /) -> Array"))
      .def(
          "__rmatmul__", [](nb::handle a, nb::handle b) { return matrix_product(b, a); }, nb::is_operator(),
          nb::sig("def __rmatmul__(self, other: object, /) -> Array"))
      .def(
          "__imatmul__",
          [](nb::handle a, nb::handle b) {
            nb::object product = matrix_product(a, b);
            if (product.is(Py_NotImplemented)) return product;
            a[nb::ellipsis()] = product;
            return nb::borrow(a);
          },
          nb::is_operator(), nb::sig("def __imatmul__(self, other: object, /) -> Array"))
      .def("conj", &conjugate, nb::sig("def conj(self) -> Array"), R"(Complex conjugate, element-wise.

Returns
-------
Array
    The conjugates; an array of real numbers is returned unchanged.

Examples
--------
>>> print(qn.asarray([1 + 2j]).conj())
[1.-2.j])")
      .def("conjugate", &conjugate, nb::sig("def conjugate(self) -> Array"),
           R"(Complex conjugate, element-wise.

Returns
-------
Array
    The conjugates; an array of real numbers is returned unchanged.

Examples
--------
>>> print(qn.asarray([1 + 2j]).conjugate())
[1.-2.j])")
      .def_prop_ro("mT", &with_last_axes_exchanged, nb::sig("def mT(self) -> Array"),
                   R"(View with the last two axes swapped.

Examples
--------
>>> qn.zeros((4, 2, 3)).mT.shape
(4, 3, 2))")
      .def(
          "tolist", [](nb::handle_t<PyArray> self) { return self.attr("get")().attr("tolist")(); },
          nb::sig("def tolist(self) -> typing.Any"), R"(Nested lists of the elements. The call waits for them.

Returns
-------
list or scalar
    Lists of Python scalars; a scalar if the array has no axes.

Examples
--------
>>> qn.asarray([[1, 2], [3, 4]]).tolist()
[[1, 2], [3, 4]])")
      .def(
          "tofile",
          [](nb::handle_t<PyArray> self, nb::handle file, nb::handle sep, nb::handle format) {
            self.attr("get")().attr("tofile")(file, sep, format);
          },
          nb::arg("fid"), nb::arg("sep") = "", nb::arg("format") = "%s",
          nb::sig("def tofile(self, fid: typing.Any, sep: str = '', format: str = '%s') -> None"),
          R"(Write the elements to a file in C order, as NumPy does.

Parameters
----------
fid : path or file object
    File to write to.
sep : str, optional
    Separator of the elements in a text file. By default the elements are written as bytes.
format : str, optional
    Format of each element in a text file.

Examples
--------
>>> import tempfile
>>> with tempfile.TemporaryFile("w+") as file:
...     qn.arange(3).tofile(file, sep=",")
...     _ = file.seek(0)
...     print(file.read())
0,1,2)")
      .def(
          "dump", [](nb::handle_t<PyArray> self, nb::handle file) { ndarray_function("dump")(self, file); },
          nb::arg("file"), nb::sig("def dump(self, file: typing.Any) -> None"),
          R"(Write a pickle of the array to a file.

Parameters
----------
file : path or file object
    File to write to.

Examples
--------
>>> import io, pickle
>>> file = io.BytesIO()
>>> qn.arange(3).dump(file)
>>> print(pickle.loads(file.getvalue()))
[0 1 2])")
      .def(
          "dumps", [](nb::handle_t<PyArray> self) { return ndarray_function("dumps")(self); },
          nb::sig("def dumps(self) -> bytes"), R"(Pickle the array.

Returns
-------
bytes
    The pickle. pickle.loads() makes the array from it.

Examples
--------
>>> import pickle
>>> print(pickle.loads(qn.arange(3).dumps()))
[0 1 2])")
      .def(
          "__contains__",
          [](nb::handle_t<PyArray> self, nb::handle value) {
            const nb::object found = self.attr("__eq__")(value);
            if (found.is(Py_NotImplemented)) return false;
            return nb::cast<bool>(nb::bool_(found.attr("any")()));
          },
          nb::sig("def __contains__(self, value: object, /) -> bool"));
  module.def(
      "as_contiguous",
      [](const PyArray& x) {
        const Array own = x.array;
        const Queue queue = queue_for(nb::none(), own);
        return PyArray{without_gil([&] { return as_contiguous(own, &queue); }), x.dtype};
      },
      nb::arg("x"), "The array itself if it is contiguous in C order, otherwise a contiguous copy.");
}

}  // namespace quern::python
