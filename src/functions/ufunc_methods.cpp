// SPDX-License-Identifier: MIT
// The rows of add.reduce, add.accumulate and so on: five methods of each function of two operands, at() of
// functions of one, and outer() of divmod.
#include <array>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "codegen/ops.hpp"
#include "functions/rows.hpp"
#include "quern/ufunc.hpp"

namespace quern::registry {
namespace {

// The operation of the function whose method it is.
const codegen::Op& operation_of(const Arguments& a) {
  return *a.function().method_of->op;
}

// array, axis, dtype, out, keepdims, initial, where
Result call_reduce(const Arguments& a) {
  return fold(operation_of(a), a.array(0),
              {.over = a.over(1),
               .keepdims = a.flag(4),
               .dtype = a.find<DType>(2),
               .initial = a.find<Number>(5),
               .where = a.mask(6),
               .out = a.find<Array>(3)});
}

// array, axis, dtype, out
Result call_accumulate(const Arguments& a) {
  return accumulate(operation_of(a), a.array(0),
                    {.axis = *a.axis(1), .dtype = a.find<DType>(2), .out = a.find<Array>(3)});
}

// array, indices, axis, dtype, out
Result call_reduceat(const Arguments& a) {
  return reduce_at(operation_of(a), a.array(0), a.integers(1),
                   {.axis = *a.axis(2), .dtype = a.find<DType>(3), .out = a.find<Array>(4)});
}

// A, B, out, where, casting, order, dtype
Result call_outer(const Arguments& a) {
  return outer(operation_of(a), a.array(0), a.array(1),
               {.out = a.find<Array>(2),
                .where = a.mask(3),
                .casting = casting_of(a.text(4), a.function().name),
                .dtype = a.find<DType>(6),
                .in_fortran_order = a.order(5) == MemoryOrder::fortran});
}

// a, indices, b
Result call_at(const Arguments& a) {
  update_at(operation_of(a), a.array(0), a.get<ItemIndices>(1), a.operand(2));
  return std::monostate();
}

// a, indices
Result call_at_alone(const Arguments& a) {
  update_at(operation_of(a), a.array(0), a.get<ItemIndices>(1));
  return std::monostate();
}

constexpr Function kAtAlone = {
    .name = "at",
    .parameters = "a: out, indices: index, /",
    .summary = "Apply the function in place: a[indices] = f(a[indices]), as often as an index repeats.",
    .about =
        "a: Array to modify.\n"
        "indices: Index of the elements: anything valid in a[...].",
    .returns = "None. The array is modified in place.",
    .type = "None",
    .example = ">>> x = qn.asarray([1, 2, 3])\n>>> qn.negative.at(x, [0, 1])\n>>> print(x)\n[-1 -2  3]",
    .call = call_at_alone};

constexpr std::array kMethods = std::to_array<Function>({
    {.name = "reduce",
     .parameters =
         "array: array, axis: ints | None = 0, dtype: dtype = None, out: out = None, keepdims: bool = "
         "False, initial: number = None, where: mask = True",
     .summary = "Reduce axes by applying the function to one element after another.",
     .notes = "Associative functions combine the elements in any order.",
     .about = "axis: Axes to reduce; the first one by default. None: all of them.",
     .returns = "The results, without the reduced axes.",
     .example = ">>> print(qn.add.reduce([[1, 2], [3, 4]]))\n[4 6]",
     .call = call_reduce},
    {.name = "accumulate",
     .parameters = "array: array, axis: int = 0, dtype: dtype = None, out: out = None",
     .summary = "Accumulate the results of applying the function along an axis.",
     .about = "axis: Axis to accumulate along; the first one by default.",
     .returns = "The accumulated results, in the shape of the array.",
     .example = ">>> print(qn.multiply.accumulate([1, 2, 3, 4]))\n[ 1  2  6 24]",
     .call = call_accumulate},
    {.name = "reduceat",
     .parameters = "array: array, indices: indices, axis: int = 0, dtype: dtype = None, out: out = None",
     .summary = "Reduce slices of an axis that start at given indices.",
     .about = "indices: Start index of each slice. A slice ends where the next one starts, the last one at "
              "the end of "
              "the axis; if the next one does not start later, it has one element.\n"
              "axis: Axis of the slices; the first one by default.",
     .returns = "One element along the axis for each slice.",
     .example = ">>> print(qn.add.reduceat([1, 2, 3, 4], [0, 2]))\n[3 7]",
     .call = call_reduceat},
    {.name = "outer",
     .parameters =
         "A: array, B: array, /, *, out: out = None, where: mask = True, casting: str = "
         "'same_kind', order: str = 'K', dtype: dtype = None, subok: bool = True, signature: object = None",
     .summary = "Apply the function to all pairs of an element of A and an element of B.",
     .about = "A: First operand.\n"
              "B: Second operand.\n"
              "where: Mask, broadcast. Where it is False, `out` keeps its elements, and a new array holds "
              "0.",
     .returns = "Array of shape A.shape + B.shape.",
     .example = ">>> print(qn.multiply.outer([1, 2], [3, 4]))\n[[3 4]\n [6 8]]",
     .call = call_outer},
    {.name = "at",
     .parameters = "a: out, indices: index, b: operand, /",
     .summary = "Apply the function in place: a[indices] = f(a[indices], b); repeated indices accumulate.",
     .about = "a: Array to modify.\n"
              "indices: Index of the elements: anything valid in a[...].\n"
              "b: Second operand, broadcast to a[indices].",
     .returns = "None. The array is modified in place.",
     .type = "None",
     .example = ">>> x = qn.zeros(3)\n>>> qn.add.at(x, [0, 0, 2], 1)\n>>> print(x)\n[2. 0. 1.]",
     .call = call_at},
});

}  // namespace

std::optional<UfuncProperties> ufunc_properties(const Function& function) {
  struct Other {
    std::string_view name;
    UfuncProperties properties;
  };
  static const std::array<Other, 7> kOthers = {{{"divmod", {2, 2}},
                                                {"modf", {1, 2}},
                                                {"frexp", {1, 2}},
                                                {"matmul", {2, 1, {}, "(n?,k),(k,m?)->(n?,m?)"}},
                                                {"vecdot", {2, 1, {}, "(n),(n)->()"}},
                                                {"matvec", {2, 1, {}, "(m,n),(n)->(m)"}},
                                                {"vecmat", {2, 1, {}, "(n),(n,m)->(m)"}}}};
  for (const Other& other : kOthers)
    if (function.name == other.name) return other.properties;
  if (function.op == nullptr) return {};
  UfuncProperties properties = {function.op->arity, 1};
  const bool is_logical = function.op->result == codegen::Result::boolean;
  using codegen::Identity;
  switch (function.op->folding.identity) {
    case Identity::none:
      break;
    case Identity::zero:
      properties.identity = is_logical ? Number(false) : Number(0);
      break;
    case Identity::one:
      properties.identity = is_logical ? Number(true) : Number(1);
      break;
    case Identity::all_bits:
      properties.identity = Number(-1);
      break;
    case Identity::minus_infinity:
      properties.identity = Number(-std::numeric_limits<double>::infinity());
  }
  return properties;
}

const Function* find_method(const Function& function, std::string_view method) {
  // Names have the form "add.reduce" and live as long as the rows.
  struct Rows {
    std::deque<std::string> names;
    std::deque<Function> rows;
    std::unordered_map<std::string_view, const Function*> known;
  };
  static const Rows* const all = [] {
    auto* const made = new Rows;
    for (const Function& of : functions()) {
      if (of.op == nullptr || of.op->arity > 2) continue;
      for (Function row : of.op->arity == 2 ? std::span<const Function>(kMethods)
                                            : std::span<const Function>(&kAtAlone, 1)) {
        row.name = made->names.emplace_back(std::string(of.name) + "." + std::string(row.name));
        row.method_of = &of;
        made->known.emplace(row.name, &made->rows.emplace_back(row));
      }
    }
    Function& outer = made->rows.emplace_back(divmod_outer_row());
    outer.method_of = find_function("divmod");
    made->known.emplace(outer.name, &outer);
    return made;
  }();
  const auto found = all->known.find(std::string(function.name) + "." + std::string(method));
  return found == all->known.end() ? nullptr : found->second;
}

}  // namespace quern::registry
