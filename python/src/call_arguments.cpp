// SPDX-License-Identifier: MIT
// Conversion of Python values to kernel arguments. The library decides which values fit which parameter.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "errors.hpp"
#include "interpreter.hpp"
#include "py_kernel.hpp"

namespace quern::python {
namespace {

// Class objects, looked up once and compared by address.
struct Types {
  PyTypeObject* buffer = type_of<Buffer>();
  PyTypeObject* array = type_of<PyArray>();
  PyTypeObject* local = type_of<LocalMemory>();
  PyTypeObject* host = type_of<HostArgument>();

  template <class T>
  static PyTypeObject* type_of() {
    return reinterpret_cast<PyTypeObject*>(nb::type<T>().ptr());
  }
};

const Types& types() {
  static const Types instance;
  return instance;
}

// NumPy scalars that are neither Python's int nor float.
struct NumpyScalars {
  nb::object generic = numpy_attribute("generic");
  nb::object integer = numpy_attribute("integer");
  nb::object floating = numpy_attribute("floating");
  nb::object boolean = numpy_attribute("bool_");
};

const NumpyScalars& numpy_scalars() {
  static const auto* instance = new NumpyScalars;
  return *instance;
}

}  // namespace

CallArguments::HostArray::HostArray(nb::handle object_, bool in_, bool out_, const Queue& queue)
    : object(object_),
      memory(object, out_,
             !out_ ? "quern.In"
             : in_ ? "quern.InOut"
                   : "quern.Out"),
      array([&] {
        DType dtype = element_type(nb::object(object.attr("dtype")));
        Shape shape = shape_of(nb::object(object.attr("shape")));
        return without_gil(
            [&] { return Array(Buffer(queue, memory.size()), std::move(dtype), std::move(shape)); });
      }()),
      in(in_),
      out(out_) {}

CallArguments::Extra& CallArguments::extra() {
  return extra_ ? *extra_ : extra_.emplace();
}

std::string CallArguments::position() const {
  const Signature& signature = this->signature();
  std::string text = "argument " + std::to_string(first_ + count_);
  if (count_ < signature.parameters.size()) {
    const Parameter& parameter = signature.parameters[count_];
    text += " ('" + parameter.name + "', " + parameter.type_name + ")";
  }
  return text + " of kernel '" + kernel_name() + "'";
}

void CallArguments::add(std::span<PyObject* const> positional) {
  if (positional.size() > kMost) {
    value_error("kernel " + kernel_name() + ": " + std::to_string(positional.size()) +
                " arguments; the most is " + std::to_string(kMost));
  }
  for (PyObject* object : positional) add(object);
}

inline void CallArguments::add(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  const Types& known = types();
  if (type == known.array) return emplace(nb::inst_ptr<PyArray>(object)->array);
  if (type == known.buffer) return add_buffer(*nb::inst_ptr<Buffer>(object));
  if (type == &PyFloat_Type) return emplace(PyFloat_AS_DOUBLE(object));
  if (type == &PyLong_Type) return add_integer(object);
  if (type == &PyBool_Type) return emplace(static_cast<std::int64_t>(object == Py_True));
  if (object == Py_None) return emplace(nullptr);
  if (type == known.local) return emplace(*nb::inst_ptr<LocalMemory>(object));
  add_unusual(object);
}

void CallArguments::add_buffer(const Buffer& buffer) {
  if (buffer_count_ == kInlineBuffers) return emplace(extra().buffers.emplace_back(buffer));
  buffers_[buffer_count_] = buffer;
  emplace(buffers_[buffer_count_++]);
}

void CallArguments::add_integer(nb::handle integer) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
  if (overflow == 0) {
    if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return emplace(static_cast<std::int64_t>(value));
  }
  const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(integer.ptr()) : 0;
  if (overflow < 0 || PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    value_error(position() + ": " + text_of(integer) + " does not fit any integer type of a device");
  }
  emplace(static_cast<std::uint64_t>(large));
}

