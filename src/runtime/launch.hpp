// SPDX-License-Identifier: MIT
// Launches: checks and packs arguments, checks and chooses sizes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "quern/inline_vector.hpp"
#include "quern/kernel.hpp"
#include "runtime/program_state.hpp"
#include "runtime/queue_state.hpp"

namespace quern::detail {

// A launch that is ready to be enqueued. A few arguments and their values are stored in the object itself.
class PackedLaunch final : public Operation {
 public:
  PackedLaunch(const KernelInstance& kernel, const backend::LaunchShape& shape)
      : kernel_(&kernel), shape_(shape) {}
  PackedLaunch(const PackedLaunch& other);  // the copy owns the memory that it uses
  PackedLaunch& operator=(const PackedLaunch&) = delete;

  void reserve(std::size_t arguments);
  void add_value(const void* bytes, std::size_t size);
  void add_memory(const Buffer& buffer, std::size_t offset, std::size_t size, bool writes);
  void add_local(std::size_t nbytes);
  void add_null();
  // The bytes of all local memory arguments.
  [[nodiscard]] std::size_t local_bytes() const noexcept { return local_bytes_; }

  [[nodiscard]] std::span<const Use> uses();  // including the module's; called once, after the last argument
  backend::TimingPtr issue(backend::Queue& queue, backend::ObserverSource& observers) override;
  [[nodiscard]] bool may_fail() const noexcept override { return kernel_->function->may_fail(); }
  [[nodiscard]] std::unique_ptr<Operation> detach() const override;
  [[nodiscard]] OperationDetails details() const noexcept override {
    return {OperationKind::kernel, kernel_->signature.name, shape_.dims, shape_.global, shape_.local};
  }

  // Of a detached launch, for graphs:
  [[nodiscard]] const KernelInstance& kernel() const noexcept { return *kernel_; }
  [[nodiscard]] std::size_t argument_count() const noexcept { return arguments_.size(); }
  // Checks an argument and replaces that of the same parameter. `uses` are the uses of the launch, which are
  // changed, too.
  void replace_argument(std::size_t index, const KernelArgument& argument, const QueueState& queue,
                        std::vector<Use>& uses);
  void rebind(const Rebinding& rebinding) override;
  void disown(const Allocation& memory) override;

 private:
  static constexpr std::size_t kInlineArguments = 16;
  static constexpr std::size_t kInlineBytes = 256;
  static constexpr std::size_t kValueAlignment = 16;

  backend::Argument& add(backend::Argument::Kind kind, std::size_t size);
  [[nodiscard]] std::byte* values() {
    return large_values_.empty() ? inline_values_.data() : large_values_.data();
  }

  const KernelInstance* kernel_;
  std::shared_ptr<const KernelInstance> owned_kernel_;  // set in a detached copy
  backend::LaunchShape shape_;
  std::size_t value_bytes_ = 0, local_bytes_ = 0;
  // Until the launch is issued, values are referred to by offset, so that their storage may grow.
  InlineVector<backend::Argument, kInlineArguments> arguments_;
  alignas(kValueAlignment) std::array<std::byte, kInlineBytes> inline_values_;
  std::vector<std::byte> large_values_;
  InlineVector<Use, kInlineArguments + 1> uses_;
  InlineVector<const std::shared_ptr<Allocation>*, kInlineArguments> allocations_;  // borrowed
  std::vector<std::shared_ptr<Allocation>> owned_;                                  // set in a detached copy
};

// Enqueues the computation of arrays whose elements are pending.
void evaluate_arrays(std::span<const KernelArgument> arguments);
// Returns whether a range has no work-items.
bool is_empty(const Range& range) noexcept;

// Checks one argument against its parameter and adds it. Throws ArgumentError that names both.
void pack_argument(PackedLaunch& launch, const KernelInstance& kernel, std::size_t index,
                   const KernelArgument& argument, const QueueState& queue);

// Returns whether an argument begins at an address that the device cannot pass to a kernel, or that the
// parameter's elements are not aligned to.
bool needs_copies(const DeviceProperties& device, const Signature& signature,
                  std::span<const KernelArgument> arguments);
// Launches on copies of such arguments. Copies that the kernel may have written are copied back. Returns
// nothing if an argument overlaps another one.
using LaunchArguments = std::function<Event(std::span<const KernelArgument> arguments, WaitList wait_for)>;
std::optional<Event> launch_on_copies(const Signature& signature, const Queue& queue,
                                      std::span<const KernelArgument> arguments, WaitList wait_for,
                                      const LaunchArguments& launch);

// Throws ArgumentError if the local variables and local arguments of a kernel exceed the device's local
// memory.
void check_local_memory(const KernelInstance& kernel, std::size_t argument_bytes);

// Returns the caller's local size, with 1 in missing dimensions. Returns zeros if the caller gave none, or
// one that exceeds the device's limits.
LocalSize given_local(const DeviceProperties& device, const Range& range) noexcept;

// Checks the sizes against the device's limits and chooses the local size if the caller gave none. Throws
// ArgumentError.
backend::LaunchShape resolve_shape(const KernelInstance& kernel, const Range& range);

std::uint64_t launch_count() noexcept;
void count_launch() noexcept;

}  // namespace quern::detail
