// SPDX-License-Identifier: MIT
// DLPack capsules and the CUDA array interface, in both directions.

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "current.hpp"
#include "errors.hpp"
#include "generator_call.hpp"
#include "interpreter.hpp"
#include "numpy.hpp"
#include "protocols.hpp"

namespace quern::python {
namespace {

using dlpack::DeviceId;
using dlpack::DeviceType;
using dlpack::ManagedTensor;
using dlpack::VersionedTensor;

template <class Managed>
constexpr const char* kCapsuleName = "dltensor";
template <>
constexpr const char* kCapsuleName<VersionedTensor> = "dltensor_versioned";
template <class Managed>
constexpr const char* kUsedName = "used_dltensor";
template <>
constexpr const char* kUsedName<VersionedTensor> = "used_dltensor_versioned";
constexpr const char* kOwnerName = "quern.dltensor_owner";

template <class Managed>
void drop_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kCapsuleName<Managed>) == 0) return;  // the consumer has taken the tensor
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kCapsuleName<Managed>));
  if (managed->deleter != nullptr) managed->deleter(managed);
}

template <class Managed>
nb::object capsule_of(Managed* managed) {
  PyObject* const capsule = PyCapsule_New(managed, kCapsuleName<Managed>, &drop_capsule<Managed>);
  if (capsule == nullptr) {
    managed->deleter(managed);
    throw nb::python_error();
  }
  return nb::steal(capsule);
}

void wait_for_uses(const Buffer& buffer) {
  wait_interruptibly(Deadline::max(), [&](Deadline deadline) { return buffer.wait_until(deadline); });
}

// The small numbers that DLPack uses for CUDA streams are valid handles for the driver, too.
constexpr std::int64_t kLegacyStream = 1;

Queue queue_of_stream(const Device& device, std::int64_t stream) {
  return Queue::wrap(Context::of(device), device, static_cast<std::uintptr_t>(stream));
}

// Orders the reader's later work after the work enqueued on the array.
void order_for_reader(const Array& array, nb::handle stream) {
  const Buffer& buffer = array.buffer();
  const std::int64_t number = stream.is_none() ? kLegacyStream : nb::cast<std::int64_t>(stream);
  constexpr std::int64_t kNoOrder = -1;
  // The data pointer of OpenCL is a handle. Readers that ask for no order, such as mpi4py, would take it for
  // an address.
  if (number == kNoOrder && array.device().backend() == "opencl") {
    buffer_error("__dlpack__: stream: an OpenCL device has no streams, expected None; for the memory of an " +
                 std::string("array on '") + array.device().spec() + "' use get()");
  }
  if (number == kNoOrder || buffer.empty()) return;
  if (array.device().backend() != "cuda") {
    if (!stream.is_none()) value_error("__dlpack__: stream: only CUDA devices have streams; expected None");
    wait_for_uses(buffer);
    return;
  }
  if (number <= 0) {
    value_error("__dlpack__: stream: expected None, -1, 1, 2 or a CUstream, got " + std::to_string(number));
  }
  without_gil([&] { order_after_uses(queue_of_stream(array.device(), number), buffer); });
}

std::optional<DeviceId> device_id_argument(nb::handle dl_device) {
  if (dl_device.is_none()) return {};
  const nb::object type = dl_device[nb::int_(0)], id = dl_device[nb::int_(1)];
  return DeviceId{static_cast<DeviceType>(nb::cast<std::int32_t>(nb::int_(type))),
                  nb::cast<std::int32_t>(nb::int_(id))};
}

// The array on the device that the reader requests.
nb::object moved_for_reader(nb::handle self, const std::optional<DeviceId>& wanted, nb::handle copy,
                            bool& is_copied) {
  const Array array = nb::inst_ptr<PyArray>(self)->array;
  const bool must_share = copy.is(Py_False);
  is_copied = copy.is(Py_True);
  if (wanted && !(*wanted == dlpack::device_id_of(array.device()))) {
    if (must_share)
      buffer_error("__dlpack__: an array on '" + array.device().spec() +
                   "' needs a copy to reach another device, and copy=False forbids it");
    if (wanted->type != DeviceType::cpu)
      buffer_error("__dlpack__: dl_device: an array on '" + array.device().spec() +
                   "' can be exported only there or to the CPU, (1, 0)");
    is_copied = true;
    return self.attr("to_device")(nb::cast(dlpack::device_of(*wanted)));
  }
  return is_copied ? self.attr("copy")() : nb::borrow(self);
}

