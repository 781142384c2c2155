// SPDX-License-Identifier: MIT
// Kernels: their arguments and what is known of them.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "platform/device_info.hpp"
#include "platform/info.hpp"
#include "platform/program.hpp"
#include "platform/tables.hpp"
#include "quern/error.hpp"
#include "runtime/context_state.hpp"

const quern::platform::DeviceKernel& _cl_kernel::on_device(cl_device_id device, cl_int otherwise) const {
  for (const auto& each : on)
    if (each.device == device) return each;
  quern::platform::fail(otherwise);
}

namespace quern::platform {
namespace {

bool same_parameters(const Signature& a, const Signature& b) {
  return std::ranges::equal(a.parameters, b.parameters, [](const Parameter& x, const Parameter& y) {
    return x.type_name == y.type_name && x.space == y.space;
  });
}

// Returns null if no device has a kernel of that name.
cl_kernel make_kernel(cl_program program, const std::string& name) {
  _cl_program& self = *program;
  std::vector<DeviceKernel> on;
  Signature signature;
  bool is_built = false;
  {
    const std::lock_guard lock(self.mutex);
    for (std::size_t k = 0; k < self.devices.size(); ++k) {
      const Build& build = self.builds[k];
      if (!build.program || build.status != CL_BUILD_SUCCESS) continue;
      is_built = true;
      const auto& signatures = built(self, k)->entry.signatures;
      const auto found = std::ranges::find(signatures, name, &Signature::name);
      if (found == signatures.end()) continue;
      require(on.empty() || same_parameters(signature, *found), CL_INVALID_KERNEL_DEFINITION);
      signature = *found;
      on.push_back({self.devices[k].get(), build.program->kernel(name), build.has_uniform_groups});
    }
  }
  require(is_built, CL_INVALID_PROGRAM_EXECUTABLE);
  if (on.empty()) return nullptr;
  const cl_kernel kernel = make_handle<_cl_kernel>(program, name);
  kernel->on = std::move(on);
  kernel->arguments.resize(signature.parameters.size());
  kernel->signature = std::move(signature);
  return kernel;
}

cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* code) {
  return guarded(code, [&] {
    checked(program, CL_INVALID_PROGRAM);
    require(name != nullptr, CL_INVALID_VALUE);
    const cl_kernel kernel = make_kernel(program, name);
    require(kernel != nullptr, CL_INVALID_KERNEL_NAME);
    return kernel;
  });
}

cl_int CL_API_CALL create_kernels(cl_program program, cl_uint entries, cl_kernel* kernels, cl_uint* count) {
  return guarded([&] {
    _cl_program& self = checked(program, CL_INVALID_PROGRAM);
    std::vector<std::string> names;
    bool is_built = false;
    {
      const std::lock_guard lock(self.mutex);
      for (std::size_t k = 0; k < self.devices.size() && !is_built; ++k) {
        if (!self.builds[k].program || self.builds[k].status != CL_BUILD_SUCCESS) continue;
        is_built = true;
        for (const Signature& signature : built(self, k)->entry.signatures) names.push_back(signature.name);
      }
    }
    require(is_built, CL_INVALID_PROGRAM_EXECUTABLE);
    require(kernels == nullptr || entries >= names.size(), CL_INVALID_VALUE);
    for (std::size_t k = 0; kernels != nullptr && k < names.size(); ++k)
      kernels[k] = make_kernel(program, names[k]);
    if (count != nullptr) *count = static_cast<cl_uint>(names.size());
  });
}

cl_kernel CL_API_CALL clone_kernel(cl_kernel source, cl_int* code) {
  return guarded(code, [&] {
    const _cl_kernel& self = checked(source, CL_INVALID_KERNEL);
    const cl_kernel clone = make_handle<_cl_kernel>(self.program.get(), self.name);
    clone->on = self.on;
    clone->signature = self.signature;
    clone->arguments = self.arguments;
    return clone;
  });
}

cl_int CL_API_CALL retain_kernel(cl_kernel kernel) {
  return retain_handle(kernel, CL_INVALID_KERNEL);
}
cl_int CL_API_CALL release_kernel(cl_kernel kernel) {
  return release_handle(kernel, CL_INVALID_KERNEL);
}

cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t nbytes, const void* value) {
  return guarded([&] {
    _cl_kernel& self = checked(kernel, CL_INVALID_KERNEL);
    require(index < self.arguments.size(), CL_INVALID_ARG_INDEX);
    const Parameter& parameter = self.signature.parameters[index];
    KernelValue& argument = self.arguments[index];
    if (!parameter.is_pointer) {
      require(value != nullptr, CL_INVALID_ARG_VALUE);
      require(nbytes == parameter.dtype.itemsize, CL_INVALID_ARG_SIZE);
      const auto* const bytes = static_cast<const std::byte*>(value);
      argument.bytes.assign(bytes, bytes + nbytes);
      argument.kind = KernelValue::Kind::value;
      return;
    }
    if (parameter.space == AddressSpace::local) {
      require(value == nullptr, CL_INVALID_ARG_VALUE);
      require(nbytes != 0, CL_INVALID_ARG_SIZE);
      argument.size = nbytes;
      argument.kind = KernelValue::Kind::local;
      return;
    }
    require(nbytes == sizeof(cl_mem), CL_INVALID_ARG_SIZE);
    const cl_mem memory = value != nullptr ? *static_cast<const cl_mem*>(value) : nullptr;
    if (memory == nullptr) {
      argument.kind = KernelValue::Kind::null;
      return;
    }
    const _cl_mem& object = checked(memory, CL_INVALID_MEM_OBJECT);
    require(object.context.get() == self.program->context.get(), CL_INVALID_MEM_OBJECT);
    argument.memory = object.shared;
    argument.kind = KernelValue::Kind::memory;
  });
}

