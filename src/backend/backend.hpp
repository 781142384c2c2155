// SPDX-License-Identifier: MIT
// The interfaces a device implements: Device, Context, Queue, Memory, Module, Function, Marker.
//
// Rules for implementers:
// - Every method may be called from any thread. A Queue's enqueuing methods (launch, copies, fill, wait) are
// called
//   by one thread at a time; record() and idle() may be called at any moment by others.
// - Enqueuing methods return as soon as the work is in the queue. Work that has been enqueued always
// completes
//   without help from the host program.
// - Every foreign call goes through one check that quotes the call and the device. Running out of memory is
//   OutOfDeviceMemory, a failed device DeviceLost, anything else Error.
// - Destructors never wait, never throw and may run on any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quern/dtype.hpp"
#include "quern/error.hpp"
#include "quern/properties.hpp"
#include "quern/signature.hpp"

struct quern_launch;  // declared in frontend/host_abi.h

namespace quern::backend {

class Context;
class Queue;

using Clock = std::chrono::steady_clock;
using quern::Deadline;
using quern::DeviceKind;
using quern::DeviceProperties;
using quern::Dialect;
using quern::FunctionAttributes;
using quern::Info;
using quern::MemoryInfo;
using quern::QueueOptions;
using quern::Times;

// One allocation of device memory, owned or borrowed.
class Memory {
 public:
  virtual ~Memory() = default;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  // Native handle: cl_mem, CUdeviceptr or the host pointer.
  [[nodiscard]] virtual std::uintptr_t native_handle() const noexcept = 0;
  // Pointer through which the host may access the memory; null if it may not.
  [[nodiscard]] virtual void* host_pointer() const noexcept = 0;
};

// Host memory that copies to and from the device at full speed.
class PinnedMemory {
 public:
  virtual ~PinnedMemory() = default;
  [[nodiscard]] virtual void* data() const noexcept = 0;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
};

// An entry point of a module.
class Function {
 public:
  virtual ~Function() = default;
  [[nodiscard]] virtual const FunctionAttributes& attributes() const noexcept = 0;
  // Whether a launch may fail after it was enqueued, with the device staying usable.
  [[nodiscard]] virtual bool may_fail() const noexcept { return false; }
  // Number of work-groups of this size that one compute unit can hold at once; nothing if the backend cannot
  // tell.
  [[nodiscard]] virtual std::optional<unsigned> groups_per_compute_unit(std::size_t group_size,
                                                                        std::size_t dynamic_local) const {
    (void)group_size, (void)dynamic_local;
    return std::nullopt;
  }
};

// A loaded program. Functions and globals must not outlive it.
class Module {
 public:
  virtual ~Module() = default;
  // `name` is the symbol as the compiler named it. `signature` is the front end's signature of the kernel,
  // null for CUDA C or a binary. If the device itself knows the parameters (OpenCL's kernel argument info),
  // signature_of() returns them.
  virtual std::unique_ptr<Function> function(const std::string& name, const Signature* signature) = 0;
  [[nodiscard]] virtual std::vector<std::string> function_names() const = 0;
  // Moves the code of all functions to the device. A backend that loads a function later, at its first
  // launch, may have to wait for all running work then.
  virtual void load_functions() {}
  [[nodiscard]] virtual std::optional<Signature> signature_of(const std::string& name) const = 0;
  // A global or constant variable of the module, borrowed; null if there is none of that name.
  virtual std::unique_ptr<Memory> global(const std::string& name) = 0;
};

struct CompileRequest {
  Dialect dialect = Dialect::opencl_c;
  std::string text;
  std::string name = "kernel";                // shown in messages
  std::vector<std::string> options;           // for the backend's compiler, one each, never through a shell
  std::vector<std::string> name_expressions;  // CUDA C++: template instances to keep
  int lines_before = 0;  // lines in front of the author's own; the last is a #line directive
  bool lowered = false;  // the front end generated the text, which includes nothing
  bool debug = false;
  std::string source;  // the user's source, for a debugger to show; only with `debug`
};

struct Compiled {
  std::vector<std::byte> binary;   // for Context::load(), in this process or another; may be empty
  std::unique_ptr<Module> module;  // the loaded module, if compiling loads it anyway
  std::string log;                 // warnings
  std::vector<std::pair<std::string, std::string>> lowered_names;  // name expression, symbol
};

// A kernel that is part of the library, as frontend/host_abi.h describes kernels.
using PrecompiledFunction = void(const quern_launch* launch, unsigned long long first_group,
                                 unsigned long long last_group);

// Wakes a thread of the runtime.
class Signal {
 public:
  virtual ~Signal() = default;
  // Called on any thread, also on a driver's, and with locks of the backend held: it does not wait, does not
  // allocate, and calls neither a backend nor the program.
  virtual void raise() noexcept = 0;
};

// A point in a queue: done once all work enqueued before record() is done.
class Marker {
 public:
  virtual ~Marker() = default;
  [[nodiscard]] virtual bool done() = 0;
  // Waits, and helps with the work if the backend can; false if the deadline passed first.
  virtual bool wait(Deadline deadline) = 0;
  // The error of the marked work; null if it did not fail. Only for a marker that is done.
  [[nodiscard]] virtual std::exception_ptr error() const { return nullptr; }
  // Raises the signal once the marker is done, immediately if it is done already. If the device is lost, the
  // signal may never be raised.
  virtual void notify(std::shared_ptr<Signal> signal) = 0;
};

// The times of one operation of a profiling queue.
class Timing {
 public:
  virtual ~Timing() = default;
  virtual Times times() = 0;  // only once the operation is done
};

// A kernel argument, already checked against the signature.
struct Argument {
  enum class Kind : std::uint8_t { value, memory, local, null_pointer };
  Kind kind = Kind::value;
  const void* value = nullptr;  // value: its bytes, valid only during launch()
  std::size_t size = 0;         // value: bytes; memory: bytes of the view; local: bytes to reserve
  Memory* memory = nullptr;     // memory
  std::size_t offset = 0;       // memory: bytes
};

struct LaunchShape {
  unsigned dims = 1;
  std::array<std::size_t, 3> global = {1, 1, 1};  // work-items; unused dimensions are 1; never 0
  std::array<std::size_t, 3> local = {1, 1, 1};   // always chosen by the caller
  std::array<std::size_t, 3> offset = {0, 0, 0};
  std::size_t dynamic_local = 0;  // bytes of CUDA C's extern __shared__ memory
};

// One side of a rectangle copy: device memory, or host memory if `memory` is null.
struct RectSide {
  Memory* memory = nullptr;
  void* host = nullptr;
  std::size_t offset = 0;       // bytes to the first element
  std::size_t row_pitch = 0;    // bytes
  std::size_t slice_pitch = 0;  // bytes
};

// The error of a launch whose text lacks details that take time to find, such as a line of the source.
class IncompleteError : public KernelError {
 public:
  using KernelError::KernelError;
  // The same error with all details. Waits, and throws the exceptions of check_interruption().
  [[nodiscard]] virtual std::exception_ptr completed() const = 0;
};

// Receives the outcome of a launch.
class LaunchObserver {
 public:
  virtual ~LaunchObserver() = default;
  // Called once, on any thread, after the launch ended and before it counts as done. `error` is null if it
  // did not fail.
  virtual void ended(std::exception_ptr error) noexcept = 0;
};

// Makes the observer of a launch. Backends call it only if the launch outlives the call or failed in it.
class ObserverSource {
 public:
  virtual ~ObserverSource() = default;
  virtual std::shared_ptr<LaunchObserver> observer() = 0;
};

// On profiling queues operations return an object with their times, on others null.
using TimingPtr = std::shared_ptr<Timing>;

class Queue {
 public:
  virtual ~Queue() = default;

