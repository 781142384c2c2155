// SPDX-License-Identifier: MIT
// Arrays in C order and Fortran order, and reshaping in either order.
#include "quern/memory_order.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "functions/operands.hpp"
#include "functions/rows.hpp"
#include "quern/error.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

// Whether the elements are contiguous, the first axis fastest.
bool is_fortran(const Array& array) {
  auto step = static_cast<std::int64_t>(array.dtype().itemsize);
  for (std::size_t d = 0; d < array.shape().size(); ++d) {
    if (array.shape()[d] > 1 && array.strides()[d] != step) return false;
    step *= array.shape()[d];
  }
  return true;
}

// The axes from the greatest stride to the least. As in NumPy, an axis with stride 0 stays between its
// neighbours.
std::vector<int> axes_by_steps(const Strides& strides) {
  std::vector<int> axes;
  const auto step = [&](int axis) { return std::abs(strides[static_cast<std::size_t>(axis)]); };
  // From the last axis on, each is inserted before those of lesser strides.
  for (auto axis = static_cast<int>(strides.size()); axis-- > 0;) {
    auto place = axes.begin();
    for (auto other = axes.begin(); other != axes.end(); ++other) {
      if (step(axis) == 0 || step(*other) == 0) continue;
      if (step(*other) <= step(axis)) break;
      place = other + 1;
    }
    axes.insert(place, axis);
  }
  return axes;
}

// The transpose of a new array in C order is in Fortran order.
template <class F>
Array made(const Shape& shape, MemoryOrder order, F&& make) {
  if (order != MemoryOrder::fortran || shape.size() < 2) return make(shape);
  return permute_dims(make(Shape(shape.rbegin(), shape.rend())));
}

// Whether the array covers the whole memory, in its order.
bool owns_memory(const Array& array) {
  return array.offset() == 0 && array.buffer().offset() == 0 && array.nbytes() == array.buffer().size();
}

bool share_memory(const Array& a, const Array& b) {
  return a.evaluate().buffer.allocation() == b.evaluate().buffer.allocation();
}

}  // namespace

MemoryOrder memory_order_of(std::string_view letter, std::string_view function, std::string_view allowed) {
  constexpr std::string_view kLetters = "CFAK";
  const char upper =
      letter.size() != 1 ? '?' : static_cast<char>(letter[0] >= 'a' ? letter[0] - 'a' + 'A' : letter[0]);
  if (allowed.find(upper) != std::string_view::npos) return static_cast<MemoryOrder>(kLetters.find(upper));
  std::string names;
  for (std::size_t k = 0; k < allowed.size(); ++k)
    names += (k == 0 ? "'" : k + 1 == allowed.size() ? " or '" : ", '") + std::string(1, allowed[k]) + "'";
  throw ArgumentError(ArgumentError::Kind::value, std::string(function) + ": order must be " + names +
                                                      ", got '" + std::string(letter) + "'");
}

Array in_order(const Array& array, MemoryOrder order) {
  const std::size_t rank = array.shape().size();
  if (order == MemoryOrder::c || rank < 2) return array;
  if (order == MemoryOrder::keep) {
    return permute_dims(array, axes_by_steps(array.evaluate().strides));
  }
  if (order == MemoryOrder::fortran) return permute_dims(array);
  array.evaluate();
  const Array turned = permute_dims(array);
  return is_fortran(array) && !is_fortran(turned) ? turned : array;
}

Array laid_out(const Array& array, MemoryOrder order) {
  if (order == MemoryOrder::c) return as_contiguous(array);
  if (order != MemoryOrder::fortran || array.shape().size() < 2) return array;
  array.evaluate();
  return is_fortran(array) ? array : copy(array, order);
}

Array asfortranarray(const Array& array) {
  return array.shape().empty() ? reshape(array, {1}) : laid_out(array, MemoryOrder::fortran);
}

Array ascontiguousarray(const Array& array) {
  return as_contiguous(array.shape().empty() ? reshape(array, {1}) : array);
}

Array copy(const Array& array, MemoryOrder order) {
  if (order != MemoryOrder::fortran) return copy(array);
  return permute_dims(copy(permute_dims(array)));
}

Array ravel(const Array& array, MemoryOrder order) {
  const Array flat = reshape(in_order(array, order), {-1});
  const bool has_gaps = flat.in_memory() && flat.size() > 1 &&
                        flat.strides()[0] != static_cast<std::int64_t>(flat.dtype().itemsize);
  return has_gaps ? copy(flat) : flat;
}

Array flatten(const Array& array, MemoryOrder order) {
  return reshape(copy(in_order(array, order)), {-1});
}

