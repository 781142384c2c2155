// SPDX-License-Identifier: MIT
// Building OpenCL programs from source and from binaries.
#include "backend/opencl/program.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "backend/opencl/build_lock.hpp"
#include "backend/opencl/context.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"
#include "quern/error.hpp"

namespace quern::backend::opencl {
namespace {

template <class T>
std::vector<T> program_list(cl_program program, cl_program_info query, const Device& device) {
  std::string bytes;
  check(query_bytes([&](std::size_t n, void* p,
                        std::size_t* needed) { return api().GetProgramInfo(program, query, n, p, needed); },
                    bytes),
        "clGetProgramInfo", device.label());
  std::vector<T> values(bytes.size() / sizeof(T));
  std::copy_n(bytes.data(), values.size() * sizeof(T), reinterpret_cast<char*>(values.data()));
  return values;
}

std::string build_log(cl_program program, const Device& device) {
  std::string log;
  const cl_int status = query_bytes(
      [&](std::size_t n, void* p, std::size_t* needed) {
        return api().GetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, n, p, needed);
      },
      log);
  return status == CL_SUCCESS ? driver_text(log) : std::string();
}

// The driver's binary for the device that the program was built for; empty if it has none.
std::vector<std::byte> program_binary(cl_program program, const Device& device) {
  const auto devices = program_list<cl_device_id>(program, CL_PROGRAM_DEVICES, device);
  const auto sizes = program_list<std::size_t>(program, CL_PROGRAM_BINARY_SIZES, device);
  // By the standard there is a size for each device of the context; PoCL lists only those it has built for.
  std::size_t ours = 0;
  if (sizes.size() == devices.size()) {
    ours = static_cast<std::size_t>(std::find(devices.begin(), devices.end(), device.id()) - devices.begin());
  }
  if (ours >= sizes.size() || sizes[ours] == 0) return {};
  std::vector<std::byte> binary(sizes[ours]);
  // Drivers skip those whose pointer is null.
  std::vector<unsigned char*> pointers(sizes.size(), nullptr);
  pointers[ours] = reinterpret_cast<unsigned char*>(binary.data());
  check(api().GetProgramInfo(program, CL_PROGRAM_BINARIES, pointers.size() * sizeof pointers[0],
                             pointers.data(), nullptr),
        "clGetProgramInfo(CL_PROGRAM_BINARIES)", device.label());
  return binary;
}

// Statuses that say nothing about the program.
bool is_about_device(cl_int status) {
  return status == CL_OUT_OF_HOST_MEMORY || status == CL_OUT_OF_RESOURCES ||
         status == CL_DEVICE_NOT_AVAILABLE || status == CL_COMPILER_NOT_AVAILABLE;
}

// Makes messages name the program and count its lines as its author does. PoCL follows a #line directive, but
// NVIDIA's compiler ignores it and also counts the lines before the author's own.
std::string with_name(std::string log, const std::string& name, int lines_before) {
  constexpr std::string_view kNvidia = "<kernel>:", kPocl = "tempfile_", kPoclEnd = ".cl:";
  for (std::size_t at = 0; (at = log.find(kNvidia, at)) != std::string::npos; at += name.size()) {
    log.replace(at, kNvidia.size() - 1, name);
    const std::size_t digits = at + name.size() + 1;
    const std::size_t end = std::min(log.find_first_not_of("0123456789", digits), log.size());
    if (end == digits || end - digits > 9) continue;
    const int line = std::stoi(log.substr(digits, end - digits));
    if (line > lines_before) log.replace(digits, end - digits, std::to_string(line - lines_before));
  }
  for (std::size_t at = 0; (at = log.find(kPocl, at)) != std::string::npos;) {
    const std::size_t end = log.find(kPoclEnd, at);
    if (end >= log.find_first_of(" \t\n", at)) {
      at += kPocl.size();
      continue;
    }
    const std::size_t start = log.find_last_of(" \t\n", at) + 1;
    log.replace(start, end + kPoclEnd.size() - 1 - start, name);
    at = start + name.size();
  }
  return log;
}

// The file of the driver of a platform. With cl_khr_icd an object starts with a pointer to the driver's
// functions.
std::string driver_file(cl_platform_id platform) {
  if (platform_text(platform, CL_PLATFORM_EXTENSIONS).find("cl_khr_icd") == std::string::npos) return {};
  void* const* const functions = *reinterpret_cast<void***>(platform);
  Dl_info found{};
  if (functions == nullptr || functions[0] == nullptr || dladdr(functions[0], &found) == 0) return {};
  return found.dli_fname != nullptr ? found.dli_fname : "";
}

}  // namespace

std::string join_options(std::span<const std::string> options) {
  std::string joined;
  for (std::string option : options) {
    if (option.find_first_of(std::string("\n\r\0", 3)) != std::string::npos) {
      throw ArgumentError(ArgumentError::Kind::value,
                          "a build option holds a line break or a NUL: '" + option + "'");
    }
    if (option.empty()) continue;
    const bool has_value = option.starts_with("-D") || option.starts_with("-I");
    if (has_value && option.size() > 2 && option[2] == ' ')
      option.erase(2, option.find_first_not_of(' ', 2) - 2);
    if (option.find_first_of(" \t\"") != std::string::npos) {
      // Compilers accept quotes around the value of an option, but not around the option itself.
      std::size_t value = 0;
      if (has_value) value = option.starts_with("-I") ? 2 : std::min(option.find('='), option.size() - 1) + 1;
      std::string quoted = option.substr(0, value) + '"';
      for (const char c : option.substr(value)) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
      }
      option = quoted + '"';
    }
    joined += (joined.empty() ? "" : " ") + option;
  }
  return joined;
}

