// SPDX-License-Identifier: MIT
// How a scan runs on a device: its parameters, its temporaries and its launches.
#include "algorithms/scan_run.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"
#include "base/environment.hpp"
#include "quern/error.hpp"
#include "tune/lookup.hpp"

namespace quern::algorithms {
namespace {

using codegen::ScanOperand;
using codegen::ScanSource;
using codegen::ScanVariant;

constexpr std::int64_t kLeastScanChunk = 1 << 14;  // elements; fewer are faster on one core
constexpr std::size_t kChunksPerUnit = 4;          // so that a core that other programs use does less
constexpr std::size_t kBytesOfRun = 128;           // of the items of a work-item
constexpr unsigned kMostItems = 32;                // a bit for each
constexpr std::size_t kMostLocal = 48 << 10;       // bytes of local memory that every CUDA device has
constexpr std::size_t kMostGathered =
    32 << 10;  // the same for selections, which store the selected elements there
constexpr unsigned kScanGroup = 256, kLeastGroup = 32;
constexpr std::size_t kPiece = 16;  // bytes that a work-item loads at once, at most
// Chunks that a work-item scans side by side are not a multiple of a page apart: processors compare the lower
// bits of addresses first, so a load from one chunk would wait for a store to the other.
constexpr std::size_t kPage = 1024, kScanApart = 264;  // elements

[[noreturn]] void reject(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

unsigned power_of_two(std::size_t most) {
  unsigned result = 1;
  while (std::size_t{result} * 2 <= most) result *= 2;
  return result;
}

}  // namespace

ScanRun::ScanRun(const ScanSource& source, ScanTuning tuning, std::size_t local_bytes, KernelOf kernel)
    : source_(source),
      tuning_(tuning),
      local_bytes_(local_bytes),
      streams_(codegen::scan::streams(source)),
      uses_last_(source.uses_last()),
      kernel_(std::move(kernel)) {
  // For experiments with kernels whose author did not set them.
  if (tuning_.group_size == 0)
    tuning_.group_size = static_cast<unsigned>(environment_integer("QUERN_SCAN_GROUP", 32, 1024).value_or(0));
  if (tuning_.items == 0)
    tuning_.items = static_cast<unsigned>(environment_integer("QUERN_SCAN_ITEMS", 1, 32).value_or(0));
  for (const ScanOperand& operand : source.operands) {
    operands_.push_back({operand.argument, {}, operand.is_element});
    operands_.back().use.writes = operand.output.writes;
  }
}

ScanPlan ScanRun::plan(const Queue& queue, std::span<const KernelArgument> arguments,
                       std::optional<std::int64_t> size) const {
  const Device device = queue.device();
  const DeviceProperties& properties = device.properties();
  check_precision(source_.name, source_.item_dtype, device);
  const BoundOperands bound = bind_operands(source_.name, operands_, arguments, queue);
  if (size && *size < 0) reject(source_.name + ": size is " + std::to_string(*size));
  ScanPlan plan;
  plan.size = static_cast<std::size_t>(size ? *size : size_of_pointers(source_.name, operands_, arguments));
  std::size_t widest = 0;
  for (const BoundOperand& operand : bound) {
    const auto what = [&] {
      return source_.name + ": argument '" + source_.operands[operand.argument].argument.parameter.name + "'";
    };
    std::size_t count = 1;
    for (const std::int64_t length : operand.view.shape) count *= static_cast<std::size_t>(length);
    if (!operand.contiguous && arguments[operand.argument].kind == KernelArgument::Kind::array)
      reject(what() + ": " + detail::layout_difference(*arguments[operand.argument].array));
    if (count < plan.size)
      reject(what() + " has " + std::to_string(count) + " elements, but the scan goes over " +
             std::to_string(plan.size));
    if (source_.operands[operand.argument].in_registers) widest = std::max(widest, operand.itemsize);
  }

  ScanVariant& variant = plan.variant;
  variant.strategy = tuning_.strategy;
  if (variant.strategy == ScanStrategy::automatic) {
    variant.strategy = codegen::loop_style(properties) == codegen::LoopStyle::chunks ? ScanStrategy::chunks
                       : properties.groups_start_in_order && !uses_last_             ? ScanStrategy::look_back
                                                                         : ScanStrategy::multi_pass;
  } else if (variant.strategy == ScanStrategy::look_back) {
    if (!properties.groups_start_in_order)
      reject(source_.name + ": " + device.spec() +
             " does not start work-groups in order, which look_back needs");
    if (uses_last_) reject(source_.name + ": last_item is not known to a scan that looks back");
  }
  constexpr std::size_t kMostNarrow = (std::size_t{1} << 31) - (1 << 20);
  variant.wide = plan.size > kMostNarrow;
  if (variant.strategy == ScanStrategy::multi_pass || variant.strategy == ScanStrategy::look_back)
    choose_tile(variant, widest, properties);
  if (variant.strategy == ScanStrategy::sequential) {
    variant.wide = true;
    return plan;
  }
  if (variant.strategy == ScanStrategy::chunks) {
    variant.wide = true;
    const std::size_t chunks =
        tuning_.group_size != 0
            ? tuning_.group_size
            : properties.compute_units * static_cast<std::size_t>(tuned(properties, "scan_chunks", widest,
                                                                        "chunks_per_unit", kChunksPerUnit));
    plan.parts = std::clamp<std::size_t>(plan.size / kLeastScanChunk, 1, chunks);
    return plan;
  }
  for (const BoundOperand& operand : bound)
    if (source_.operands[operand.argument].in_registers) variant.aligned &= operand.is_aligned(kPiece);
  plan.parts = divided_up(plan.size, variant.tile());
  return plan;
}

// Selections keep their results in local memory, for which their items are chosen.
std::int64_t ScanRun::tuned(const DeviceProperties& properties, const char* form, std::size_t widest,
                            const char* parameter, std::size_t otherwise) const {
  if (local_bytes_ != 0) return static_cast<std::int64_t>(otherwise);
  return tuning::value_of(
      properties, form, [&] { return std::to_string(std::max(source_.item_dtype.itemsize, widest)); },
      parameter, static_cast<std::int64_t>(otherwise));
}

void ScanRun::choose_tile(ScanVariant& variant, std::size_t widest,
                          const DeviceProperties& properties) const {
  const bool gathers = local_bytes_ != 0;
  const std::size_t item = std::max(source_.item_dtype.itemsize, widest);
  variant.items = power_of_two(std::clamp<std::size_t>(kBytesOfRun / item, 1, kMostItems));
  variant.items =
      tuning_.items != 0
          ? tuning_.items
          : static_cast<unsigned>(tuned(properties, "scan_tiles", widest, "items", variant.items));
  variant.vector = power_of_two(std::clamp<std::size_t>(kPiece / (widest != 0 ? widest : 4), 1, kPiece));
  while (variant.items % variant.vector != 0) variant.vector /= 2;
  // At least a sub-group.
  variant.group_size = std::max(
      kLeastGroup, power_of_two(std::min<std::size_t>(
                       tuning_.group_size != 0 ? tuning_.group_size
                                               : static_cast<std::size_t>(tuned(properties, "scan_tiles",
                                                                                widest, "group", kScanGroup)),
                       properties.max_work_group_size)));
  const std::size_t limit =
      std::min<std::size_t>(properties.local_memory * 2 / 3, gathers ? kMostGathered : kMostLocal);
  const auto is_too_large = [&] {
    return (gathers ? variant.tile() * local_bytes_ : codegen::scan_local_memory(source_, variant)) > limit;
  };
  while (is_too_large() && variant.group_size > 2 * kLeastGroup) variant.group_size /= 2;
  while (is_too_large() && variant.items / 2 % variant.vector == 0 && variant.items > variant.vector)
    variant.items /= 2;
  if (is_too_large()) variant.group_size = kLeastGroup;
  if (is_too_large()) variant.items = variant.vector = 1;
  if (is_too_large()) variant.strategy = ScanStrategy::chunks;
}

const ScanRun::LoneKernels& ScanRun::lone_kernels(const ScanVariant& variant) const {
  // A tuning asks for the sequential strategy or not, so the kernels are those of one strategy.
  std::call_once(lone_kernels_made_, [&] {
    lone_kernels_ = LoneKernels{kernel_(variant, "_apply"), {}};
    if (variant.strategy == ScanStrategy::chunks) lone_kernels_->reduce = kernel_(variant, "_reduce");
  });
  return *lone_kernels_;
}

Event ScanRun::launch(const ScanPlan& plan, const Queue& queue, std::span<const KernelArgument> arguments,
                      std::span<const KernelArgument> outputs, WaitList wait_for) const {
  const ScanVariant& variant = plan.variant;
  std::vector<KernelArgument> list(arguments.begin(), arguments.end());
  list.emplace_back(static_cast<std::int64_t>(plan.size));
  list.insert(list.end(), outputs.begin(), outputs.end());
  const Range tiles = range(plan.parts * variant.group_size).with_local(variant.group_size);
  const auto partials = [&](std::size_t count) { return Buffer(queue, count * source_.partial_size()); };

  switch (variant.strategy) {
    case ScanStrategy::automatic:
    case ScanStrategy::sequential:
      return lone_kernels(variant).apply.launch(queue, plan.size, range(1).with_local(1), list, wait_for);
    case ScanStrategy::chunks: {
      std::size_t chunk = divided_up(plan.size, plan.parts * streams_);
      if (streams_ > 1 && chunk > 8 * kPage) chunk += (kPage + kScanApart - chunk % kPage) % kPage;
      const std::size_t chunks = divided_up(plan.size, chunk);
      const std::size_t summed = uses_last_ ? chunks : chunks - 1;
      const Buffer sums = partials(std::max<std::size_t>(summed, 1));
      list.emplace_back(static_cast<std::int64_t>(chunk));
      list.emplace_back(sums);
      const LoneKernels& kernels = lone_kernels(variant);
      if (summed != 0) {
        kernels.reduce->launch(queue, plan.size, range(summed).with_local(1), list, wait_for);
        wait_for = {};
      }
      return kernels.apply.launch(queue, plan.size, range(plan.parts).with_local(1), list, wait_for);
    }
    case ScanStrategy::multi_pass: {
      const Buffer sums = partials(plan.parts);
      list.emplace_back(sums);
      kernel_(variant, "_reduce").launch(queue, plan.size, tiles, list, wait_for);
      const std::array<KernelArgument, 2> own = {KernelArgument(sums),
                                                 KernelArgument(static_cast<int>(plan.parts))};
      kernel_(variant, "_sums")
          .launch(queue, plan.size, range(variant.group_size).with_local(variant.group_size), own);
      return kernel_(variant, "_apply").launch(queue, plan.size, tiles, list);
    }
    case ScanStrategy::look_back:
      break;
  }
  const Buffer states(queue,
                      plan.parts * (source_.is_packed() ? sizeof(std::uint64_t) : sizeof(std::uint32_t)));
  const std::byte zero{0};
  queue.fill(states, {&zero, 1});
  list.emplace_back(states);
  const Buffer values = source_.is_packed() ? Buffer() : partials(2 * plan.parts);
  std::array<Buffer, 2> halves;
  if (!source_.is_packed()) {
    const std::size_t nbytes = plan.parts * source_.partial_size();
    halves = {values.sub_buffer(0, nbytes), values.sub_buffer(nbytes, nbytes)};
    for (const Buffer& half : halves) list.emplace_back(half);
  }
  return kernel_(variant, "_apply").launch(queue, plan.size, tiles, list, wait_for);
}

}  // namespace quern::algorithms
