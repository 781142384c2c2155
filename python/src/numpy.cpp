// SPDX-License-Identifier: MIT
// Reads dtypes and memory of NumPy arrays through Python's protocols.
#include "numpy.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "errors.hpp"
#include "interpreter.hpp"

namespace quern::python {
namespace {

// Looked up once; never destroyed, because the interpreter may be gone by then.
struct Numpy {
  nb::object module = nb::module_::import_("numpy");
  nb::object ndarray = module.attr("ndarray");
  nb::object generic = module.attr("generic");
  nb::object dtype = module.attr("dtype");
  nb::object empty = module.attr("empty");
};

const Numpy& numpy() {
  static const auto* instance = new Numpy;
  return *instance;
}

// NumPy has one dtype object for each builtin type, so a pointer comparison finds most.
struct Builtin {
  nb::object dtype;
  DType type;
};

const std::vector<Builtin>& builtins() {
  static const auto* list = [] {
    auto* result = new std::vector<Builtin>;
    for (const Scalar scalar : {Scalar::float32, Scalar::float64, Scalar::int32, Scalar::int64, Scalar::uint8,
                                Scalar::boolean, Scalar::int8, Scalar::int16, Scalar::uint16, Scalar::uint32,
                                Scalar::uint64, Scalar::float16, Scalar::complex64, Scalar::complex128}) {
      DType type = DType::of(scalar);
      nb::object dtype = numpy().dtype(nb::str(type.name().c_str()));
      result->push_back({std::move(dtype), std::move(type)});
    }
    return result;
  }();
  return *list;
}

// Invalid if NumPy has no such numbers.
const nb::object& dtype_of_scalar(Scalar scalar) {
  static const auto* list = [] {
    auto* result = new std::array<nb::object, static_cast<std::size_t>(Scalar::unknown) + 1>;
    for (const Builtin& builtin : builtins())
      (*result)[static_cast<std::size_t>(builtin.type.scalar)] = builtin.dtype;
    return result;
  }();
  return (*list)[static_cast<std::size_t>(scalar)];
}

// ml_dtypes.bfloat16 as a NumPy dtype. The package is imported when the dtype is first used.
const nb::object& bfloat16_dtype() {
  static const nb::object* dtype = nullptr;
  if (dtype == nullptr) {
    nb::object found = nb::module_::import_("quern._bfloat16").attr("bfloat16_type")();
    if (dtype == nullptr) dtype = new nb::object(numpy().dtype(found));
  }
  return *dtype;
}

// NumPy's other dtypes without a kind of their own have other names.
bool is_bfloat16(nb::handle dtype) {
  return nb::cast<char>(dtype.attr("kind")) == 'V' && text_of(dtype.attr("name")) == "bfloat16";
}

[[noreturn]] void no_element_type(nb::handle dtype, const char* why) {
  type_error("dtype " + text_of(dtype) + ": " + why);
}

DType scalar_type(nb::handle dtype, char kind, std::size_t itemsize) {
  for (const Builtin& builtin : builtins()) {
    if (builtin.type.itemsize == itemsize && nb::cast<char>(builtin.dtype.attr("kind")) == kind)
      return builtin.type;
  }
  no_element_type(dtype, "devices do not support such elements");
}

// bool is not a type that host and device share.
DType member_type(nb::handle dtype) {
  DType type = element_type(dtype);
  return type.scalar == Scalar::boolean ? DType::of(Scalar::uint8) : type;
}

DType structure_type(nb::handle dtype, std::size_t itemsize) {
  auto layout = std::make_shared<StructLayout>();
  layout->name = "of NumPy's " + text_of(dtype);
  layout->size = itemsize;
  layout->alignment = nb::cast<std::size_t>(dtype.attr("alignment"));
  const nb::object fields = dtype.attr("fields");
  for (nb::handle name : dtype.attr("names")) {
    const nb::object entry = fields[name];
    nb::object type = entry[nb::int_(0)];
    StructField field;
    field.name = nb::cast<std::string>(name);
    field.offset = nb::cast<std::size_t>(entry[nb::int_(1)]);
    if (const nb::object sub = type.attr("subdtype"); !sub.is_none()) {
      for (nb::handle length : nb::object(sub[nb::int_(1)])) {
        field.shape.push_back(nb::cast<std::size_t>(length));
        field.count *= field.shape.back();
      }
      type = sub[nb::int_(0)];
    }
    field.dtype = member_type(type);
    layout->fields.push_back(std::move(field));
  }
  return DType::structure(std::move(layout));
}

// quern.vec marks its dtypes, because a structure of four floats has the layout of a float4 and is a
// different type.
bool vector_type(nb::handle dtype, DType& result) {
  const nb::object metadata = dtype.attr("metadata");
  if (metadata.is_none()) return false;
  const nb::object name = metadata.attr("get")("quern_vector");
  if (name.is_none()) return false;
  result = DType::parse(nb::cast<std::string>(name));
  return true;
}

}  // namespace

nb::object numpy_attribute(const char* name) {
  return numpy().module.attr(name);
}

void warn_as_numpy(const char* text) {
  const nb::object action = numpy_attribute("geterr")()["over"];
  if (PyUnicode_CompareWithASCIIString(action.ptr(), "ignore") == 0) return;
  if (PyUnicode_CompareWithASCIIString(action.ptr(), "raise") == 0) {
    PyErr_SetString(PyExc_FloatingPointError, text);
    throw nb::python_error();
  }
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text, 1) < 0) throw nb::python_error();
}