void CallArguments::add_unusual(nb::handle object) {
  if (Py_TYPE(object.ptr()) == types().host) {
    const HostArgument& argument = *nb::inst_ptr<HostArgument>(object);
    if (!argument.in) check_written();
    HostArray& host = extra().host.emplace_back(argument.array, argument.in, argument.out, queue_);
    return emplace(host.array);
  }
  const NumpyScalars& scalars = numpy_scalars();
  if (!type_is_known() && nb::isinstance(object, scalars.generic)) return add_typed_bytes(object);
  if (PyFloat_Check(object.ptr()))
    return emplace(PyFloat_AS_DOUBLE(object.ptr()));  // including numpy.float64
  if (PyLong_Check(object.ptr())) return add_integer(object);
  if (nb::isinstance(object, scalars.generic)) {
    if (nb::isinstance(object, scalars.integer)) {
      const auto index = nb::steal(PyNumber_Index(object.ptr()));
      if (!index.is_valid()) throw nb::python_error();
      return add_integer(index);
    }
    if (nb::isinstance(object, scalars.floating)) {
      const double value = PyFloat_AsDouble(object.ptr());
      if (value == -1.0 && PyErr_Occurred() != nullptr) throw nb::python_error();
      return emplace(value);
    }
    if (nb::isinstance(object, scalars.boolean))
      return emplace(static_cast<std::int64_t>(PyObject_IsTrue(object.ptr()) == 1));
    return add_typed_bytes(object);
  }
  if (PyComplex_Check(object.ptr())) return add_typed_bytes(numpy_attribute("complex128")(object));
  if (add_vector(object)) return;
  if (is_numpy_array(object)) {
    if (nb::cast<int>(object.attr("ndim")) == 0) return add(nb::object(object[nb::tuple()]).ptr());
    type_error(
        position() +
        ": a NumPy array is not on a device; wrap it as quern.In, quern.Out or quern.InOut, or copy it with "
        "quern.asarray");
  }
  type_error(position() + ": cannot be given a " + class_name(object));
}

// If the kernel does not write it, the result must not be copied over a host array.
void CallArguments::check_written() const {
  const Signature& signature = this->signature();
  if (count_ < signature.parameters.size() && signature.parameters[count_].is_const)
    value_error(position() +
                ": the kernel only reads it, so quern.Out would copy back undefined values; use "
                "quern.In");
}

// Structures, vectors and complex numbers are passed as raw bytes if the parameter's type is known; that of a
// template's instance may not be.
bool CallArguments::type_is_known() const {
  const Signature& signature = this->signature();
  return count_ < signature.parameters.size() && signature.parameters[count_].dtype.scalar != Scalar::unknown;
}

void CallArguments::add_typed_bytes(nb::handle object) {
  // The scalar may be a temporary, so its bytes are copied.
  const HostMemory memory(object, false, "argument");
  const auto* first = static_cast<const std::byte*>(memory.data());
  const std::vector<std::byte>& bytes = extra().bytes.emplace_back(first, first + memory.size());
  const DType& type = extra().types.emplace_back(element_type(nb::object(object.attr("dtype"))));
  emplace_bytes(bytes, &type);
}

// A tuple, list or array of numbers for a vector parameter. Each follows the rules of a scalar parameter.
bool CallArguments::add_vector(nb::handle object) {
  const bool plain = nb::isinstance<nb::tuple>(object) || nb::isinstance<nb::list>(object);
  if (!plain && (!is_numpy_array(object) || nb::cast<int>(object.attr("ndim")) == 0)) return false;
  const Signature& signature = this->signature();
  if (count_ >= signature.parameters.size()) return false;
  const Parameter& parameter = signature.parameters[count_];
  const unsigned lanes = parameter.dtype.lanes;
  if (parameter.is_pointer || lanes < 2) return false;
  if (nb::len(object) != lanes)
    value_error(position() + ": expected " + std::to_string(lanes) + " numbers, got " +
                std::to_string(nb::len(object)));
  const std::string element = DType::of(parameter.dtype.scalar).name();
  const nb::object dtype = numpy_dtype(nb::str(element.c_str()));
  const bool floating = number_kind(dtype.attr("type")(0)) == 'f';
  nb::list numbers;
  for (nb::handle number : object)
    numbers.append(floating ? float_lane(number, dtype) : integer_lane(number, dtype));
  const nb::object converted = numpy_attribute("array")(numbers, dtype);
  const HostMemory memory(converted, false, "argument");
  std::vector<std::byte>& bytes =
      extra().bytes.emplace_back(parameter.dtype.itemsize);  // three lanes occupy four
  std::memcpy(bytes.data(), memory.data(), memory.size());
  emplace_bytes(bytes, &extra().types.emplace_back(parameter.dtype));
  return true;
}

