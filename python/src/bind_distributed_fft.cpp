// SPDX-License-Identifier: MIT
// Fourier transforms of distributed arrays, which quern.dist.fft calls by name.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "binding.hpp"
#include "conversions.hpp"
#include "quern/distributed.hpp"
#include "sparse_calls.hpp"

namespace quern::python {
namespace {

using distributed::DistributedArray;
using Several = DistributedArray (*)(const DistributedArray&, const fft::ManyOptions&);
using One = DistributedArray (*)(const DistributedArray&, const fft::Options&);

One one_named(const std::string& name) {
  if (name == "fft") return distributed::fft;
  if (name == "ifft") return distributed::ifft;
  if (name == "hfft") return distributed::hfft;
  if (name == "ihfft") return distributed::ihfft;
  return name == "rfft" ? distributed::rfft : distributed::irfft;
}

Several several_named(const std::string& name) {
  if (name == "fftn") return distributed::fftn;
  if (name == "ifftn") return distributed::ifftn;
  return name == "rfftn" ? distributed::rfftn : distributed::irfftn;
}

}  // namespace

void bind_distributed_fft(nb::module_& module) {
  module.def(
      "distributed_fft",
      [](const std::string& name, const DistributedArray& x, std::optional<std::int64_t> n, int axis,
         const std::string& norm) {
        const fft::Options options{.n = n, .axis = axis, .norm = fft::norm_of(norm, name)};
        return on_queue_of(x.local(), [&] { return one_named(name)(x, options); });
      },
      nb::arg("name"), nb::arg("x"), nb::arg("n").none(), nb::arg("axis"), nb::arg("norm"),
      "fft, ifft, rfft, irfft, hfft or ihfft of a distributed array.");
  module.def(
      "distributed_fftn",
      [](const std::string& name, const DistributedArray& x, std::optional<std::vector<std::int64_t>> s,
         std::optional<std::vector<int>> axes, const std::string& norm) {
        const fft::ManyOptions options{
            .s = std::move(s), .axes = std::move(axes), .norm = fft::norm_of(norm, name)};
        return on_queue_of(x.local(), [&] { return several_named(name)(x, options); });
      },
      nb::arg("name"), nb::arg("x"), nb::arg("s").none(), nb::arg("axes").none(), nb::arg("norm"),
      "fftn, ifftn, rfftn or irfftn of a distributed array.");
}

}  // namespace quern::python