nb::object numpy_dtype(nb::handle like) {
  if (like.type().is(numpy().dtype)) return nb::borrow(like);
  // NumPy knows the name only after ml_dtypes was imported.
  if (PyUnicode_Check(like.ptr()) && PyUnicode_CompareWithASCIIString(like.ptr(), "bfloat16") == 0)
    return bfloat16_dtype();
  return numpy().dtype(like);
}

nb::object native_dtype(nb::handle like) {
  nb::object dtype = numpy_dtype(like);
  return nb::cast<bool>(dtype.attr("isnative")) ? dtype : dtype.attr("newbyteorder")("=");
}

DType element_type(nb::handle dtype) {
  for (const Builtin& builtin : builtins()) {
    if (builtin.dtype.is(dtype)) return builtin.type;
  }
  if (!nb::cast<bool>(dtype.attr("isnative")))
    no_element_type(dtype, "its byte order is not the machine's; convert it with astype()");
  if (nb::cast<bool>(dtype.attr("hasobject"))) no_element_type(dtype, "Python objects cannot be on a device");
  const auto itemsize = nb::cast<std::size_t>(dtype.attr("itemsize"));
  if (!dtype.attr("names").is_none()) {
    DType vector;
    return vector_type(dtype, vector) ? vector : structure_type(dtype, itemsize);
  }
  if (const nb::object sub = dtype.attr("subdtype"); !sub.is_none())
    no_element_type(dtype, "a sub-array cannot be an element; make it part of the shape");
  if (is_bfloat16(dtype)) return DType::of(Scalar::bfloat16);
  return scalar_type(dtype, nb::cast<char>(dtype.attr("kind")), itemsize);
}

nb::object numpy_dtype_of(const DType& dtype) {
  if (dtype.scalar != Scalar::structure) {
    if (dtype.lanes > 1) {
      const std::string scalar = DType::of(dtype.scalar).name();
      return nb::module_::import_("quern.vec").attr("_vector")(scalar, static_cast<int>(dtype.lanes));
    }
    if (const nb::object& known = dtype_of_scalar(dtype.scalar); known.is_valid()) return known;
    if (dtype.scalar == Scalar::bfloat16) return bfloat16_dtype();
    type_error("NumPy has no dtype for " + dtype.name());
  }
  nb::list names, formats, offsets;
  for (const StructField& field : dtype.layout->fields) {
    names.append(field.name);
    const nb::object type = numpy_dtype_of(field.dtype);
    nb::list lengths;
    for (const std::size_t length : field.shape) lengths.append(length);
    if (field.shape.empty() && field.count != 1) lengths.append(field.count);
    formats.append(nb::len(lengths) == 0 ? type : nb::object(nb::make_tuple(type, nb::tuple(lengths))));
    offsets.append(field.offset);
  }
  nb::dict layout;
  layout["names"] = names;
  layout["formats"] = formats;
  layout["offsets"] = offsets;
  layout["itemsize"] = dtype.itemsize;
  return numpy().dtype(layout);
}