// A Python float in the range of `dtype`, or infinity.
nb::object CallArguments::float_lane(nb::handle number, nb::handle dtype) const {
  if (number_kind(number) == 0) type_error(position() + ": expected numbers, got " + class_name(number));
  auto result = nb::steal(PyNumber_Float(number.ptr()));
  if (!result.is_valid()) {
    if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) throw nb::python_error();
    PyErr_Clear();
    value_error(position() + ": " + text_of(number) + " does not fit any floating-point number of a device");
  }
  const double value = PyFloat_AS_DOUBLE(result.ptr());
  const auto most = nb::cast<double>(nb::float_(numpy_attribute("finfo")(dtype).attr("max")));
  if (std::isfinite(value) && std::abs(value) > most)
    value_error(position() + ": " + text_of(result) + " does not fit; the greatest " + text_of(dtype) +
                " is " + text_of(nb::float_(most)));
  return result;
}

// A Python int in the range of `dtype`.
nb::object CallArguments::integer_lane(nb::handle number, nb::handle dtype) const {
  const char kind = number_kind(number);
  if (kind == 0 || kind == 'f')
    type_error(position() + ": expected integers, got " + class_name(number) +
               (kind == 'f' ? " " + text_of(number) + "; convert it, as in int(value)" : ""));
  auto result = nb::steal(PyNumber_Long(number.ptr()));
  if (!result.is_valid()) throw nb::python_error();
  const nb::object range = numpy_attribute("iinfo")(dtype);
  const nb::object least = range.attr("min"), most = range.attr("max");
  if (result < least || result > most)
    value_error(position() + ": " + text_of(result) + " does not fit; the range is " + text_of(least) +
                " to " + text_of(most));
  return result;
}

void CallArguments::add_named(std::span<PyObject* const> positional, std::span<PyObject* const> names,
                              std::span<PyObject* const> values) {
  const Signature& signature = this->signature();
  const auto fail = [&](const std::string& why) {
    type_error("kernel " + signature_text(signature) + ": " + why);
  };
  const std::size_t expected = signature.parameters.size();
  if (positional.size() > expected)
    fail("takes " + std::to_string(expected) + " arguments, " + std::to_string(positional.size()) +
         " were given by position");
  std::vector<PyObject*> all(positional.begin(), positional.end());
  all.resize(expected, nullptr);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = text_of(names[i]);
    std::size_t at = 0;
    while (at < expected && signature.parameters[at].name != name) ++at;
    if (at == expected) fail("has no parameter '" + name + "'");
    if (all[at] != nullptr) fail("'" + name + "' is given by position and by name");
    all[at] = values[i];
  }
  std::string missing;
  for (std::size_t i = 0; i < expected; ++i) {
    if (all[i] == nullptr) missing += (missing.empty() ? "'" : ", '") + signature.parameters[i].name + "'";
  }
  if (!missing.empty()) fail("is missing " + missing);
  add(all);
}

bool CallArguments::copies_out() const noexcept {
  return extra_ && std::any_of(extra_->host.begin(), extra_->host.end(),
                               [](const HostArray& host) { return host.out; });
}

void CallArguments::copy_in(WaitList wait_for) {
  std::vector<Event> uploads;
  for (HostArray& host : extra_->host) {
    if (!host.in || host.memory.size() == 0) continue;
    void* const from = host.memory.data();
    const std::size_t size = host.memory.size();
    // If it is also copied back, the view is needed again.
    std::shared_ptr<void> keep = host.out ? keep_object(nb::borrow(host.object)) : host.memory.keep();
    uploads.push_back(without_gil(
        [&] { return queue_.write(host.array.buffer(), from, size, wait_for, std::move(keep)); }));
  }
  // Before the launch: a later wait for the uploads could also wait for the kernel.
  for (const Event& upload : uploads) wait_for_event(upload);
}

Event CallArguments::copy_out(Event launched) {
  for (HostArray& host : extra_->host) {
    if (!host.out || host.memory.size() == 0) continue;
    void* const to = host.memory.data();
    const std::size_t size = host.memory.size();
    std::shared_ptr<void> keep = host.memory.keep();
    launched = without_gil([&] { return queue_.read(host.array.buffer(), to, size, {}, std::move(keep)); });
  }
  return launched;
}

std::string signature_text(const Signature& signature) {
  std::string text = signature.name + "(";
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const Parameter& parameter = signature.parameters[i];
    text += (i == 0 ? "" : ", ") + parameter.type_name + " " + parameter.name;
  }
  return text + ")";
}

}  // namespace quern::python
