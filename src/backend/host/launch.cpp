// SPDX-License-Identifier: MIT
// Binding arguments to a kernel and running its work-groups.
#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <new>

#include "backend/host/fiber.hpp"
#include "backend/host/memory.hpp"
#include "backend/host/operations.hpp"
#include "quern/error.hpp"

namespace quern::backend::host {
namespace {

constexpr std::size_t kAlignment = 128;  // of the widest OpenCL vector, double16

// sizeof is a multiple of the alignment, so the lowest set bit of a size bounds the alignment of its type.
std::size_t alignment_for(std::size_t size) noexcept {
  return size == 0 ? 1 : std::min(kAlignment, std::size_t{1} << std::countr_zero(size));
}

// Local memory of the group that this thread runs. Kept for the next one.
thread_local std::unique_ptr<Block> local_memory;

void* scratch(std::size_t nbytes) {
  if (local_memory == nullptr || local_memory->size() < nbytes)
    local_memory = std::make_unique<Block>((nbytes + 4095) / 4096 * 4096);
  return local_memory->data();
}

// Stack frames of this thread's kernel lie at lower addresses than this one.
thread_local const void* kernel_caller = nullptr;

// The error of a failed kernel if there is no memory for its name. Never destroyed: workers outlive this
// file's variables.
const auto* const nameless_failure = new std::exception_ptr(
    std::make_exception_ptr(KernelError("a kernel failed, and there was no memory left to say which")));

std::size_t rounded_up(std::size_t size) noexcept {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

// Takes aligned pieces off the front of a block.
class Carver {
 public:
  explicit Carver(std::byte* at) : at_(at) {}
  void* take(std::size_t size, std::size_t alignment) {
    const auto address = reinterpret_cast<std::uintptr_t>(at_);
    std::byte* const piece = at_ + (alignment - address % alignment) % alignment;
    at_ = piece + size;
    return piece;
  }

 private:
  std::byte* at_;
};

// Size that suffices for any start address of the block.
std::size_t block_size(std::span<const Argument> arguments) noexcept {
  std::size_t total = alignof(void*) + arguments.size() * sizeof(void*);
  for (const Argument& argument : arguments) {
    const std::size_t size = argument.kind == Argument::Kind::value ? argument.size : sizeof(void*);
    total += size + alignment_for(size) - 1;
  }
  return total;
}

}  // namespace

BoundLaunch::BoundLaunch(const HostFunction& function, const LaunchShape& shape,
                         std::span<const Argument> arguments)
    : entry_(function.entry()),
      code_(function.code().get()),
      local_bytes_(rounded_up(function.attributes().local_memory)),
      argument_count_(arguments.size()) {
  if (shape.dynamic_local != 0) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "kernels of the host device take no dynamic shared memory");
  }
  for (std::size_t d = 0; d < 3; ++d) {
    launch_.global_size[d] = shape.global[d];
    launch_.local_size[d] = shape.local[d];
    launch_.global_offset[d] = shape.offset[d];
    launch_.group_count[d] = (shape.global[d] - 1) / shape.local[d] + 1;
    groups_ *= launch_.group_count[d];
    group_items_ *= static_cast<double>(std::min(shape.local[d], shape.global[d]));
  }
  launch_.work_dim = shape.dims;
  launch_.runtime = &kRuntime;
  launch_.local_memory = launch_.exchange = nullptr;

  if (function.exchanges_values()) {
    exchange_ = local_bytes_;
    local_bytes_ += 16 * shape.local[0] * shape.local[1] * shape.local[2];
  }
  const std::size_t needed = block_size(arguments);
  if (needed > inline_.size()) heap_ = std::make_unique<std::byte[]>(needed);
  Carver carver(heap_ ? heap_.get() : inline_.data());
  auto** const slots =
      static_cast<const void**>(carver.take(arguments.size() * sizeof(void*), alignof(void*)));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (argument.kind == Argument::Kind::value) {
      void* const copy = carver.take(argument.size, alignment_for(argument.size));
      std::memcpy(copy, argument.value, argument.size);
      slots[i] = copy;
      continue;
    }
    void* pointer = nullptr;
    if (argument.kind == Argument::Kind::memory) {
      pointer = static_cast<std::byte*>(argument.memory->host_pointer()) + argument.offset;
    } else if (argument.kind == Argument::Kind::local) {
      local_bytes_ = rounded_up(local_bytes_);
      locals_.push_back({i, local_bytes_});
      local_bytes_ += rounded_up(argument.size);
    }
    void* const slot = carver.take(sizeof(void*), alignof(void*));
    std::memcpy(slot, &pointer, sizeof pointer);
    slots[i] = slot;
  }
  launch_.arguments = slots;
  if (code_->checks_bounds) {
    bounds_ = std::make_unique<Bounds>(arguments);
    launch_.runtime = bounds_->runtime();
  }
}

