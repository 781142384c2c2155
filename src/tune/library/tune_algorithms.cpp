// SPDX-License-Identifier: MIT
// Workloads that measure the library's algorithms, and their search.
#include "quern/tune_algorithms.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "quern/elementwise.hpp"
#include "quern/error.hpp"
#include "quern/gather.hpp"
#include "quern/matmul.hpp"
#include "quern/reduction.hpp"
#include "quern/scan.hpp"
#include "quern/sort.hpp"
#include "quern/transfer.hpp"
#include "tune/lookup.hpp"

namespace quern {
namespace {

constexpr std::array<std::byte, 1> kSpoilt = {std::byte{0xff}};

// Runs an algorithm; its results do not depend on the order of operations, so they are the same for all
// parameters.
struct Workload {
  std::string name, description;
  std::function<std::vector<Array>()> run;
  std::vector<Array> reused = {};  // results that all runs write to
};

// Small integers in the order of a generator, so that sums and products are exact in every order.
template <class T>
Array numbers(const Queue& queue, const Shape& shape, std::uint32_t mask) {
  std::size_t count = 1;
  for (const std::int64_t length : shape) count *= static_cast<std::size_t>(length);
  std::vector<T> values(count);
  std::uint32_t state = 12345;
  for (T& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<T>(state >> 8 & mask);
  }
  Array array = empty(queue, shape, dtype_of<T>());
  set_elements(array, queue, values.data()).wait();
  return array;
}

std::string count_text(std::int64_t count) {
  return std::to_string(count);
}

Workload reduction(const Queue& queue, std::int64_t size) {
  const Array x = numbers<float>(queue, {size}, 7);
  const auto kernel = std::make_shared<const ReductionKernel>(DType::of(Scalar::float32), "0", "a+b", "x[i]",
                                                              "const float *x");
  return {"reduction", "the sum of " + count_text(size) + " float32",
          [=] { return std::vector<Array>{(*kernel)(queue, x)}; }};
}

Workload scan_of(const Queue& queue, std::int64_t size) {
  const Array x = numbers<std::int32_t>(queue, {size}, 3);
  return {"scan", "the cumulative sum of " + count_text(size) + " int32",
          [=] { return std::vector<Array>{scan(queue, x)}; }};
}

Workload sort_of(const Queue& queue, std::int64_t size) {
  const Array keys = numbers<std::uint32_t>(queue, {size}, 0xffffff);
  return {"sort", "the sort of " + count_text(size) + " uint32",
          [=] { return std::vector<Array>{sort(queue, keys)}; }};
}

Workload sort_pairs(const Queue& queue, std::int64_t size) {
  const Array keys = numbers<std::uint32_t>(queue, {size}, 0xffffff),
              values = numbers<std::uint32_t>(queue, {size}, 255);
  return {"sort", "the sort of " + count_text(size) + " pairs of uint32", [=] {
            auto [sorted, moved] = sort_by_key(queue, keys, values);
            return std::vector<Array>{sorted, moved};
          }};
}

Workload product(const Queue& queue, std::int64_t side) {
  const Array a = numbers<float>(queue, {side, side}, 3), b = numbers<float>(queue, {side, side}, 3);
  const std::string text = count_text(side);
  return {"matmul", "the product of " + text + "x" + text + " float32", [=] {
            const Array product = matmul(a, b, &queue);
            product.evaluate();
            return std::vector<Array>{product};
          }};
}

Workload transposition(const Queue& queue, std::int64_t side) {
  const Array x = numbers<float>(queue, {side, side}, 0xffff), out = empty(queue, {side, side}, x.dtype());
  const std::string text = count_text(side);
  return {"transpose",
          "the transposition of " + text + "x" + text + " float32",
          [=] {
            transpose(queue, x, out);
            return std::vector<Array>{out};
          },
          {out}};
}

// Five views of one array, each shifted by one element.
Workload stencil(const Queue& queue, std::int64_t side) {
  const Array x = numbers<float>(queue, {side, side}, 7), out = empty(queue, {side - 2, side - 2}, x.dtype());
  const auto kernel = std::make_shared<const ElementwiseKernel>(
      "const float *c, const float *n, const float *s, const float *w, const float *e, float *out",
      "out[i] = n[i] + s[i] + w[i] + e[i] - 4 * c[i]");
  const auto shifted = [&](std::int64_t down, std::int64_t right) {
    return Array(x.buffer(), x.dtype(), out.shape(), x.strides(),
                 x.offset() + static_cast<std::size_t>(((1 + down) * side + 1 + right) * 4));
  };
  const std::vector<Array> views = {shifted(0, 0), shifted(-1, 0), shifted(1, 0), shifted(0, -1),
                                    shifted(0, 1)};
  const std::string text = count_text(side);
  return {"stencil",
          "five points of " + text + "x" + text + " float32",
          [=] {
            (*kernel)(queue, views[0], views[1], views[2], views[3], views[4], out);
            return std::vector<Array>{out};
          },
          {out}};
}

using MakeWorkload = std::function<Workload(const Queue&)>;

// Large enough that a launch costs little, and small enough that a search ends soon.
std::vector<MakeWorkload> workloads(const Device& device) {
  const bool is_cpu = device.properties().kind == DeviceKind::cpu;
  const std::int64_t count = std::int64_t{1} << (is_cpu ? 22 : 25), side = is_cpu ? 1024 : 4096;
  return {[=](const Queue& queue) { return reduction(queue, count); },
          [=](const Queue& queue) { return scan_of(queue, count); },
          [=](const Queue& queue) { return sort_of(queue, count / 4); },
          [=](const Queue& queue) { return sort_pairs(queue, count / 4); },
          [=](const Queue& queue) { return product(queue, side / 2); },
          [=](const Queue& queue) { return transposition(queue, side); },
          [=](const Queue& queue) { return stencil(queue, side); }};
}

std::vector<std::vector<std::byte>> bytes_of(const Queue& queue, const std::vector<Array>& arrays) {
  std::vector<std::vector<std::byte>> result;
  for (const Array& array : arrays) {
    result.emplace_back(array.size() * array.dtype().itemsize);
    get_elements(array, queue, result.back().data()).wait();
  }
  return result;
}

class AlgorithmTarget final : public TuneTarget {
 public:
  AlgorithmTarget(Queue queue, Workload workload, std::string form)
      : queue_(std::move(queue)), workload_(std::move(workload)), form_(std::move(form)) {
    const tuning::Trial own(form_, {});
    reference_ = bytes_of(queue_, workload_.run());
  }

