// SPDX-License-Identifier: MIT
// Cumulative sums, products, maxima and minima along an axis: by one scan over all elements where the device
// prefers that, otherwise by columns.
#include "array/cumulative.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/cumulative.hpp"
#include "algorithms/launch/policy.hpp"
#include "algorithms/launch/program_table.hpp"
#include "algorithms/scan_operator.hpp"
#include "array/build.hpp"
#include "array/fused_producer.hpp"
#include "codegen/ops.hpp"
#include "codegen/type_text.hpp"
#include "quern/scan_kernel.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using array::FusedProducer;
using codegen::type_name;

using algorithms::AxisLayout;

// An expression that the kernels compute for each element that they read.
algorithms::CumulativeInput input_of(const FusedProducer& producer, const codegen::CumulativeForm& form) {
  std::string parameters;
  producer.fused.for_each_argument([&](std::size_t k, const DType& dtype, bool is_leaf) {
    parameters += (k == 0 ? "" : ", ") + std::string(is_leaf ? "const global " : "") +
                  type_name(codegen::storage_of(dtype)) + (is_leaf ? " *x" : " x") + std::to_string(k);
  });
  algorithms::CumulativeInput input{form.definitions(producer.function, parameters, producer.call), {}};
  producer.fused.add_arguments(input.arguments);
  return input;
}

std::shared_ptr<const ScanKernel> scan_kernel(const FusedProducer& producer,
                                              const codegen::CumulativeForm& form, bool is_segmented,
                                              bool is_wide) {
  static auto* const known = new algorithms::ProgramTable<std::string, ScanKernel>;
  const codegen::ScanOperator op = codegen::scan_operator(form.item, form.operation);
  std::string key = producer.key;
  for (const std::string& part : {op.expression, form.item.name(), form.result.name()}) key += part + "/";
  key += is_segmented ? is_wide ? "long" : "int" : "one";
  return known->get(key, [&] {
    ScanSnippets snippets;
    snippets.arguments = producer.arguments + ", " + type_name(form.result) + " *out";
    snippets.input_expr = producer.call;
    snippets.scan_expr = op.expression;
    snippets.output_statement = "out[i] = item";
    snippets.neutral = op.neutral;
    if (is_segmented) {
      const std::string type = is_wide ? "ulong" : "uint";
      snippets.arguments += ", " + type + " length";
      snippets.is_segment_start_expr = "(" + type + ")i % length == 0";
    }
    snippets.commutative = codegen::kind_of(form.item) != codegen::Kinds::complex;
    return std::make_shared<ScanKernel>(form.item, std::move(snippets),
                                        GeneratorOptions{"cumulative", producer.function, {}});
  });
}

void scan_rows(const Queue& queue, const Array& input, const Array& out, const AxisLayout& layout,
               const codegen::CumulativeForm& form) {
  const FusedProducer producer(input, form.item, false, queue);
  const bool is_segmented = layout.outer > 1, is_wide = layout.size() > (std::size_t{1} << 31);
  std::vector<KernelArgument> arguments;
  producer.fused.add_arguments(arguments);
  arguments.emplace_back(out);
  if (is_segmented && is_wide) arguments.emplace_back(static_cast<std::uint64_t>(layout.length));
  if (is_segmented && !is_wide) arguments.emplace_back(static_cast<std::uint32_t>(layout.length));
  scan_kernel(producer, form, is_segmented, is_wide)
      ->launch(queue, arguments, static_cast<std::int64_t>(layout.size()));
}

// The same of elements in memory, by kernels that are part of the library.
void accumulate_stored(const Queue& queue, const Array& input, const Array& out, const AxisLayout& layout,
                       const codegen::CumulativeForm& form) {
  const bool is_row = layout.outer == 1 && layout.inner == 1 && form.item == form.result;
  const bool is_in_library =
      codegen::ScanForm{input.dtype(), form.result, form.operation, false, {}, {}}.is_in_library();
  const Array items =
      as_contiguous(is_row && is_in_library ? input : astype(input, form.item, &queue), &queue);
  if (is_row) {
    const auto row = [&](const Array& array) {
      if (array.shape().size() == 1) return array;
      return Array(array.elements(), array.dtype(), {static_cast<std::int64_t>(layout.length)});
    };
    scan(queue, row(items), row(out), {form.operation});
  } else {
    algorithms::accumulate(queue, form, {{}, {KernelArgument(items)}}, layout, out);
  }
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
  if (result.scalar == Scalar::bfloat16 ||
      (result.scalar == Scalar::float16 && !user.device().properties().has_fp16)) {
    // The device computes in float32, and only converts to the result's dtype.
    CumulativeOptions wide = options;
    const DType computed = DType::of(Scalar::float32);
    if (!is_order) wide.dtype = computed;
    const Array input = is_order ? astype(array, computed, &user) : array;
    return astype(accumulate_elements(operation, input, wide, &user), result, &user);
  }
  const DType item = result.scalar == Scalar::float16 && !is_order ? DType::of(Scalar::float32) : result;
  algorithms::check_operation("cumulative", item, operation);
  const codegen::CumulativeForm form{item, result, operation};

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
  if (layout.size() != 0 && algorithms::avoids_compiling(user, layout.size())) {
    accumulate_stored(user, input, out, layout, form);
  } else if (layout.size() != 0) {
    input = array::as_contiguous_expression(input, user);
    if (algorithms::prefers_scan(user, layout)) {
      scan_rows(user, input, out, layout, form);
    } else {
      const FusedProducer producer(input, form.item, false, user);
      algorithms::accumulate(user, form, input_of(producer, form), layout, out);
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
