// SPDX-License-Identifier: MIT
// ReductionKernel: chooses how the elements of a call are shared out, and reduces the parts in a second pass.
#include "quern/reduction.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "algorithms/generated_kernels.hpp"
#include "algorithms/operands.hpp"
#include "base/arithmetic.hpp"
#include "codegen/emit_reduction.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"

namespace quern {
namespace {

using algorithms::BoundOperand;
using codegen::IndexSpace;
using codegen::Inner;
using codegen::LoopStyle;
using codegen::Placement;
using codegen::ReductionScheme;
using codegen::ReductionVariant;

// One pass over the operands.
struct Pass {
  std::vector<BoundOperand> bound;
  IndexSpace reduced, kept;
  ReductionVariant variant;
  std::int64_t outputs = 1, total = 1, segments = 1, chunk = 0;
};

// Fewer elements than this are not worth a work-group of their own.
constexpr std::int64_t kShortRow = 32;

}  // namespace

namespace detail {

class ReductionState {
 public:
  ReductionState(const DType& dtype_, std::string type, const std::string& neutral,
                 const std::string& reduce_expr, const std::string& map_expr, const std::string& arguments,
                 GeneratorOptions options)
      : dtype(dtype_),
        source{options.name.empty() ? "reduction_kernel" : options.name,
               options.preamble,
               type,
               dtype_.itemsize,
               dtype_.scalar != Scalar::structure && dtype_.lanes == 1,
               neutral,
               reduce_expr,
               {},
               codegen::Snippet(map_expr, codegen::Snippet::Form::indexed, "map_expr")},
        // The second pass reduces what the first one left.
        parts{source.name + "_parts",
              source.preamble,
              source.item,
              source.item_size,
              source.is_number,
              source.neutral,
              source.reduce,
              {},
              codegen::Snippet("quern_part[i]", codegen::Snippet::Form::indexed, "map_expr")},
        kernels(source.name, options.options) {
    (void)codegen::Snippet(reduce_expr, codegen::Snippet::Form::named, "reduce_expr");
    (void)codegen::Snippet(neutral, codegen::Snippet::Form::named, "neutral");
    constexpr std::array<std::string_view, 1> kReserved = {"i"};
    const codegen::Preamble preamble = algorithms::preamble_of(options);
    const std::vector<codegen::Argument> declared = codegen::parse_arguments(arguments, preamble, kReserved);
    source.operands =
        codegen::operands_of(declared, {&source.map}, preamble, codegen::Snippet::Form::indexed);
    for (const codegen::Operand& operand : source.operands) {
      if (operand.use.writes) {
        throw ArgumentError(ArgumentError::Kind::value,
                            "map_expr writes the element of '" + operand.argument.parameter.name + "'");
      }
    }
    parts.operands =
        codegen::operands_of(codegen::parse_arguments("const " + type + " *quern_part", preamble),
                             {&parts.map}, preamble, codegen::Snippet::Form::indexed);
    signature.name = source.name;
    for (const codegen::Argument& argument : declared) signature.parameters.push_back(argument.parameter);
  }

  void plan(const codegen::ReductionSource& text, Pass& pass, const Queue& queue) const;
  Event run(const codegen::ReductionSource& text, Pass pass, const Queue& queue,
            std::span<const KernelArgument> arguments, const Array& out,
            const std::optional<IndexRange>& range, WaitList wait_for) const;

