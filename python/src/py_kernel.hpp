// SPDX-License-Identifier: MIT
// A kernel as Python holds it, and the arguments of one call.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <forward_list>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "numpy.hpp"

namespace quern::python {

// The constructor arguments of a program, from which another process can restore it.
struct ProgramRecipe {
  Program program;
  ProgramOptions options = {};
  std::vector<std::byte> binary = {};  // and its device, if there was no source
  std::string device = {};
};
// The function of quern._storage that restores it, and its arguments. With a name, it restores that kernel.
nb::tuple reduced(const ProgramRecipe& recipe, const std::string* kernel = nullptr);

// The kernel, with cached data that calls need.
class PyKernel {
 public:
  PyKernel(vectorcallfunc call, Kernel kernel, std::shared_ptr<const ProgramRecipe> recipe)
      : call_(call), kernel_(std::move(kernel)), recipe_(std::move(recipe)) {}

  [[nodiscard]] const Kernel& kernel() const noexcept { return kernel_; }
  [[nodiscard]] const ProgramRecipe& recipe() const noexcept { return *recipe_; }
  // Queried once for each device, because the preprocessor may give devices different parameters. Called
  // without the GIL, because it may build. The reference is valid as long as the kernel.
  [[nodiscard]] const Signature& signature(const Device& device) const;

 private:
  // CPython reads it, at the vectorcall offset of the type.
  [[maybe_unused]] vectorcallfunc call_;
  Kernel kernel_;
  std::shared_ptr<const ProgramRecipe> recipe_;
  mutable std::forward_list<std::pair<Device, Signature>> signatures_;  // guarded by the GIL
};

nb::object make_kernel(const std::shared_ptr<const ProgramRecipe>& recipe, const std::string& name);

// Converts the arguments of a call. Buffers, arrays and plain numbers need no allocation.
class CallArguments {
 public:
  CallArguments(const PyKernel& kernel, const Queue& queue) : kernel_(&kernel), queue_(queue) {}
  // For a generated kernel, whose signature is the same on every device. `first` is the number of the first
  // parameter of the signature in the kernel.
  CallArguments(const Signature& signature, const Queue& queue, std::size_t first = 0)
      : signature_(&signature), queue_(queue), first_(first) {}
  CallArguments(const CallArguments&) = delete;
  CallArguments& operator=(const CallArguments&) = delete;

  // By position, and by name if `names` is not null: a tuple of strings for the last of `values`.
  void add(std::span<PyObject* const> positional);
  void add_named(std::span<PyObject* const> positional, std::span<PyObject* const> names,
                 std::span<PyObject* const> values);

  // Host arrays that are copied around the launch. copy_in waits, so that the kernel sees the values at the
  // time of the call. It takes no snapshot, because a copy of an earlier launch may still write the array.
  [[nodiscard]] bool has_host_arrays() const noexcept { return extra_ && !extra_->host.empty(); }
  [[nodiscard]] bool copies_out() const noexcept;
  void copy_in(WaitList wait_for);
  Event copy_out(Event launched);

  [[nodiscard]] std::span<const KernelArgument> list() const noexcept {
    return {reinterpret_cast<const KernelArgument*>(storage_), count_};
  }
  [[nodiscard]] std::span<KernelArgument> list() noexcept {
    return {reinterpret_cast<KernelArgument*>(storage_), count_};
  }

 private:
  static constexpr std::size_t kMost = 64;
  static constexpr std::size_t kInlineBuffers = 8;
  struct HostArray {
    nb::handle object;
    HostMemory memory;
    Array array;
    bool in, out;
    HostArray(nb::handle object_, bool in_, bool out_, const Queue& queue);
  };
  // Storage that only unusual arguments need.
  struct Extra {
    std::deque<HostArray> host;
    std::deque<Buffer> buffers;
    std::deque<DType> types;
    std::deque<std::vector<std::byte>> bytes;
  };

  template <class T>
  void emplace(const T& value) {
    new (storage_ + count_ * sizeof(KernelArgument)) KernelArgument(value);
    ++count_;
  }
  void emplace_bytes(std::span<const std::byte> bytes, const DType* type) {
    new (storage_ + count_ * sizeof(KernelArgument)) KernelArgument(bytes, type);
    ++count_;
  }
  void add(PyObject* object);
  void add_buffer(const Buffer& buffer);
  void add_unusual(nb::handle object);
  void check_written() const;
  [[nodiscard]] bool type_is_known() const;
  void add_integer(nb::handle integer);
  void add_typed_bytes(nb::handle object);
  bool add_vector(nb::handle object);
  [[nodiscard]] nb::object float_lane(nb::handle number, nb::handle dtype) const;
  [[nodiscard]] nb::object integer_lane(nb::handle number, nb::handle dtype) const;
  Extra& extra();
  [[nodiscard]] std::string position() const;  // "argument 1 ('n', int) of kernel 'twice'"

  [[nodiscard]] const Signature& signature() const {
    return signature_ != nullptr ? *signature_ : kernel_->signature(queue_.device());
  }
  [[nodiscard]] const std::string& kernel_name() const {
    return signature_ != nullptr ? signature_->name : kernel_->kernel().name();
  }

  const PyKernel* kernel_ = nullptr;
  const Signature* signature_ = nullptr;
  const Queue& queue_;
  std::size_t first_ = 0;  // number of the first argument in messages
  std::size_t count_ = 0, buffer_count_ = 0;
  // Copies, because another thread may release a Buffer object while this one launches without the GIL.
  std::array<Buffer, kInlineBuffers> buffers_;
  std::optional<Extra> extra_;
  alignas(KernelArgument) std::byte storage_[kMost * sizeof(KernelArgument)];
};

std::string signature_text(const Signature& signature);

}  // namespace quern::python
