// SPDX-License-Identifier: MIT
// Fourier transforms of arrays along one axis: which passes compute them, lengths with large prime factors
// (Bluestein's algorithm), and real lines that are longer than a pass.
#include "array/fft.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/fft.hpp"
#include "algorithms/fft_here.hpp"
#include "algorithms/fft_tables.hpp"
#include "algorithms/launch/policy.hpp"
#include "array/at_once.hpp"
#include "array/build.hpp"
#include "array/fft_fusion.hpp"
#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "quern/views.hpp"

namespace quern::array {
namespace {

using algorithms::FftLines;
using algorithms::FftLoad;
using algorithms::FftStore;

Array part(const Array& x, std::size_t axis, std::optional<std::int64_t> start,
           std::optional<std::int64_t> stop, std::int64_t step = 1) {
  std::vector<Index> index(axis, Index::slice());
  index.push_back(Index::slice(start, stop, step));
  return view(x, index);
}

// A vector whose elements lie along this axis.
Array along_axis(const Array& vector, std::size_t axis, std::size_t rank) {
  Shape shape(rank, 1);
  shape[axis] = vector.shape()[0];
  return reshape(vector, std::move(shape));
}

// Whether kernels may write `into`, although they read `x`.
bool is_writable(const Array& x, const Array& into) {
  if (!(into.buffer().allocation() == x.buffer().allocation())) return is_even(into);
  return into.value() == x.value();
}

// Multiplies the result of a library, which has no factor: lazily, unless the caller gave the array.
Array scaled(const Array& result, double factor, bool is_given, const Queue& queue) {
  if (factor == 1) return result;
  if (!is_given) return result * Number(factor);
  assign(result, result * Number(factor), &queue);
  return result;
}

// Memory that may receive the result of a transform of `x`, which is in memory; otherwise new memory.
Array output_for(const Array& x, const FftWork& work, const Queue& queue, const std::optional<Array>& into) {
  const DType type = result_of(work.points, real_of(x.dtype()));
  const Shape shape = with_length(x.shape(), work.axis, work.points.out_length);
  if (into) {
    into->evaluate();
    if (into->dtype() == type && into->shape() == shape && is_writable(x, *into)) return *into;
  }
  return empty(queue, shape, type);
}

// Describes a transform of an array in memory. Memory with more loops than a pass is replaced by a copy, or
// by new memory, which has one loop or two.
FftLines lines_between(Array& x, Array& out, const FftWork& work, const Queue& queue) {
  if (const auto lines = fft_lines(work, {x.shape(), x.dtype(), &x}, {out.shape(), &out})) return *lines;
  const Array given = out;
  if (!out.contiguous()) out = empty(queue, given.shape(), given.dtype());
  if (const auto lines = fft_lines(work, {x.shape(), x.dtype(), &x}, {out.shape(), &out})) return *lines;
  x = copy(x, &queue);
  return *fft_lines(work, {x.shape(), x.dtype(), &x}, {out.shape(), &out});
}

// Computes a small transform on the calling thread. Returns false if that is not possible.
bool transform_at_once(const FftLines& lines, const Array& from, const Array& out, const Queue& queue) {
  if (!algorithms::policy(queue).computes_small_work_at_once) return false;
  const auto transform = algorithms::small_fft(lines);
  if (transform == nullptr) return false;
  const auto first = [](const Array& array) {
    return static_cast<std::byte*>(array.buffer().host_pointer()) + array.offset();
  };
  const std::array<const Array*, 1> reads = {&from}, writes = {&out};
  return call_at_once(queue, reads, writes, [&] { transform->run(first(from), first(out)); });
}

// Runs a transform of a length with small factors: at once on the host, where a function runs it, and if an
// array in memory may receive the result. Otherwise it is pending, so that the expressions around it become
// part of its passes.
Array run(const Array& x, std::size_t axis, const FftPoints& points, const Queue& queue,
          const std::optional<Array>& into) {
  const bool is_pending = pending_node(*x.value()) != nullptr;
  const FftWork work = {axis, points};
  if (algorithms::policy(queue).keeps_transforms_lazy && (!into || is_pending))
    return lazy_fft(queue, x, work);
  x.evaluate();
  Array from = x, out = output_for(x, work, queue, into);
  if (out.size() == 0) return out;
  const FftLines lines = lines_between(from, out, work, queue);
  if (transform_at_once(lines, from, out, queue)) return out;
  if (points.scale != 1 || !algorithms::fft_by_library(queue, lines)) algorithms::fft(queue, lines);
  return out;
}

// Runs a transform of any length by a library. Returns nothing if none takes it.
std::optional<Array> run_by_library(const Array& x, std::size_t axis, const FftPoints& points,
                                    const Queue& queue, const std::optional<Array>& into) {
  if (!algorithms::has_fft_library(queue)) return std::nullopt;
  x.evaluate();
  const FftWork work = {axis, points};
  Array from = x, out = output_for(x, work, queue, into);
  const bool is_given = into && out.value() == into->value();
  if (!algorithms::fft_by_library(queue, lines_between(from, out, work, queue))) return std::nullopt;
  return scaled(out, points.scale, is_given && out.value() == into->value(), queue);
}

Array conjugate(const Array& x) {
  return apply("conj", {x});
}

// Replaces element k of each line by its real part in `x`: the spectrum of a real line is real there.
void make_real(const Array& spectrum, const Array& x, std::size_t axis, std::int64_t k, const Queue& queue) {
  assign(part(spectrum, axis, k, k + 1), apply("real", {part(x, axis, k, k + 1)}), &queue);
}

// A copy of the first half of the spectrum of real lines of n elements: n / 2 + 1 numbers, zeros if fewer are
// given.
Array half_spectrum(const Array& x, std::size_t axis, std::int64_t n, const Queue& queue) {
  const std::int64_t half = n / 2 + 1, given = std::min(x.shape()[axis], half);
  const Shape shape = with_length(x.shape(), axis, half);
  const Array result = given < half ? zeros(queue, shape, x.dtype()) : empty(queue, shape, x.dtype());
  assign(part(result, axis, 0, given), part(x, axis, 0, given), &queue);
  make_real(result, x, axis, 0, queue);
  if (n % 2 == 0 && given == half && half > 1) make_real(result, x, axis, half - 1, queue);
  return result;
}

// The whole spectrum of a real line of n elements from its first half.
Array whole_spectrum(const Array& x, std::size_t axis, std::int64_t n, const Queue& queue) {
  const std::int64_t half = n / 2 + 1, given = std::min(x.shape()[axis], half);
  const Array whole = zeros(queue, with_length(x.shape(), axis, n), complex_type(real_of(x.dtype())));
  assign(part(whole, axis, 0, given), part(x, axis, 0, given), &queue);
  // The last elements are conjugates of the first in reverse order, without element 0 and that of n / 2.
  const std::int64_t copied = std::min(given - 1, (n - 1) / 2);
  if (copied > 0) {
    const Array tail = part(part(x, axis, 1, copied + 1), axis, {}, {}, -1);
    assign(part(whole, axis, n - copied, n), conjugate(tail), &queue);
  }
  make_real(whole, x, axis, 0, queue);
  if (n % 2 == 0 && given == half && half > 1) make_real(whole, x, axis, half - 1, queue);
  return whole;
}

// Bluestein: a transform of any length is a convolution with exp(pi i k^2 / n), which transforms of a longer
// length with small factors compute.
struct Chirp {
  std::int64_t m;
  Array twiddles, response;  // exp(-pi i k^2 / n); the transform of the filter, divided by m