  virtual TimingPtr launch(Function& function, const LaunchShape& shape,
                           std::span<const Argument> arguments) = 0;
  // Launches a function that may fail. An observer receives the failure; markers then do not report it.
  virtual TimingPtr launch_observed(Function& function, const LaunchShape& shape,
                                    std::span<const Argument> arguments, ObserverSource& observers) {
    (void)observers;
    return launch(function, shape, arguments);
  }
  virtual TimingPtr fill(Memory& memory, std::size_t offset, std::size_t nbytes,
                         std::span<const std::byte> pattern) = 0;
  virtual TimingPtr copy(Memory& from, std::size_t from_offset, Memory& to, std::size_t to_offset,
                         std::size_t nbytes) = 0;
  // The caller keeps the host memory valid until the operation is done.
  virtual TimingPtr write(Memory& to, std::size_t offset, const void* from, std::size_t nbytes) = 0;
  virtual TimingPtr read(const Memory& from, std::size_t offset, void* to, std::size_t nbytes) = 0;
  // region: bytes of a row, rows, slices. At least one side is device memory.
  virtual TimingPtr copy_rect(const RectSide& from, const RectSide& to,
                              std::array<std::size_t, 3> region) = 0;

  // Calls a function of another library that enqueues work on this queue's native handle, with the queue's
  // context current. The function throws on failure.
  virtual TimingPtr call(const std::function<void(std::uintptr_t native)>& function) {
    (void)function;
    throw Error("this backend does not call functions of other libraries");
  }

