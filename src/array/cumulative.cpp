// SPDX-License-Identifier: MIT
// Cumulative sums, products, maxima and minima along an axis. The last axis uses a segmented scan, other axes
// are accumulated by columns.
#include "array/cumulative.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/host/precompiled_kernel.hpp"
#include "algorithms/host/scan_loops.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "algorithms/scan_operator.hpp"
#include "array/build.hpp"
#include "array/fused_producer.hpp"
#include "array/program_table.hpp"
#include "codegen/loop.hpp"
#include "codegen/ops.hpp"
#include "codegen/type_text.hpp"
#include "quern/scan_kernel.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using algorithms::ScanOperator;
using array::FusedProducer;
using codegen::type_name;

// The number of elements of the axes before the accumulated one, of that axis, and of the axes behind it.
struct AxisLayout {
  std::size_t outer = 1, length = 1, inner = 1;
  [[nodiscard]] std::size_t size() const { return outer * length * inner; }
};

// The types and the operator of a scan.
struct Work {
  DType item, result;
  ScanOperator op;
};

constexpr std::size_t kStrip = 512;                       // columns that one core accumulates together
constexpr std::size_t kWorkItems = std::size_t{1} << 17;  // enough to keep a large GPU busy
constexpr std::size_t kLeastChunk = 32;  // the fewest elements of a chunk that are worth a total
constexpr std::size_t kLeastOfCore = std::size_t{1} << 14;

std::string definitions_of(const FusedProducer& producer, const Work& work) {
  std::string parameters;
  producer.fused.for_each_argument([&](std::size_t k, const DType& dtype, bool is_leaf) {
    parameters += (k == 0 ? "" : ", ") + std::string(is_leaf ? "const global " : "") +
                  type_name(codegen::storage_of(dtype)) + (is_leaf ? " *x" : " x") + std::to_string(k);
  });
  const std::string item = type_name(work.item);
  return producer.function + "#define PARAMETERS " + parameters + "\n#define LOAD(i) " + producer.call +
         "\ninline " + item + " combine(" + item + " a, " + item + " b) {\n  return " + work.op.expression +
         ";\n}\n";
}

// Accumulates by columns. If there are too few columns, the axis is divided into chunks.
void accumulate(const Queue& queue, const Array& input, const Array& out, const AxisLayout& layout,
                const Work& work) {
  const FusedProducer producer(input, work.item, false, queue);
  const Device device = queue.device();
  const bool is_cpu = codegen::loop_style(device.properties()) == codegen::LoopStyle::chunks;
  const std::size_t strip = is_cpu && layout.inner > 1 ? kStrip : 1;
  const std::size_t strips = (layout.inner + strip - 1) / strip;
  const std::size_t lanes = layout.outer * strips;
  const std::size_t wanted = is_cpu ? std::size_t{4} * device.properties().compute_units : kWorkItems;
  const std::size_t least =
      is_cpu ? std::max<std::size_t>(kLeastOfCore / std::min(strip, layout.inner), 1) : kLeastChunk;
  std::size_t chunks = lanes * 2 > wanted ? 1 : std::min(wanted / lanes, layout.length / least);
  chunks = std::max<std::size_t>(chunks, 1);
  const std::size_t chunk = (layout.length + chunks - 1) / chunks;
  chunks = (layout.length + chunk - 1) / chunk;

  const std::string definitions = definitions_of(producer, work);
  const algorithms::Defines defines = {{"ITEM", type_name(work.item)},
                                       {"OUT", type_name(work.result)},
                                       {"NEUTRAL", work.op.neutral},
                                       {"STRIP", std::to_string(strip)}};
  const auto kernel = [&](const char* name) {
    return algorithms::kernel_of({"cumulative"}, name, defines, definitions);
  };
  const std::size_t count = lanes * chunks;
  const std::size_t group = 256;
  const Range all = strip > 1 ? range(count).with_local(1)
                    : is_cpu  ? range(count)
                              : range((count + group - 1) / group * group).with_local(group);
  const auto lengths = [&](std::vector<KernelArgument>& arguments) {
    for (const std::size_t one : {layout.length, layout.inner, chunk, chunks, strip > 1 ? strips : count})
      arguments.emplace_back(static_cast<std::uint64_t>(one));
  };
  Array before = empty(queue, {1}, work.item);  // the value before each chunk
  if (chunks > 1) {
    const Shape shape = {static_cast<std::int64_t>(layout.outer), static_cast<std::int64_t>(chunks),
                         static_cast<std::int64_t>(layout.inner)};
    const Array totals = empty(queue, shape, work.item);
    std::vector<KernelArgument> arguments;
    producer.fused.add_arguments(arguments);
    const Buffer to = totals.elements();  // arguments borrow
    arguments.emplace_back(to);
    lengths(arguments);
    kernel("totals").launch(queue, all, arguments);
    before = empty(queue, shape, work.item);
    accumulate(queue, totals, before, {layout.outer, chunks, layout.inner}, {work.item, work.item, work.op});
  }
  std::vector<KernelArgument> arguments;
  producer.fused.add_arguments(arguments);
  const Buffer to = out.elements(), from = before.elements();
  arguments.emplace_back(to);
  arguments.emplace_back(from);
  lengths(arguments);
  kernel("accumulate").launch(queue, all, arguments);
}

