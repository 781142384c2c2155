// SPDX-License-Identifier: MIT
// Histograms by functions of the library.
#include "algorithms/host/histogram_loops.hpp"

#include <algorithm>

#include "algorithms/convert.hpp"
#include "algorithms/host/element_access.hpp"
#include "algorithms/host/precompiled_kernel.hpp"

namespace quern::algorithms {
namespace {

struct CountCall {
  std::size_t n, count;
  double low, scale;
  bool weighted;
};
enum CountMemory : std::size_t { kElements, kOut, kEdges, kWeights };

// The bin of x, or `count`: the last edge belongs to the last bin, and NaNs belong nowhere.
template <class Real>
std::size_t bin_of(Real x, const std::byte* edges, const CountCall& call) {
  const auto edge = [&](std::size_t i) { return load<Real>(edges, i); };
  if (!(x >= edge(0) && x <= edge(call.count))) return call.count;
  const double place = (static_cast<double>(x) - call.low) * call.scale;  // may be NaN between infinite edges
  const std::size_t last_bin = call.count - 1;
  const std::size_t guess = !(place > 0)                            ? 0
                            : place < static_cast<double>(last_bin) ? static_cast<std::size_t>(place)
                                                                    : last_bin;
  if (x >= edge(guess) && (guess == last_bin || x < edge(guess + 1))) return guess;
  std::size_t first = 0, last = call.count;
  while (last - first > 1) {
    const std::size_t middle = first + (last - first) / 2;
    (x >= edge(middle) ? first : last) = middle;
  }
  return first;
}
template <>
std::size_t bin_of(std::uint64_t x, const std::byte*, const CountCall& call) {
  return std::min<std::size_t>(x, call.count);
}

template <class T>
void run_count(const quern_launch* launch, unsigned long long, unsigned long long) {
  const CountCall call = call_of<CountCall>(launch);
  const std::byte *const x = memory_of(launch, kElements), *const edges = memory_of(launch, kEdges),
                         *const weights = memory_of(launch, kWeights);
  std::byte* const out = memory_of(launch, kOut);
  std::fill_n(out, call.count * sizeof(std::int64_t), std::byte{0});
  for (std::size_t i = 0; i < call.n; ++i) {
    const std::size_t bin = bin_of(load<T>(x, i), edges, call);
    if (bin == call.count) continue;
    if (call.weighted)
      store(out, bin, load<double>(out, bin) + load<double>(weights, i));
    else
      store(out, bin, load<std::int64_t>(out, bin) + 1);
  }
}

template <class T>
void run_extremes(const quern_launch* launch, unsigned long long, unsigned long long) {
  const std::byte* const x = memory_of(launch, 0);
  T least = load<T>(x, 0), greatest = least;
  for (std::size_t i = 1; i < call_of<std::size_t>(launch); ++i) {
    const T item = load<T>(x, i);
    least = least < item || least != least ? least : item;
    greatest = greatest > item || greatest != greatest ? greatest : item;
  }
  store(memory_of(launch, 1), 0, least);
  store(memory_of(launch, 1), 1, greatest);
}

}  // namespace

Event count_by_loops(const Queue& queue, const HistogramWork& work) {
  const bool by_value = work.edges.empty(), weighted = work.weights != nullptr;
  const Array x = converted(queue, *work.x, by_value ? DType::of(Scalar::uint64) : work.compared);
  const Array weights = weighted ? converted(queue, *work.weights, DType::of(Scalar::float64)) : x;
  quern_kernel_function* const function = by_value                      ? &run_count<std::uint64_t>
                                          : work.compared.itemsize == 4 ? &run_count<float>
                                                                        : &run_count<double>;
  const CountCall call{x.size(), work.out->size(), work.low, work.scale, weighted};
  const Buffer elements = x.elements(), sums = work.out->elements(), factors = weights.elements();
  return PrecompiledKernel{"histogram", function}.launch(
      queue, 1, 1, call,
      {PrecompiledKernel::reads(elements), PrecompiledKernel::writes(sums),
       PrecompiledKernel::reads(by_value ? elements : work.edges), PrecompiledKernel::reads(factors)});
}

template <class T>
std::pair<T, T> extremes_by_loops(const Queue& queue, const Array& x) {
  const Array numbers = converted(queue, x, dtype_of<T>()), result = empty(queue, {2}, numbers.dtype());
  const Buffer from = numbers.elements(), to = result.elements();
  PrecompiledKernel{"extremes", &run_extremes<T>}.launch(
      queue, 1, 1, numbers.size(), {PrecompiledKernel::reads(from), PrecompiledKernel::writes(to)});
  const std::vector<T> both = result.to_vector<T>(queue);
  return {both[0], both[1]};
}
template std::pair<float, float> extremes_by_loops(const Queue&, const Array&);
template std::pair<double, double> extremes_by_loops(const Queue&, const Array&);
template std::pair<std::uint64_t, std::uint64_t> extremes_by_loops(const Queue&, const Array&);

}  // namespace quern::algorithms