int space_of(const quern_launch* /*launch*/, const void* object) noexcept {
  const auto* const at = static_cast<const std::byte*>(object);
  if (local_memory != nullptr) {
    const auto* const begin = static_cast<const std::byte*>(local_memory->data());
    if (at >= begin && at < begin + local_memory->size()) return 2;
  }
  const void* const frame = __builtin_frame_address(0);
  const bool is_private = is_on_a_fiber(frame) ? is_on_a_fiber(object) : at >= frame && at < kernel_caller;
  return is_private ? 0 : 1;
}

void BoundLaunch::call(const quern_launch& launch, std::uint64_t first, std::uint64_t last,
                       const std::string& name) const {
  // One group after the other in debug builds, to find out which one faulted, and if a check may fail, after
  // which no further group runs.
  const std::uint64_t step = code_->debug_file != nullptr || bounds_ ? 1 : last - first;
  for (std::uint64_t at = first; at < last && !has_failed(); at += step) {
    const KernelCall groups{entry_, &launch, at, at + step, name.c_str(), code_};
    const auto fault = call_kernel(groups);
    if (!fault) continue;
    if (has_failed()) static_cast<void>(take_failure());
    try {
      throw_fault(*fault, groups);
    } catch (const std::bad_alloc&) {
      std::rethrow_exception(*nameless_failure);
    }
  }
}

void BoundLaunch::call(std::uint64_t first, std::uint64_t last, const std::string& name) const {
  kernel_caller = __builtin_frame_address(0);
  if (local_bytes_ == 0) {
    call(launch_, first, last, name);
    return;
  }
  // Each thread runs its groups one after the other, so they can share its scratch memory.
  auto* const memory = static_cast<std::byte*>(scratch(local_bytes_));
  std::vector<const void*> slots(launch_.arguments, launch_.arguments + argument_count_);
  std::vector<void*> pointers(locals_.size());
  for (std::size_t i = 0; i < locals_.size(); ++i) {
    pointers[i] = memory + locals_[i].offset;
    slots[locals_[i].argument] = &pointers[i];
  }
  quern_launch mine = launch_;
  mine.arguments = slots.data();
  mine.local_memory = memory;
  mine.exchange = memory + exchange_;
  call(mine, first, last, name);
}

void BoundLaunch::run(std::uint64_t first, std::uint64_t last, RateEstimate& rate,
                      const std::string& name) const {
  const std::int64_t begin = now_ns();
  call(first, last, name);
  if (has_failed()) {
    try {
      throw KernelError("kernel '" + name + "': " + take_failure());
    } catch (const std::bad_alloc&) {
      std::rethrow_exception(*nameless_failure);
    }
  }
  rate.observe(static_cast<double>(now_ns() - begin), static_cast<double>(last - first) * group_items_);
}

namespace {

std::uint64_t groups_of(const LaunchShape& shape) noexcept {
  std::uint64_t groups = 1;
  for (std::size_t d = 0; d < 3; ++d) groups *= (shape.global[d] - 1) / shape.local[d] + 1;
  return groups;
}

// At least 10 us of work in a piece if the rate is known; otherwise enough pieces to measure it soon.
std::uint64_t grain_of(const HostFunction& function, const LaunchShape& shape) noexcept {
  const auto groups = static_cast<double>(groups_of(shape));
  double group_items = 1;
  for (std::size_t d = 0; d < 3; ++d)
    group_items *= static_cast<double>(std::min(shape.local[d], shape.global[d]));
  const double per_item = function.rate()->ns();
  const double pieces = 16.0 * ThreadPool::instance().threads();
  const double grain =
      per_item < 0 ? groups / pieces : std::min(10e3 / std::max(per_item * group_items, 1e-3), groups);
  return static_cast<std::uint64_t>(std::max(grain, 1.0));
}

}  // namespace

LaunchOperation::LaunchOperation(const HostFunction& function, const LaunchShape& shape,
                                 std::span<const Argument> arguments, bool familiar)
    : Operation(groups_of(shape), grain_of(function, shape)),
      bound_(function, shape, arguments),
      familiar_(familiar),
      name_(function.name()),
      code_(function.code()),
      rate_(function.rate()) {}

void LaunchOperation::perform(std::uint64_t first, std::uint64_t last) {
  if (first_start_.load(std::memory_order_relaxed) == 0) {
    first_groups_.store(last - first, std::memory_order_relaxed);
    first_start_.store(now_ns(), std::memory_order_relaxed);
  }
  bound_.run(first, last, *rate_, *name_);
  measured_.store(true, std::memory_order_relaxed);
}

double LaunchOperation::expected_item_ns() const noexcept {
  const double ns = rate_->ns();
  if (ns < 0 || (!familiar_ && !measured_.load(std::memory_order_relaxed))) return -1;
  const double group = ns * bound_.group_items();
  // Other arguments may take another time: if the first piece is late, the estimate is not used until it
  // returns.
  const std::int64_t start = first_start_.load(std::memory_order_relaxed);
  if (start == 0 || measured_.load(std::memory_order_relaxed)) return group;
  const double since = static_cast<double>(now_ns() - start);
  const double expected = group * static_cast<double>(first_groups_.load(std::memory_order_relaxed));
  return since > 10e6 && since > 4 * expected ? -1 : group;
}

}  // namespace quern::backend::host
