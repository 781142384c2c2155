// SPDX-License-Identifier: MIT
// Fourier transforms along one axis and along several, with NumPy's keywords.
#include "functions/fft.hpp"

#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "array/build.hpp"
#include "functions/operands.hpp"
#include "functions/output.hpp"
#include "functions/rows.hpp"
#include "quern/manipulation.hpp"

namespace quern {
namespace fft {
namespace {

using array::FftAxis;
using array::FftKind;

constexpr Norm exchanged(Norm norm) {
  return norm == Norm::backward ? Norm::forward : norm == Norm::forward ? Norm::backward : norm;
}

struct Kind {
  const char* name;
  FftKind kind;
  bool is_inverse;
};

void check_real(const char* function, const Array& x) {
  if (functions::is_complex(x.dtype()))
    functions::type_error(std::string(function) + ": expected real elements, got " + x.dtype().name() +
                          "; fft() takes complex ones");
}

Array along(const Kind& kind, const Array& x, const Options& options) {
  const std::size_t axis = checked_axis(options.axis, x.shape().size());
  if (kind.kind == FftKind::to_spectrum) check_real(kind.name, x);
  const std::int64_t length = x.shape()[axis];
  const bool is_back = kind.kind == FftKind::from_spectrum;
  const std::int64_t n = checked_length(kind.name, options.n.value_or(is_back ? 2 * (length - 1) : length));
  const Array points = as_points(x);
  const double factor = factor_of(options.norm, kind.is_inverse, static_cast<double>(n));
  const FftAxis how = {axis, n, kind.kind, kind.kind == FftKind::complex && kind.is_inverse, factor};
  const std::optional<Array> into = options.out;
  return finished(kind.name, array::transform(points, how, array::queue_of(points, nullptr), into),
                  options.out);
}

// The factor of all axes together is applied with the last one.
double factor_of(const Many& many, Norm norm, bool is_inverse) {
  double points = 1;
  for (const std::int64_t n : many.lengths) points *= static_cast<double>(n);
  return factor_of(norm, is_inverse, points);
}

// Transforms along axes first to last - 1. The first transform writes a new array, or the caller's; the
// others work in place.
Array along_axes(Array x, const Many& many, std::size_t first, std::size_t last, bool is_inverse,
                 double factor, bool is_own, const std::optional<Array>& out) {
  const Queue queue = array::queue_of(x, nullptr);
  for (std::size_t i = last; i-- > first;) {
    std::optional<Array> into = i == first ? out : std::nullopt;
    // The caller's array may be what the first transform reads, so that one must be done.
    if (into && is_own) x.evaluate();
    if (!into && is_own) into = x;
    x = array::transform(
        x, {many.axes[i], many.lengths[i], FftKind::complex, is_inverse, i == first ? factor : 1}, queue,
        into);
    is_own = true;
  }
  return x;
}

Array complex_many(const char* function, const Array& x, const ManyOptions& options, bool is_inverse) {
  const Many many = many_of(function, x, options.s, options.axes);
  if (many.axes.empty()) return finished(function, copy(x), options.out);
  Array result = along_axes(as_points(x), many, 0, many.axes.size(), is_inverse,
                            factor_of(many, options.norm, is_inverse), false, options.out);
  return finished(function, std::move(result), options.out);
}

}  // namespace

Norm norm_of(std::string_view name, std::string_view function) {
  if (name == "backward") return Norm::backward;
  if (name == "ortho") return Norm::ortho;
  if (name == "forward") return Norm::forward;
  functions::value_error(std::string(function) + ": Invalid norm value " + std::string(name) +
                         "; should be \"backward\", \"ortho\" or \"forward\".");
}

Array as_points(const Array& x) {
  switch (x.dtype().scalar) {
    case Scalar::float32:
    case Scalar::float64:
    case Scalar::complex64:
    case Scalar::complex128:
      return x;
    case Scalar::float16:
    case Scalar::bfloat16:
      return astype(x, DType::of(Scalar::float32));
    default:
      static_cast<void>(functions::is_boolean(x.dtype()));  // throws for structures
      return astype(x, array::default_float(x.queue()));
  }
}

std::int64_t checked_length(std::string_view function, std::int64_t n) {
  if (n < 1)
    functions::value_error(std::string(function) + ": Invalid number of FFT data points (" +
                           std::to_string(n) + ") specified.");
  return n;
}

Array finished(std::string_view function, Array result, const std::optional<Array>& out) {
  if (!out || result.value() == out->value()) return result;
  return functions::written(function, std::move(result), {.array = &*out, .broadcasts = false});
}

Many many_of(const char* function, const Array& x, const std::optional<std::vector<std::int64_t>>& s,
             const std::optional<std::vector<int>>& axes, bool is_back) {
  const std::size_t rank = x.shape().size();
  Many many;
  if (axes) {
    for (const int axis : *axes) many.axes.push_back(checked_axis(axis, rank));
  } else {
    const std::size_t count = s ? s->size() : rank;
    if (count > rank)
      functions::value_error(std::string(function) + ": s has " + std::to_string(count) +
                             " lengths for an array of " + std::to_string(rank) + " dimensions");
    for (std::size_t d = rank - count; d < rank; ++d) many.axes.push_back(d);
  }
  if (s && s->size() != many.axes.size())
    functions::value_error(std::string(function) + ": Shape and axes have different lengths: " +
                           std::to_string(s->size()) + " and " + std::to_string(many.axes.size()));
  for (std::size_t i = 0; i < many.axes.size(); ++i) {
    const std::int64_t length = x.shape()[many.axes[i]];
    const bool is_last = i + 1 == many.axes.size();
    std::int64_t n = s ? (*s)[i] : -1;
    if (n == -1) n = is_back && is_last && !s ? 2 * (length - 1) : length;
    many.lengths.push_back(checked_length(function, n));
  }
  return many;
}

double factor_of(Norm norm, bool is_inverse, double n) {
  if (norm == Norm::ortho) return 1 / std::sqrt(n);
  return (norm == Norm::forward) != is_inverse ? 1 / n : 1;
}

Array fft(const Array& x, const Options& options) {
  return along({"fft", FftKind::complex, false}, x, options);
}
Array ifft(const Array& x, const Options& options) {
  return along({"ifft", FftKind::complex, true}, x, options);
}
Array rfft(const Array& x, const Options& options) {
  return along({"rfft", FftKind::to_spectrum, false}, x, options);
}
Array irfft(const Array& x, const Options& options) {
  return along({"irfft", FftKind::from_spectrum, true}, x, options);
}

Array hfft(const Array& x, const Options& options) {
  Options other = options;
  other.norm = exchanged(options.norm);
  const Array points = as_points(x);
  return along({"hfft", FftKind::from_spectrum, true},
               functions::is_complex(points.dtype()) ? apply("conj", {points}) : points, other);
}
Array ihfft(const Array& x, const Options& options) {
  Options other = options;
  other.norm = exchanged(options.norm);
  other.out.reset();
  return finished("ihfft", apply("conj", {along({"ihfft", FftKind::to_spectrum, false}, x, other)}),
                  options.out);
}

Array fftn(const Array& x, const ManyOptions& options) {
  return complex_many("fftn", x, options, false);
}
Array ifftn(const Array& x, const ManyOptions& options) {
  return complex_many("ifftn", x, options, true);
}

Array rfftn(const Array& x, const ManyOptions& options) {
  check_real("rfftn", x);
  const Many many = many_of("rfftn", x, options.s, options.axes);
  if (many.axes.empty()) functions::value_error("rfftn: expected at least one axis");
  const double factor = factor_of(many, options.norm, false);
  const std::size_t last = many.axes.size() - 1;
  Array result = array::transform(
      as_points(x),
      {many.axes[last], many.lengths[last], FftKind::to_spectrum, false, last == 0 ? factor : 1},
      array::queue_of(x, nullptr), last == 0 ? options.out : std::nullopt);
  result = along_axes(std::move(result), many, 0, last, false, factor, true, options.out);
  return finished("rfftn", std::move(result), options.out);
}

Array irfftn(const Array& x, const ManyOptions& options) {
  const Many many = many_of("irfftn", x, options.s, options.axes, true);
  if (many.axes.empty()) functions::value_error("irfftn: expected at least one axis");
  const std::size_t last = many.axes.size() - 1;
  const Array between = along_axes(as_points(x), many, 0, last, true, 1, false, {});
  Array result = array::transform(between,
                                  {many.axes[last], many.lengths[last], FftKind::from_spectrum, false,
                                   factor_of(many, options.norm, true)},
                                  array::queue_of(between, nullptr), options.out);
  return finished("irfftn", std::move(result), options.out);
}

namespace {

ManyOptions last_two(ManyOptions options) {
  if (!options.axes) options.axes = {-2, -1};
  return options;
}

}  // namespace

Array fft2(const Array& x, const ManyOptions& options) {
  return fftn(x, last_two(options));
}
Array ifft2(const Array& x, const ManyOptions& options) {
  return ifftn(x, last_two(options));
}
Array rfft2(const Array& x, const ManyOptions& options) {
  return rfftn(x, last_two(options));
}
Array irfft2(const Array& x, const ManyOptions& options) {
  return irfftn(x, last_two(options));
}

}  // namespace fft

namespace registry {

fft::Norm norm_argument(const Arguments& a, std::size_t k) {
  return a.has(k) ? fft::norm_of(a.text(k), a.function().name.substr(4)) : fft::Norm::backward;
}
std::optional<std::int64_t> length_argument(const Arguments& a, std::size_t k) {
  return a.find<std::int64_t>(k);
}

namespace {

using One = Array (*)(const Array&, const fft::Options&);
using Several = Array (*)(const Array&, const fft::ManyOptions&);

constexpr std::string_view kOne =
    "a: array, n: int = None, axis: int = -1, norm: str = None, out: out = None";
constexpr std::string_view kOneAbout =
    "n: Number of points to transform. A longer input is cut, a shorter one is padded with zeros. "
    "None: the length of the input.\n"
    "axis: Axis to transform.\n"
    "norm: 'backward' divides the inverse transform by n, 'forward' the forward one, 'ortho' both by the "
    "square "
    "root. None: 'backward'.";
constexpr std::string_view kHalfAbout =
    "n: Length of the transformed axis of the result. None: 2 * (m - 1) for an input of length m.\n"
    "axis: Axis to transform.\n"
    "norm: 'backward' divides the inverse transform by n, 'forward' the forward one, 'ortho' both by the "
    "square "
    "root. None: 'backward'.";
constexpr std::string_view kMany =
    "a: array, s: ints = None, axes: ints = None, norm: str = None, out: out = None";
constexpr std::string_view kTwo =
    "a: array, s: ints = None, axes: ints = (-2, -1), norm: str = None, out: out = None";
constexpr std::string_view kManyAbout =
    "s: Number of points to transform along each axis; -1 takes the length of the input. None: the lengths "
    "of "
    "the input.\n"
    "axes: Axes to transform. None: the last axes, as many as there are lengths in `s`, or all.\n"
    "norm: 'backward' divides the inverse transform by the number of points, 'forward' the forward one, "
    "'ortho' both by the square root. None: 'backward'.";
constexpr std::string_view kManyHalfAbout =
    "s: Lengths of the transformed axes of the result. None: the lengths of the input, and 2 * (m - 1) along "
    "the "
    "last of the axes for an input of length m.\n"
    "axes: Axes to transform. None: the last axes, as many as there are lengths in `s`, or all.\n"
    "norm: 'backward' divides the inverse transform by the number of points, 'forward' the forward one, "
    "'ortho' both by the square root. None: 'backward'.";

template <One function>
Result call_one(const Arguments& a) {
  return function(a.array(0), {.n = length_argument(a, 1),
                               .axis = a.axis(2).value_or(-1),
                               .norm = norm_argument(a, 3),
                               .out = a.find<Array>(4)});
}
template <Several function>
Result call_many(const Arguments& a) {
  fft::ManyOptions options = {.axes = a.axes(2), .norm = norm_argument(a, 3), .out = a.find<Array>(4)};
  if (a.has(1)) options.s = a.integers(1);
  return function(a.array(0), options);
}

const Function kFftRows[] = {
    {.name = "fft.fft",
     .parameters = kOne,
     .summary = "Discrete Fourier transform along an axis.",
     .about = kOneAbout,
     .returns =
         "The transform: complex64 for float16, bfloat16, float32 and complex64, otherwise complex128.",
     .example = ">>> print(qn.fft.fft([1.0, 0.0, -1.0, 0.0]))\n[0.+0.j 2.+0.j 0.+0.j 2.+0.j]",
     .call = call_one<fft::fft>},
    {.name = "fft.ifft",
     .parameters = kOne,
     .summary = "Inverse discrete Fourier transform along an axis.",
     .about = kOneAbout,
     .returns = "The inverse transform, complex.",
     .example = ">>> print(qn.fft.ifft([4.0, 0.0, 0.0, 0.0]))\n[1.+0.j 1.+0.j 1.+0.j 1.+0.j]",
     .call = call_one<fft::ifft>},
    {.name = "fft.rfft",
     .parameters = kOne,
     .summary = "Discrete Fourier transform of real elements along an axis.",
     .about = kOneAbout,
     .returns = "The first n // 2 + 1 elements of the transform; the others are their conjugates.",
     .example = ">>> print(qn.fft.rfft([0.0, 1.0, 0.0, 0.0]))\n[ 1.+0.j  0.-1.j -1.+0.j]",
     .call = call_one<fft::rfft>},
    {.name = "fft.irfft",
     .parameters = kOne,
     .summary = "Inverse of rfft().",
     .about = kHalfAbout,
     .returns = "n real elements along the axis.",
     .example = ">>> print(qn.fft.irfft([1.0, -1.0j, -1.0]))\n[0. 1. 0. 0.]",
     .call = call_one<fft::irfft>},
    {.name = "fft.hfft",
     .parameters = kOne,
     .summary = "Fourier transform of a signal with Hermitian symmetry, given by its first half.",
     .about = kHalfAbout,
     .returns = "n real elements along the axis.",
     .example = ">>> print(qn.fft.hfft([1.0, 0.5, 0.0]))\n[2. 1. 0. 1.]",
     .call = call_one<fft::hfft>},
    {.name = "fft.ihfft",
     .parameters = kOne,
     .summary = "Inverse of hfft().",
     .about = kOneAbout,
     .returns = "The first n // 2 + 1 elements of the inverse transform; the others are their conjugates.",
     .example = ">>> print(qn.fft.ihfft([4.0, 0.0, 0.0, 0.0]))\n[1.-0.j 1.-0.j 1.-0.j]",
     .call = call_one<fft::ihfft>},
    {.name = "fft.fftn",
     .parameters = kMany,
     .summary = "Discrete Fourier transform along several axes.",
     .about = kManyAbout,
     .returns = "The transform, complex.",
     .example = ">>> print(qn.fft.fftn(qn.eye(2)))\n[[2.+0.j 0.+0.j]\n [0.+0.j 2.+0.j]]",
     .call = call_many<fft::fftn>},
    {.name = "fft.ifftn",
     .parameters = kMany,
     .summary = "Inverse discrete Fourier transform along several axes.",
     .about = kManyAbout,
     .returns = "The inverse transform, complex.",
     .example = ">>> print(qn.fft.ifftn(qn.ones((2, 2))))\n[[1.+0.j 0.+0.j]\n [0.+0.j 0.+0.j]]",
     .call = call_many<fft::ifftn>},
    {.name = "fft.rfftn",
     .parameters = kMany,
     .summary = "Discrete Fourier transform of real elements along several axes.",
     .notes = "The last of the axes is transformed as by rfft(), the others as by fft().",
     .about = kManyAbout,
     .returns = "The transform; along the last of the axes its first n // 2 + 1 elements.",
     .example = ">>> qn.fft.rfftn(qn.ones((4, 6))).shape\n(4, 4)",
     .call = call_many<fft::rfftn>},
    {.name = "fft.irfftn",
     .parameters = kMany,
     .summary = "Inverse of rfftn().",
     .about = kManyHalfAbout,
     .returns = "Real elements.",
     .example = ">>> qn.fft.irfftn(qn.ones((4, 4)), s=(4, 7), axes=(0, 1)).shape\n(4, 7)",
     .call = call_many<fft::irfftn>},
    {.name = "fft.fft2",
     .parameters = kTwo,
     .summary = "Discrete Fourier transform along two axes.",
     .about = kManyAbout,
     .returns = "The transform, complex.",
     .example = ">>> print(qn.fft.fft2(qn.eye(2)))\n[[2.+0.j 0.+0.j]\n [0.+0.j 2.+0.j]]",
     .call = call_many<fft::fftn>},
    {.name = "fft.ifft2",
     .parameters = kTwo,
     .summary = "Inverse discrete Fourier transform along two axes.",
     .about = kManyAbout,
     .returns = "The inverse transform, complex.",
     .example = ">>> print(qn.fft.ifft2(qn.ones((2, 2))))\n[[1.+0.j 0.+0.j]\n [0.+0.j 0.+0.j]]",
     .call = call_many<fft::ifftn>},
    {.name = "fft.rfft2",
     .parameters = kTwo,
     .summary = "Discrete Fourier transform of real elements along two axes.",
     .about = kManyAbout,
     .returns = "The transform; along the last of the axes its first n // 2 + 1 elements.",
     .example = ">>> qn.fft.rfft2(qn.ones((4, 6))).shape\n(4, 4)",
     .call = call_many<fft::rfftn>},
    {.name = "fft.irfft2",
     .parameters = kTwo,
     .summary = "Inverse of rfft2().",
     .about = kManyHalfAbout,
     .returns = "Real elements.",
     .example = ">>> qn.fft.irfft2(qn.ones((4, 4))).shape\n(4, 6)",
     .call = call_many<fft::irfftn>},
};

}  // namespace

std::span<const Function> fft_rows() {
  return kFftRows;
}

}  // namespace registry
}  // namespace quern
