// SPDX-License-Identifier: MIT
// Cosine and sine transforms of types 1 to 4, by Fourier transforms of rearranged elements.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "array/build.hpp"
#include "functions/fft.hpp"
#include "functions/operands.hpp"
#include "functions/rows.hpp"
#include "quern/creation.hpp"
#include "quern/manipulation.hpp"

namespace quern {
namespace fft {
namespace {

using array::FftKind;
using functions::along;

constexpr double kRoot = std::numbers::sqrt2;

Array slice(const Array& x, std::size_t axis, std::optional<std::int64_t> start,
            std::optional<std::int64_t> stop, std::int64_t step = 1) {
  return along(x, axis, Index::slice(start, stop, step));
}
Array reversed(const Array& x, std::size_t axis) {
  return slice(x, axis, {}, {}, -1);
}
Array new_like(const Array& x, std::size_t axis, std::int64_t length, const DType& dtype) {
  Shape shape = x.shape();
  shape[axis] = length;
  return empty(array::queue_of(x, nullptr), std::move(shape), dtype);
}
DType complex_of_type(const DType& real) {
  return DType::of(real.scalar == Scalar::float64 ? Scalar::complex128 : Scalar::complex64);
}
Array part_of(const char* name, const Array& x) {
  return apply(name, {x});
}
// exp(-2 pi i k / n) for k < count along an axis.
Array twiddles_along(const Array& x, std::size_t axis, std::int64_t n, std::int64_t count) {
  return functions::beside(array::twiddles(array::queue_of(x, nullptr), x.dtype(), n, count), axis,
                           x.shape().size());
}
// 1, -1, 1, ... along an axis.
Array signs(const Array& x, std::size_t axis) {
  const Queue queue = array::queue_of(x, nullptr);
  const Array odd = arange(queue, 0, 1, x.shape()[axis], DType::of(Scalar::int32));
  const Array sign = Number(1) - Number(2) * apply("remainder", {odd, Number(2)});
  return functions::beside(astype(sign, x.dtype()), axis, x.shape().size());
}

Array dct1(const Array& x, std::size_t axis) {
  const std::int64_t n = x.shape()[axis];
  const Array whole = new_like(x, axis, 2 * (n - 1), x.dtype());
  assign(slice(whole, axis, 0, n), x);
  if (n > 2) assign(slice(whole, axis, n, {}), slice(x, axis, n - 2, 0, -1));
  return part_of("real", array::transform(whole, {axis, 2 * (n - 1), FftKind::to_spectrum},
                                          array::queue_of(x, nullptr)));
}

// Makhoul: the even elements, then the odd ones backwards, and a quarter of a turn for each number.
Array dct2(const Array& x, std::size_t axis) {
  const std::int64_t n = x.shape()[axis], half = n / 2, evens = n - half;
  const Array v = new_like(x, axis, n, x.dtype());
  assign(slice(v, axis, 0, evens), slice(x, axis, 0, {}, 2));
  if (half > 0) assign(slice(v, axis, evens, {}), reversed(slice(x, axis, 1, {}, 2), axis));
  const Array spectrum =
      array::transform(v, {axis, n, FftKind::to_spectrum, false, 2}, array::queue_of(x, nullptr));
  const Array product = spectrum * twiddles_along(x, axis, 4 * n, half + 1);
  const Array result = new_like(x, axis, n, x.dtype());
  assign(slice(result, axis, 0, half + 1), part_of("real", product));
  const std::int64_t rest = n - half - 1;
  if (rest > 0)
    assign(slice(result, axis, half + 1, {}), -part_of("imag", slice(product, axis, rest, 0, -1)));
  return result;
}

Array dct3(const Array& x, std::size_t axis) {
  const std::int64_t n = x.shape()[axis], half = n / 2, evens = n - half;
  const Array spectrum = new_like(x, axis, half + 1, complex_of_type(x.dtype()));
  assign(slice(spectrum, axis, 0, 1), slice(x, axis, 0, 1));
  if (half > 0) {
    const Array back =
        functions::complex_of(slice(x, axis, 1, half + 1), -slice(x, axis, n - 1, n - 1 - half, -1));
    const Array twiddles = slice(twiddles_along(x, axis, 4 * n, half + 1), axis, 1, {});
    assign(slice(spectrum, axis, 1, {}), back * apply("conj", {twiddles}));
  }
  const Array v = array::transform(spectrum, {axis, n, FftKind::from_spectrum}, array::queue_of(x, nullptr));
  const Array result = new_like(x, axis, n, x.dtype());
  assign(slice(result, axis, 0, {}, 2), slice(v, axis, 0, evens));
  if (half > 0) assign(slice(result, axis, 1, {}, 2), reversed(slice(v, axis, evens, {}), axis));
  return result;
}

Array dct4(const Array& x, std::size_t axis) {
  const std::int64_t n = x.shape()[axis];
  const Array points = x * twiddles_along(x, axis, 4 * n, n);
  const Array spectrum =
      array::transform(points, {axis, 2 * n, FftKind::complex, false, 2}, array::queue_of(x, nullptr));
  const Array twiddles = slice(twiddles_along(x, axis, 8 * n, 2 * n), axis, 1, {}, 2);
  return part_of("real", slice(spectrum, axis, 0, n) * twiddles);
}

Array dst1(const Array& x, std::size_t axis) {
  const std::int64_t n = x.shape()[axis];
  const Array whole = new_like(x, axis, 2 * (n + 1), x.dtype());
  const Array zero = full(array::queue_of(x, nullptr), {}, Number(0), x.dtype());
  assign(slice(whole, axis, 0, {}, n + 1), zero);
  assign(slice(whole, axis, 1, n + 1), x);
  assign(slice(whole, axis, n + 2, {}), -reversed(x, axis));
  const Array spectrum =
      array::transform(whole, {axis, 2 * (n + 1), FftKind::to_spectrum}, array::queue_of(x, nullptr));
  return -part_of("imag", slice(spectrum, axis, 1, n + 1));
}

// The real transform of real elements, without factors.
Array plain(const Array& x, std::size_t axis, int type, bool is_sine) {
  if (!is_sine) {
    if (type == 1) return dct1(x, axis);
    if (type == 2) return dct2(x, axis);
    return type == 3 ? dct3(x, axis) : dct4(x, axis);
  }
  if (type == 1) return dst1(x, axis);
  if (type == 2) return reversed(dct2(x * signs(x, axis), axis), axis);
  const Array backwards = reversed(x, axis);
  return signs(x, axis) * (type == 3 ? dct3(backwards, axis) : dct4(backwards, axis));
}

// Multiplies one element of each line, in a new array.
Array scaled_at(const Array& x, std::size_t axis, std::initializer_list<std::int64_t> places, double factor) {
  const Array result = copy(x);
  for (const std::int64_t at : places) {
    const Array one = slice(result, axis, at, at + 1);
    assign(one, slice(x, axis, at, at + 1) * Number(factor));
  }
  return result;
}

// The axis cut, or padded with zeros.
Array fitted(const Array& x, std::size_t axis, std::int64_t n) {
  const std::int64_t given = x.shape()[axis];
  if (given >= n) return slice(x, axis, 0, n);
  Shape shape = x.shape();
  shape[axis] = n;
  const Array result = zeros(array::queue_of(x, nullptr), std::move(shape), x.dtype());
  assign(slice(result, axis, 0, given), x);
  return result;
}

Array along_axis(const char* function, const Array& input, const CosineOptions& options, bool is_sine,
                 bool is_inverse) {
  if (options.type < 1 || options.type > 4)
    functions::value_error(std::string(function) + ": type must be 1, 2, 3 or 4, got " +
                           std::to_string(options.type));
  const Array points = as_points(input);
  if (functions::is_complex(points.dtype())) {
    const Array re = along_axis(function, part_of("real", points), options, is_sine, is_inverse);
    const Array im = along_axis(function, part_of("imag", points), options, is_sine, is_inverse);
    return functions::complex_of(re, im);
  }
  const std::size_t axis = checked_axis(options.axis, points.shape().size());
  const std::int64_t n = checked_length(function, options.n.value_or(points.shape()[axis]));
  if (options.type == 1 && !is_sine && n < 2)
    functions::value_error(std::string(function) + ": type 1 needs at least two elements along the axis");
  // The inverse of type 2 is type 3, and the other way round.
  const int type = is_inverse && (options.type == 2 || options.type == 3) ? 5 - options.type : options.type;
  const bool is_orthogonal = options.orthogonalize.value_or(options.norm == Norm::ortho);
  const double length = static_cast<double>(type == 1 ? (is_sine ? n + 1 : n - 1) : n);
  Array x = fitted(points, axis, n);
  if (x.size() == 0) return copy(x);
  const std::int64_t end = is_sine ? n - 1 : 0;
  if (is_orthogonal && type == 3) x = scaled_at(x, axis, {end}, kRoot);
  if (is_orthogonal && type == 1 && !is_sine) x = scaled_at(x, axis, {0, n - 1}, kRoot);
  x.evaluate();
  Array result = plain(x, axis, type, is_sine);
  const double factor = factor_of(options.norm, is_inverse, 2 * length);
  if (factor != 1) result = result * Number(factor);
  if (is_orthogonal && type == 2) result = scaled_at(result, axis, {end}, 1 / kRoot);
  if (is_orthogonal && type == 1 && !is_sine) result = scaled_at(result, axis, {0, n - 1}, 1 / kRoot);
  return result;
}

Array along_one(const char* function, const Array& x, const CosineOptions& options, bool is_sine,
                bool is_inverse) {
  return finished(function, along_axis(function, x, options, is_sine, is_inverse), options.out);
}

Array along_many(const char* function, const Array& input, const CosineManyOptions& options, bool is_sine,
                 bool is_inverse) {
  const Many many = many_of(function, input, options.s, options.axes);
  CosineOptions one = {.type = options.type, .norm = options.norm, .orthogonalize = options.orthogonalize};
  Array x = input;
  for (std::size_t i = 0; i < many.axes.size(); ++i) {
    one.axis = static_cast<int>(many.axes[i]);
    one.n = many.lengths[i];
    x = along_axis(function, x, one, is_sine, is_inverse);
  }
  return finished(function, many.axes.empty() ? copy(x) : x, options.out);
}

}  // namespace

Array dct(const Array& x, const CosineOptions& options) {
  return along_one("dct", x, options, false, false);
}
Array idct(const Array& x, const CosineOptions& options) {
  return along_one("idct", x, options, false, true);
}
Array dst(const Array& x, const CosineOptions& options) {
  return along_one("dst", x, options, true, false);
}
Array idst(const Array& x, const CosineOptions& options) {
  return along_one("idst", x, options, true, true);
}
Array dctn(const Array& x, const CosineManyOptions& options) {
  return along_many("dctn", x, options, false, false);
}
Array idctn(const Array& x, const CosineManyOptions& options) {
  return along_many("idctn", x, options, false, true);
}
Array dstn(const Array& x, const CosineManyOptions& options) {
  return along_many("dstn", x, options, true, false);
}
Array idstn(const Array& x, const CosineManyOptions& options) {
  return along_many("idstn", x, options, true, true);
}

}  // namespace fft

namespace registry {
namespace {

using Cosine = Array (*)(const Array&, const fft::CosineOptions&);
using CosineMany = Array (*)(const Array&, const fft::CosineManyOptions&);

constexpr std::string_view kCosineOne =
    "x: array, type: int = 2, n: int = None, axis: int = -1, norm: str = None, overwrite_x: bool = False, "
    "workers: int = None, *, orthogonalize: bool = None, out: out = None";
constexpr std::string_view kCosineMany =
    "x: array, type: int = 2, s: ints = None, axes: ints = None, norm: str = None, overwrite_x: bool = "
    "False, "
    "workers: int = None, *, orthogonalize: bool = None, out: out = None";
constexpr std::string_view kCosineOneAbout =
    "type: Type of the transform: 1, 2, 3 or 4.\n"
    "n: Length of the transform. A longer input is cut, a shorter one is padded with zeros.\n"
    "axis: Axis to transform.\n"
    "norm: 'backward' scales the inverse transform, 'forward' the forward one, 'ortho' both. None: "
    "'backward'.\n"
    "overwrite_x: Accepted for compatibility with SciPy; it has no effect.\n"
    "workers: Accepted for compatibility with SciPy; it has no effect.\n"
    "orthogonalize: Whether single elements are scaled too, so that the transform is an orthogonal matrix. "
    "None: "
    "if norm is 'ortho'.";
constexpr std::string_view kCosineManyAbout =
    "type: Type of the transform: 1, 2, 3 or 4.\n"
    "s: Lengths of the transformed axes; -1 keeps a length.\n"
    "axes: Axes to transform. None: the last axes, as many as there are lengths in `s`, or all.\n"
    "norm: 'backward' scales the inverse transform, 'forward' the forward one, 'ortho' both. None: "
    "'backward'.\n"
    "overwrite_x: Accepted for compatibility with SciPy; it has no effect.\n"
    "workers: Accepted for compatibility with SciPy; it has no effect.\n"
    "orthogonalize: Whether single elements are scaled too, so that the transform is an orthogonal matrix. "
    "None: "
    "if norm is 'ortho'.";

// A number that no type has stays one in an int.
int type_of(const Arguments& a) {
  return static_cast<int>(std::clamp<std::int64_t>(a.integer(1), std::numeric_limits<int>::min(),
                                                   std::numeric_limits<int>::max()));
}

template <Cosine function>
Result call_one(const Arguments& a) {
  return function(a.array(0), {.type = type_of(a),
                               .n = length_argument(a, 2),
                               .axis = a.axis(3).value_or(-1),
                               .norm = norm_argument(a, 4),
                               .orthogonalize = a.find<bool>(7),
                               .out = a.find<Array>(8)});
}

template <CosineMany function>
Result call_many(const Arguments& a) {
  fft::CosineManyOptions options = {.type = type_of(a),
                                    .axes = a.axes(3),
                                    .norm = norm_argument(a, 4),
                                    .orthogonalize = a.find<bool>(7),
                                    .out = a.find<Array>(8)};
  if (a.has(2)) options.s = a.integers(2);
  return function(a.array(0), options);
}

const Function kFftCosineRows[] = {
    {.name = "fft.dct",
     .parameters = kCosineOne,
     .summary = "Discrete cosine transform along an axis, as scipy.fft.dct.",
     .about = kCosineOneAbout,
     .returns = "The transform; real for real elements.",
     .example = ">>> print(qn.fft.dct([1.0, 0.0]))\n[2.         1.41421356]",
     .call = call_one<fft::dct>},
    {.name = "fft.idct",
     .parameters = kCosineOne,
     .summary = "Inverse discrete cosine transform along an axis, as scipy.fft.idct.",
     .about = kCosineOneAbout,
     .returns = "The inverse transform; real for real elements.",
     .example = ">>> print(qn.fft.idct([8.0, 0.0, 0.0, 0.0]))\n[1. 1. 1. 1.]",
     .call = call_one<fft::idct>},
    {.name = "fft.dst",
     .parameters = kCosineOne,
     .summary = "Discrete sine transform along an axis, as scipy.fft.dst.",
     .about = kCosineOneAbout,
     .returns = "The transform; real for real elements.",
     .example = ">>> print(qn.fft.dst([1.0, -1.0], type=2).round(6))\n[0. 4.]",
     .call = call_one<fft::dst>},
    {.name = "fft.idst",
     .parameters = kCosineOne,
     .summary = "Inverse discrete sine transform along an axis, as scipy.fft.idst.",
     .about = kCosineOneAbout,
     .returns = "The inverse transform; real for real elements.",
     .example = ">>> print(qn.fft.idst([0.0, 4.0]).round(6))\n[ 1. -1.]",
     .call = call_one<fft::idst>},
    {.name = "fft.dctn",
     .parameters = kCosineMany,
     .summary = "Discrete cosine transform along several axes, as scipy.fft.dctn.",
     .about = kCosineManyAbout,
     .returns = "The transform; real for real elements.",
     .example = ">>> print(qn.fft.dctn(qn.ones((2, 2))).round(6))\n[[16.  0.]\n [ 0.  0.]]",
     .call = call_many<fft::dctn>},
    {.name = "fft.idctn",
     .parameters = kCosineMany,
     .summary = "Inverse discrete cosine transform along several axes, as scipy.fft.idctn.",
     .about = kCosineManyAbout,
     .returns = "The inverse transform; real for real elements.",
     .example = ">>> print(qn.fft.idctn(qn.fft.dctn(qn.ones((2, 2)))).round(6))\n[[1. 1.]\n [1. 1.]]",
     .call = call_many<fft::idctn>},
    {.name = "fft.dstn",
     .parameters = kCosineMany,
     .summary = "Discrete sine transform along several axes, as scipy.fft.dstn.",
     .about = kCosineManyAbout,
     .returns = "The transform; real for real elements.",
     .example = ">>> qn.fft.dstn(qn.ones((2, 3))).shape\n(2, 3)",
     .call = call_many<fft::dstn>},
    {.name = "fft.idstn",
     .parameters = kCosineMany,
     .summary = "Inverse discrete sine transform along several axes, as scipy.fft.idstn.",
     .about = kCosineManyAbout,
     .returns = "The inverse transform; real for real elements.",
     .example = ">>> print(qn.fft.idstn(qn.fft.dstn(qn.ones((2, 2)))).round(6))\n[[1. 1.]\n [1. 1.]]",
     .call = call_many<fft::idstn>},
};

}  // namespace

std::span<const Function> fft_cosine_rows() {
  return kFftCosineRows;
}

}  // namespace registry
}  // namespace quern
