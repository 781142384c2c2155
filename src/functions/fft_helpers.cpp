// SPDX-License-Identifier: MIT
// Functions beside the Fourier transforms: frequencies, shifts, fast lengths, and convolution by transforms.
#include <algorithm>
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

DType frequency_type(const char* function, const Queue& queue, const std::optional<DType>& dtype) {
  if (!dtype) return array::default_float(queue);
  if (!functions::is_floating(*dtype))
    functions::type_error(std::string(function) + ": dtype: expected a real floating-point type, got " +
                          dtype->name());
  return *dtype;
}

Array shifted(const Array& x, const std::optional<std::vector<int>>& axes, bool is_back) {
  const std::size_t rank = x.shape().size();
  std::vector<int> chosen;
  if (axes) {
    chosen = *axes;
  } else {
    for (std::size_t d = 0; d < rank; ++d) chosen.push_back(static_cast<int>(d));
  }
  if (chosen.empty()) return copy(x);
  std::vector<std::int64_t> shifts;
  for (const int axis : chosen) {
    const std::int64_t half = x.shape()[checked_axis(axis, rank)] / 2;
    shifts.push_back(is_back ? -half : half);
  }
  return roll(x, shifts, chosen);
}

// The part of that many elements in the middle of each axis.
Array centred(Array x, const Shape& lengths) {
  for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
    const std::int64_t start = (x.shape()[axis] - lengths[axis]) / 2;
    x = functions::along(x, axis, Index::slice(start, start + lengths[axis]));
  }
  return x;
}

}  // namespace

Array fftfreq(const Queue& queue, std::int64_t n, double spacing, const std::optional<DType>& dtype) {
  checked_length("fftfreq", n);
  const DType type = frequency_type("fftfreq", queue, dtype);
  const Array k = arange(queue, 0, 1, n, DType::of(Scalar::int64));
  const Array number = where(k < Number((n + 1) / 2), k, k - Number(n));
  return astype(
      astype(number, array::default_float(queue)) * Number(1.0 / (static_cast<double>(n) * spacing)), type);
}

Array rfftfreq(const Queue& queue, std::int64_t n, double spacing, const std::optional<DType>& dtype) {
  checked_length("rfftfreq", n);
  const DType type = frequency_type("rfftfreq", queue, dtype);
  const Array k = arange(queue, 0, 1, n / 2 + 1, array::default_float(queue));
  return astype(k * Number(1.0 / (static_cast<double>(n) * spacing)), type);
}

Array fftshift(const Array& x, const std::optional<std::vector<int>>& axes) {
  return shifted(x, axes, false);
}
Array ifftshift(const Array& x, const std::optional<std::vector<int>>& axes) {
  return shifted(x, axes, true);
}

std::int64_t next_fast_len(std::int64_t target, bool real) {
  if (target < 0)
    functions::value_error("next_fast_len: target must not be negative, got " + std::to_string(target));
  return target == 0 ? 0 : array::fast_length(target, real);
}

Array fftconvolve(const Array& a, const Array& b, Overlap mode, const std::optional<std::vector<int>>& axes) {
  const std::size_t rank = a.shape().size();
  if (rank != b.shape().size())
    functions::value_error("fftconvolve: in1 and in2 should have the same dimensionality, got " +
                           std::to_string(rank) + " and " + std::to_string(b.shape().size()));
  functions::check_beside("fftconvolve", a, b);
  if (rank == 0) return a * b;
  std::vector<std::size_t> chosen;
  if (axes) {
    for (const int axis : *axes) chosen.push_back(checked_axis(axis, rank));
    std::sort(chosen.begin(), chosen.end());
    if (std::adjacent_find(chosen.begin(), chosen.end()) != chosen.end())
      functions::value_error("fftconvolve: all axes must be unique");
    if (chosen.empty()) functions::value_error("fftconvolve: when provided, axes cannot be empty");
  } else {
    for (std::size_t d = 0; d < rank; ++d) chosen.push_back(d);
  }
  Array first = as_points(a), second = as_points(b);
  const DType type = result_type(first.dtype(), second.dtype());
  first = astype(first, type);
  second = astype(second, type);
  if (a.size() == 0 || b.size() == 0) return empty(array::queue_of(first, nullptr), {0}, type);
  if (mode == Overlap::valid) {
    const auto covers = [&](const Array& x, const Array& y) {
      return std::all_of(chosen.begin(), chosen.end(),
                         [&](std::size_t d) { return x.shape()[d] >= y.shape()[d]; });
    };
    if (!covers(first, second)) {
      if (!covers(second, first))
        functions::value_error(
            "fftconvolve: for 'valid' mode, one input must be at least as large as the other in every "
            "dimension");
      std::swap(first, second);
    }
  }
  Shape whole = a.shape();
  std::vector<std::int64_t> lengths;
  std::vector<int> transformed;
  const bool is_real = !functions::is_complex(type);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t m = first.shape()[d], n = second.shape()[d];
    if (std::find(chosen.begin(), chosen.end(), d) == chosen.end()) {
      if (m != n && m != 1 && n != 1)
        functions::value_error("fftconvolve: the shapes do not broadcast along axis " + std::to_string(d));
      whole[d] = std::max(m, n);
      continue;
    }
    whole[d] = m + n - 1;
    // A line of one element is only a factor.
    if (m == 1 || n == 1) continue;
    lengths.push_back(next_fast_len(whole[d], is_real));
    transformed.push_back(static_cast<int>(d));
  }
  Array result = first;
  if (transformed.empty()) {
    result = first * second;
  } else {
    const ManyOptions options = {.s = lengths, .axes = transformed};
    result = is_real ? irfftn(rfftn(first, options) * rfftn(second, options), options)
                     : ifftn(fftn(first, options) * fftn(second, options), options);
    for (const int axis : transformed) {
      const auto d = static_cast<std::size_t>(axis);
      result = functions::along(result, d, Index::slice(0, whole[d]));
    }
  }
  if (mode == Overlap::full) return copy(result);
  // As in SciPy, 'same' has the shape of the first array along the other axes, too.
  if (mode == Overlap::same) return copy(centred(result, a.shape()));
  Shape kept = whole;
  for (const std::size_t d : chosen) kept[d] = first.shape()[d] - second.shape()[d] + 1;
  return copy(centred(result, kept));
}

}  // namespace fft

