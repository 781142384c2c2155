// SPDX-License-Identifier: MIT
// Reductions of arrays. The kernel computes the expression for each element that it reduces.
#include "array/reduce.hpp"

#include <array>
#include <complex>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "algorithms/host/host_loops.hpp"
#include "algorithms/host/reduction_loops.hpp"
#include "algorithms/launch/policy.hpp"
#include "algorithms/launch/program_table.hpp"
#include "algorithms/reduction_state.hpp"
#include "array/at_once.hpp"
#include "array/build.hpp"
#include "array/described.hpp"
#include "array/fused_producer.hpp"
#include "array/types.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"
#include "quern/reduction.hpp"
#include "quern/views.hpp"

namespace quern::array {

using codegen::Kinds;

Outcome outcome_of(const Array& array, const ReduceOptions& options) {
  const std::size_t rank = array.shape().size();
  std::vector<bool> is_reduced(rank, !options.over.axes());
  if (options.over.axes()) {
    for (const int axis : *options.over.axes()) {
      const std::size_t at = checked_axis(axis, rank);
      if (is_reduced[at])
        throw ArgumentError(ArgumentError::Kind::value, "axis " + std::to_string(axis) + " is repeated");
      is_reduced[at] = true;
    }
  }
  Outcome result;
  for (std::size_t d = 0; d < rank; ++d) {
    if (is_reduced[d]) result.count *= array.shape()[d];
    if (!is_reduced[d]) result.shape.push_back(array.shape()[d]);
    if (is_reduced[d] && options.keepdims) result.shape.push_back(1);
  }
  return result;
}

DType mean_type(const Array& array, const ReduceOptions& options, const Queue& queue) {
  if (options.dtype) return *options.dtype;
  const Kinds kind = codegen::kind_of(array.dtype());
  const bool is_whole = kind == Kinds::boolean || kind == Kinds::integer;
  return is_whole ? default_float(queue) : array.dtype();
}

namespace {

// How a reduction computes: the operator, its neutral element, and the types.
struct Recipe {
  std::string reduce, neutral;
  DType item, result;
  bool is_test = false;  // elements are tested for being nonzero
};

// The type in which sums are accumulated. It is wider than the elements if that costs nothing, so that sums
// are at least as accurate as NumPy's.
DType sum_type(const DType& dtype, const Queue& queue) {
  const bool has_double = default_float(queue).itemsize == 8;
  switch (dtype.scalar) {
    case Scalar::float16:
    case Scalar::bfloat16:
      return DType::of(Scalar::float32);
    case Scalar::float32:
      return DType::of(has_double ? Scalar::float64 : Scalar::float32);
    case Scalar::complex64:
      return DType::of(has_double ? Scalar::complex128 : Scalar::complex64);
    default:
      return dtype;
  }
}

DType default_sum(const DType& dtype) {
  const Kinds kind = codegen::kind_of(dtype);
  if (kind == Kinds::boolean) return DType::of(Scalar::int64);
  if (kind != Kinds::integer) return dtype;
  return DType::of(dtype.scalar >= Scalar::uint8 ? Scalar::uint64 : Scalar::int64);
}

Recipe recipe_of(std::string_view name, const DType& dtype, const ReduceOptions& options,
                 const Queue& queue) {
  const DType boolean = DType::of(Scalar::boolean), count = DType::of(Scalar::int64);
  if (name == "sum" || name == "prod") {
    const DType result = options.dtype.value_or(default_sum(dtype));
    const DType item = sum_type(result, queue);
    const bool is_complex = codegen::kind_of(item) == Kinds::complex;
    if (item.scalar == Scalar::boolean)  // as NumPy adds and multiplies booleans
      return {name == "sum" ? "a | b" : "a & b", name == "sum" ? "0" : "1", item, result};
    if (name == "sum") return {"a + b", "0", item, result};
    const std::string type = codegen::type_name(item);
    if (is_complex)
      return {"(" + type + ")(fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x))", "(" + type + ")(1, 0)",
              item, result};
    return {"a * b", "1", item, result};
  }
  if (options.dtype) {
    throw ArgumentError(ArgumentError::Kind::value, std::string(name) + " takes no dtype");
  }
  if (name == "any") return {"a | b", "0", boolean, boolean, true};
  if (name == "all") return {"a & b", "1", boolean, boolean, true};
  if (name == "count_nonzero") return {"a + b", "0", count, count, true};
  if (name == "min" || name == "max") {
    const bool is_max = name == "max";
    // Short types are compared as float32, which has the same order.
    const DType item = detail::widened(dtype);
    const std::string neutral = codegen::limit_text(item, !is_max);
    const std::string order = is_max ? "a > b" : "a < b";
    const Kinds kind = codegen::kind_of(dtype);
    if (kind == Kinds::complex) return {"wins(a, b) ? a : b", neutral, item, dtype};
    return {kind == Kinds::floating ? order + " || isnan(a) ? a : b" : order + " ? a : b", neutral, item,
            dtype};
  }
  throw ArgumentError(ArgumentError::Kind::value, "unknown reduction '" + std::string(name) + "'");
}

// Defines the order of complex numbers: by real part, then by imaginary part, as in NumPy. NaN comes before
// all numbers.
std::string order_of(const DType& dtype, bool is_max) {
  if (codegen::kind_of(dtype) != Kinds::complex) return {};
  const std::string type = codegen::type_name(dtype), sign = is_max ? ">" : "<";
  return "inline int is_nan(" + type + " a) { return isnan(a.x) || isnan(a.y); }\ninline int wins(" + type +
         " a, " + type + " b) {\n  if (is_nan(a) || is_nan(b)) return is_nan(a);\n  return a.x " + sign +
         " b.x || (a.x == b.x && a.y " + sign + " b.y);\n}\n";
}

// Returns whether one result is computed from all elements, so that the kernel visits them in C order.
bool takes_all(const Array& array, const Outcome& outcome) {
  return array.size() != 0 && static_cast<std::size_t>(outcome.count) == array.size();
}

using algorithms::ReductionLoops;

// Returns the operation of the op table that reduces items of this type.
std::string_view op_of(std::string_view name, const DType& item) {
  const bool is_truth = item.scalar == Scalar::boolean;
  if (name == "sum" || name == "count_nonzero") return is_truth ? "bitwise_or" : "add";
  if (name == "prod") return is_truth ? "bitwise_and" : "multiply";
  if (name == "any") return "bitwise_or";
  if (name == "all") return "bitwise_and";
  return name == "min" ? "minimum" : "maximum";
}

// Returns the neutral element of the operation, as bytes.
ReductionLoops::Neutral neutral_of(std::string_view op, const DType& item) {
  if (op == "multiply" || op == "bitwise_and") return bytes_of(Number(1), item);
  if (op != "minimum" && op != "maximum") return {};
  const bool is_greatest = op == "minimum";
  ReductionLoops::Neutral bytes{};
  if (item.scalar == Scalar::boolean) {
    bytes[0] = std::byte{is_greatest};
  } else if (codegen::kind_of(item) == Kinds::floating || codegen::kind_of(item) == Kinds::complex) {
    const double infinity = std::numeric_limits<double>::infinity(),
                 limit = is_greatest ? infinity : -infinity;
    if (codegen::kind_of(item) == Kinds::floating) return bytes_of(Number(limit), item);
    return bytes_of(Number(std::complex<double>(limit, limit)), item);
  } else {
    // The greatest or the least integer of the type.
    const bool is_signed = item.scalar <= Scalar::int64;
    for (std::size_t k = 0; k < item.itemsize; ++k) bytes[k] = is_greatest ? std::byte{0xff} : std::byte{0};
    if (is_signed) bytes[item.itemsize - 1] ^= std::byte{0x80};
  }
  return bytes;
}

// Returns the kernel of a reduction, by key. A new one is passed to `complete`.
template <class Complete>
std::shared_ptr<const detail::ReductionState> kernel_of(const std::string& key, const DType& item,
                                                        const std::string& neutral, const std::string& reduce,
                                                        const std::string& map, const std::string& arguments,
                                                        const GeneratorOptions& options,
                                                        const Complete& complete) {
  static auto* const known = new algorithms::ProgramTable<std::string, detail::ReductionState>;
  return known->get(key, [&] {
    const bool is_structure = item.scalar == Scalar::unknown;
    const std::string type = is_structure ? "found_t" : codegen::type_name(item);
    const DType dtype = is_structure ? codegen::type_called(type, algorithms::preamble_of(options)) : item;
    auto made =
        std::make_shared<detail::ReductionState>(dtype, type, neutral, reduce, map, arguments, options);
    complete(*made);
    return made;
  });
}

ReductionKernel::Over kernel_over(const ReduceOptions& options) {
  return {options.over.axes(), options.keepdims, {}};
}

// Runs on the library's precompiled loops if the device has them. A compiled kernel of pairs is no faster.
std::optional<Array> find_on_loops(const detail::ReductionState& state, const Queue& queue,
                                   std::span<const KernelArgument> arguments,
                                   const ReductionKernel::Over& over, const std::optional<Shape>& given) {
  if (!state.finder || !algorithms::policy(queue).has_loops) return std::nullopt;
  auto [pass, shape] = algorithms::first_pass(state.source, queue, arguments, over, given);
  if (pass.outputs == 0) return empty(queue, shape, DType::of(Scalar::int64));
  algorithms::plan_pass(state.source, pass, queue.device().properties());
  return state.finder->find(queue, std::move(pass), arguments, shape);
}

// Returns whether a kernel can store the result in another type than it reduces in.
bool is_stored_by_reductions(const Recipe& recipe) {
  const auto fits = [](const DType& dtype) {
    const Kinds kind = codegen::kind_of(dtype);
    return (kind == Kinds::floating && !detail::is_short_float(dtype)) || kind == Kinds::complex;
  };
  return fits(recipe.item) && fits(recipe.result);
}

// Reduces on the calling thread if the work is small.
std::optional<Array> reduce_small(std::string_view name, const Array& array, const ReduceOptions& options,
                                  const Outcome& outcome, const std::optional<double>& divisor,
                                  const Queue& user) {
  if (!takes_all(array, outcome) || !is_small_work(user, array.size(), array.dtype())) return {};
  const bool is_sum = name == "sum" || name == "prod", is_extreme = name == "min" || name == "max";
  if (!is_sum && !(is_extreme && !options.dtype)) return {};
  SmallReduction small{};
  small.result = !is_sum ? array.dtype() : options.dtype ? *options.dtype : default_sum(array.dtype());
  small.item = is_sum ? sum_type(small.result, user) : detail::widened(array.dtype());
  const std::string_view op = op_of(name, small.item);
  small.op = codegen::find_op(op);
  small.neutral = neutral_of(op, small.item);
  small.divisor = divisor;
  return reduce_at_once(array, small, outcome.shape, user);
}

// Reduces, and divides by the divisor if there is one. The last pass of the kernel divides if it can.
Array reduce_and_divide(std::string_view name, const Array& array, const ReduceOptions& options,
                        const std::optional<double>& divisor, const Queue& user) {
  const Outcome outcome = outcome_of(array, options);
  if (auto done = reduce_small(name, array, options, outcome, divisor, user)) return *std::move(done);
  const Recipe recipe = recipe_of(name, array.dtype(), options, user);
  if (outcome.count == 0 && (name == "min" || name == "max")) {
    throw ArgumentError(ArgumentError::Kind::value,
                        std::string(name) + ": the array is empty, and the operation has no identity");
  }
  const FusedProducer producer(array, recipe.item, recipe.is_test, user, takes_all(array, outcome));
  const bool finishes = (divisor || !(recipe.item == recipe.result)) && is_stored_by_reductions(recipe);
  std::string key =
      std::string(name) + "/" + recipe.item.name() + "/" + (finishes ? recipe.result.name() : "") + "/";
  key += producer.key;
  const auto kernel = kernel_of(
      key, recipe.item, recipe.neutral, recipe.reduce, producer.call, producer.arguments,
      {std::string(name), order_of(recipe.item, name == "max") + producer.function, {}},
      [&](detail::ReductionState& state) {
        if (finishes) state.finish_as(recipe.result);
        const std::string_view op = op_of(name, recipe.item);
        state.loops = ReductionLoops::of(producer.fused.expression(), op, neutral_of(op, recipe.item));
      });
  std::vector<KernelArgument> arguments;
  producer.fused.add_arguments(arguments);
  const Array reduced =
      describing(producer.fused, array.shape(), std::string(name) + " of an array of shape", [&] {
        return kernel->launch(user, arguments, kernel_over(options), {}, producer.shape, divisor.value_or(1));
      });
  if (kernel->finishes_on(user) || !divisor) return astype(reduced, recipe.result, &user);
  return astype(apply("divide", {reduced, *divisor}, &user), recipe.result, &user);
}

}  // namespace

Array reduce_elements(std::string_view name, const Array& array, const ReduceOptions& options) {
  return reduce_and_divide(name, array, options, {}, queue_of(array, nullptr));
}

Array find_extreme(bool is_max, const Array& array, const ReduceOptions& options) {
  const Queue user = queue_of(array, nullptr);
  const char* const name = is_max ? "argmax" : "argmin";
  if (options.over.axes() && options.over.axes()->size() != 1)
    throw ArgumentError(ArgumentError::Kind::value,
                        std::string(name) + " takes one axis, or None for all elements");
  const Outcome outcome = outcome_of(array, options);
  if (outcome.count == 0)
    throw ArgumentError(ArgumentError::Kind::value, std::string(name) + ": the array is empty");
  const Recipe recipe = recipe_of(is_max ? "max" : "min", array.dtype(), {}, user);
  const FusedProducer producer(array, recipe.item, false, user, takes_all(array, outcome));
  const std::string type = codegen::type_name(recipe.item);
  const Kinds kind = codegen::kind_of(recipe.item);
  const std::string before = is_max ? "a.value > b.value" : "a.value < b.value";
  const std::string compare =
      kind == Kinds::complex
          ? "  const int is_one = wins(a.value, b.value), is_other = wins(b.value, a.value);\n"
            "  return is_one != is_other ? is_one : a.index < b.index;\n}\n"
          : "  return " + before + " || (a.value == b.value && a.index < b.index);\n}\n";
  // Of equal elements the one with the lowest index wins. If there are NaNs, the first NaN wins.
  GeneratorOptions generator{
      name,
      "typedef struct { long index; " + type + " value; } found_t;\n" + producer.function +
          order_of(recipe.item, is_max) + "inline found_t found(" + type + " value, long index) {\n" +
          "  found_t f; f.value = value; f.index = index; return f;\n}\n" +
          "inline int is_first(found_t a, found_t b) {\n" +
          "  if (a.index < 0 || b.index < 0) return b.index < 0;\n" +
          (kind == Kinds::floating ? "  if (isnan(a.value) || isnan(b.value)) return isnan(a.value) && "
                                     "(!isnan(b.value) || a.index < b.index);\n"
                                   : "") +
          compare,
      {}};
  std::string key = std::string(name) + "/";
  key += producer.key;
  const auto kernel = kernel_of(
      key, DType(), "found(0, -1)", "is_first(a, b) ? a : b", "found(" + producer.call + ", i)",
      producer.arguments, generator, [&](detail::ReductionState& state) {
        state.finder = ReductionLoops::finding(producer.fused.expression(), is_max ? "maximum" : "minimum");
      });
  std::vector<KernelArgument> arguments;
  producer.fused.add_arguments(arguments);
  const auto describe = [&](const auto& f) {
    return describing(producer.fused, array.shape(), std::string(name) + " of an array of shape", f);
  };
  if (const auto found = describe(
          [&] { return find_on_loops(*kernel, user, arguments, kernel_over(options), producer.shape); }))
    return *found;
  const Array found =
      describe([&] { return kernel->launch(user, arguments, kernel_over(options), {}, producer.shape); });
  static const auto* const take =
      new ElementwiseKernel("const long *pairs, long step, long *out", "out[i] = pairs[(size_t)i * step]",
                            GeneratorOptions{"take_index", {}, {}});
  const Array out = empty(user, found.shape(), DType::of(Scalar::int64));
  if (out.size() != 0) {
    const Array words(found.elements(), DType::of(Scalar::int64),
                      {static_cast<std::int64_t>(found.nbytes() / 8)});
    (*take)(user, words, static_cast<std::int64_t>(found.dtype().itemsize / 8), out);
  }
  return out;
}

Array mean_of(const Array& array, const ReduceOptions& options) {
  const Queue user = queue_of(array, nullptr);
  ReduceOptions exact{.over = options.over, .keepdims = options.keepdims};
  exact.dtype = mean_type(array, options, user);
  const auto count = static_cast<double>(outcome_of(array, options).count);
  return reduce_and_divide("sum", array, exact, count, user);
}

Array variance_of(const Array& array, double correction, const ReduceOptions& options) {
  const Queue user = queue_of(array, nullptr);
  const DType result = codegen::part_of(mean_type(array, options, user));
  ReduceOptions wide{.over = options.over, .keepdims = true};
  wide.dtype = sum_type(mean_type(array, options, user), user);
  const Array middle = mean_of(array, wide);
  const Array distance = apply("subtract", {array, middle}, &user);
  const bool is_complex = codegen::kind_of(distance.dtype()) == Kinds::complex;
  const Array length = is_complex ? apply("absolute", {distance}, &user) : distance;
  const double count = static_cast<double>(outcome_of(array, options).count) - correction;
  ReduceOptions exact{.over = options.over, .keepdims = options.keepdims};
  exact.dtype = result;
  return reduce_and_divide("sum", apply("square", {length}, &user), exact, count > 0 ? count : 0.0, user);
}

}  // namespace quern::array
