// SPDX-License-Identifier: MIT
// gather and scatter: elements moved by their positions.
#include "quern/gather.hpp"

#include <string>
#include <vector>

#include "algorithms/gather.hpp"
#include "algorithms/host/gather_elements.hpp"
#include "algorithms/launch/checks.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "algorithms/launch/operands.hpp"
#include "algorithms/launch/operation.hpp"
#include "algorithms/sort_keys.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"
#include "quern/reduction.hpp"
#include "runtime/queue_state.hpp"

namespace quern {
namespace {

using namespace algorithms;

void check_positions(const char* what, const Queue& queue, const Array& positions) {
  check_vector(what, "positions", positions, queue);
  if (!is_integer(positions.dtype()) || positions.dtype().scalar == Scalar::boolean)
    reject_dtype(what, "positions", positions.dtype(), "an integer dtype");
}

std::uint64_t count_outside_by_kernel(const Queue& queue, const PositionList& positions) {
  const ReductionKernel outside(DType::of(Scalar::uint64), "0", "a + b", "(ulong)positions[i] >= n ? 1 : 0",
                                "const " + codegen::type_name(positions.dtype) + " *positions, ulong n");
  const Array list(positions.buffer, positions.dtype, {static_cast<std::int64_t>(positions.count)});
  return outside(queue, list, positions.n).to_vector<std::uint64_t>(queue)[0];
}

// Waits for the answer.
void check_range(const char* what, const Queue& queue, const Array& positions, std::size_t n) {
  if (positions.size() == 0) return;
  constexpr Operation kCountOutside(&count_outside_by_function, &count_outside_by_kernel,
                                    FunctionUse::always);
  const Buffer list = positions.elements();
  const std::uint64_t count =
      kCountOutside(queue, {list, positions.dtype(), positions.size(), n, OutOfRange::check});
  if (count != 0)
    throw ArgumentError(ArgumentError::Kind::index, std::string(what) + ": " + std::to_string(count) +
                                                        " of " + std::to_string(positions.size()) +
                                                        " positions are outside of the array's " +
                                                        std::to_string(n) + " elements");
}

Defines position_defines(const DType& position_type, OutOfRange rule) {
  return {{"INDEX", codegen::type_name(position_type)},
          {"INDEX_SIGNED", is_signed_integer(position_type) ? "1" : "0"},
          {"CLIP", rule == OutOfRange::clip ? "1" : "0"},
          {"WRAP", rule == OutOfRange::wrap ? "1" : "0"}};
}

Event gather_by_kernel(const Queue& queue, const PositionList& positions, const DType& dtype,
                       const Buffer& from, const Buffer& out) {
  const codegen::RawElementType element = codegen::raw_element_type(dtype, "element_t");
  Defines defines = position_defines(positions.dtype, positions.rule);
  defines.insert(defines.end(), {{"ELEMENT", element.name}, {"SCATTER", "0"}});
  const LibraryKernel kernel = kernel_of({"gather"}, "gather", defines, element.definition);
  const std::size_t count = positions.count;
  return kernel(queue, count, range(count), from, positions.buffer, out, positions.n, count);
}

constexpr Operation kGather(&gather_by_function, &gather_by_kernel, FunctionUse::always);

// The function of atomics.cl or of the language that combines elements of this type.
std::string combine_function(const DType& dtype, Combine combine) {
  const bool wide = dtype.itemsize == 8;
  const std::string type = wide ? "double" : "float", prefix = wide ? "atom_" : "atomic_";
  const bool is_real = is_floating_point(dtype);
  switch (combine) {
    case Combine::add:
      return is_real ? "add_to_global_" + type : prefix + "add";
    case Combine::min:
      return is_real ? "min_in_global_" + type : prefix + "min";
    case Combine::max:
      return is_real ? "max_in_global_" + type : prefix + "max";
    case Combine::bit_and:
      return prefix + "and";
    case Combine::bit_or:
      return prefix + "or";
    case Combine::bit_xor:
      return prefix + "xor";
    default:
      return prefix + "xchg";
  }
}

void check_combine(const char* what, const Queue& queue, const DType& dtype, Combine combine) {
  if (combine == Combine::set) return;
  const bool takes_floats = combine == Combine::add || combine == Combine::min || combine == Combine::max ||
                            combine == Combine::exchange;
  const bool fits = (dtype.itemsize == 4 || dtype.itemsize == 8) &&
                    (is_integer(dtype) || (takes_floats && is_floating_point(dtype)));
  if (!fits)
    reject_dtype(what, "out", dtype,
                 takes_floats ? "a number of 32 or 64 bits, which atomic functions take"
                              : "an integer of 32 or 64 bits");
  const DeviceProperties& device = queue.state()->properties();
  if (dtype.itemsize == 8 && (!device.has_int64_atomics || (is_floating_point(dtype) && !device.has_fp64)))
    throw ArgumentError(ArgumentError::Kind::value, std::string(what) + ": combining " + dtype.name() +
                                                        " takes 64-bit atomics, which " +
                                                        queue.device().spec() + " has not");
}

LibraryKernel scatter_kernel(const PositionList& positions, const DType& dtype, Combine combine) {
  const bool is_number = combine != Combine::set && combine != Combine::exchange;
  const codegen::RawElementType element = codegen::raw_element_type(dtype, "element_t");
  Defines defines = position_defines(positions.dtype, positions.rule);
  defines.insert(defines.end(), {{"ELEMENT", is_number ? codegen::type_name(dtype) : element.name},
                                 {"SCATTER", "1"},
                                 {"EXCHANGE", combine == Combine::exchange ? "1" : "0"}});
  if (combine == Combine::set) return kernel_of({"gather"}, "scatter", defines, element.definition);
  defines.emplace_back("COMBINE", combine_function(dtype, combine));
  return kernel_of({"atomics", "gather"}, "scatter", defines);
}

Event launch_scatter(const LibraryKernel& kernel, const Queue& queue, const PositionList& positions,
                     const Buffer& values, const Buffer& out, const Buffer* previous) {
  std::vector<KernelArgument> arguments = {out, positions.buffer, values};
  if (previous != nullptr) arguments.emplace_back(*previous);
  arguments.insert(arguments.end(), {positions.n, positions.count});
  return kernel.launch(queue, positions.count, range(positions.count), arguments);
}

Event scatter_by_kernel(const Queue& queue, const PositionList& positions, const DType& dtype,
                        const Buffer& values, const Buffer& out, Combine combine, const Buffer* previous) {
  return launch_scatter(scatter_kernel(positions, dtype, combine), queue, positions, values, out, previous);
}

// Scatters by atomic functions.
Event combine_elements(const Queue& queue, const PositionList& positions, const DType& dtype,
                       const Buffer& values, const Buffer& out, Combine combine, const Buffer* previous) {
  const LibraryKernel kernel = scatter_kernel(positions, dtype, combine);
  const auto launch = [&] { return launch_scatter(kernel, queue, positions, values, out, previous); };
  // Atomic functions need aligned elements. A launch of the kernel copies arrays that are not.
  if (!is_aligned(out, 0, dtype.itemsize)) return launch();
  const auto call = [&] {
    return scatter_by_function(queue, positions, dtype, values, out, combine, previous);
  };
  return kernel.choose(queue, positions.count, call, launch);
}

Event put(const char* what, const Queue& queue, const Array& out, const Array& positions, const Array& values,
          const Array* previous, Combine combine, OutOfRange rule, WaitList wait_for) {
  check_vector(what, "out", out, queue);
  check_positions(what, queue, positions);
  check_vector(what, "values", values, queue);
  check_dtype(what, "values", values, out.dtype());
  check_size(what, "values", values, positions.size());
  check_apart(what, "out", out, "positions", positions);
  check_apart(what, "out", out, "values", values);
  check_combine(what, queue, out.dtype(), combine);
  if (previous != nullptr) {
    check_vector(what, "previous", *previous, queue);
    check_dtype(what, "previous", *previous, out.dtype());
    check_size(what, "previous", *previous, positions.size());
    check_apart(what, "previous", *previous, "out", out);
    check_apart(what, "previous", *previous, "positions", positions);
    check_apart(what, "previous", *previous, "values", values, true);
  }
  if (!wait_for.empty()) queue.barrier(wait_for);
  if (rule == OutOfRange::check) check_range(what, queue, positions, out.size());
  if (positions.size() == 0 || out.size() == 0) return {};

  const Buffer to = out.elements(), at = positions.elements(), from = values.elements();
  const Buffer old = previous != nullptr ? previous->elements() : Buffer();
  const PositionList list{at, positions.dtype(), positions.size(), out.size(), rule};
  if (combine == Combine::set) {
    constexpr Operation kScatter(&scatter_by_function, &scatter_by_kernel, FunctionUse::always);
    return kScatter(queue, list, out.dtype(), from, to, combine, nullptr);
  }
  return combine_elements(queue, list, out.dtype(), from, to, combine, previous != nullptr ? &old : nullptr);
}

}  // namespace

Event algorithms::enqueue_gather(const Queue& queue, const DType& dtype, const Buffer& from,
                                 const Buffer& positions, const DType& position_type, const Buffer& out,
                                 std::size_t n) {
  return kGather(queue, {positions, position_type, n, n, OutOfRange::clip}, dtype, from, out);
}

Event gather(const Queue& queue, const Array& x, const Array& positions, const Array& out, OutOfRange rule,
             WaitList wait_for) {
  check_vector("gather", "x", x, queue);
  check_positions("gather", queue, positions);
  check_vector("gather", "out", out, queue);
  check_dtype("gather", "out", out, x.dtype());
  check_size("gather", "out", out, positions.size());
  check_apart("gather", "out", out, "x", x);
  check_apart("gather", "out", out, "positions", positions);
  if (!wait_for.empty()) queue.barrier(wait_for);
  if (rule == OutOfRange::check) check_range("gather", queue, positions, x.size());
  if (positions.size() == 0) return {};
  if (x.size() == 0) {
    if (rule != OutOfRange::drop)
      throw ArgumentError(ArgumentError::Kind::index, "gather: x has no elements to gather");
    const std::byte zero{0};
    return queue.fill(out.elements(), {&zero, 1});
  }
  const Buffer at = positions.elements();
  return kGather(queue, {at, positions.dtype(), positions.size(), x.size(), rule}, x.dtype(), x.elements(),
                 out.elements());
}

Array gather(const Queue& queue, const Array& x, const Array& positions, OutOfRange rule) {
  Array out = empty(queue, positions.shape(), x.dtype());
  gather(queue, x, positions, out, rule);
  return out;
}

Event scatter(const Queue& queue, const Array& out, const Array& positions, const Array& values,
              Combine combine, OutOfRange rule, WaitList wait_for) {
  if (combine == Combine::exchange)
    throw ArgumentError(ArgumentError::Kind::value,
                        "scatter: an exchange needs an array for what was there; see scatter_exchange");
  return put("scatter", queue, out, positions, values, nullptr, combine, rule, wait_for);
}

Event scatter_exchange(const Queue& queue, const Array& out, const Array& positions, const Array& values,
                       const Array& previous, OutOfRange rule, WaitList wait_for) {
  return put("scatter_exchange", queue, out, positions, values, &previous, Combine::exchange, rule, wait_for);
}

}  // namespace quern
