// SPDX-License-Identifier: MIT
// Building OpenCL programs, keeping them as binaries, and kernels with their argument state.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/opencl/api.hpp"
#include "backend/opencl/memory.hpp"

namespace quern::backend::opencl {

class Context;
class Device;

// A cl_kernel holds its arguments, so launches of one function take turns. Setting arguments is most of a
// launch's cost on some drivers, so unchanged ones are not set again.
class Function final : public backend::Function {
 public:
  Function(std::shared_ptr<const Device> device, KernelHandle kernel, std::string name);

  [[nodiscard]] const FunctionAttributes& attributes() const noexcept override { return attributes_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  // Sets the arguments and calls enqueue(kernel), with other threads excluded.
  template <class Enqueue>
  void with_arguments(std::uint64_t queue, std::span<const Argument> arguments, const Enqueue& enqueue);

 private:
  // The argument that is currently set. Memory is identified by its id: a new buffer may have the address of
  // a released one.
  struct Slot {
    static constexpr std::size_t kValueBytes = 16;
    bool known = false;
    Argument::Kind kind = Argument::Kind::value;
    std::uint64_t memory_id = 0;
    std::size_t size = 0;
    std::array<std::byte, kValueBytes> value = {};
  };
  // Takes the lock on sub-buffers if an argument is one.
  static std::unique_lock<std::mutex> lock_views(std::span<const Argument> arguments);
  void set(std::uint64_t queue, cl_uint index, const Argument& argument);
  void set_memory(std::uint64_t queue, cl_uint index, Slot& slot, const Argument& argument);
  void set_native(cl_uint index, std::size_t size, const void* value);
  void set_svm(cl_uint index, Slot& slot, const Memory& memory, std::size_t offset);
  [[noreturn]] void fail_count(std::size_t given) const;

  std::shared_ptr<const Device> device_;
  KernelHandle kernel_;
  std::string name_;
  FunctionAttributes attributes_;
  std::mutex mutex_;
  std::vector<Slot> slots_;
  std::uint64_t svm_epoch_ = 0;  // for allow_svm(); 0 until an argument is shared virtual memory
};

template <class Enqueue>
void Function::with_arguments(std::uint64_t queue, std::span<const Argument> arguments,
                              const Enqueue& enqueue) {
  if (arguments.size() != slots_.size()) [[unlikely]]
    fail_count(arguments.size());
  const auto views = lock_views(arguments);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < arguments.size(); ++i) set(queue, static_cast<cl_uint>(i), arguments[i]);
  enqueue(kernel_.get());
}

class Module final : public backend::Module {
 public:
  Module(std::shared_ptr<Context> context, std::size_t device, ProgramHandle program);

  std::unique_ptr<backend::Function> function(const std::string& name, const Signature* signature) override;
  [[nodiscard]] std::vector<std::string> function_names() const override;
  [[nodiscard]] std::optional<Signature> signature_of(const std::string& name) const override;
  // OpenCL cannot access a program's variables.
  std::unique_ptr<backend::Memory> global(const std::string&) override { return nullptr; }

 private:
  [[nodiscard]] KernelHandle create_kernel(const std::string& name) const;

  std::shared_ptr<Context> context_;
  std::shared_ptr<const Device> device_;
  ProgramHandle program_;
};

Compiled compile_program(std::shared_ptr<Context> context, std::size_t device, const CompileRequest& request);
std::unique_ptr<Module> load_program(std::shared_ptr<Context> context, std::size_t device,
                                     std::span<const std::byte> binary);
std::string compiler_identity(const Device& device);

// The options as the one string that OpenCL takes. Throws ArgumentError for an option that cannot be part of
// it.
std::string join_options(std::span<const std::string> options);

// The driver's description of a kernel's parameters; nothing if it was built without it.
std::optional<Signature> kernel_signature(cl_kernel kernel, const Device& device, const std::string& name);
// The element type of this OpenCL C spelling, without pointers and qualifiers.
DType parse_type_name(std::string_view type_name);

// Binaries have a header of ours, which detects a damaged one, or one of another driver, before the driver
// sees it: drivers do not check reliably.
std::vector<std::byte> pack_binary(std::string_view identity, std::span<const std::byte> payload);
// The payload; throws Error for anything that pack_binary() did not make for the same identity.
std::span<const std::byte> unpack_binary(std::string_view identity, std::span<const std::byte> packed);

}  // namespace quern::backend::opencl
