// SPDX-License-Identifier: MIT
// What is behind each handle of the C interface.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "platform/errors.hpp"
#include "platform/units.hpp"
#include "quern/buffer.hpp"
#include "quern/context.hpp"
#include "quern/device.hpp"
#include "quern/event.hpp"
#include "quern/kernel.hpp"
#include "quern/program.hpp"
#include "quern/queue.hpp"
#include "quern/user_event.hpp"

// The types of the headers are in the global namespace.
struct _cl_platform_id : quern::platform::Handle<_cl_platform_id> {
  _cl_platform_id(std::string its_name, std::string its_backend)
      : name(std::move(its_name)), backend(std::move(its_backend)) {}
  std::string name, backend;
  std::once_flag searched;
  std::vector<cl_device_id> devices;
};

// A whole device is never destroyed. The program counts its references to parts, which the engine keeps.
struct _cl_device_id : quern::platform::Handle<_cl_device_id> {
  _cl_device_id(cl_platform_id its_platform, quern::Device its_device, cl_device_id its_parent = nullptr)
      : platform(its_platform), device(std::move(its_device)), parent(its_parent) {}
  cl_platform_id platform;
  quern::Device device;
  quern::platform::Ref<_cl_device_id> parent;
  std::vector<cl_device_partition_property> partition;  // how it was made of its parent
};

struct _cl_context : quern::platform::Handle<_cl_context> {
  explicit _cl_context(quern::Context its_context) : context(std::move(its_context)) {}
  ~_cl_context();

  quern::Context context;
  std::vector<quern::platform::Ref<_cl_device_id>> devices;
  std::vector<cl_context_properties> properties;
  void(CL_CALLBACK* notify)(const char*, const void*, std::size_t, void*) = nullptr;
  void* notify_data = nullptr;

  [[nodiscard]] bool has(cl_device_id device) const noexcept;
  [[nodiscard]] std::size_t index_of(cl_device_id device) const;  // fails with CL_INVALID_DEVICE
  // Tells the program's function about an error.
  void report(const std::string& text) const noexcept;
  // A queue of the engine that orders by memory, for questions such as when a buffer is unused.
  [[nodiscard]] const quern::Queue& service_queue();

  std::mutex mutex;
  std::optional<quern::Queue> service;
  std::map<std::uintptr_t, quern::Buffer> shared_memory;  // by address: what clSVMAlloc returned
  std::vector<std::function<void()>> destructor_callbacks;
};

struct _cl_command_queue : quern::platform::Handle<_cl_command_queue> {
  _cl_command_queue(cl_context its_context, cl_device_id its_device, quern::Queue its_queue,
                    cl_command_queue_properties its_flags)
      : context(its_context), device(its_device), queue(std::move(its_queue)), flags(its_flags) {}
  quern::platform::Ref<_cl_context> context;
  quern::platform::Ref<_cl_device_id> device;
  quern::Queue queue;
  cl_command_queue_properties flags;
  std::vector<cl_queue_properties> properties;  // as the program gave them

  [[nodiscard]] bool profiles() const noexcept { return (flags & CL_QUEUE_PROFILING_ENABLE) != 0; }
};

struct _cl_event : quern::platform::Handle<_cl_event> {
  // Of a command. `queue` is null for a user event.
  _cl_event(cl_context its_context, cl_command_queue its_queue, cl_command_type its_type,
            quern::Event its_event)
      : context(its_context), queue(its_queue), type(its_type), event(std::move(its_event)) {}
  quern::platform::Ref<_cl_context> context;
  quern::platform::Ref<_cl_command_queue> queue;
  cl_command_type type;
  quern::Event event;
  std::optional<quern::UserEvent> user;
  std::atomic<cl_int> user_status{CL_SUBMITTED};
  // Nanoseconds of the steady clock, for commands whose times the device does not record.
  std::int64_t queued = 0;
  std::atomic<std::int64_t> ended{0};