Array reshape(const Array& array, const Shape& shape, MemoryOrder wanted, std::optional<bool> copies) {
  // A copy would be in C order.
  const MemoryOrder order = wanted != MemoryOrder::any ? wanted
                            : isfortran(array)         ? MemoryOrder::fortran
                                                       : MemoryOrder::c;
  const auto reshaped = [&](const Array& x) {
    const Array turned = in_order(x, order);
    if (turned.value() == x.value()) {
      // An array of at most one axis; the result may have several.
      if (order != MemoryOrder::fortran) return reshape(x, shape);
    }
    return permute_dims(reshape(permute_dims(x), Shape(shape.rbegin(), shape.rend())));
  };
  if (copies == true) return reshaped(copy(array, order));
  const Array result = reshaped(array);
  if (copies == false && result.size() != 0 && !share_memory(result, array))
    throw ArgumentError(ArgumentError::Kind::value, "reshape: the new shape needs a copy");
  return result;
}

Array empty(const Queue& queue, const Shape& shape, const DType& dtype, MemoryOrder order) {
  return made(shape, order, [&](const Shape& own) { return empty(queue, own, dtype); });
}

Array zeros(const Queue& queue, const Shape& shape, const DType& dtype, MemoryOrder order) {
  return made(shape, order, [&](const Shape& own) { return zeros(queue, own, dtype); });
}

Array full(const Queue& queue, const Shape& shape, const Number& value, const DType& dtype,
           MemoryOrder order) {
  return made(shape, order, [&](const Shape& own) { return full(queue, own, value, dtype); });
}

bool isfortran(const Array& array) {
  return !array.evaluate().contiguous && is_fortran(array);
}

Array require(const Array& array, const Requirements& requirements) {
  if (requirements.in_c_order && requirements.in_fortran_order)
    throw ArgumentError(ArgumentError::Kind::value, "require: 'C' and 'F' cannot both be met");
  const MemoryOrder order = requirements.in_fortran_order ? MemoryOrder::fortran
                            : requirements.in_c_order     ? MemoryOrder::c
                                                          : MemoryOrder::any;
  const Array result = laid_out(array, order);
  if (!requirements.owns_memory && !requirements.is_writable) return result;
  result.evaluate();
  const bool is_foreign = requirements.owns_memory && !owns_memory(result);
  const bool is_constant = requirements.is_writable && result.buffer().access() == Access::read_only;
  return is_foreign || is_constant ? copy(result, order) : result;
}

Array asarray_chkfinite(const Array& array, MemoryOrder order) {
  const auto kind = codegen::kind_of(array.dtype());
  const bool can_be_infinite = kind == codegen::Kinds::floating || kind == codegen::Kinds::complex;
  if (can_be_infinite && !functions::truth_of(all(apply("isfinite", {array}))))
    throw ArgumentError(ArgumentError::Kind::value,
                        "asarray_chkfinite: the array contains infinities or NaNs");
  return laid_out(array, order);
}

