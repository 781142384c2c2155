// SPDX-License-Identifier: MIT
// Programs from source and from binaries: builds, logs and queries.
#include "platform/program.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "platform/info.hpp"
#include "platform/program_options.hpp"
#include "platform/tables.hpp"
#include "quern/error.hpp"
#include "runtime/context_state.hpp"

std::size_t _cl_program::index_of(cl_device_id device) const {
  for (std::size_t k = 0; k < devices.size(); ++k)
    if (devices[k].get() == device) return k;
  quern::platform::fail(CL_INVALID_DEVICE);
}

namespace quern::platform {
namespace {

cl_program CL_API_CALL create_with_source(cl_context context, cl_uint count, const char** texts,
                                          const size_t* lengths, cl_int* code) {
  return guarded(code, [&] {
    _cl_context& owner = checked(context, CL_INVALID_CONTEXT);
    require(count != 0 && texts != nullptr, CL_INVALID_VALUE);
    std::string source;
    for (cl_uint k = 0; k < count; ++k) {
      require(texts[k] != nullptr, CL_INVALID_VALUE);
      source.append(texts[k], lengths != nullptr && lengths[k] != 0 ? lengths[k] : std::strlen(texts[k]));
    }
    const cl_program program = make_handle<_cl_program>(&owner);
    program->source = std::move(source);
    program->has_source = true;
    program->devices = owner.devices;
    program->builds.resize(program->devices.size());
    return program;
  });
}

// What a binary holds. Fails with CL_INVALID_BINARY.
Build load(const _cl_context& context, cl_device_id device, std::span<const std::byte> binary) {
  Build build;
  if (auto file = from_binary(binary)) {
    build.type = file->is_library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    build.units = std::move(file->units);
    return build;
  }
  try {
    build.program.emplace(Program::from_binary(context.context, device->device, binary));
  } catch (const Error&) {
    fail(CL_INVALID_BINARY);
  }
  build.type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  return build;
}

cl_program CL_API_CALL create_with_binary(cl_context context, cl_uint count, const cl_device_id* devices,
                                          const size_t* lengths, const unsigned char** binaries,
                                          cl_int* status, cl_int* code) {
  return guarded(code, [&] {
    _cl_context& owner = checked(context, CL_INVALID_CONTEXT);
    require(count != 0 && devices != nullptr && lengths != nullptr && binaries != nullptr, CL_INVALID_VALUE);
    std::vector<Build> builds;
    cl_int first_failure = CL_SUCCESS;
    for (cl_uint k = 0; k < count; ++k) {
      require(is_valid(devices[k]) && owner.has(devices[k]), CL_INVALID_DEVICE);
      const cl_int outcome = guarded([&] {
        require(binaries[k] != nullptr && lengths[k] != 0, CL_INVALID_VALUE);
        builds.push_back(
            load(owner, devices[k], {reinterpret_cast<const std::byte*>(binaries[k]), lengths[k]}));
      });
      if (status != nullptr) status[k] = outcome;
      if (first_failure == CL_SUCCESS) first_failure = outcome;
    }
    require(first_failure == CL_SUCCESS, first_failure);
    const cl_program program = make_handle<_cl_program>(&owner);
    program->builds = std::move(builds);
    for (cl_uint k = 0; k < count; ++k) program->devices.emplace_back(devices[k]);
    return program;
  });
}

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                         void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  return guarded([&] {
    _cl_program& self = checked(program, CL_INVALID_PROGRAM);
    require(notify != nullptr || data == nullptr, CL_INVALID_VALUE);
    const std::vector<std::size_t> chosen = devices_of(self, count, devices);
    require(self.kernels.load() == 0, CL_INVALID_OPERATION);
    const std::string text = options != nullptr ? options : "";
    const ProgramOptions parsed = parse_build_options(text, CL_INVALID_BUILD_OPTIONS);
    bool is_built = true;
    for (const std::size_t k : chosen) {
      if (!self.has_source) {
        const std::lock_guard lock(self.mutex);
        Build& loaded = self.builds[k];
        require(loaded.type != CL_PROGRAM_BINARY_TYPE_NONE, CL_INVALID_BINARY);
        if (loaded.program) {
          loaded.status = CL_BUILD_SUCCESS;
          loaded.options = text;
          continue;
        }
      }
      is_built &= run_build(self, k, text, [&] {
        Program engine_program = self.has_source ? Program(self.source, parsed) : link(self.builds[k].units);
        Build made = make_executable(self, k, std::move(engine_program));
        made.has_uniform_groups = has_uniform_groups(parsed);
        return made;
      });
    }
    if (notify != nullptr) notify(program, data);
    require(is_built, CL_BUILD_PROGRAM_FAILURE);
  });
}

std::vector<std::byte> binary_of(const _cl_program& program, std::size_t k) {
  const Build& build = program.builds[k];
  if (build.program && (build.status == CL_BUILD_SUCCESS || !program.has_source))
    return detail::serialize(built(program, k)->entry);
  if (!build.units.empty()) return to_binary({build.type == CL_PROGRAM_BINARY_TYPE_LIBRARY, build.units});
  return {};
}

// The kernels of the first device that the program is built for.
std::vector<std::string> kernel_names(const _cl_program& program) {
  for (std::size_t k = 0; k < program.devices.size(); ++k) {
    if (!program.builds[k].program || program.builds[k].status != CL_BUILD_SUCCESS) continue;
    std::vector<std::string> names;
    for (const Signature& signature : built(program, k)->entry.signatures) names.push_back(signature.name);
    return names;
  }
  fail(CL_INVALID_PROGRAM_EXECUTABLE);
}

cl_int CL_API_CALL program_info(cl_program program, cl_program_info query, size_t space, void* value,
                                size_t* size) {
  return guarded([&] {
    _cl_program& self = checked(program, CL_INVALID_PROGRAM);
    const Answer answer(space, value, size);
    switch (query) {
      case CL_PROGRAM_REFERENCE_COUNT:
        return answer.value(self.retained());
      case CL_PROGRAM_CONTEXT:
        return answer.value(self.context.get());
      case CL_PROGRAM_NUM_DEVICES:
        return answer.value(static_cast<cl_uint>(self.devices.size()));
      case CL_PROGRAM_DEVICES: {
        std::vector<cl_device_id> devices;
        for (const auto& device : self.devices) devices.push_back(device.get());
        return answer.list(std::span<const cl_device_id>(devices));
      }
      case CL_PROGRAM_SOURCE:
        return answer.text(self.source);
      case CL_PROGRAM_IL:
        return answer.list(std::span<const char>());
      case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
      case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return answer.flag(false);
      default:
        break;
    }
    const std::lock_guard lock(self.mutex);
    switch (query) {
      case CL_PROGRAM_BINARY_SIZES: {
        std::vector<std::size_t> sizes;
        for (std::size_t k = 0; k < self.devices.size(); ++k) sizes.push_back(binary_of(self, k).size());
        return answer.list(std::span<const std::size_t>(sizes));
      }
      case CL_PROGRAM_BINARIES: {
        const std::size_t nbytes = self.devices.size() * sizeof(unsigned char*);
        answer.report_size(nbytes);
        if (answer.target() == nullptr) return;
        require(answer.space() >= nbytes, CL_INVALID_VALUE);
        auto** const targets = static_cast<unsigned char**>(answer.target());
        for (std::size_t k = 0; k < self.devices.size(); ++k) {
          if (targets[k] == nullptr) continue;
          const std::vector<std::byte> binary = binary_of(self, k);
          if (!binary.empty()) std::memcpy(targets[k], binary.data(), binary.size());
        }
        return;
      }
      case CL_PROGRAM_NUM_KERNELS:
        return answer.value(kernel_names(self).size());
      case CL_PROGRAM_KERNEL_NAMES: {
        std::string text;
        for (const std::string& name : kernel_names(self)) text += (text.empty() ? "" : ";") + name;
        return answer.text(text);
      }
      default:
        fail(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL build_info(cl_program program, cl_device_id device, cl_program_build_info query,
                              size_t space, void* value, size_t* size) {
  return guarded([&] {
    _cl_program& self = checked(program, CL_INVALID_PROGRAM);
    require(is_valid(device), CL_INVALID_DEVICE);
    const std::size_t k = self.index_of(device);
    const std::lock_guard lock(self.mutex);
    const Build& build = self.builds[k];
    const Answer answer(space, value, size);
    switch (query) {
      case CL_PROGRAM_BUILD_STATUS:
        return answer.value(build.status);
      case CL_PROGRAM_BUILD_OPTIONS:
        return answer.text(build.options);
      case CL_PROGRAM_BUILD_LOG:
        return answer.text(build.log);
      case CL_PROGRAM_BINARY_TYPE:
        return answer.value(build.type);
      case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return answer.value(std::size_t{0});
      default:
        fail(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL retain_program(cl_program program) {
  return retain_handle(program, CL_INVALID_PROGRAM);
}
cl_int CL_API_CALL release_program(cl_program program) {
  return release_handle(program, CL_INVALID_PROGRAM);
}

}  // namespace

std::vector<std::size_t> devices_of(const _cl_program& program, cl_uint count, const cl_device_id* devices) {
  require((count == 0) == (devices == nullptr), CL_INVALID_VALUE);
  std::vector<std::size_t> places;
  for (std::size_t k = 0; devices == nullptr && k < program.devices.size(); ++k) places.push_back(k);
  for (cl_uint k = 0; k < count; ++k) {
    require(is_valid(devices[k]), CL_INVALID_DEVICE);
    places.push_back(program.index_of(devices[k]));
  }
  return places;
}

std::shared_ptr<const detail::BuiltProgram> built(const _cl_program& program, std::size_t device) {
  const auto& context = program.context->context.state();
  return program.builds[device].program->state()->built_for(
      context, context->index_of(program.devices[device]->device));
}

bool run_build(_cl_program& program, std::size_t device, const std::string& options,
               const std::function<Build()>& function) {
  const auto finish = [&](Build build) {
    build.options = options;
    const std::lock_guard lock(program.mutex);
    program.builds[device] = std::move(build);
  };
  try {
    Build build = function();
    build.status = CL_BUILD_SUCCESS;
    finish(std::move(build));
    return true;
  } catch (const BuildError& error) {
    Build build;
    build.status = CL_BUILD_ERROR;
    build.log = error.what();
    finish(std::move(build));
    return false;
  } catch (const ArgumentError&) {  // an option with a malformed value
    fail(CL_INVALID_BUILD_OPTIONS);
  }
}

Build make_executable(const _cl_program& program, std::size_t device, Program engine_program) {
  engine_program.build(program.context->context, program.devices[device]->device);
  const auto& context = program.context->context.state();
  Build build;
  build.type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  build.log = engine_program.state()
                  ->built_for(context, context->index_of(program.devices[device]->device))
                  ->entry.log;
  build.program.emplace(std::move(engine_program));
  return build;
}

void add_programs(cl_icd_dispatch& table) noexcept {
  table.clCreateProgramWithSource = create_with_source;
  table.clCreateProgramWithBinary = create_with_binary;
  table.clRetainProgram = retain_program;
  table.clReleaseProgram = release_program;
  table.clBuildProgram = build;
  table.clGetProgramInfo = program_info;
  table.clGetProgramBuildInfo = build_info;
}

}  // namespace quern::platform
