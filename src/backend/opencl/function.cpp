// SPDX-License-Identifier: MIT
// Kernels: their attributes, their parameters as the driver reports them, and setting their arguments.
#include <algorithm>
#include <cstring>

#include "backend/opencl/context.hpp"
#include "backend/opencl/device.hpp"
#include "backend/opencl/program.hpp"
#include "backend/opencl/svm.hpp"
#include "base/text.hpp"
#include "quern/error.hpp"

namespace quern::backend::opencl {
namespace {

template <class T>
T work_group_info(cl_kernel kernel, const Device& device, cl_kernel_work_group_info query) {
  T value{};
  const cl_int status =
      api().GetKernelWorkGroupInfo(kernel, device.id(), query, sizeof value, &value, nullptr);
  return status == CL_SUCCESS ? value : T{};
}

template <class T>
std::optional<T> argument_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info query) {
  T value{};
  const cl_int status = api().GetKernelArgInfo(kernel, index, query, sizeof value, &value, nullptr);
  return status == CL_SUCCESS ? std::optional<T>(value) : std::nullopt;
}

std::optional<std::string> argument_text(cl_kernel kernel, cl_uint index, cl_kernel_arg_info query) {
  std::string text;
  const cl_int status = query_bytes(
      [&](std::size_t n, void* p, std::size_t* needed) {
        return api().GetKernelArgInfo(kernel, index, query, n, p, needed);
      },
      text);
  if (status != CL_SUCCESS) return std::nullopt;
  return driver_text(text);
}

cl_uint argument_count(cl_kernel kernel, const Device& device) {
  cl_uint count = 0;
  check(api().GetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr),
        "clGetKernelInfo(CL_KERNEL_NUM_ARGS)", device.label());
  return count;
}

AddressSpace address_space(cl_kernel_arg_address_qualifier qualifier) {
  switch (qualifier) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL:
      return AddressSpace::global;
    case CL_KERNEL_ARG_ADDRESS_CONSTANT:
      return AddressSpace::constant;
    case CL_KERNEL_ARG_ADDRESS_LOCAL:
      return AddressSpace::local;
    default:
      return AddressSpace::value;
  }
}

}  // namespace

Function::Function(std::shared_ptr<const Device> device, KernelHandle kernel, std::string name)
    : device_(std::move(device)), kernel_(std::move(kernel)), name_(std::move(name)) {
  const cl_uint count = argument_count(kernel_.get(), *device_);
  slots_.resize(count);
  attributes_.max_work_group_size =
      work_group_info<std::size_t>(kernel_.get(), *device_, CL_KERNEL_WORK_GROUP_SIZE);
  attributes_.preferred_multiple = std::max<std::size_t>(
      1, work_group_info<std::size_t>(kernel_.get(), *device_, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE));
  attributes_.local_memory = work_group_info<cl_ulong>(kernel_.get(), *device_, CL_KERNEL_LOCAL_MEM_SIZE);
  attributes_.private_memory = work_group_info<cl_ulong>(kernel_.get(), *device_, CL_KERNEL_PRIVATE_MEM_SIZE);
}

void Function::fail_count(std::size_t given) const {
  throw ArgumentError(ArgumentError::Kind::type, name_ + "() takes " + std::to_string(slots_.size()) +
                                                     " arguments, not " + std::to_string(given));
}

void Function::set_native(cl_uint index, std::size_t size, const void* value) {
  const cl_int status = api().SetKernelArg(kernel_.get(), index, size, value);
  if (status != CL_SUCCESS) [[unlikely]] {
    fail(status,
         "clSetKernelArg(" + name_ + ", argument " + std::to_string(index) + ", " + std::to_string(size) +
             " bytes)",
         device_->label());
  }
}

// A slot is unknown from before the driver call until it has succeeded.
void Function::set(std::uint64_t queue, cl_uint index, const Argument& argument) {
  Slot& slot = slots_[index];
  const bool same_kind = slot.known && slot.kind == argument.kind;
  switch (argument.kind) {
    case Argument::Kind::memory:
      set_memory(queue, index, slot, argument);
      return;
    case Argument::Kind::value: {
      const bool small = argument.size <= Slot::kValueBytes;
      if (same_kind && small && slot.size == argument.size &&
          std::memcmp(slot.value.data(), argument.value, argument.size) == 0) {
        return;
      }
      slot.known = false;
      set_native(index, argument.size, argument.value);
      if (!small) return;
      std::memcpy(slot.value.data(), argument.value, argument.size);
      break;
    }
    case Argument::Kind::local:
      if (same_kind && slot.size == argument.size) return;
      slot.known = false;
      // OpenCL does not allow local memory of 0 bytes.
      set_native(index, std::max<std::size_t>(argument.size, 1), nullptr);
      break;
    case Argument::Kind::null_pointer: {
      if (same_kind) return;
      slot.known = false;
      const cl_mem null = nullptr;
      set_native(index, sizeof null, &null);
      break;
    }
  }
  slot.kind = argument.kind;
  slot.size = argument.size;
  slot.known = true;
}