cl_int CL_API_CALL set_shared_argument(cl_kernel kernel, cl_uint index, const void* address) {
  return guarded([&] {
    _cl_kernel& self = checked(kernel, CL_INVALID_KERNEL);
    const bool has_shared = std::ranges::any_of(
        self.on, [](const DeviceKernel& each) { return svm_capabilities(each.device->device) != 0; });
    require(has_shared, CL_INVALID_OPERATION);
    require(index < self.arguments.size(), CL_INVALID_ARG_INDEX);
    const Parameter& parameter = self.signature.parameters[index];
    require(parameter.is_pointer && parameter.space != AddressSpace::local, CL_INVALID_ARG_VALUE);
    self.arguments[index].address = address;
    self.arguments[index].kind = KernelValue::Kind::address;
  });
}

// What a kernel reaches through pointers in shared memory needs no announcement here.
cl_int CL_API_CALL set_execution_info(cl_kernel kernel, cl_kernel_exec_info query, size_t nbytes,
                                      const void* value) {
  return guarded([&] {
    const _cl_kernel& self = checked(kernel, CL_INVALID_KERNEL);
    const auto has = [&](cl_device_svm_capabilities capability) {
      return std::ranges::any_of(self.on, [&](const DeviceKernel& each) {
        return (svm_capabilities(each.device->device) & capability) != 0;
      });
    };
    require(has(~cl_device_svm_capabilities{0}), CL_INVALID_OPERATION);
    require(value != nullptr, CL_INVALID_VALUE);
    switch (query) {
      case CL_KERNEL_EXEC_INFO_SVM_PTRS:
        require(nbytes != 0 && nbytes % sizeof(void*) == 0, CL_INVALID_VALUE);
        return;
      case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
        require(nbytes == sizeof(cl_bool), CL_INVALID_VALUE);
        require(*static_cast<const cl_bool*>(value) == CL_FALSE || has(CL_DEVICE_SVM_FINE_GRAIN_SYSTEM),
                CL_INVALID_OPERATION);
        return;
      default:
        fail(CL_INVALID_VALUE);
    }
  });
}

std::string attributes_of(const Signature& signature) {
  const auto& size = signature.required_local;
  if (size[0] == 0) return "";
  return "reqd_work_group_size(" + std::to_string(size[0]) + "," + std::to_string(size[1]) + "," +
         std::to_string(size[2]) + ")";
}

cl_int CL_API_CALL kernel_info(cl_kernel kernel, cl_kernel_info query, size_t space, void* value,
                               size_t* size) {
  return guarded([&] {
    const _cl_kernel& self = checked(kernel, CL_INVALID_KERNEL);
    const Answer answer(space, value, size);
    switch (query) {
      case CL_KERNEL_FUNCTION_NAME:
        return answer.text(self.name);
      case CL_KERNEL_NUM_ARGS:
        return answer.value(static_cast<cl_uint>(self.arguments.size()));
      case CL_KERNEL_REFERENCE_COUNT:
        return answer.value(self.retained());
      case CL_KERNEL_CONTEXT:
        return answer.value(self.program->context.get());
      case CL_KERNEL_PROGRAM:
        return answer.value(self.program.get());
      case CL_KERNEL_ATTRIBUTES:
        return answer.text(attributes_of(self.signature));
      default:
        fail(CL_INVALID_VALUE);
    }
  });
}

