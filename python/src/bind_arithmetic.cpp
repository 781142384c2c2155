// SPDX-License-Identifier: MIT
// Arithmetic on arrays: Python's operators, and operations by name.

#include <array>
#include <bit>
#include <complex>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "current.hpp"
#include "errors.hpp"
#include "generator_call.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "operands.hpp"

namespace quern::python {
namespace {

nb::object not_implemented() {
  return nb::borrow(Py_NotImplemented);
}

nb::object result_of(Array array) {
  return array_object(as_python_array(std::move(array)));
}

// Nodes are recorded with the GIL held, which takes less time than releasing it.
nb::object applied(const codegen::Op& op, std::span<const Operand> operands, Queue queue) {
  note_origin();
  warn_of_overflow(operands);
  Written written = record(op, operands, std::move(queue));
  if (!written.is_scheduled) without_gil([&] { schedule(written.array); });
  return result_of(std::move(written.array));
}

// An object that is not a number compares unequal to every array; for other operators the operand's own type
// may handle it.
nb::object beside_unknown(const codegen::Op& op, nb::handle known, nb::handle other) {
  static const codegen::Op &equal = operation("equal"), &not_equal = operation("not_equal"),
                           &multiply = operation("multiply");
  // After NotImplemented, Python would repeat a sequence and refuse the array as a count.
  if (&op == &multiply && (PyUnicode_Check(other.ptr()) || PyBytes_Check(other.ptr())))
    type_error("multiply: expected an array or a number, got " + class_name(other));
  if ((&op != &equal && &op != &not_equal) || !(other.is_none() || PyUnicode_Check(other.ptr())))
    return not_implemented();
  const Array array = nb::inst_ptr<PyArray>(known)->array;
  const Queue queue = queue_for(nb::none(), array);
  const Number answer(&op == &not_equal);
  return result_of(
      without_gil([&] { return full(queue, array.shape(), answer, DType::of(Scalar::boolean)); }));
}

// Operands that NumPy holds, or lists.
nb::object binary_beside(const codegen::Op& op, nb::handle a, nb::handle b) {
  Operands keeper;
  auto first = keeper.find(a), second = keeper.find(b);
  const nb::handle known = first ? a : b, other = first ? b : a;
  if (!nb::isinstance<PyArray>(known)) return not_implemented();
  if (!is_foreign(other)) return beside_unknown(op, known, other);
  const Queue queue = queue_for(nb::none(), nb::inst_ptr<PyArray>(known)->array);
  (first ? second : first) = keeper.moved(other, queue);
  const std::array<Operand, 2> operands = {*first, *second};
  return result_of(without_gil([&] { return apply(op, operands, &queue); }));
}

nb::object binary(const codegen::Op& op, nb::handle a, nb::handle b) {
  const auto first = find_operand(a), second = find_operand(b);
  if (!first || !second) {
    return binary_beside(op, a, b);
  }
  const std::array<Operand, 2> operands = {*first, *second};
  auto queue = queue_of(nb::none(), operands);
  return queue ? applied(op, operands, std::move(*queue)) : not_implemented();
}

nb::object unary(const codegen::Op& op, nb::handle a) {
  const auto found = find_operand(a);
  if (!found || found->array() == nullptr) type_error("expected an array, got " + class_name(a));
  const Operand& operand = *found;
  return applied(op, {&operand, 1}, *queue_of(nb::none(), {&operand, 1}));
}

// Serialises changes of an array. The lock is held without the GIL, and recursively if a destructor
// intervenes.
std::recursive_mutex& changes_of(const PyArray& array) {
  static auto* const mutexes = new std::array<std::recursive_mutex, 64>;
  return (*mutexes)[std::hash<const void*>()(&array) / sizeof(PyArray) % mutexes->size()];
}

nb::object in_place(const codegen::Op& op, nb::handle self, nb::handle other) {
  if (!nb::isinstance<PyArray>(self)) return not_implemented();
  PyArray& target = *nb::inst_ptr<PyArray>(self);
  Operands keeper;
  auto value = keeper.find(other);
  if (!value && !is_foreign(other)) return not_implemented();
  const Queue queue = queue_for(nb::none(), target.array);
  if (!value) value = keeper.moved(other, queue);
  if (value->array() == nullptr) warn_of_overflow(value->number(), target.array.dtype());
  std::unique_lock lock(changes_of(target), std::defer_lock);
  without_gil([&] { lock.lock(); });
  Array changed = target.array;
  without_gil([&] { update(changed, op, *value, &queue, 2); });
  target.array = std::move(changed);
  return nb::borrow(self);
}

nb::object apply_named(const std::string& name, nb::args arguments, nb::handle queue) {
  InlineVector<Operand, 3> operands;
  for (nb::handle argument : arguments) {
    const auto found = find_operand(argument);
    if (!found) break;
    operands.push_back(*found);
  }
  const auto user = queue_of(queue, operands);
  if (user && operands.size() == arguments.size()) return applied(operation(name), operands, *user);
  Operands keeper;
  std::optional<Queue> owner;
  const std::vector<nb::handle> objects(arguments.begin(), arguments.end());
  const std::vector<Operand> all = keeper.all(objects, name.c_str(), queue, owner);
  return result_of(without_gil([&] { return apply(name, all, &*owner); }));
}

const codegen::Op& power() {
  static const codegen::Op& op = operation("power");
  return op;
}

nb::object where_of(nb::handle condition, nb::handle yes, nb::handle no, nb::handle queue) {
  Operands keeper;
  std::optional<Queue> user;
  const std::array<nb::handle, 3> objects = {condition, yes, no};
  const std::vector<Operand> all = keeper.all(objects, "where", queue, user);
  return result_of(without_gil([&] { return where(all[0], all[1], all[2], &*user); }));
}

// Fortran order is the C order of the transpose. NumPy's other orders mean C order here.
bool is_fortran_order(nb::handle order, const char* function) {
  if (order.is_none()) return false;
  const std::string name = PyUnicode_Check(order.ptr()) ? nb::cast<std::string>(order) : std::string();
  if (name.size() != 1 || std::string_view("CFAKcfak").find(name) == std::string_view::npos)
    value_error(std::string(function) + ": order must be 'C', 'F', 'A' or 'K', got " +
                nb::repr(order).c_str());
  return name == "F" || name == "f";
}

Array copied(const Array& array, bool is_fortran, const Queue& queue) {
  return is_fortran ? permute_dims(copy(permute_dims(array), &queue)) : copy(array, &queue);
}

nb::object as_type(const PyArray& self, nb::handle dtype, nb::handle order, nb::handle casting,
                   nb::handle /*subok*/, nb::handle copies) {
  const nb::object numpy_type = native_dtype(dtype);
  const DType element = element_type(numpy_type);
  if (!PyUnicode_Check(casting.ptr()) || PyUnicode_CompareWithASCIIString(casting.ptr(), "unsafe") != 0)
    nb::module_::import_("quern._operands").attr("check_cast")("astype", self.dtype, numpy_type, casting);
  const bool is_fortran = is_fortran_order(order, "astype");
  const Array array = self.array;
  const Queue queue = queue_for(nb::none(), array);
  const bool is_same = element == array.dtype();
  if (is_same && !is_fortran && PyObject_IsTrue(copies.ptr()) == 0) return nb::find(self);
  return nb::cast(PyArray{without_gil([&] {
                            if (is_same) return copied(array, is_fortran, queue);
                            const Array converted = astype(array, element, &queue);
                            return is_fortran ? copied(converted, true, queue) : converted;
                          }),
                          is_same ? self.dtype : numpy_type});
}

template <class T>
T as(const ElementBytes& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// The Python number of an element; null if Python has none for its dtype.
nb::object python_number(const DType& dtype, const ElementBytes& bytes) {
  if (dtype.lanes != 1) return {};
  switch (dtype.scalar) {
    case Scalar::boolean:
      return nb::bool_(as<std::uint8_t>(bytes) != 0);
    case Scalar::int8:
      return nb::int_(as<std::int8_t>(bytes));
    case Scalar::int16:
      return nb::int_(as<std::int16_t>(bytes));
    case Scalar::int32:
      return nb::int_(as<std::int32_t>(bytes));
    case Scalar::int64:
      return nb::int_(as<std::int64_t>(bytes));
    case Scalar::uint8:
      return nb::int_(as<std::uint8_t>(bytes));
    case Scalar::uint16:
      return nb::int_(as<std::uint16_t>(bytes));
    case Scalar::uint32:
      return nb::int_(as<std::uint32_t>(bytes));
    case Scalar::uint64:
      return nb::int_(as<std::uint64_t>(bytes));
    case Scalar::bfloat16:  // the upper half of a float
      return nb::float_(
          static_cast<double>(std::bit_cast<float>(std::uint32_t{as<std::uint16_t>(bytes)} << 16)));
    case Scalar::float32:
      return nb::float_(static_cast<double>(as<float>(bytes)));
    case Scalar::float64:
      return nb::float_(as<double>(bytes));
    case Scalar::complex64: {
      const auto value = as<std::complex<float>>(bytes);
      return nb::steal(PyComplex_FromDoubles(value.real(), value.imag()));
    }
    case Scalar::complex128: {
      const auto value = as<std::complex<double>>(bytes);
      return nb::steal(PyComplex_FromDoubles(value.real(), value.imag()));
    }
    default:
      return {};
  }
}

// The element of a one-element array; waits for it.
nb::object item(nb::handle_t<PyArray> self) {
  const PyArray& array = *nb::inst_ptr<PyArray>(self);
  if (array.array.size() != 1)
    value_error("only an array of one element can be converted to a number; this one has " +
                std::to_string(array.array.size()));
  const InlineVector<std::int64_t, 4> first(array.array.shape().size(), 0);
  if (const auto element = read_element_now(array.array, first)) {
    if (nb::object number = python_number(array.array.dtype(), *element); number.is_valid()) return number;
  }
  return self.attr("get")().attr("item")();
}

nb::object item_at(nb::handle_t<PyArray> self, const nb::args& index) {
  if (index.size() == 0) return item(self);
  const bool is_flat = index.size() == 1 && PyIndex_Check(index[0].ptr()) != 0;
  const nb::object from = is_flat ? self.attr("reshape")(-1) : nb::borrow(self);
  return nb::object(from[index.size() == 1 ? index[0] : nb::object(index)]).attr("item")();
}

PyArray full_of(nb::handle shape, nb::handle value, nb::handle dtype, nb::handle device, nb::handle queue) {
  nb::object numpy_type = native_dtype(dtype);
  const Number number = number_of(value, "full");
  const Queue user = queue_on(device, queue);
  return {without_gil([&, element = element_type(numpy_type), lengths = shape_of(shape)] {
            return full(user, lengths, number, element);
          }),
          std::move(numpy_type)};
}

// A Python operator, and the type slot of its function if that is not the method's.
struct Operator {
  const char *method, *reflected, *in_place, *name;
  binaryfunc PyNumberMethods::*slot = nullptr, PyNumberMethods::*in_place_slot = nullptr;
};
using Slots = PyNumberMethods;
constexpr Operator kOperators[] = {
    {"__add__", "__radd__", "__iadd__", "add", &Slots::nb_add, &Slots::nb_inplace_add},
    {"__sub__", "__rsub__", "__isub__", "subtract", &Slots::nb_subtract, &Slots::nb_inplace_subtract},
    {"__mul__", "__rmul__", "__imul__", "multiply", &Slots::nb_multiply, &Slots::nb_inplace_multiply},
    {"__truediv__", "__rtruediv__", "__itruediv__", "divide", &Slots::nb_true_divide,
     &Slots::nb_inplace_true_divide},
    {"__floordiv__", "__rfloordiv__", "__ifloordiv__", "floor_divide", &Slots::nb_floor_divide,
     &Slots::nb_inplace_floor_divide},
    {"__mod__", "__rmod__", "__imod__", "remainder", &Slots::nb_remainder, &Slots::nb_inplace_remainder},
    {"__and__", "__rand__", "__iand__", "bitwise_and", &Slots::nb_and, &Slots::nb_inplace_and},
    {"__or__", "__ror__", "__ior__", "bitwise_or", &Slots::nb_or, &Slots::nb_inplace_or},
    {"__xor__", "__rxor__", "__ixor__", "bitwise_xor", &Slots::nb_xor, &Slots::nb_inplace_xor},
    {"__lshift__", "__rlshift__", "__ilshift__", "left_shift", &Slots::nb_lshift, &Slots::nb_inplace_lshift},
    {"__rshift__", "__rrshift__", "__irshift__", "right_shift", &Slots::nb_rshift, &Slots::nb_inplace_rshift},
    {"__lt__", nullptr, nullptr, "less"},
    {"__le__", nullptr, nullptr, "less_equal"},
    {"__gt__", nullptr, nullptr, "greater"},
    {"__ge__", nullptr, nullptr, "greater_equal"},
    {"__eq__", nullptr, nullptr, "equal"},
    {"__ne__", nullptr, nullptr, "not_equal"},
};

template <std::size_t I>
const codegen::Op& op_of() {
  static const codegen::Op& op = operation(kOperators[I].name);
  return op;
}

// The function that the interpreter calls for an operator.
template <std::size_t I, auto function>
PyObject* slot(PyObject* a, PyObject* b) noexcept {
  return guarded([&] { return function(op_of<I>(), a, b); });
}

PyObject* float_slot(PyObject* self) noexcept {
  return guarded([&] { return nb::float_(item(self)); });
}

// Never freed: the class refers to it.
const char* operator_signature(const char* method) {
  return (new std::string(std::string("def ") + method + "(self, other: object, /) -> Array"))->c_str();
}

template <std::size_t I>
void bind_operator(nb::class_<PyArray>& array) {
  constexpr Operator op = kOperators[I];
  constexpr std::string_view kName = op.name;
  const auto function = [](nb::handle a, nb::handle b) { return binary(op_of<I>(), a, b); };
  if constexpr (kName == "equal" || kName == "not_equal") {
    array.def(op.method, function, nb::arg("other").none(), nb::is_operator(),
              nb::sig(operator_signature(op.method)));
  } else {
    array.def(op.method, function, nb::is_operator(), nb::sig(operator_signature(op.method)));
  }
  if constexpr (op.reflected != nullptr) {
    array.def(
        op.reflected, [](nb::handle a, nb::handle b) { return binary(op_of<I>(), b, a); }, nb::is_operator(),
        nb::sig(operator_signature(op.reflected)));
    array.def(
        op.in_place, [](nb::handle a, nb::handle b) { return in_place(op_of<I>(), a, b); }, nb::is_operator(),
        nb::sig(operator_signature(op.in_place)));
    // Sets the slot directly: otherwise Python would look up the method and pack the operands into arguments.
    // This comes last, because defining methods sets the slot, too.
    PyNumberMethods& slots = reinterpret_cast<PyHeapTypeObject*>(array.ptr())->as_number;
    slots.*op.slot = &slot<I, &binary>;
    slots.*op.in_place_slot = &slot<I, &in_place>;
  }
}

template <std::size_t... I>
void bind_operators(nb::class_<PyArray>& array, std::index_sequence<I...>) {
  (bind_operator<I>(array), ...);
}

}  // namespace

nb::object apply_at_once(const codegen::Op& op, std::span<PyObject* const> objects) {
  InlineVector<Operand, 3> operands;
  for (PyObject* const object : objects) {
    const auto found = find_operand(object);
    if (!found) return {};
    operands.push_back(*found);
  }
  const auto queue = queue_of(nb::none(), operands);
  return queue ? applied(op, operands, *queue) : nb::object();
}

void bind_arithmetic(nb::module_& module, nb::class_<PyArray>& array) {
  bind_operators(array, std::make_index_sequence<std::size(kOperators)>());
  array
      .def(
          "__pow__",
          [](nb::handle a, nb::handle b, nb::handle modulo) {
            return modulo.is_none() ? binary(power(), a, b) : not_implemented();
          },
          nb::arg("other"), nb::arg("modulo") = nb::none(), nb::is_operator(),
          nb::sig("def __pow__(self, other: object, modulo: None = None, /) -> Array"))
      .def(
          "__rpow__",
          [](nb::handle a, nb::handle b, nb::handle modulo) {
            return modulo.is_none() ? binary(power(), b, a) : not_implemented();
          },
          nb::arg("other"), nb::arg("modulo") = nb::none(), nb::is_operator(),
          nb::sig("def __rpow__(self, other: object, modulo: None = None, /) -> Array"))
      .def(
          "__ipow__",
          [](nb::handle a, nb::handle b, nb::handle modulo) {
            return modulo.is_none() ? in_place(power(), a, b) : not_implemented();
          },
          nb::arg("other"), nb::arg("modulo") = nb::none(), nb::is_operator(),
          nb::sig("def __ipow__(self, other: object, modulo: None = None, /) -> Array"))
      .def(
          "__neg__", [](nb::handle a) { return unary(operation("negative"), a); },
          nb::sig("def __neg__(self) -> Array"))
      .def(
          "__pos__", [](nb::handle a) { return unary(operation("positive"), a); },
          nb::sig("def __pos__(self) -> Array"))
      .def(
          "__abs__", [](nb::handle a) { return unary(operation("absolute"), a); },
          nb::sig("def __abs__(self) -> Array"))
      .def(
          "__invert__", [](nb::handle a) { return unary(operation("invert"), a); },
          nb::sig("def __invert__(self) -> Array"))
      .def("astype", &as_type, nb::arg("dtype"), nb::arg("order") = "K", nb::arg("casting") = "unsafe",
           nb::arg("subok") = true, nb::arg("copy") = true,
           nb::sig(
               "def astype(self, dtype: numpy.typing.DTypeLike, order: str = 'K', casting: str = 'unsafe', "
               "subok: bool = True, copy: bool = True) -> Array"),
           R"(Convert the elements to another dtype.

Parameters
----------
dtype : dtype
    Dtype of the result.
order : str, optional
    Memory layout of the result: 'C' or 'F' (Fortran order). Unlike in NumPy, 'A' and 'K' mean 'C'.
casting : str, optional
    Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'.
subok : bool, optional
    Accepted for compatibility with NumPy; it has no effect.
copy : bool, optional
    If False, the array itself is returned if it has this dtype, unless `order` is 'F'.

Returns
-------
Array
    The converted array.

Raises
------
TypeError
    If `casting` does not allow the conversion.

Examples
--------
>>> print(qn.asarray([1.5, 2.5]).astype("int32"))
[1 2])")
      .def(
          "copy",
          [](const PyArray& self, nb::handle order) {
            const Array original = self.array;
            const bool is_fortran = is_fortran_order(order, "copy");
            const Queue queue = queue_for(nb::none(), original);
            return PyArray{without_gil([&] { return copied(original, is_fortran, queue); }), self.dtype};
          },
          nb::arg("order") = "C", nb::sig("def copy(self, order: str = 'C') -> Array"),
          R"(Copy the array into memory of its own.

Parameters
----------
order : str, optional
    Memory layout of the copy: 'C' or 'F' (Fortran order). Unlike in NumPy, 'A' and 'K' mean 'C'.

Returns
-------
Array
    The copy. Writes to it do not change the array.

Examples
--------
>>> x = qn.zeros(2)
>>> y = x.copy()
>>> y[0] = 1
>>> print(x, y)
[0. 0.] [1. 0.])")
      .def("item", &item_at, nb::arg("index"), nb::sig("def item(self, *index: int) -> typing.Any"),
           R"(Element at an index as a Python scalar. The call waits for the element.

Parameters
----------
*index : int
    Index of the element: one for each axis, or one into the flattened array. An array of one element needs none.

Returns
-------
scalar
    Python's bool, int, float or complex.

Raises
------
ValueError
    If no index is given and the array has several elements or none.
IndexError
    If the index is out of bounds.

Examples
--------
>>> x = qn.asarray([[1, 2], [3, 4]])
>>> x.item(1, 0), x.item(3), x.sum().item()
(3, 4, 10))")
      .def("__bool__",
           [](nb::handle_t<PyArray> self) {
             if (nb::inst_ptr<PyArray>(self)->array.size() != 1)
               value_error(
                   "the truth value of an array with more or fewer than one element is ambiguous; use any() "
                   "or all()");
             return nb::cast<bool>(nb::bool_(item(self)));
           })
      .def("__float__", [](nb::handle_t<PyArray> self) { return nb::float_(item(self)); })
      .def("__int__", [](nb::handle_t<PyArray> self) { return nb::int_(item(self)); })
      .def("__complex__",
           [](nb::handle_t<PyArray> self) {
             return nb::handle(reinterpret_cast<PyObject*>(&PyComplex_Type))(item(self));
           })
      .def("__index__", [](nb::handle_t<PyArray> self) {
        // Always a TypeError: bytearray(x) and others then try the next protocol.
        const DType& dtype = nb::inst_ptr<PyArray>(self)->array.dtype();
        const bool is_integer = dtype.scalar >= Scalar::int8 && dtype.scalar <= Scalar::uint64;
        if (!is_integer || nb::inst_ptr<PyArray>(self)->array.size() != 1)
          type_error("only an integer array of one element can be used as an index");
        return item(self);
      });
  reinterpret_cast<PyHeapTypeObject*>(array.ptr())->as_number.nb_float = &float_slot;
  array.attr("__array_priority__") = 1000;

  module.def(
      "promoted_dtype",
      [](nb::handle a, nb::handle b) {
        const DType first = element_type(numpy_dtype(a));
        const auto operand = find_operand(b);
        return numpy_dtype_of(operand && operand->array() == nullptr
                                  ? result_type(first, operand->number())
                                  : result_type(first, element_type(numpy_dtype(b))));
      },
      nb::arg("a"), nb::arg("b"),
      nb::sig("def promoted_dtype(a: numpy.typing.DTypeLike, b: numpy.typing.DTypeLike | complex) -> "
              "numpy.dtype[typing.Any]"),
      "Dtype that results from promoting a dtype with another one, or with a Python number.");
  module.def("apply", &apply_named, nb::arg("name"), nb::arg("operands"), nb::kw_only(),
             nb::arg("queue") = nb::none(),
             nb::sig("def apply(name: str, *operands: object, queue: Queue | None = None) -> Array"),
             "Element-wise operation by its NumPy name.");
  module.def(
      "where", &where_of, nb::arg("condition"), nb::arg("x1"), nb::arg("x2"), nb::kw_only(),
      nb::arg("queue") = nb::none(),
      nb::sig("def where(condition: numpy.typing.ArrayLike | Array, x1: numpy.typing.ArrayLike | Array, "
              "x2: numpy.typing.ArrayLike | Array, /, *, "
              "queue: Queue | None = None) -> Array"),
      "Elements of x1 where the condition is True, of x2 elsewhere; lazy.");
  module.def("full", &full_of, nb::arg("shape"), nb::arg("value"), nb::arg("dtype"), nb::arg("device").none(),
             nb::arg("queue").none(),
             nb::sig("def full(shape: int | collections.abc.Sequence[int], value: complex, dtype: "
                     "numpy.typing.DTypeLike, device: Device | str | None, queue: Queue | None) -> Array"));
}

}  // namespace quern::python
