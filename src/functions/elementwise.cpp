// SPDX-License-Identifier: MIT
// Elementwise functions with NumPy's keywords; their rows come from the op table.
#include "quern/functions/elementwise.hpp"

#include <array>
#include <string>

#include "array/build.hpp"
#include "codegen/ops.hpp"
#include "functions/operands.hpp"
#include "functions/output.hpp"
#include "functions/rows.hpp"
#include "quern/error.hpp"
#include "quern/inline_vector.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

// Whether a number can be an element of this dtype, by kind alone.
bool is_of_kind(const Number& number, const DType& dtype) {
  using codegen::Kinds;
  const Kinds kind = codegen::kind_of(dtype);
  switch (number.kind()) {
    case Number::Kind::boolean:
      return true;
    case Number::Kind::integer:
      return kind != Kinds::boolean;
    case Number::Kind::floating:
      return kind == Kinds::floating || kind == Kinds::complex;
    case Number::Kind::complex:
      break;
  }
  return kind == Kinds::complex;
}

// The operands of a call, some of them created for it.
class Prepared {
 public:
  Prepared(const codegen::Op& op, std::span<const Operand> operands, const ElementwiseOptions& options,
           const Queue* queue) {
    bool has_array = false;
    for (const Operand& operand : operands) has_array |= operand.array() != nullptr;
    kept_.reserve(operands.size());
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const bool is_integer = op.integer_operand == static_cast<int>(k);
      all_.push_back(is_integer && has_array ? operands[k] : of(op, operands[k], has_array, options, queue));
    }
  }
  [[nodiscard]] std::span<const Operand> all() const { return {all_.data(), all_.size()}; }

 private:
  Operand of(const codegen::Op& op, const Operand& operand, bool& has_array,
             const ElementwiseOptions& options, const Queue* queue) {
    if (operand.array() != nullptr) {
      if (!options.dtype || operand.array()->dtype() == *options.dtype) return operand;
      check_cast(std::string(op.name) + ": dtype", operand.array()->dtype(), *options.dtype, options.casting);
      return kept_.emplace_back(astype(*operand.array(), *options.dtype, queue));
    }
    Number number = operand.number();
    // A number beside booleans is converted to bool, even if the common dtype cannot hold it.
    if (op.name.starts_with("logical_") && number.kind() != Number::Kind::boolean)
      number = Number(number.is_huge() || number.value() != std::complex<double>(0));
    if (has_array) return number;
    // If all operands are numbers, it has the requested dtype, or its own.
    if (queue == nullptr)
      throw ArgumentError(ArgumentError::Kind::value,
                          std::string(op.name) + ": at least one operand must be an array");
    if (options.dtype && !is_of_kind(number, *options.dtype))
      throw ArgumentError(
          ArgumentError::Kind::type,
          std::string(op.name) + ": elements of " + options.dtype->name() + " cannot hold the given number");
    has_array = true;
    return kept_.emplace_back(
        full(*queue, {}, number, options.dtype ? *options.dtype : functions::default_type(number, *queue)));
  }

  std::vector<Array> kept_;
  InlineVector<Operand, 3> all_;
};

// The dtype that operands are converted to if dtype= names the dtype of the result; nothing if they are not
// converted.
std::optional<DType> type_of_operands(const codegen::Op& op, std::span<const Operand> operands,
                                      const DType& dtype) {
  using codegen::Result;
  const bool is_fixed = (op.result == Result::boolean && dtype.scalar == Scalar::boolean) ||
                        (op.result == Result::uint8 && dtype.scalar == Scalar::uint8) ||
                        (op.result == Result::int32 && dtype.scalar == Scalar::int32);
  if (is_fixed) return {};
  if (op.result != Result::part) return dtype;
  const Array* const array = operands.front().array();
  const bool is_complex = array != nullptr ? functions::is_complex(array->dtype())
                                           : operands.front().number().kind() == Number::Kind::complex;
  if (!is_complex) return dtype;
  const DType own = array != nullptr ? array->dtype() : DType::of(Scalar::complex128);
  // As in NumPy, the complex dtype for a requested part has twice its size.
  const DType wide = DType::of(Scalar::complex128);
  return codegen::part_of(own) == dtype ? own : codegen::part_of(wide) == dtype ? wide : dtype;
}

// Comparisons support signed and unsigned 64-bit integers together, as NumPy's do.
bool are_compared_as_they_are(const codegen::Op& op, const DType& a, const DType& b) {
  const auto is_wide = [](const DType& dtype) {
    return dtype.scalar == Scalar::int64 || dtype.scalar == Scalar::uint64;
  };
  return op.result == codegen::Result::boolean && is_wide(a) && is_wide(b);
}