  std::string verify(const TuneConfiguration& configuration) override {
    spoil();
    const tuning::Trial trial(form_, configuration);
    return bytes_of(queue_, workload_.run()) == reference_ ? ""
                                                           : "the results differ from those of the default";
  }
  double run(const TuneConfiguration& configuration) override {
    const tuning::Trial trial(form_, configuration);
    return seconds_on(queue_, [&] { (void)workload_.run(); });
  }

 private:
  // The results of earlier runs are in memory that the next one may write to: what that leaves out must not
  // be right by chance.
  void spoil() {
    std::vector<Array> all = workload_.reused;
    // The pool gives results of these sizes the memory that is freed here.
    for (const auto& bytes : reference_)
      all.push_back(empty(queue_, {static_cast<std::int64_t>(bytes.size())}, DType::of(Scalar::uint8)));
    for (const Array& array : all) queue_.fill(array.buffer(), kSpoilt).wait();
  }

  Queue queue_;
  Workload workload_;
  std::string form_;
  std::vector<std::vector<std::byte>> reference_;
};

}  // namespace

std::vector<TunableAlgorithm> tunable_algorithms(const Device& device) {
  std::vector<TunableAlgorithm> result;
  const Queue queue(device);
  for (const MakeWorkload& make : workloads(device)) {
    const Workload workload = make(queue);
    const tuning::Asked asked;
    (void)workload.run();
    queue.finish();
    for (const auto& [form, problem_class] : asked.forms()) {
      TunableAlgorithm found{workload.name, form, problem_class, workload.description};
      const bool is_known = std::any_of(result.begin(), result.end(), [&](const TunableAlgorithm& one) {
        return one.form == found.form && one.problem_class == found.problem_class;
      });
      if (!is_known) result.push_back(std::move(found));
    }
  }
  return result;
}

TuneResult tune_algorithm(const Device& device, const TunableAlgorithm& algorithm,
                          const TuneOptions& options) {
  const tuning::AlgorithmParameters* const declared = tuning::library_parameters(algorithm.form);
  if (declared == nullptr)
    throw ArgumentError(ArgumentError::Kind::value,
                        "tune: the library has no algorithm '" + algorithm.form + "'");
  std::vector<TuneParameter> parameters;
  for (const tuning::AlgorithmParameter& one : declared->parameters)
    parameters.push_back({one.name, {one.values.begin(), one.values.end()}});
  const Queue queue(device, {.profiling = true});
  for (const MakeWorkload& make : workloads(device)) {
    Workload workload = make(queue);
    if (workload.description != algorithm.description) continue;
    AlgorithmTarget target(queue, std::move(workload), algorithm.form);
    TuneResult result = tune(target, TuneSpace(std::move(parameters)), options);
    result.title = algorithm.form + " on " + device.spec() + ", " + algorithm.description;
    return result;
  }
  throw ArgumentError(ArgumentError::Kind::value, "tune: no workload is " + algorithm.description);
}

TuneKey tune_key(const TunableAlgorithm& algorithm) {
  const tuning::AlgorithmParameters* const declared = tuning::library_parameters(algorithm.form);
  return {algorithm.form, algorithm.problem_class, declared != nullptr ? tuning::version_of(*declared) : ""};
}

}  // namespace quern