bool is_numpy_array(nb::handle object) {
  return object.type().is(numpy().ndarray) || nb::isinstance(object, numpy().ndarray);
}

char number_kind(nb::handle object) {
  if (PyBool_Check(object.ptr())) return 'b';
  if (PyLong_Check(object.ptr())) return 'i';
  if (PyFloat_Check(object.ptr())) return 'f';
  const bool is_scalar = nb::isinstance(object, numpy().generic) ||
                         (is_numpy_array(object) && nb::cast<int>(object.attr("ndim")) == 0);
  if (!is_scalar) return 0;
  const nb::object dtype = object.attr("dtype");
  if (is_bfloat16(dtype)) return 'f';
  const char kind = nb::cast<char>(dtype.attr("kind"));
  return std::string_view("biuf").find(kind) == std::string_view::npos ? '\0' : kind;
}

nb::object empty_numpy_array(const Shape& shape, nb::handle dtype) {
  return numpy().empty(shape_tuple(shape), dtype);
}

nb::tuple shape_tuple(const Shape& shape) {
  auto result = nb::steal<nb::tuple>(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  if (!result.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    PyObject* length = PyLong_FromLongLong(shape[i]);
    if (length == nullptr) throw nb::python_error();
    PyTuple_SET_ITEM(result.ptr(), static_cast<Py_ssize_t>(i), length);
  }
  return result;
}

Shape shape_of(nb::handle shape) {
  const auto length_of = [](nb::handle length) {
    const auto index = nb::steal(PyNumber_Index(length.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    const long long value = PyLong_AsLongLong(index.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      value_error(std::string("shape: ") + nb::str(index).c_str() + " exceeds the largest possible length");
    }
    return static_cast<std::int64_t>(value);
  };
  const bool is_one =
      PyIndex_Check(shape.ptr()) && (!is_numpy_array(shape) || nb::cast<int>(shape.attr("ndim")) == 0);
  if (is_one) return {length_of(shape)};
  Shape result;
  for (nb::handle length : shape) result.push_back(length_of(length));
  return result;
}

HostMemory::HostMemory(nb::handle object, bool writable, const char* role) {
  if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0)) == 0)
    return;
  const bool shows_memory = PyObject_CheckBuffer(object.ptr()) != 0;
  if (!shows_memory) {
    PyErr_Clear();
    type_error(std::string(role) + ": expected a NumPy array or another object with a buffer, got " +
               class_name(object));
  }
  const nb::python_error reason;  // clears Python's error
  if (is_numpy_array(object)) {
    const nb::object flags = object.attr("flags");
    const auto has = [&](const char* flag) { return nb::cast<bool>(flags.attr(flag)); };
    if (writable && !has("writeable")) {
      const bool is_argument =
          std::string_view(role).starts_with("quern.");  // of a kernel that may only read it
      value_error(std::string(role) +
                  ": the NumPy array is read-only, as a memmap of mode 'r' is; pass a copy (array.copy())" +
                  (is_argument ? ", or quern.In if the kernel only reads it" : ""));
    }
    if (!has("c_contiguous"))
      value_error(std::string(role) + ": the NumPy array is " +
                  (has("f_contiguous") ? "in Fortran order" : "a strided view") +
                  ", expected a C-contiguous one; pass numpy.ascontiguousarray(array)" +
                  (writable ? ", and copy the result back" : ""));
  }
  value_error(std::string(role) + ": the memory must be contiguous in C order" +
              (writable ? " and writable" : "") + " (" + text_of(reason.value()) + ")");
}

HostMemory::~HostMemory() {
  if (view_.obj != nullptr) PyBuffer_Release(&view_);
}

std::shared_ptr<void> HostMemory::keep() {
  auto result = keep_view(view_);
  view_.obj = nullptr;
  return result;
}

}  // namespace quern::python