// The type as OpenCL reports it, without qualifiers.
std::string type_name_of(const Parameter& parameter) {
  std::string name = parameter.type_name;
  for (const std::string_view word : {"const ", "volatile "})
    while (name.starts_with(word)) name.erase(0, word.size());
  return name;
}

cl_int CL_API_CALL argument_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info query, size_t space,
                                 void* value, size_t* size) {
  return guarded([&] {
    const _cl_kernel& self = checked(kernel, CL_INVALID_KERNEL);
    require(index < self.arguments.size(), CL_INVALID_ARG_INDEX);
    const Parameter& parameter = self.signature.parameters[index];
    const Answer answer(space, value, size);
    switch (query) {
      case CL_KERNEL_ARG_ADDRESS_QUALIFIER: {
        constexpr cl_kernel_arg_address_qualifier kSpaces[] = {
            CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_CONSTANT,
            CL_KERNEL_ARG_ADDRESS_LOCAL};
        return answer.value(kSpaces[parameter.is_pointer ? static_cast<std::size_t>(parameter.space) : 0]);
      }
      case CL_KERNEL_ARG_ACCESS_QUALIFIER:  // of images
        return answer.value(cl_kernel_arg_access_qualifier{CL_KERNEL_ARG_ACCESS_NONE});
      case CL_KERNEL_ARG_TYPE_NAME:
        return answer.text(type_name_of(parameter));
      case CL_KERNEL_ARG_TYPE_QUALIFIER: {
        cl_kernel_arg_type_qualifier qualifiers = CL_KERNEL_ARG_TYPE_NONE;
        if (parameter.is_const) qualifiers |= CL_KERNEL_ARG_TYPE_CONST;
        if (parameter.is_volatile) qualifiers |= CL_KERNEL_ARG_TYPE_VOLATILE;
        if (parameter.is_restrict) qualifiers |= CL_KERNEL_ARG_TYPE_RESTRICT;
        return answer.value(qualifiers);
      }
      case CL_KERNEL_ARG_NAME:
        return answer.text(parameter.name);
      default:
        fail(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info query,
                              size_t space, void* value, size_t* size) {
  return guarded([&] {
    const _cl_kernel& self = checked(kernel, CL_INVALID_KERNEL);
    require(device != nullptr || self.on.size() == 1, CL_INVALID_DEVICE);
    require(device == nullptr || is_valid(device), CL_INVALID_DEVICE);
    const DeviceKernel& own = device == nullptr ? self.on.front() : self.on_device(device, CL_INVALID_DEVICE);
    const auto& context = self.program->context->context.state();
    const detail::KernelInstance& instance =
        own.kernel.state()->instance_for(context, context->index_of(own.device->device));
    const FunctionAttributes& attributes = instance.function->attributes();
    const DeviceProperties& p = own.device->device.properties();
    const Answer answer(space, value, size);
    switch (query) {
      case CL_KERNEL_WORK_GROUP_SIZE: {
        const auto& required = self.signature.required_local;
        return answer.value(required[0] != 0
                                ? required[0] * required[1] * required[2]
                                : std::min(attributes.max_work_group_size, p.max_work_group_size));
      }
      case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return answer.value(self.signature.required_local);
      case CL_KERNEL_LOCAL_MEM_SIZE: {
        std::size_t nbytes = instance.local_memory;
        for (const KernelValue& argument : self.arguments)
          if (argument.kind == KernelValue::Kind::local) nbytes += argument.size;
        return answer.value(static_cast<cl_ulong>(nbytes));
      }
      case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return answer.value(attributes.preferred_multiple);
      case CL_KERNEL_PRIVATE_MEM_SIZE:
        return answer.value(static_cast<cl_ulong>(attributes.private_memory));
      default:  // CL_KERNEL_GLOBAL_WORK_SIZE is of custom devices and built-in kernels
        fail(CL_INVALID_VALUE);
    }
  });
}

}  // namespace

void add_kernels(cl_icd_dispatch& table) noexcept {
  table.clCreateKernel = create_kernel;
  table.clCreateKernelsInProgram = create_kernels;
  table.clCloneKernel = clone_kernel;
  table.clRetainKernel = retain_kernel;
  table.clReleaseKernel = release_kernel;
  table.clSetKernelArg = set_argument;
  table.clSetKernelArgSVMPointer = set_shared_argument;
  table.clSetKernelExecInfo = set_execution_info;
  table.clGetKernelInfo = kernel_info;
  table.clGetKernelArgInfo = argument_info;
  table.clGetKernelWorkGroupInfo = group_info;
}

}  // namespace quern::platform
