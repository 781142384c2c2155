// SPDX-License-Identifier: MIT
// Fourier transforms of distributed arrays: numpy.fft's functions.
#pragma once

#include "quern/api.hpp"
#include "quern/distributed/array.hpp"
#include "quern/fft.hpp"

namespace quern {
namespace QUERN_API distributed {

// Functions with the options of those of one rank, except `out`. Each rank transforms the lines that it has
// whole. For split axes the elements are redistributed: other axes are split, the lines are transformed, and
// the result gets the layout of the input. If no other axis has elements to split, a line itself is
// transformed by all ranks, which takes three redistributions. Throw ArgumentError as those of one rank, on
// all ranks.
DistributedArray fft(const DistributedArray& x, const quern::fft::Options& options = {});
DistributedArray ifft(const DistributedArray& x, const quern::fft::Options& options = {});
DistributedArray rfft(const DistributedArray& x, const quern::fft::Options& options = {});
DistributedArray irfft(const DistributedArray& x, const quern::fft::Options& options = {});
DistributedArray hfft(const DistributedArray& x, const quern::fft::Options& options = {});
DistributedArray ihfft(const DistributedArray& x, const quern::fft::Options& options = {});
DistributedArray fftn(const DistributedArray& x, const quern::fft::ManyOptions& options = {});
DistributedArray ifftn(const DistributedArray& x, const quern::fft::ManyOptions& options = {});
DistributedArray rfftn(const DistributedArray& x, const quern::fft::ManyOptions& options = {});
DistributedArray irfftn(const DistributedArray& x, const quern::fft::ManyOptions& options = {});

}  // namespace distributed
}  // namespace quern