Compiled compile_program(std::shared_ptr<Context> context, std::size_t index, const CompileRequest& request) {
  const Device& device = context->device(index);
  if (request.dialect != Dialect::opencl_c) {
    throw ArgumentError(ArgumentError::Kind::value, "OpenCL devices build OpenCL C only: " + device.label());
  }
  if (!request.name_expressions.empty()) {
    throw ArgumentError(ArgumentError::Kind::value, "name_expressions: OpenCL C has no templates");
  }
  std::vector<std::string> options = request.options;
  options.emplace_back("-cl-kernel-arg-info");
  if (request.debug) options.insert(options.end(), {"-g", "-cl-opt-disable"});
  const std::string joined = join_options(options);

  const char* pointer = request.text.data();
  const std::size_t length = request.text.size();
  cl_int status = CL_SUCCESS;
  ProgramHandle program(api().CreateProgramWithSource(context->id(), 1, &pointer, &length, &status));
  check(status, "clCreateProgramWithSource", device.label());
  const cl_device_id id = device.id();
  {
    const FileLock lock = lock_builds(device);
    status = api().BuildProgram(program.get(), 1, &id, joined.c_str(), nullptr, nullptr);
  }
  std::string log = with_name(build_log(program.get(), device), request.name, request.lines_before);
  if (status != CL_SUCCESS && is_about_device(status)) fail(status, "clBuildProgram", device.label());
  if (status != CL_SUCCESS) {
    throw BuildError(
        "building '" + request.name + "' for " + device.label() + " failed with " + error_name(status), {},
        std::move(log), joined, device.label());
  }
  Compiled compiled;
  if (const auto payload = program_binary(program.get(), device); !payload.empty()) {
    compiled.binary = pack_binary(compiler_identity(device), payload);
  }
  compiled.log = std::move(log);
  compiled.module = std::make_unique<Module>(std::move(context), index, std::move(program));
  return compiled;
}

std::unique_ptr<Module> load_program(std::shared_ptr<Context> context, std::size_t index,
                                     std::span<const std::byte> binary) {
  const Device& device = context->device(index);
  const std::span<const std::byte> payload = unpack_binary(compiler_identity(device), binary);
  const std::size_t size = payload.size();
  const auto* bytes = reinterpret_cast<const unsigned char*>(payload.data());
  const cl_device_id id = device.id();
  cl_int accepted = CL_SUCCESS, status = CL_SUCCESS;
  const FileLock lock = lock_builds(device);
  ProgramHandle program(
      api().CreateProgramWithBinary(context->id(), 1, &id, &size, &bytes, &accepted, &status));
  check(status, "clCreateProgramWithBinary", device.label());
  check(accepted, "clCreateProgramWithBinary", device.label());
  check(api().BuildProgram(program.get(), 1, &id, "", nullptr, nullptr), "clBuildProgram of a binary",
        device.label());
  return std::make_unique<Module>(std::move(context), index, std::move(program));
}

std::string compiler_identity(const Device& device) {
  const DeviceProperties& p = device.properties();
  std::string identity = "opencl";
  for (const std::string& part :
       {platform_text(device.platform(), CL_PLATFORM_NAME),
        platform_text(device.platform(), CL_PLATFORM_VERSION), p.name, p.version, p.driver_version,
        p.architecture, file_identity(driver_file(device.platform()))}) {
    identity += "; " + part;
  }
  return identity;
}

Module::Module(std::shared_ptr<Context> context, std::size_t device, ProgramHandle program)
    : context_(std::move(context)), device_(context_->devices()[device]), program_(std::move(program)) {}

KernelHandle Module::create_kernel(const std::string& name) const {
  cl_int status = CL_SUCCESS;
  KernelHandle kernel(api().CreateKernel(program_.get(), name.c_str(), &status));
  if (status == CL_INVALID_KERNEL_NAME) {
    const std::string known = joined(function_names(), ", ");
    throw ArgumentError(ArgumentError::Kind::value, "the program has no kernel '" + name + "'; it has " +
                                                        (known.empty() ? "none" : known));
  }
  check(status, "clCreateKernel(" + name + ")", device_->label());
  return kernel;
}

std::unique_ptr<backend::Function> Module::function(const std::string& name, const Signature*) {
  return std::make_unique<Function>(device_, create_kernel(name), name);
}

std::vector<std::string> Module::function_names() const {
  const auto text = program_list<char>(program_.get(), CL_PROGRAM_KERNEL_NAMES, *device_);
  const std::string all = driver_text({text.data(), text.size()});
  std::vector<std::string> names;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find(';', at), all.size());
    if (end > at) names.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

std::optional<Signature> Module::signature_of(const std::string& name) const {
  const KernelHandle kernel = create_kernel(name);
  return kernel_signature(kernel.get(), *device_, name);
}

}  // namespace quern::backend::opencl