namespace registry {
namespace {

Requirements requirements_of(const Arguments& a, std::size_t k) {
  Requirements result;
  if (!a.has(k)) return result;
  std::vector<std::string> words;
  if (a.is<std::string>(k))
    for (const char letter : a.text(k)) words.emplace_back(1, letter);
  else
    words = a.get<std::vector<std::string>>(k);
  for (std::string& word : words) {
    for (char& letter : word)
      if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    const auto is = [&](std::initializer_list<std::string_view> names) {
      return std::find(names.begin(), names.end(), word) != names.end();
    };
    if (is({"C", "C_CONTIGUOUS", "CONTIGUOUS"}))
      result.in_c_order = true;
    else if (is({"F", "F_CONTIGUOUS", "FORTRAN"}))
      result.in_fortran_order = true;
    else if (is({"W", "WRITEABLE"}))
      result.is_writable = true;
    else if (is({"O", "OWNDATA"}))
      result.owns_memory = true;
    else if (!is({"A", "ALIGNED", "E", "ENSUREARRAY"}))  // All arrays meet these.
      throw ArgumentError(
          ArgumentError::Kind::value,
          "require: requirements must be among 'C', 'F', 'A', 'W', 'O' and 'E', got '" + word + "'");
  }
  return result;
}

constexpr std::string_view kMemoryOrder =
    "order: 'C' for C order, 'F' for Fortran order, 'A' for Fortran order if the array has it, "
    "'K' for the order in memory.";

const Function kMemoryOrderRows[] = {
    {.name = "reshape",
     .parameters = "a: array, /, shape: ints, order: str | None = 'C', *, copy: bool = None",
     .summary = "Change the shape of an array; the result is a view where strides allow, otherwise a copy.",
     .about = "shape: New shape. One length may be -1; it is then inferred from the size.\n"
              "order: Index order to read and write the elements in: 'C', 'F' (Fortran), or 'A' (Fortran "
              "order if the array has it).\n"
              "copy: True: always copy. False: raise an error if a copy is needed. None: copy only if "
              "needed.",
     .returns = "The array in the new shape.",
     .example = ">>> print(qn.reshape(qn.arange(4), (2, 2)))\n[[0 1]\n [2 3]]",
     .call = [](const Arguments& a) -> Result {
       const Shape shape(a.integers(1));
       const MemoryOrder order = a.order(2, "CFA");
       if (order == MemoryOrder::c && !a.has(3)) return reshape(a.array(0), shape);
       return reshape(a.array(0), shape, order, a.find<bool>(3));
     }},
    {.name = "ravel",
     .parameters = "a: array, order: str | None = 'C'",
     .summary = "Flatten to a contiguous one-dimensional array; a view where possible, otherwise a copy.",
     .about = kMemoryOrder,
     .returns = "One-dimensional array.",
     .example = ">>> print(qn.ravel([[1, 2], [3, 4]], order='F'))\n[1 3 2 4]",
     .is_method = true,
     .call = [](const Arguments& a) -> Result { return ravel(a.array(0), a.order(1)); }},
    {.name = "Array.flatten",
     .parameters = "a: array, order: str | None = 'C'",
     .summary = "Copy the array, flattened to one dimension.",
     .about = kMemoryOrder,
     .returns = "One-dimensional copy.",
     .example = ">>> print(qn.asarray([[1, 2], [3, 4]]).flatten())\n[1 2 3 4]",
     .call = [](const Arguments& a) -> Result { return flatten(a.array(0), a.order(1)); }},
    {.name = "copy",
     .parameters = "a: array, order: str | None = 'K', subok: bool = False",
     .summary = "Copy an array.",
     .returns = "A copy with its own memory.",
     .example = ">>> x = qn.asarray([1, 2])\n>>> y = qn.copy(x)\n>>> x[0] = 9\n>>> print(y)\n[1 2]",
     .call = [](const Arguments& a) -> Result { return copy(a.array(0), a.order(1)); }},
    {.name = "require",
     .parameters = "a: typed, dtype: dtype = None, requirements: str | texts = None, *, like: object = None",
     .summary = "Return the array if it meets the requirements, otherwise a copy that does.",
     .about = "dtype: Dtype of the result; by default that of `a`.\n"
              "requirements: 'C' or 'F': C or Fortran order; 'W': writable; 'O': owns its memory; 'A' and "
              "'E' are always met.\n"
              "like: Accepted for compatibility with NumPy; it has no effect.",
     .returns = "The array itself, or a copy.",
     .example = ">>> print(qn.require(qn.ones((2, 3)), 'float32', ['F', 'W']).strides)\n(4, 8)",
     .call = [](const Arguments& a) -> Result {
       return require(a.has(1) ? astype(a.array(0), a.get<DType>(1)) : a.array(0), requirements_of(a, 2));
     }},
    {.name = "asarray_chkfinite",
     .parameters = "a: typed, dtype: dtype = None, order: str = None",
     .summary =
         "Convert to an array; raise ValueError if an element is NaN or infinite. Waits for the check.",
     .about = "dtype: Dtype of the result; by default that of `a`.\n"
              "order: Memory layout of the result: 'C' or 'F' (Fortran order); 'A', 'K' and None keep that "
              "of `a`.",
     .returns = "The array, with finite elements.",
     .example = ">>> print(qn.asarray_chkfinite([1.0, 2.0]))\n[1. 2.]",
     .call = [](const Arguments& a) -> Result {
       const Array x = a.has(1) ? astype(a.array(0), a.get<DType>(1)) : a.array(0);
       return asarray_chkfinite(x, a.has(2) ? a.order(2) : MemoryOrder::keep);
     }},
    {.name = "isfortran",
     .parameters = "a: array",
     .summary = "Test whether an array is in Fortran order and not in C order.",
     .returns = "True if the array is Fortran contiguous and not C contiguous.",
     .type = "bool",
     .example = ">>> qn.isfortran(qn.ones((2, 3))), qn.isfortran(qn.ones((2, 3)).T)\n(False, True)",
     .call = [](const Arguments& a) -> Result { return isfortran(a.array(0)); }},
    {.name = "ascontiguousarray",
     .parameters = "a: typed, dtype: dtype = None, *, like: array = None",
     .summary = "Return a contiguous array in C order, of at least one dimension.",
     .about = "dtype: Dtype of the result; by default that of `a`.",
     .returns = "The array itself if it is already contiguous in that order, otherwise a copy.",
     .example = ">>> print(qn.ascontiguousarray(qn.ones((2, 3)).T).strides)\n(16, 8)",
     .call = [](const Arguments& a) -> Result {
       return ascontiguousarray(a.has(1) ? astype(a.array(0), a.get<DType>(1)) : a.array(0));
     }},
    {.name = "asfortranarray",
     .parameters = "a: typed, dtype: dtype = None, *, like: array = None",
     .summary = "Return a contiguous array in Fortran order, of at least one dimension.",
     .about = "dtype: Dtype of the result; by default that of `a`.",
     .returns = "The array itself if it is already contiguous in that order, otherwise a copy.",
     .example = ">>> print(qn.asfortranarray(qn.ones((2, 3))).strides)\n(8, 16)",
     .call = [](const Arguments& a) -> Result {
       return asfortranarray(a.has(1) ? astype(a.array(0), a.get<DType>(1)) : a.array(0));
     }},
};

}  // namespace

std::span<const Function> memory_order_rows() {
  return kMemoryOrderRows;
}

}  // namespace registry
}  // namespace quern