  Chirp(const Queue& queue, Scalar real, std::int64_t n)
      : m(algorithms::next_fast_length(2 * n - 1)),
        twiddles(view_as(
            algorithms::kept_table(queue, real, "chirp/" + std::to_string(n), [&] { return numbers(n); }),
            complex_type(real))),
        response(algorithms::kept_array(queue, real, "response/" + std::to_string(n),
                                        [&] { return transformed_filter(queue, real, n, m); })) {}

 private:
  static std::vector<double> numbers(std::int64_t n) {
    std::vector<double> chirp;
    // k^2 modulo 2 n, without overflow.
    for (std::int64_t k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), ++k)
      algorithms::add_twiddle(chirp, square, 2 * n);
    return chirp;
  }
  static Array transformed_filter(const Queue& queue, Scalar real, std::int64_t n, std::int64_t m) {
    const std::vector<double> chirp = numbers(n);
    std::vector<double> filter(static_cast<std::size_t>(2 * m), 0.0);
    for (std::int64_t k = 0; k < n; ++k) {
      for (const std::int64_t at : {k, (m - k) % m}) {
        filter[static_cast<std::size_t>(2 * at)] = chirp[static_cast<std::size_t>(2 * k)];
        filter[static_cast<std::size_t>(2 * at + 1)] = -chirp[static_cast<std::size_t>(2 * k + 1)];
      }
    }
    const Array points = view_as(algorithms::uploaded_table(queue, real, filter), complex_type(real));
    const Array response = run(
        points, 0, {FftLoad::complex, FftStore::complex, m, m, false, 1 / static_cast<double>(m)}, queue, {});
    response.evaluate();
    return response;
  }
};

Array convolved(const Array& x, const FftAxis& how, const Queue& queue) {
  const std::int64_t n = how.n;
  const Scalar real = real_of(x.dtype());
  const std::size_t rank = x.shape().size();
  const Chirp chirp(queue, real, n);
  const std::int64_t m = chirp.m;
  if (algorithms::policy(queue).transforms_any_length_at_once) {
    x.evaluate();
    const FftWork work = {how.axis,
                          {is_complex(x.dtype()) ? FftLoad::complex : FftLoad::real, FftStore::complex, n, n,
                           how.is_inverse, how.scale}};
    Array from = x, out = output_for(x, work, queue, {});
    const FftLines lines = lines_between(from, out, work, queue);
    if (algorithms::fft_by_chirp(queue, lines, m, chirp.twiddles.elements(), chirp.response.elements()))
      return out;
  }
  const std::int64_t given = std::min(n, x.shape()[how.axis]);
  Array points = part(x, how.axis, 0, given);
  if (how.is_inverse && is_complex(x.dtype())) points = conjugate(points);
  const Array modulated = points * along_axis(part(chirp.twiddles, 0, 0, given), how.axis, rank);
  const Array spectrum =
      run(modulated, how.axis, {FftLoad::complex, FftStore::complex, m, m, false, 1}, queue, {});
  const Array product = spectrum * along_axis(chirp.response, how.axis, rank);
  const Array sums =
      run(product, how.axis, {FftLoad::complex, FftStore::complex, m, n, true, how.scale}, queue, {});
  const Array result = sums * along_axis(chirp.twiddles, how.axis, rank);
  return how.is_inverse ? conjugate(result) : result;
}

// The spectrum of real lines of even length from the transform of their pairs, or back.
Array long_spectrum(const Array& x, const FftAxis& how, const Queue& queue,
                    const std::optional<Array>& into) {
  const std::int64_t half = how.n / 2;
  const std::size_t axis = how.axis, rank = x.shape().size();
  const DType type = complex_type(real_of(x.dtype()));
  if (how.kind == FftKind::to_spectrum) {
    const Array z =
        run(x, axis, {FftLoad::pairs, FftStore::complex, half, half, false, how.scale / 2}, queue, {});
    const Array result = empty(queue, with_length(x.shape(), axis, half + 1), type);
    const Array a = part(z, axis, 1, {}), b = conjugate(part(z, axis, {}, 0, -1));
    const Array w = along_axis(part(twiddles(queue, type, how.n, half), 0, 1, {}), axis, rank);
    // w / i
    const Array factor = apply("multiply", {w, Number(std::complex<double>(0, -1))});
    assign(part(result, axis, 1, half), (a + b) + factor * (a - b), &queue);
    const Array first = part(z, axis, 0, 1), re = apply("real", {first}), im = apply("imag", {first});
    assign(part(result, axis, 0, 1), (re + im) * Number(2), &queue);
    assign(part(result, axis, half, half + 1), (re - im) * Number(2), &queue);
    return result;
  }
  Array spectrum = x;
  if (x.shape()[axis] < half + 1) {
    spectrum = zeros(queue, with_length(x.shape(), axis, half + 1), type);
    assign(part(spectrum, axis, 0, x.shape()[axis]), x, &queue);
  }
  const Array z = empty(queue, with_length(x.shape(), axis, half), type);
  const Array a = part(spectrum, axis, 1, half);
  const Array b = conjugate(part(spectrum, axis, half - 1, 0, -1));
  const Array w = along_axis(part(twiddles(queue, type, how.n, half), 0, 1, {}), axis, rank);
  // i conj(w)
  const Array factor = apply("multiply", {conjugate(w), Number(std::complex<double>(0, 1))});
  assign(part(z, axis, 1, {}), (a + b) + factor * (a - b), &queue);
  const Array first = apply("real", {part(spectrum, axis, 0, 1)});
  const Array last = apply("real", {part(spectrum, axis, half, half + 1)});
  const Array imaginary = (first - last) * Number(std::complex<double>(0, 1));
  assign(part(z, axis, 0, 1), (first + last) + imaginary, &queue);
  return run(z, axis, {FftLoad::complex, FftStore::pairs, half, how.n, true, how.scale}, queue, into);
}

}  // namespace