nb::object export_array(nb::handle_t<PyArray> self, nb::handle stream, nb::handle max_version,
                        nb::handle dl_device, nb::handle copy) {
  bool is_copied = false;
  const nb::object moved = moved_for_reader(self, device_id_argument(dl_device), copy, is_copied);
  const Array array = nb::inst_ptr<PyArray>(moved)->array;
  const bool is_versioned =
      !max_version.is_none() && nb::cast<int>(nb::int_(nb::object(max_version[nb::int_(0)]))) >= 1;
  VersionedTensor* versioned = nullptr;
  ManagedTensor* unversioned = nullptr;
  try {
    without_gil([&] {
      if (is_versioned)
        versioned = dlpack::to_versioned(array, is_copied ? dlpack::kIsCopied : 0);
      else
        unversioned = dlpack::to_unversioned(array);
    });
  } catch (const ArgumentError& error) {
    buffer_error(error.what());  // the standard requires it
  }
  nb::object capsule = is_versioned ? capsule_of(versioned) : capsule_of(unversioned);
  // Lend before ordering: work enqueued in between is then also ordered.
  const bool is_at_home = array.device() == nb::inst_ptr<PyArray>(self)->array.device();
  order_for_reader(array,
                   is_at_home ? stream : nb::none());  // the stream belongs to the array's original device
  release_kept();
  return capsule;
}

nb::tuple place_tuple(const Device& device) {
  const DeviceId device_id = dlpack::device_id_of(device);
  return nb::make_tuple(static_cast<int>(device_id.type), device_id.id);
}

// Takes the tensor out of the capsule. Its deleter is called with the GIL, on the thread of the last user.
template <class Managed>
std::pair<Managed*, std::shared_ptr<void>> take_tensor(nb::handle capsule) {
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), kCapsuleName<Managed>));
  if (managed == nullptr) throw nb::python_error();
  PyObject* const owner = PyCapsule_New(managed, kOwnerName, [](PyObject* self) {
    auto* const mine = static_cast<Managed*>(PyCapsule_GetPointer(self, kOwnerName));
    if (mine->deleter != nullptr) mine->deleter(mine);
  });
  if (owner == nullptr) throw nb::python_error();
  if (PyCapsule_SetName(capsule.ptr(), kUsedName<Managed>) != 0) throw nb::python_error();
  return {managed, keep_object(nb::steal(owner))};
}

// clang before 16 lets no lambda use a structured binding.
nb::object import_capsule(nb::handle capsule, const Queue& queue, bool is_immutable) {
  if (PyCapsule_CheckExact(capsule.ptr()) == 0)
    type_error("from_dlpack: __dlpack__ returned " + class_name(capsule) + " instead of a capsule");
  Array result = [&] {
    if (PyCapsule_IsValid(capsule.ptr(), kCapsuleName<VersionedTensor>) != 0) {
      VersionedTensor* managed = nullptr;
      std::shared_ptr<void> owner;
      std::tie(managed, owner) = take_tensor<VersionedTensor>(capsule);
      if (managed->version.major != dlpack::kVersion.major)
        value_error("from_dlpack: a tensor of DLPack version " + std::to_string(managed->version.major) +
                    " is not supported; expected version 0 or 1");
      const bool is_read_only = is_immutable || (managed->flags & dlpack::kReadOnly) != 0;
      return without_gil(
          [&] { return dlpack::from_tensor(managed->tensor, std::move(owner), queue, is_read_only); });
    }
    if (PyCapsule_IsValid(capsule.ptr(), kCapsuleName<ManagedTensor>) == 0)
      value_error("from_dlpack: the capsule is not a DLPack tensor, or was consumed already");
    ManagedTensor* managed = nullptr;
    std::shared_ptr<void> owner;
    std::tie(managed, owner) = take_tensor<ManagedTensor>(capsule);
    return without_gil(
        [&] { return dlpack::from_tensor(managed->tensor, std::move(owner), queue, is_immutable); });
  }();
  release_kept();
  return nb::cast(as_python_array(std::move(result)));
}