std::shared_ptr<const ScanKernel> scan_kernel(const FusedProducer& producer, const Work& work,
                                              bool is_segmented, bool is_wide) {
  static auto* const known = new array::ProgramTable<std::string, ScanKernel>;
  std::string key = producer.key;
  for (const std::string& part : {work.op.expression, work.item.name(), work.result.name()})
    key += part + "/";
  key += is_segmented ? is_wide ? "long" : "int" : "one";
  return known->get(key, [&] {
    ScanSnippets snippets;
    snippets.arguments = producer.arguments + ", " + type_name(work.result) + " *out";
    snippets.input_expr = producer.call;
    snippets.scan_expr = work.op.expression;
    snippets.output_statement = "out[i] = item";
    snippets.neutral = work.op.neutral;
    if (is_segmented) {
      const std::string type = is_wide ? "ulong" : "uint";
      snippets.arguments += ", " + type + " length";
      snippets.is_segment_start_expr = "(" + type + ")i % length == 0";
    }
    snippets.commutative = codegen::kind_of(work.item) != codegen::Kinds::complex;
    return std::make_shared<ScanKernel>(work.item, std::move(snippets),
                                        GeneratorOptions{"cumulative", producer.function, {}});
  });
}

void scan_rows(const Queue& queue, const Array& input, const Array& out, const AxisLayout& layout,
               const Work& work) {
  const FusedProducer producer(input, work.item, false, queue);
  const bool is_segmented = layout.outer > 1, is_wide = layout.size() > (std::size_t{1} << 31);
  std::vector<KernelArgument> arguments;
  producer.fused.add_arguments(arguments);
  arguments.emplace_back(out);
  if (is_segmented && is_wide) arguments.emplace_back(static_cast<std::uint64_t>(layout.length));
  if (is_segmented && !is_wide) arguments.emplace_back(static_cast<std::uint32_t>(layout.length));
  scan_kernel(producer, work, is_segmented, is_wide)
      ->launch(queue, arguments, static_cast<std::int64_t>(layout.size()));
}

Number neutral_of(ScanOperation operation) {
  return operation == ScanOperation::product ? Number(1) : Number(0);
}

}  // namespace

Array array::accumulate_elements(ScanOperation operation, const Array& array,
                                 const CumulativeOptions& options, const Queue* queue) {
  static_cast<void>(codegen::kind_of(array.dtype()));
  const Operand operand = array;
  const Queue user = array::queue_of({&operand, 1}, queue);
  array::check_place({&operand, 1}, user, "cumulative");
  const bool is_order = operation == ScanOperation::maximum || operation == ScanOperation::minimum;
  if (is_order && (options.dtype || options.include_initial)) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "cumulative maxima and minima take neither dtype nor include_initial");
  }
  const DType result = options.dtype.value_or(scan_dtype(array.dtype(), operation));
  static_cast<void>(codegen::kind_of(result));
  const DType item = result.scalar == Scalar::float16 && !is_order ? DType::of(Scalar::float32) : result;
  const Work work = {item, result, algorithms::scan_operator("cumulative", item, operation)};

  const std::size_t rank = array.shape().size();
  const std::size_t axis = options.axis ? checked_axis(*options.axis, std::max<std::size_t>(rank, 1)) : 0;
  // Without an axis all elements in C order are one axis. A 0-d array is an array of one element.
  Array input = array;
  if (!options.axis || rank == 0) input = rank == 1 ? array : reshape(array, {-1}, &user);
  AxisLayout layout;
  for (std::size_t d = 0; d < input.shape().size(); ++d) {
    const auto length = static_cast<std::size_t>(input.shape()[d]);
    (d < axis ? layout.outer : d == axis ? layout.length : layout.inner) *= length;
  }
  const Array out = empty(user, input.shape(), result);
  if (layout.size() != 0 && algorithms::prefers_precompiled(user, layout.size())) {
    algorithms::accumulate_by_loops(user, as_contiguous(astype(input, item, &user), &user), out,
                                    {layout.outer, layout.length, layout.inner}, operation);
  } else if (layout.size() != 0) {
    input = array::as_contiguous_expression(input, user);
    const bool is_cpu = codegen::loop_style(user.device().properties()) == codegen::LoopStyle::chunks;
    if (layout.inner == 1 && (layout.outer == 1 || !is_cpu)) {
      scan_rows(user, input, out, layout, work);
    } else {
      accumulate(user, input, out, layout, work);
    }
  }
  if (!options.include_initial) return out;
  Shape longer = out.shape();
  ++longer[axis];
  Array whole = empty(user, longer, result);
  std::vector<Index> first(axis + 1, Index::slice()), rest = first;
  first[axis] = Index::slice(0, 1);
  rest[axis] = Index::slice(1);
  assign(view(whole, first), neutral_of(operation), &user);
  assign(view(whole, rest), out, &user);
  return whole;
}

}  // namespace quern
