// SPDX-License-Identifier: MIT
// Fourier transforms of any length, along any axes, in single and double precision: numpy.fft's functions,
// cosine and sine transforms, and convolution.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/signals.hpp"

namespace quern {
namespace QUERN_API fft {

// Which direction is divided by the number of points: the inverse one, both by its root, the forward one.
enum class Norm : std::uint8_t { backward, ortho, forward };
// Parses NumPy's name; throws an ArgumentError that names the function for any other text.
Norm norm_of(std::string_view name, std::string_view function);

struct Options {
  std::optional<std::int64_t> n = {};  // length: the axis is cut, or zeros are added
  int axis = -1;
  Norm norm = Norm::backward;
  std::optional<Array> out = {};  // array for the result, which may be the input; a new array by default
};

// float32, float16, bfloat16 and complex64 are transformed in single precision, everything else in double
// precision. All functions throw ArgumentError for a length below 1.
Array fft(const Array& x, const Options& options = {});
Array ifft(const Array& x, const Options& options = {});
// Of real elements: the first n / 2 + 1 numbers of the transform. irfft() returns n real elements, by default
// an even number.
Array rfft(const Array& x, const Options& options = {});
Array irfft(const Array& x, const Options& options = {});
// Of a line whose transform is real, given by its first half, and back.
Array hfft(const Array& x, const Options& options = {});
Array ihfft(const Array& x, const Options& options = {});

struct ManyOptions {
  std::optional<std::vector<std::int64_t>> s = {};  // lengths along the axes; -1 keeps a length
  std::optional<std::vector<int>> axes = {};        // by default all, or as many as there are lengths
  Norm norm = Norm::backward;
  std::optional<Array> out = {};
};
Array fftn(const Array& x, const ManyOptions& options = {});
Array ifftn(const Array& x, const ManyOptions& options = {});
// The last of the axes is transformed as by rfft() and irfft().
Array rfftn(const Array& x, const ManyOptions& options = {});
Array irfftn(const Array& x, const ManyOptions& options = {});
// Along the last two axes by default.
Array fft2(const Array& x, const ManyOptions& options = {});
Array ifft2(const Array& x, const ManyOptions& options = {});
Array rfft2(const Array& x, const ManyOptions& options = {});
Array irfft2(const Array& x, const ManyOptions& options = {});

// Cosine and sine transforms of types 1 to 4, as scipy.fft defines them.
struct CosineOptions {
  int type = 2;
  std::optional<std::int64_t> n = {};
  int axis = -1;
  Norm norm = Norm::backward;
  std::optional<bool> orthogonalize = {};  // scales single elements too; by default for Norm::ortho
  std::optional<Array> out = {};
};
Array dct(const Array& x, const CosineOptions& options = {});
Array idct(const Array& x, const CosineOptions& options = {});
Array dst(const Array& x, const CosineOptions& options = {});
Array idst(const Array& x, const CosineOptions& options = {});

struct CosineManyOptions {
  int type = 2;
  std::optional<std::vector<std::int64_t>> s = {};  // lengths along the axes; -1 keeps a length
  std::optional<std::vector<int>> axes = {};        // by default all, or as many as there are lengths
  Norm norm = Norm::backward;
  std::optional<bool> orthogonalize = {};
  std::optional<Array> out = {};
};
Array dctn(const Array& x, const CosineManyOptions& options = {});
Array idctn(const Array& x, const CosineManyOptions& options = {});
Array dstn(const Array& x, const CosineManyOptions& options = {});
Array idstn(const Array& x, const CosineManyOptions& options = {});

// Frequencies of the numbers of fft() and rfft() for samples at distance `spacing`.
Array fftfreq(const Queue& queue, std::int64_t n, double spacing = 1, const std::optional<DType>& dtype = {});
Array rfftfreq(const Queue& queue, std::int64_t n, double spacing = 1,
               const std::optional<DType>& dtype = {});
// Moves the zero frequency to the middle of the axes, and back.
Array fftshift(const Array& x, const std::optional<std::vector<int>>& axes = {});
Array ifftshift(const Array& x, const std::optional<std::vector<int>>& axes = {});

// The smallest length that is at least `target` and whose transforms are fast.
std::int64_t next_fast_len(std::int64_t target, bool real = false);
// The convolution along all axes, or along some, computed by Fourier transforms.
Array fftconvolve(const Array& a, const Array& b, Overlap mode = Overlap::full,
                  const std::optional<std::vector<int>>& axes = {});

}  // namespace fft
}  // namespace quern