  // Calls a function that does the work itself, in the queue's order and off the calling thread. An observer
  // receives its failure.
  virtual TimingPtr call_observed(std::function<void(std::uintptr_t native)> function,
                                  ObserverSource& observers) {
    (void)observers;
    return call(function);
  }

  // Of a queue made with QueueOptions::out_of_order: a further in-order sequence of operations on the same
  // native queue. Operations of different sequences run in any order. Null if the backend has no such
  // sequences; the caller then distributes the operations over several queues.
  virtual std::unique_ptr<Queue> make_lane() { return nullptr; }
  // The priority that the device gives to the work of this queue; 0 if it has no priorities.
  [[nodiscard]] virtual int priority() const noexcept { return 0; }

  virtual std::shared_ptr<Marker> record() = 0;
  // All work enqueued from now on runs after the marker. False if this queue cannot wait for that marker
  // itself (another backend's): the caller then holds the work back.
  virtual bool wait(const std::shared_ptr<Marker>& marker) = 0;
  virtual void flush() = 0;
  // True if all enqueued work is known to be done, without a driver call, and nothing has failed.
  [[nodiscard]] virtual bool idle() const noexcept { return false; }
  // True if write() may read the host memory before earlier work is done.
  [[nodiscard]] virtual bool reads_host_memory_early() const noexcept { return true; }
  // True if a blocking read is fastest once all earlier work is done.
  [[nodiscard]] virtual bool reads_best_when_idle() const noexcept { return false; }
  // Native handle: cl_command_queue, CUstream; 0 on the host.
  [[nodiscard]] virtual std::uintptr_t native_handle() const noexcept = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceProperties& properties() const noexcept = 0;
  [[nodiscard]] virtual Info info() const = 0;  // all properties that the native API reports
  [[nodiscard]] virtual std::uintptr_t native_handle()
      const noexcept = 0;  // cl_device_id, CUdevice; 0 on the host
  // Identifies the platform: devices of one backend and platform may share a context.
  [[nodiscard]] virtual std::uintptr_t platform_handle() const noexcept { return 0; }
  // A context over devices of one platform, including this one.
  virtual std::shared_ptr<Context> make_context(std::span<const std::shared_ptr<Device>> devices) = 0;
};

class Context {
 public:
  virtual ~Context() = default;
  // `device` is an index in the order given to make_context().
  virtual std::unique_ptr<Queue> make_queue(std::size_t device, const QueueOptions& options) = 0;
  // Borrows a native queue (cl_command_queue, CUstream) that outlives the result.
  virtual std::unique_ptr<Queue> wrap_queue(std::size_t device, std::uintptr_t native) = 0;
  virtual std::unique_ptr<Memory> allocate(std::size_t device, std::size_t nbytes) = 0;
  // Borrows native memory (cl_mem, CUdeviceptr, host pointer) that outlives the result.
  virtual std::unique_ptr<Memory> wrap_memory(std::uintptr_t native, std::size_t nbytes) = 0;
  virtual std::unique_ptr<PinnedMemory> allocate_pinned(std::size_t nbytes) = 0;
  [[nodiscard]] virtual MemoryInfo memory_info(std::size_t device) const = 0;

  virtual Compiled compile(std::size_t device, const CompileRequest& request) = 0;  // throws BuildError
  // Whether a working compiler is available; false lets callers with an alternative avoid an error. The first
  // call may run the compiler, so check_interruption() may throw.
  [[nodiscard]] virtual bool can_compile() { return true; }
  virtual std::unique_ptr<Module> load(std::size_t device, std::span<const std::byte> binary) = 0;
  // A module of one function of the library, with this much local memory; it keeps `owner` alive. Null if the
  // device cannot call it.
  virtual std::unique_ptr<Module> embed(PrecompiledFunction* function, const Signature& signature,
                                        std::shared_ptr<const void> owner) {
    (void)function, (void)signature, (void)owner;
    return nullptr;
  }
  // All inputs of a binary besides text and options: compiler, driver, architecture. Starts no process and
  // loads no compiler.
  virtual std::string compiler_identity(std::size_t device) = 0;
  [[nodiscard]] virtual std::uintptr_t native_handle(
      std::size_t device) const noexcept = 0;  // cl_context, CUcontext
};

}  // namespace quern::backend
