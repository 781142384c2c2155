// SPDX-License-Identifier: MIT
// Launches: arguments checked and packed, sizes checked and chosen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "quern/inline_vector.hpp"
#include "quern/kernel.hpp"
#include "runtime/program_state.hpp"
#include "runtime/queue_state.hpp"

namespace quern::detail {

// A launch ready to be enqueued. Arguments and their values lie in the object itself while they are few.
class PackedLaunch final : public Operation {
 public:
  PackedLaunch(const KernelInstance& kernel, const backend::LaunchShape& shape)
      : function_(*kernel.function), program_(&kernel.program), shape_(shape) {}
  PackedLaunch(const PackedLaunch& other);  // owns what it uses
  PackedLaunch& operator=(const PackedLaunch&) = delete;

  void reserve(std::size_t arguments);
  void add_value(const void* bytes, std::size_t size);
  void add_memory(const Buffer& buffer, std::size_t offset, std::size_t size, bool writes);  // a part of it
  void add_local(std::size_t nbytes);
  void add_null();
  [[nodiscard]] std::size_t local_bytes() const noexcept { return local_bytes_; }  // of the arguments

  [[nodiscard]] std::span<const Use> uses();  // with the module's; called once, when all arguments are there
  backend::TimingPtr issue(backend::Queue& queue, backend::ObserverSource& observers) override;
  [[nodiscard]] bool may_fail() const noexcept override { return function_.may_fail(); }
  [[nodiscard]] std::unique_ptr<Operation> detach() const override;

 private:
  static constexpr std::size_t kInlineArguments = 16;
  static constexpr std::size_t kInlineBytes = 256;
  static constexpr std::size_t kValueAlignment = 16;

  backend::Argument& add(backend::Argument::Kind kind, std::size_t size);
  [[nodiscard]] std::byte* values() {
    return large_values_.empty() ? inline_values_.data() : large_values_.data();
  }

  backend::Function& function_;
  const std::shared_ptr<const BuiltProgram>* program_;
  std::shared_ptr<const BuiltProgram> owned_program_;  // kept by a detached copy
  backend::LaunchShape shape_;
  std::size_t value_bytes_ = 0, local_bytes_ = 0;
  // Until they are issued, values are told by their offset, so that their storage may grow.
  InlineVector<backend::Argument, kInlineArguments> arguments_;
  alignas(kValueAlignment) std::array<std::byte, kInlineBytes> inline_values_;
  std::vector<std::byte> large_values_;
  InlineVector<Use, kInlineArguments + 1> uses_;
  InlineVector<const std::shared_ptr<Allocation>*, kInlineArguments> allocations_;  // of memory, borrowed
  std::vector<std::shared_ptr<Allocation>> owned_;                                  // kept by a detached copy
};

// Checks one argument against its parameter and adds it; throws ArgumentError naming both.
void pack_argument(PackedLaunch& launch, const KernelInstance& kernel, std::size_t index,
                   const KernelArgument& argument, const QueueState& queue);

// Whether an argument begins where the device cannot point a kernel to.
bool needs_copies(const DeviceProperties& device, std::span<const KernelArgument> arguments);
// Launches on copies of such arguments, which go back to where they came from if the kernel may have written
// them. Nothing where one overlaps another argument.
std::optional<Event> launch_on_copies(const Kernel& kernel, const Signature& signature, const Queue& queue,
                                      const Range& range, std::span<const KernelArgument> arguments,
                                      WaitList wait_for);

// Throws ArgumentError when a kernel's variables and arguments in local memory exceed what the device has.
void check_local_memory(const KernelInstance& kernel, std::size_t argument_bytes);

// The local size that the caller gave, with ones in the dimensions it does not have; zeros where it gave
// none, or one that no launch on the device can have.
LocalSize given_local(const DeviceProperties& device, const Range& range) noexcept;

// Sizes checked against the device's limits, the local size chosen where it was left open. Throws
// ArgumentError.
backend::LaunchShape resolve_shape(const KernelInstance& kernel, const Range& range);

std::uint64_t launch_count() noexcept;
void count_launch() noexcept;

}  // namespace quern::detail