  DType dtype;
  codegen::ReductionSource source, parts;
  algorithms::GeneratedKernels kernels;
  Signature signature;
};

}  // namespace detail

namespace {

// How each operand is found, and along which loop its neighbours lie.
void choose_layouts(Pass& pass, const codegen::ReductionSource& text, const DeviceProperties& device) {
  ReductionVariant& variant = pass.variant;
  const bool rows = variant.scheme == ReductionScheme::rows;
  std::int64_t reach = std::max({pass.total * pass.outputs, pass.reduced.reach(), pass.kept.reach()});
  variant.operands.assign(text.operands.size(), {});
  for (std::size_t b = 0; b < pass.bound.size(); ++b) {
    const BoundOperand& operand = pass.bound[b];
    codegen::OperandLayout layout = algorithms::layout_of(
        operand, rows || variant.kept_rank == 0 ? pass.reduced.strides[b] : pass.kept.strides[b],
        variant.reduced_rank + variant.kept_rank, device);
    if (variant.kept_rank != 0) layout.placement = Placement::strided;
    variant.operands[operand.argument] = layout;
    std::int64_t far = static_cast<std::int64_t>(operand.offset / operand.itemsize);
    for (const IndexSpace* space : {&pass.reduced, &pass.kept})
      for (std::size_t d = 0; d < space->rank(); ++d)
        far += std::abs(space->strides[b][d]) * std::max<std::int64_t>(space->lengths[d] - 1, 0);
    reach = std::max(reach, far);
  }
  constexpr std::int64_t kMostNarrow = (std::int64_t{1} << 31) - (1 << 22);
  variant.wide = variant.style == LoopStyle::chunks || variant.ranged || reach > kMostNarrow;
  if (variant.style != LoopStyle::grid || variant.ranged || pass.bound.empty() ||
      (rows && variant.reduced_rank > 1))
    return;

  // Vector loads need every row, or every column block, to start aligned.
  codegen::LoopVariant loop;
  loop.operands = variant.operands;
  loop.rank = variant.kept_rank == 0 ? 1 : 2;
  const IndexSpace& inner = rows || variant.kept_rank == 0 ? pass.reduced : pass.kept;
  const IndexSpace& outer = rows || variant.kept_rank == 0 ? pass.kept : pass.reduced;
  IndexSpace all = inner;
  for (std::size_t d = 0; d < outer.rank() && variant.kept_rank != 0; ++d) {
    all.lengths.push_back(outer.lengths[d]);
    for (std::size_t b = 0; b < pass.bound.size(); ++b) all.strides[b].push_back(outer.strides[b][d]);
  }
  if (rows) all.lengths[0] = 16;  // a row's last elements are taken one by one
  variant.vector = static_cast<std::uint8_t>(algorithms::vector_width(text.operands, pass.bound, all, loop));
}

// The largest power of two up to `wanted` that the device allows of work-items that need so many bytes of
// local memory each.
std::uint16_t group_size(const DeviceProperties& device, std::size_t wanted, std::size_t local_bytes) {
  std::size_t most = std::min(wanted, device.max_work_group_size);
  if (local_bytes != 0) most = std::min(most, device.local_memory / local_bytes);
  return static_cast<std::uint16_t>(std::bit_floor(std::max<std::size_t>(most, 1)));
}

// How many work-items share a result, and how many parts it is reduced in.
void share_out(Pass& pass, std::size_t item_size, const DeviceProperties& device) {
  ReductionVariant& variant = pass.variant;
  const std::int64_t units = device.compute_units;
  if (variant.style == LoopStyle::chunks) {
    const std::int64_t block = variant.scheme == ReductionScheme::columns && variant.kept_rank == 1
                                   ? codegen::columns_of_block(item_size)
                                   : 1;
    const std::int64_t items = divided_up(pass.outputs, block);
    // A few for each core even out what the cores do besides; short ones are not worth it.
    constexpr std::int64_t kWorthSharing = 1 << 13;
    pass.segments = std::clamp<std::int64_t>(divided_up(units * 4, items), 1,
                                             std::max<std::int64_t>(pass.total * block / kWorthSharing, 1));
    pass.chunk = rounded_up(divided_up(pass.total, pass.segments), 64);
  } else if (variant.scheme == ReductionScheme::rows) {
    const auto wanted =
        static_cast<std::uint64_t>(std::max<std::int64_t>(pass.total / (2 * variant.vector), 1));
    variant.group = group_size(device, 256, item_size);
    variant.lanes = static_cast<std::uint16_t>(
        std::min<std::uint64_t>(std::max<std::uint64_t>(std::bit_ceil(wanted), 16), variant.group));
    const std::int64_t groups = divided_up(pass.outputs, variant.group / variant.lanes);
    const std::int64_t step = std::int64_t{variant.lanes} * variant.vector;
    pass.segments =
        std::clamp<std::int64_t>(units * 8 / groups, 1, std::max<std::int64_t>(pass.total / (step * 8), 1));
    pass.chunk = rounded_up(divided_up(pass.total, pass.segments), step);
  } else {
    variant.group = group_size(device, 128, 0);
    const std::int64_t items = divided_up(pass.outputs, variant.vector);
    pass.segments =
        std::clamp<std::int64_t>(units * 2048 / items, 1, std::clamp<std::int64_t>(pass.total / 32, 1, 4096));
    pass.chunk = divided_up(pass.total, pass.segments);
  }
  pass.chunk = std::max<std::int64_t>(pass.chunk, 1);
  pass.segments = std::max<std::int64_t>(divided_up(pass.total, pass.chunk), 1);
}

Range launch_range(const Pass& pass, std::size_t item_size, const DeviceProperties& device) {
  const ReductionVariant& variant = pass.variant;
  const auto outputs = static_cast<std::size_t>(pass.outputs),
             segments = static_cast<std::size_t>(pass.segments);
  const std::size_t group = variant.group;
  if (variant.style == LoopStyle::grid) {
    if (variant.scheme == ReductionScheme::rows) {
      const std::size_t rows = group / variant.lanes;
      return range(divided_up(outputs, rows) * segments * group).with_local(group);
    }
    const std::size_t items = (outputs + variant.vector - 1) / variant.vector;
    return range(rounded_up(items, group), segments).with_local(group, 1);
  }
  if (variant.scheme == ReductionScheme::rows) {
    const std::size_t items = outputs * segments;
    if (device.non_uniform_groups || items < 64)
      return range(items).with_local(items < 4096 ? 1 : std::min<std::size_t>(items, 64));
    return range((items + 63) / 64 * 64).with_local(64);
  }
  const std::size_t block = variant.kept_rank == 1 ? codegen::columns_of_block(item_size) : 1;
  const std::size_t items = (outputs + block - 1) / block;
  if (items < 64) return range(items, segments).with_local(1, 1);
  return range(device.non_uniform_groups ? items : (items + 63) / 64 * 64, segments)
      .with_local(block > 1 ? 1 : 64, 1);
}

}  // namespace

// How the pass is done: which loops, by how many work-items, in how many parts.
void detail::ReductionState::plan(const codegen::ReductionSource& text, Pass& pass,
                                  const Queue& queue) const {
  const Device device = queue.device();
  const DeviceProperties& properties = device.properties();
  algorithms::check_precision(text.name, dtype, device);
  ReductionVariant& variant = pass.variant;
  variant.style = codegen::loop_style(properties);
  variant.reduced_rank = static_cast<std::uint8_t>(pass.reduced.rank());
  variant.kept_rank = static_cast<std::uint8_t>(pass.outputs == 1 ? 0 : pass.kept.rank());
  pass.total = pass.reduced.size();
  // Neighbours are read by neighbouring work-items: along the kept loop where that has the smaller steps.
  bool columns = variant.kept_rank > 0;
  if (columns) {
    std::int64_t along_kept = 0, along_reduced = 0;
    for (std::size_t b = 0; b < pass.bound.size(); ++b) {
      along_kept += std::abs(pass.kept.strides[b][0]);
      along_reduced += std::abs(pass.reduced.strides[b][0]);
    }
    columns = along_kept < along_reduced || pass.bound.empty() ||
              (variant.style == LoopStyle::grid && pass.total < kShortRow);
  }
  variant.scheme = columns ? ReductionScheme::columns : ReductionScheme::rows;
  choose_layouts(pass, text, properties);
  share_out(pass, dtype.itemsize, properties);
}

Event detail::ReductionState::run(const codegen::ReductionSource& text, Pass pass, const Queue& queue,
                                  std::span<const KernelArgument> arguments, const Array& out,
                                  const std::optional<IndexRange>& range, WaitList wait_for) const {
  plan(text, pass, queue);
  const ReductionVariant& variant = pass.variant;
  const bool columns = variant.scheme == ReductionScheme::columns;
  const bool direct = pass.segments == 1;
  const Array target = direct ? out : empty(queue, {pass.segments * pass.outputs}, dtype);
  algorithms::LoopArguments list(arguments, pass.bound, variant.operands);
  list.add(target.elements());
  for (const std::int64_t value : {pass.outputs, pass.segments, pass.chunk, pass.total}) list.add(value);
  if (range) list.add(range->start), list.add(range->step);
  for (unsigned d = 0; d < variant.reduced_rank; ++d) list.add(pass.reduced.lengths[d]);
  for (unsigned d = 0; d < variant.kept_rank; ++d) list.add(pass.kept.lengths[d]);
  for (std::size_t b = 0; b < pass.bound.size(); ++b) {
    if (variant.operands[pass.bound[b].argument].placement != Placement::strided) continue;
    list.add(static_cast<std::int64_t>(pass.bound[b].offset / pass.bound[b].itemsize));
    for (unsigned d = 0; d < variant.reduced_rank; ++d) list.add(pass.reduced.strides[b][d]);
    for (unsigned d = 0; d < variant.kept_rank; ++d) list.add(pass.kept.strides[b][d]);
  }
  const Kernel kernel = kernels.get(text.name + variant.key(), codegen::symbol_of(text.name),
                                    [&] { return codegen::emit_reduction(text, variant); });
  Event event = kernel.launch(queue, launch_range(pass, dtype.itemsize, queue.device().properties()),
                              list.list(), wait_for);
  if (direct) return event;

  // Rows left the parts of a result side by side, columns one above the other.
  Pass next;
  const codegen::View view = columns ? codegen::View{{pass.segments, pass.outputs}, {pass.outputs, 1}}
                                     : codegen::View{{pass.outputs, pass.segments}, {pass.segments, 1}};
  const std::vector<KernelArgument> part = {KernelArgument(target)};
  next.bound = algorithms::bind_operands(parts.name, parts.operands, part, queue);
  next.bound[0].view = view;
  next.reduced = codegen::index_space(view.shape, {&view, 1}, {columns, !columns});
  next.kept = codegen::index_space(view.shape, {&view, 1}, {!columns, columns});
  next.outputs = pass.outputs;
  return run(parts, std::move(next), queue, part, out, {}, {});
}

namespace {

// An expression that was ended like a statement.
std::string without_semicolon(std::string text) {
  const std::size_t last = text.find_last_not_of(" \t\n");
  if (last != text.npos && text[last] == ';') text.resize(last);
  return text;
}

// Which axes of `rank` are reduced.
std::vector<bool> reduced_axes(const std::optional<std::vector<int>>& axes, std::size_t rank,
                               const std::string& name) {
  if (!axes) return std::vector<bool>(rank, true);
  std::vector<bool> result(rank, false);
  for (const int axis : *axes) {
    const int at = axis < 0 ? axis + static_cast<int>(rank) : axis;
    if (at < 0 || at >= static_cast<int>(rank)) {
      throw ArgumentError(ArgumentError::Kind::value, name + ": axis " + std::to_string(axis) +
                                                          " is out of bounds for arrays of " +
                                                          std::to_string(rank) + " dimensions");
    }
    if (result[static_cast<std::size_t>(at)])
      throw ArgumentError(ArgumentError::Kind::value,
                          name + ": axis " + std::to_string(axis) + " is given twice");
    result[static_cast<std::size_t>(at)] = true;
  }
  return result;
}

// The pass over the user's operands, and the shape of its result.
std::pair<Pass, Shape> first_pass(const detail::ReductionState& state, const Queue& queue,
                                  std::span<const KernelArgument> arguments,
                                  const ReductionKernel::Over& over) {
  const codegen::ReductionSource& source = state.source;
  Pass pass;
  pass.bound = algorithms::bind_operands(source.name, source.operands, arguments, queue);
  if (over.range) {
    if (over.axes)
      throw ArgumentError(ArgumentError::Kind::value, source.name + ": takes axes or a range, not both");
    pass.reduced = algorithms::ranged_space(source.name, pass.bound, *over.range);
    pass.kept = codegen::index_space({}, std::vector<codegen::View>(pass.bound.size()));
    pass.variant.ranged = true;
    return {std::move(pass), {}};
  }
  if (pass.bound.empty()) {
    if (over.axes) throw ArgumentError(ArgumentError::Kind::value, source.name + ": no operand has axes");
    pass.reduced.lengths = {algorithms::size_of_pointers(source.name, source.operands, arguments)};
    pass.kept.lengths = {1};
    return {std::move(pass), {}};
  }
  std::vector<codegen::View> views;
  for (const BoundOperand& operand : pass.bound) views.push_back(operand.view);
  const codegen::Lengths shape = codegen::broadcast_shapes(views, source.name);
  const std::vector<bool> reduced = reduced_axes(over.axes, shape.size(), source.name);
  std::vector<bool> kept(reduced.size());
  Shape result;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    kept[d] = !reduced[d];
    if (kept[d]) pass.outputs *= shape[d];
    if (kept[d] || over.keepdims) result.push_back(kept[d] ? shape[d] : 1);
  }
  pass.reduced = codegen::index_space(shape, views, reduced);
  pass.kept = codegen::index_space(shape, views, kept);
  return {std::move(pass), std::move(result)};
}

}  // namespace