namespace registry {
namespace {

constexpr std::string_view kFrequencies =
    "n: int, d: number = 1.0, device: device = None, *, dtype: dtype = None, queue: queue = None";
constexpr std::string_view kFrequenciesAbout =
    "n: Number of samples.\n"
    "d: Distance between samples.\n"
    "dtype: Real floating-point dtype of the result; the default one of the device if None.";

double spacing_of(const Arguments& a) {
  return a.get<Number>(1).value().real();
}

const Function kFftHelperRows[] = {
    {.name = "fft.fftfreq",
     .parameters = kFrequencies,
     .summary = "Frequencies of the numbers that fft() returns.",
     .about = kFrequenciesAbout,
     .returns = "n frequencies, in cycles per unit of `d`.",
     .example = ">>> print(qn.fft.fftfreq(4, 0.5))\n[ 0.   0.5 -1.  -0.5]",
     .call = [](const Arguments& a) -> Result {
       return fft::fftfreq(a.queue(), a.integer(0), spacing_of(a), a.find<DType>(3));
     }},
    {.name = "fft.rfftfreq",
     .parameters = kFrequencies,
     .summary = "Frequencies of the numbers that rfft() returns.",
     .about = kFrequenciesAbout,
     .returns = "n // 2 + 1 frequencies, in cycles per unit of `d`.",
     .example = ">>> print(qn.fft.rfftfreq(4, 0.5))\n[0.  0.5 1. ]",
     .call = [](const Arguments& a) -> Result {
       return fft::rfftfreq(a.queue(), a.integer(0), spacing_of(a), a.find<DType>(3));
     }},
    {.name = "fft.fftshift",
     .parameters = "x: array, axes: ints = None",
     .summary = "Shift the zero frequency to the middle of the axes.",
     .about = "axes: Axes to shift. None: all.",
     .returns = "The shifted array.",
     .example = ">>> print(qn.fft.fftshift(qn.arange(5)))\n[3 4 0 1 2]",
     .call = [](const Arguments& a) -> Result { return fft::fftshift(a.array(0), a.axes(1)); }},
    {.name = "fft.ifftshift",
     .parameters = "x: array, axes: ints = None",
     .summary = "Inverse of fftshift().",
     .about = "axes: Axes to shift. None: all.",
     .returns = "The shifted array.",
     .example = ">>> print(qn.fft.ifftshift([3, 4, 0, 1, 2]))\n[0 1 2 3 4]",
     .call = [](const Arguments& a) -> Result { return fft::ifftshift(a.array(0), a.axes(1)); }},
    {.name = "fft.next_fast_len",
     .parameters = "target: int, real: bool = False",
     .summary = "Smallest length that is at least `target` and whose transforms are fast.",
     .about = "target: Length to start from.\n"
              "real: Whether the transforms are of real elements.",
     .returns = "The length: its prime factors are at most 11, for real transforms at most 5.",
     .type = "int",
     .example = ">>> qn.fft.next_fast_len(1021)\n1024",
     .call = [](const Arguments& a) -> Result { return fft::next_fast_len(a.integer(0), a.flag(1)); }},
    {.name = "fft.fftconvolve",
     .parameters = "in1: array, in2: array, mode: str = 'full', axes: ints = None",
     .summary = "Convolution of two arrays by Fourier transforms, as scipy.signal.fftconvolve.",
     .about = "in1: First array.\n"
              "in2: Second array, of the same number of dimensions.\n"
              "mode: 'full': the whole convolution; 'same': its middle, in the shape of `in1`; 'valid': only "
              "where "
              "the arrays overlap completely.\n"
              "axes: Axes to convolve along. None: all.",
     .returns = "The convolution, in floating point.",
     .example = ">>> print(qn.fft.fftconvolve([1.0, 2.0, 3.0], [0.0, 1.0]).round(6))\n[0. 1. 2. 3.]",
     .call = [](const Arguments& a) -> Result {
       return fft::fftconvolve(a.array(0), a.array(1), overlap_of(a.text(2), "fftconvolve"), a.axes(3));
     }},
};

}  // namespace

std::span<const Function> fft_helper_rows() {
  return kFftHelperRows;
}

}  // namespace registry
}  // namespace quern