// The dict of the CUDA array interface: the pointer, and the stream that fills it.
nb::object cuda_interface(nb::handle_t<PyArray> self) {
  const PyArray& python = *nb::inst_ptr<PyArray>(self);
  const Array array = python.array;
  if (array.device().backend() != "cuda") {
    PyErr_Format(PyExc_AttributeError, "an array on '%s' has no __cuda_array_interface__",
                 array.device().spec().c_str());
    throw nb::python_error();
  }
  if (array.dtype().scalar == Scalar::bfloat16) {
    PyErr_SetString(
        PyExc_AttributeError,
        "an array of bfloat16 has no __cuda_array_interface__, which has no such type; use DLPack, "
        "or view('uint16')");
    throw nb::python_error();
  }
  const Queue queue = queue_for(nb::none(), array);
  nb::dict result;
  const std::uintptr_t pointer = without_gil([&]() -> std::uintptr_t {
    const Buffer& buffer = array.evaluate().buffer;
    if (array.size() == 0) return 0;
    const std::uintptr_t native =
        buffer.native_handle();  // shared forever: the reader does not report when it is done
    order_after_uses(queue, buffer);
    return native + array.offset();
  });
  result["shape"] = shape_tuple(array.shape());
  result["typestr"] = python.dtype.attr("str");
  result["descr"] = python.dtype.attr("descr");
  result["data"] = nb::make_tuple(pointer, array.buffer().access() == Access::read_only);
  result["strides"] = array.contiguous() ? nb::none() : nb::object(shape_tuple(array.strides()));
  result["stream"] = queue.native_handle();
  result["version"] = 3;
  return result;
}

// An array that shares the memory of an object with the CUDA array interface.
nb::object import_cuda_interface(nb::handle object, const Queue& queue) {
  const nb::object interface = object.attr("__cuda_array_interface__");
  const auto entry = [&](const char* name) { return interface.attr("get")(name); };
  if (!entry("mask").is_none()) type_error("__cuda_array_interface__: masked arrays are not supported");
  const nb::object numpy_type = numpy_dtype(entry("typestr"));
  const nb::object data = entry("data");
  const nb::object stream = entry("stream");
  ForeignMemory memory;
  memory.native = nb::cast<std::uintptr_t>(nb::object(data[nb::int_(0)]));
  memory.dtype = element_type(numpy_type);
  memory.shape = shape_of(entry("shape"));
  if (nb::cast<bool>(nb::object(data[nb::int_(1)]))) memory.access = Access::read_only;
  if (const nb::object given = entry("strides"); given.is_none())
    memory.strides = contiguous_strides(memory.shape, memory.dtype.itemsize);
  else
    for (nb::handle stride : given) memory.strides.push_back(nb::cast<std::int64_t>(stride));
  const std::int64_t number = stream.is_none() ? -1 : nb::cast<std::int64_t>(stream);
  if (!stream.is_none() && number <= 0)
    value_error("__cuda_array_interface__: stream: expected None, 1, 2 or a CUstream, got " +
                std::to_string(number));
  std::shared_ptr<void> owner = keep_object(nb::borrow(object));
  Array result = without_gil([&] {
    if (number > 0) {
      const Event filled = queue_of_stream(queue.device(), number).barrier();
      queue.barrier({&filled, 1});
    }
    return wrap_array(queue, std::move(memory), std::move(owner));
  });
  release_kept();
  return nb::cast(PyArray{std::move(result), numpy_type});
}

}  // namespace

void bind_dlpack(nb::module_& module, nb::class_<PyArray>& array) {
  array
      .def("__dlpack__", &export_array, nb::kw_only(), nb::arg("stream") = nb::none(),
           nb::arg("max_version") = nb::none(), nb::arg("dl_device") = nb::none(),
           nb::arg("copy") = nb::none(),
           nb::sig("def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = "
                   "None, dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> "
                   "typing.Any"),
           "DLPack capsule that shares the array's memory with another library.")
      .def(
          "__dlpack_device__", [](const PyArray& self) { return place_tuple(self.array.device()); },
          nb::sig("def __dlpack_device__(self) -> tuple[int, int]"))
      .def_prop_ro("__cuda_array_interface__", &cuda_interface,
                   nb::sig("def __cuda_array_interface__(self) -> dict[str, typing.Any]"),
                   "CUDA array interface, version 3; only for arrays on CUDA devices.");
  module.def("import_dlpack", &import_capsule, nb::arg("capsule"), nb::arg("queue"), nb::arg("is_immutable"),
             nb::sig("def import_dlpack(capsule: object, queue: Queue, is_immutable: bool) -> Array"));
  module.def("import_cuda_interface", &import_cuda_interface, nb::arg("object"), nb::arg("queue"),
             nb::sig("def import_cuda_interface(object: object, queue: Queue) -> Array"));
  module.def(
      "dlpack_device",
      [](int type, int id) {
        return dlpack::device_of(DeviceId{static_cast<DeviceType>(type), static_cast<std::int32_t>(id)});
      },
      nb::arg("type"), nb::arg("id"));
}

}  // namespace quern::python