  [[nodiscard]] cl_int status() const;
};

namespace quern::platform {

// A region that the program has mapped.
struct Mapping {
  std::byte* address = nullptr;
  std::size_t offset = 0, size = 0;
  bool writes = false;
};

}  // namespace quern::platform

struct _cl_mem : quern::platform::Handle<_cl_mem> {
  _cl_mem(cl_context its_context, cl_mem_flags its_flags, quern::Buffer its_buffer)
      : context(its_context), flags(its_flags), buffer(std::move(its_buffer)) {}
  ~_cl_mem();
  quern::platform::Ref<_cl_context> context;
  cl_mem_flags flags;
  quern::Buffer buffer;
  void* host = nullptr;  // of CL_MEM_USE_HOST_PTR
  std::size_t offset = 0;
  quern::platform::Ref<_cl_mem> parent;  // of a sub-buffer
  std::vector<cl_mem_properties> properties;

  // Where the host sees the first byte: the memory itself, or a copy of it that maps fill and empty.
  [[nodiscard]] std::byte* host_view();
  [[nodiscard]] bool is_mapped_in_place() const noexcept { return buffer.host_pointer() != nullptr; }

  std::mutex mutex;
  std::vector<quern::platform::Mapping> mappings;
  std::shared_ptr<std::vector<std::byte>> mirror;
  std::vector<std::function<void()>> destructor_callbacks;
  // Kernels refer to memory through this: they must not keep it alive.
  std::shared_ptr<quern::Buffer> shared = std::make_shared<quern::Buffer>(buffer);
};

namespace quern::platform {

// The result of clBuildProgram, clCompileProgram or clLinkProgram for one device.
struct Build {
  cl_build_status status = CL_BUILD_NONE;
  cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
  std::string options, log;
  std::optional<Program> program;  // of an executable
  bool has_uniform_groups = true;
  std::vector<Unit> units;  // of a compiled object or library
};

}  // namespace quern::platform

struct _cl_program : quern::platform::Handle<_cl_program> {
  explicit _cl_program(cl_context its_context) : context(its_context) {}
  quern::platform::Ref<_cl_context> context;
  std::vector<quern::platform::Ref<_cl_device_id>> devices;
  std::string source;
  bool has_source = false;
  std::atomic<int> kernels{0};  // that exist

  std::mutex mutex;
  std::vector<quern::platform::Build> builds;  // by device, in the order of `devices`

  [[nodiscard]] std::size_t index_of(cl_device_id device) const;  // fails with CL_INVALID_DEVICE
};

namespace quern::platform {

// One argument of a kernel object.
struct KernelValue {
  enum class Kind : std::uint8_t { unset, value, memory, null, local, address };
  Kind kind = Kind::unset;
  std::size_t size = 0;           // value, local
  std::vector<std::byte> bytes;   // value
  std::weak_ptr<Buffer> memory;   // memory
  const void* address = nullptr;  // address
};

// The kernel on one device of its program.
struct DeviceKernel {
  cl_device_id device = nullptr;
  Kernel kernel;
  bool has_uniform_groups = true;
};

}  // namespace quern::platform

struct _cl_kernel : quern::platform::Handle<_cl_kernel> {
  _cl_kernel(cl_program its_program, std::string its_name) : program(its_program), name(std::move(its_name)) {
    program->kernels.fetch_add(1);
  }
  ~_cl_kernel() { program->kernels.fetch_sub(1); }
  quern::platform::Ref<_cl_program> program;
  std::string name;
  std::vector<quern::platform::DeviceKernel> on;
  quern::Signature signature;
  std::vector<quern::platform::KernelValue> arguments;

  // Fails with the code if the kernel was not built for the device.
  [[nodiscard]] const quern::platform::DeviceKernel& on_device(cl_device_id device, cl_int otherwise) const;
};

// Images are not supported, so there are no samplers either.