Array transform(const Array& x, const FftAxis& how, const Queue& queue, const std::optional<Array>& into) {
  const QueueScope scope(queue);
  const std::int64_t n = how.n;
  const std::size_t axis = how.axis;
  const bool is_real = !is_complex(x.dtype());
  const Scalar real = real_of(x.dtype());
  if (x.size() == 0) {
    const bool gives_real = how.kind == FftKind::from_spectrum;
    return zeros(queue, with_length(x.shape(), axis, how.kind == FftKind::to_spectrum ? n / 2 + 1 : n),
                 gives_real ? DType::of(real) : complex_type(real));
  }
  const FftLoad load = is_real ? FftLoad::real : FftLoad::complex;
  const bool is_smooth = algorithms::has_small_factors(queue, n);
  const std::int64_t most = algorithms::most_points_of_pass(queue, real);
  if (how.kind == FftKind::complex) {
    const FftPoints points = {load, FftStore::complex, n, n, how.is_inverse, how.scale};
    if (is_smooth) return run(x, axis, points, queue, into);
    const std::optional<Array> result = run_by_library(x, axis, points, queue, into);
    return result ? *result : convolved(x, how, queue);
  }
  if (how.kind == FftKind::to_spectrum) {
    const bool is_paired = n % 2 == 0;
    const FftPoints points = {is_paired ? FftLoad::pairs : FftLoad::real,
                              is_paired ? FftStore::spectrum : FftStore::complex,
                              is_paired ? n / 2 : n,
                              n / 2 + 1,
                              false,
                              how.scale};
    // Our own kernels hold all points of a real line.
    if (is_smooth && (!is_paired || n / 2 <= most)) return run(x, axis, points, queue, into);
    if (const auto result = run_by_library(x, axis, points, queue, into)) return *result;
    if (is_smooth) return long_spectrum(x, how, queue, into);
    return part(convolved(x, {axis, n, FftKind::complex, false, how.scale}, queue), axis, 0, n / 2 + 1);
  }
  const Array spectrum = is_real ? astype(x, complex_type(real), &queue) : x;
  const bool is_odd = n % 2 != 0;
  // Longer lines than those of a pass. The library overwrites what it reads, so it gets a copy.
  if (n > 1 && (!is_smooth || (is_odd ? n : n / 2) > most) && algorithms::has_fft_library(queue)) {
    const Array half = half_spectrum(spectrum, axis, n, queue);
    const FftPoints points = {is_odd ? FftLoad::odd_spectrum : FftLoad::half_spectrum,
                              is_odd ? FftStore::real : FftStore::pairs,
                              is_odd ? n : n / 2,
                              n,
                              true,
                              how.scale};
    if (const auto result = run_by_library(half, axis, points, queue, into)) return *result;
  }
  if (!is_smooth || (is_odd && n > most)) {
    const Array whole = whole_spectrum(spectrum, axis, n, queue);
    if (!is_smooth)
      return apply("real", {convolved(whole, {axis, n, FftKind::complex, true, how.scale}, queue)});
    return run(whole, axis, {FftLoad::complex, FftStore::real, n, n, true, how.scale}, queue, into);
  }
  if (is_odd)
    return run(spectrum, axis, {FftLoad::odd_spectrum, FftStore::real, n, n, true, how.scale}, queue, into);
  if (n / 2 > most) return long_spectrum(spectrum, how, queue, into);
  return run(spectrum, axis, {FftLoad::half_spectrum, FftStore::pairs, n / 2, n, true, how.scale}, queue,
             into);
}

Array twiddles(const Queue& queue, const DType& dtype, std::int64_t n, std::int64_t count) {
  const Scalar real = real_of(dtype);
  return view_as(algorithms::fft_table(queue, real, n, count), complex_type(real));
}

std::int64_t fast_length(std::int64_t n, bool is_real) {
  return algorithms::next_fast_length(n, is_real ? 5 : 11);
}

}  // namespace quern::array
