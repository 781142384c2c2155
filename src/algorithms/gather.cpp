// SPDX-License-Identifier: MIT
// gather and scatter: elements moved by their positions.
#include "quern/gather.hpp"

#include <string>
#include <vector>

#include "algorithms/gather.hpp"
#include "algorithms/host/gather_elements.hpp"
#include "algorithms/launch/checks.hpp"
#include "algorithms/launch/function_use.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "algorithms/launch/operands.hpp"
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

// Waits for the answer.
void check_range(const char* what, const Queue& queue, const Array& positions, std::size_t n) {
  if (positions.size() == 0) return;
  std::uint64_t count = 0;
  if (calls_functions(queue)) {
    count = count_outside(queue,
                          {positions.elements(), positions.dtype(), positions.size(), n, OutOfRange::check});
  } else {
    const ReductionKernel outside(DType::of(Scalar::uint64), "0", "a + b", "(ulong)positions[i] >= n ? 1 : 0",
                                  "const " + codegen::type_name(positions.dtype()) + " *positions, ulong n");
    count = outside(queue, positions, n).to_vector<std::uint64_t>(queue)[0];
  }
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

Event gather_elements(const Queue& queue, const DType& dtype, const Buffer& from, std::size_t n,
                      const Buffer& positions, const DType& position_type, OutOfRange rule, const Buffer& out,
                      std::size_t count) {
  if (calls_functions(queue))
    return gather_by_function(queue, {positions, position_type, count, n, rule}, dtype, from, out);
  const codegen::RawElementType element = codegen::raw_element_type(dtype, "element_t");
  Defines defines = position_defines(position_type, rule);
  defines.insert(defines.end(), {{"ELEMENT", element.name}, {"SCATTER", "0"}});
  const LibraryKernel kernel = kernel_of({"gather"}, "gather", defines, element.definition);
  return kernel(queue, count, range(count), from, positions, out, n, count);
}

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
  const auto scatter_here = [&] {
    return scatter_by_function(queue, {at, positions.dtype(), positions.size(), out.size(), rule},
                               out.dtype(), from, to, combine, previous != nullptr ? &old : nullptr);
  };
  if (combine == Combine::set && calls_functions(queue)) return scatter_here();

  const bool is_number = combine != Combine::set && combine != Combine::exchange;
  const codegen::RawElementType element = codegen::raw_element_type(out.dtype(), "element_t");
  Defines defines = position_defines(positions.dtype(), rule);
  defines.insert(defines.end(), {{"ELEMENT", is_number ? codegen::type_name(out.dtype()) : element.name},
                                 {"SCATTER", "1"},
                                 {"EXCHANGE", combine == Combine::exchange ? "1" : "0"}});
  if (combine != Combine::set) defines.emplace_back("COMBINE", combine_function(out.dtype(), combine));
  const LibraryKernel kernel = combine == Combine::set
                                   ? kernel_of({"gather"}, "scatter", defines, element.definition)
                                   : kernel_of({"atomics", "gather"}, "scatter", defines);
  // Atomic functions need aligned elements. A launch of the kernel copies arrays that are not.
  if (is_aligned(to, 0, out.dtype().itemsize) && kernel.prefers_function(queue, positions.size()))
    return scatter_here();
  std::vector<KernelArgument> arguments = {to, at, from};
  if (previous != nullptr) arguments.emplace_back(old);
  arguments.insert(arguments.end(), {out.size(), positions.size()});
  return kernel.launch(queue, positions.size(), range(positions.size()), arguments);
}

}  // namespace

Event algorithms::enqueue_gather(const Queue& queue, const DType& dtype, const Buffer& from,
                                 const Buffer& positions, const DType& position_type, const Buffer& out,
                                 std::size_t n) {
  return gather_elements(queue, dtype, from, n, positions, position_type, OutOfRange::clip, out, n);
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
  return gather_elements(queue, x.dtype(), x.elements(), x.size(), positions.elements(), positions.dtype(),
                         rule, out.elements(), positions.size());
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