// Throws if the function would have to convert operands and the casting rule forbids it.
void check_strictly(const codegen::Op& op, std::span<const Operand> operands,
                    const ElementwiseOptions& options) {
  const DType* first = nullptr;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].array() == nullptr || op.integer_operand == static_cast<int>(k)) continue;
    const DType& dtype = operands[k].array()->dtype();
    const bool is_promoted = !(codegen::computed_type(op, dtype, DType::of(Scalar::float64)) == dtype);
    if (is_promoted ||
        (first != nullptr && !(*first == dtype) && !are_compared_as_they_are(op, *first, dtype)))
      throw ArgumentError(ArgumentError::Kind::type, std::string(op.name) + ": elements of " + dtype.name() +
                                                         " would be converted, which the rule '" +
                                                         std::string(name_of(options.casting)) + "' forbids");
    first = &dtype;
  }
}

}  // namespace

Array elementwise(const codegen::Op& operation, std::span<const Operand> operands,
                  const ElementwiseOptions& options, const Queue* queue) {
  ElementwiseOptions own = options;
  const bool is_strict = own.casting == Casting::no || own.casting == Casting::equiv;
  if (is_strict && !operation.name.starts_with("logical_")) check_strictly(operation, operands, own);
  if (own.dtype) own.dtype = type_of_operands(operation, operands, *own.dtype);
  const Prepared prepared(operation, operands, own, queue);
  Array result = apply(operation, prepared.all(), queue);
  if (own.dtype && !(result.dtype() == *options.dtype))
    throw ArgumentError(ArgumentError::Kind::type, std::string(operation.name) + ": the result has dtype " +
                                                       result.dtype().name() +
                                                       ", not dtype=" + options.dtype->name());
  if (own.in_fortran_order && !own.out) result = permute_dims(copy(permute_dims(result), queue));
  return functions::written(operation.name, std::move(result),
                            {functions::address(own.out), functions::address(own.where), own.casting});
}

namespace registry {

bool is_fortran(const Arguments& a, std::size_t k) {
  const std::string_view order = a.text(k);
  if (order.size() != 1 || std::string_view("CFAKcfak").find(order) == std::string_view::npos)
    throw ArgumentError(ArgumentError::Kind::value, std::string(a.function().name) +
                                                        ": order must be 'C', 'F', 'A' or 'K', got '" +
                                                        std::string(order) + "'");
  return order == "F" || order == "f";
}

namespace {

constexpr std::array<std::string_view, 4> kParameters = {
    "",
    "x: operand, /, out: out = None, *, where: mask = True, casting: str = 'same_kind', order: str = 'K', "
    "dtype: dtype = None, subok: bool = True, signature: object = None",
    "x1: operand, x2: operand, /, out: out = None, *, where: mask = True, casting: str = 'same_kind', "
    "order: str = 'K', dtype: dtype = None, subok: bool = True, signature: object = None",
    "x1: operand, x2: operand, x3: operand, /, out: out = None, *, where: mask = True, "
    "casting: str = 'same_kind', order: str = 'K', dtype: dtype = None, subok: bool = True, signature: "
    "object = None",
};

Result call_elementwise(const Arguments& a) {
  const codegen::Op& op = *a.function().op;
  InlineVector<Operand, 3> operands;
  for (std::size_t k = 0; k < op.arity; ++k) operands.push_back(a.operand(k));
  const std::size_t rest = op.arity;
  const ElementwiseOptions options{.out = a.find<Array>(rest),
                                   .where = a.mask(rest + 1),
                                   .casting = casting_of(a.text(rest + 2), op.name),
                                   .dtype = a.find<DType>(rest + 4),
                                   .in_fortran_order = a.order(rest + 3) == MemoryOrder::fortran};
  return elementwise(op, {operands.data(), operands.size()}, options, &a.queue());
}

// What differs from NumPy, or surprises.
std::string_view notes_of(std::string_view name) {
  if (name == "power")
    return "A negative integer exponent of integers raises ValueError if it is a number. Exponents in "
           "integer arrays are "
           "not checked, unlike in NumPy: a negative one gives the power truncated to an integer.";
  if (name == "real" || name == "imag")
    return "The result is a new array, unlike in NumPy. The attributes x.real and x.imag are views.";
  if (name == "floor_divide" || name == "remainder") return "Integers divided by 0 give 0.";
  return {};
}

}  // namespace

std::vector<Function> elementwise_rows() {
  std::vector<Function> rows;
  for (const codegen::Op& op : codegen::ops()) {
    if (op.summary.empty()) continue;  // a part of a function that returns two arrays
    rows.push_back({.name = op.name,
                    .aliases = op.aliases,
                    .parameters = kParameters[op.arity],
                    .summary = op.summary,
                    .notes = notes_of(op.name),
                    .call = call_elementwise,
                    .op = &op});
  }
  return rows;
}

}  // namespace registry
}  // namespace quern