void Function::set_memory(std::uint64_t queue, cl_uint index, Slot& slot, const Argument& argument) {
  auto& memory = static_cast<Memory&>(*argument.memory);
  if (memory.svm() != nullptr) {
    set_svm(index, slot, memory, argument.offset);
    return;
  }
  const View view =
      argument.offset == 0 ? memory.whole() : memory.view(queue, argument.offset, argument.size);
  if (slot.known && slot.kind == Argument::Kind::memory && slot.memory_id == view.id) return;
  slot.known = false;
  set_native(index, sizeof view.mem, &view.mem);
  slot.kind = Argument::Kind::memory;
  slot.memory_id = view.id;
  slot.known = true;
}

// Sets it each time: nothing tells whether an address is still the same memory.
void Function::set_svm(cl_uint index, Slot& slot, const Memory& memory, std::size_t offset) {
  slot.known = false;
  check(api().SetKernelArgSVMPointer(kernel_.get(), index, static_cast<std::byte*>(memory.svm()) + offset),
        "clSetKernelArgSVMPointer", device_->label());
  allow_svm(kernel_.get(), memory.context().id(), device_->label(), svm_epoch_);
}

std::unique_lock<std::mutex> Function::lock_views(std::span<const Argument> arguments) {
  const auto is_view = [](const Argument& argument) {
    return argument.kind == Argument::Kind::memory && argument.offset != 0;
  };
  if (std::none_of(arguments.begin(), arguments.end(), is_view)) [[likely]]
    return {};
  std::unique_lock lock(views_mutex());
  // Before any is looked up, so that none of this launch is dropped.
  for (const Argument& argument : arguments) {
    if (is_view(argument)) static_cast<Memory&>(*argument.memory).drop_views_if_full();
  }
  return lock;
}

DType parse_type_name(std::string_view type_name) {
  // Reduces "const float4*" and "unsigned int" to one word and a number of lanes.
  std::string base;
  bool is_unsigned = false;
  std::size_t at = 0;
  while (at < type_name.size()) {
    if (!is_name_character(type_name[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < type_name.size() && is_name_character(type_name[end])) ++end;
    const std::string_view word = type_name.substr(at, end - at);
    at = end;
    if (word == "unsigned") {
      is_unsigned = true;
    } else if (word == "struct" || word == "union" || word == "enum") {
      return {};
    } else if (word != "const" && word != "volatile" && word != "restrict" && word != "signed" &&
               word != "__global" && word != "__constant" && word != "__local" && word != "global" &&
               word != "constant" && word != "local" && base.empty()) {
      base = word;
    }
  }
  if (is_unsigned) base = "u" + (base.empty() ? "int" : base);
  struct Spelling {
    std::string_view name;
    Scalar scalar;
  };
  static constexpr Spelling kSpellings[] = {
      {"uchar", Scalar::uint8},    {"ushort", Scalar::uint16}, {"uint", Scalar::uint32},
      {"ulong", Scalar::uint64},   {"char", Scalar::int8},     {"short", Scalar::int16},
      {"int", Scalar::int32},      {"long", Scalar::int64},    {"float", Scalar::float32},
      {"double", Scalar::float64}, {"half", Scalar::float16}};
  for (const Spelling& spelling : kSpellings) {
    if (!base.starts_with(spelling.name)) continue;
    const std::string_view lanes = std::string_view(base).substr(spelling.name.size());
    if (lanes.empty()) return DType::of(spelling.scalar);
    for (const unsigned count : {2u, 3u, 4u, 8u, 16u}) {
      if (lanes == std::to_string(count)) return DType::of(spelling.scalar, count);
    }
  }
  return {};
}

std::optional<Signature> kernel_signature(cl_kernel kernel, const Device& device, const std::string& name) {
  Signature signature;
  signature.name = name;
  const cl_uint count = argument_count(kernel, device);
  for (cl_uint i = 0; i < count; ++i) {
    const auto type_name = argument_text(kernel, i, CL_KERNEL_ARG_TYPE_NAME);
    const auto parameter_name = argument_text(kernel, i, CL_KERNEL_ARG_NAME);
    const auto space =
        argument_info<cl_kernel_arg_address_qualifier>(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER);
    const auto qualifiers =
        argument_info<cl_kernel_arg_type_qualifier>(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER);
    if (!type_name || !parameter_name || !space || !qualifiers) return std::nullopt;
    Parameter parameter;
    parameter.name = *parameter_name;
    parameter.is_pointer = type_name->ends_with('*');
    parameter.space = parameter.is_pointer ? address_space(*space) : AddressSpace::value;
    parameter.is_const = parameter.is_pointer && ((*qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0 ||
                                                  parameter.space == AddressSpace::constant);
    parameter.type_name =
        (parameter.is_const && !type_name->starts_with("const ") ? "const " : "") + *type_name;
    // Only the direct target of a pointer is known: a pointer to pointers is not supported.
    const bool simple = std::count(type_name->begin(), type_name->end(), '*') <= 1;
    if (simple) parameter.dtype = parse_type_name(*type_name);
    signature.parameters.push_back(std::move(parameter));
  }
  signature.required_local =
      work_group_info<std::array<std::size_t, 3>>(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
  return signature;
}

}  // namespace quern::backend::opencl