ReductionKernel::ReductionKernel(const DType& dtype, const std::string& neutral,
                                 const std::string& reduce_expr, const std::string& map_expr,
                                 const std::string& arguments, GeneratorOptions options,
                                 const std::string& type_name) {
  std::string type = type_name;
  if (type.empty() && dtype.scalar == Scalar::structure) {
    type = "item_t";
    options.preamble =
        codegen::struct_definition(dtype, type) + "typedef struct item_t item_t;\n" + options.preamble;
  }
  if (type.empty()) type = codegen::type_name(dtype);
  state_ = std::make_shared<detail::ReductionState>(
      dtype, type, neutral, reduce_expr, map_expr.empty() ? "x[i]" : without_semicolon(map_expr),
      arguments.empty() ? "const " + type + " *x" : arguments, std::move(options));
}

ReductionKernel::ReductionKernel(const std::string& type_name, const std::string& neutral,
                                 const std::string& reduce_expr, const std::string& map_expr,
                                 const std::string& arguments, GeneratorOptions options)
    : ReductionKernel(codegen::type_called(type_name, algorithms::preamble_of(options)), neutral, reduce_expr,
                      map_expr, arguments, options, type_name) {}

const std::string& ReductionKernel::name() const noexcept {
  return state_->source.name;
}

const DType& ReductionKernel::dtype() const noexcept {
  return state_->dtype;
}

const Signature& ReductionKernel::signature() const noexcept {
  return state_->signature;
}

std::string ReductionKernel::source(const Queue& queue, std::span<const KernelArgument> arguments,
                                    const Over& over) const {
  auto [pass, shape] = first_pass(*state_, queue, arguments, over);
  state_->plan(state_->source, pass, queue);
  return codegen::emit_reduction(state_->source, pass.variant);
}

Array ReductionKernel::launch(const Queue& queue, std::span<const KernelArgument> arguments, const Over& over,
                              WaitList wait_for) const {
  auto [pass, shape] = first_pass(*state_, queue, arguments, over);
  Array out = empty(queue, std::move(shape), state_->dtype);
  if (out.size() > 0)
    state_->run(state_->source, std::move(pass), queue, arguments, out, over.range, wait_for);
  return out;
}

Event ReductionKernel::launch_into(const Array& out, const Queue& queue,
                                   std::span<const KernelArgument> arguments, const Over& over,
                                   WaitList wait_for) const {
  auto [pass, shape] = first_pass(*state_, queue, arguments, over);
  if (!(out.dtype() == state_->dtype) || out.shape() != shape || !out.contiguous()) {
    throw ArgumentError(ArgumentError::Kind::value, "out: expected a contiguous array of " +
                                                        state_->dtype.name() + " in the shape of the result");
  }
  if (out.size() == 0) return wait_for.empty() ? Event() : queue.barrier(wait_for);
  return state_->run(state_->source, std::move(pass), queue, arguments, out, over.range, wait_for);
}

}  // namespace quern
