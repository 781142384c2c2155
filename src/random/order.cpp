// SPDX-License-Identifier: MIT
// Permutations and choices: by sorting random keys, or by searching numbers in cumulative probabilities.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/arithmetic.hpp"
#include "codegen/type_text.hpp"
#include "quern/arithmetic.hpp"
#include "quern/indexing.hpp"
#include "quern/search.hpp"
#include "quern/sort.hpp"
#include "quern/sorting.hpp"
#include "quern/views.hpp"
#include "random/launch.hpp"

namespace quern::random {
namespace {

const DType kIndex = DType::of(Scalar::int64);

Range range_for(const Queue& queue, std::size_t count) {
  const std::size_t local = std::min<std::size_t>(256, queue.device().properties().max_work_group_size);
  return range(rounded_up(count, local)).with_local(local);
}

Shape flat(std::size_t count) {
  return {static_cast<std::int64_t>(count)};
}

// A random permutation of the indices below `count`: the order of random 64-bit keys. Two keys are equal with
// a probability of 2^-64; then the lower index comes first, which has no visible effect.
Array order_of(Generator& generator, const Queue& queue, std::size_t count) {
  const Array keys = generator.draw(queue, flat(count), DType::of(Scalar::uint64), Integers{0, -1});
  return argsort(queue, keys);
}

// The slices at the indices `rows`, in an array of this shape followed by the rest of the array's own.
Array take_rows(const Queue& queue, const Array& array, const Array& rows, Shape shape) {
  shape.insert(shape.end(), array.shape().begin() + 1, array.shape().end());
  const Array result = empty(queue, std::move(shape), array.dtype());
  if (result.size() == 0) return result;
  const codegen::RawElementType element = codegen::raw_element_type(array.dtype(), "element_t");
  const algorithms::LibraryKernel kernel =
      algorithms::kernel_of({"random_order"}, "take_rows", {{"ELEMENT", element.name}}, element.definition);
  const auto index = [&] {
    const ItemIndex list[] = {rows};
    return get_item(array, list, &queue);
  };
  const auto launch = [&] {
    const std::size_t width = array.size() / static_cast<std::size_t>(array.shape()[0]);
    const Buffer from = array.elements(), to = result.elements();
    kernel(queue, result.size(), range_for(queue, result.size()), from, rows, to, result.size(), width);
    return result;
  };
  return kernel.choose(queue, result.size(), index, launch);
}

// The slices at the indices `rows` along an axis; the shape of `rows` replaces that axis.
Array take_along(const Queue& queue, const Array& array, const Array& rows, std::size_t axis) {
  if (axis == 0 && array.evaluate().contiguous) return take_rows(queue, array, rows, rows.shape());
  std::vector<ItemIndex> index(axis, Index::slice());
  index.emplace_back(rows);
  return get_item(array, index, &queue);
}

void check_rows(const Queue& queue, const Array& array, const char* what) {
  if (array.shape().empty())
    refuse_value(std::string(what) + ": expected an array of at least one dimension");
  if (!(array.device() == queue.device()))
    refuse_value(std::string(what) + ": expected an array on '" + queue.device().spec() + "', got one on '" +
                 array.device().spec() + "'");
}

// The cumulative probabilities, divided by their sum; checks them, and that `distinct` indices can be chosen.
std::vector<double> sums_of(const Queue& queue, std::span<const double> p, std::size_t distinct) {
  if (!queue.device().properties().has_fp64)
    refuse_type("choice: p needs float64, which '" + queue.device().spec() + "' does not have");
  std::vector<double> sums;
  sums.reserve(p.size());
  double sum = 0, lost = 0;  // the rounding error of the sum (Kahan)
  std::size_t possible = 0;
  for (const double probability : p) {
    if (!(probability >= 0)) refuse_value("choice: p contains a negative number or NaN");
    if (probability > 0) ++possible;
    const double term = probability - lost, next = sum + term;
    lost = (next - sum) - term;
    sum = next;
    sums.push_back(sum);
  }
  if (!(std::abs(sum - 1) <= 1e-8))
    refuse_value("choice: expected probabilities p that sum to 1, got a sum of " + std::to_string(sum));
  if (possible < distinct)
    refuse_value(
        "choice: expected at least as many entries of p above 0 as are chosen without replacement, " +
        std::to_string(distinct) + ", got " + std::to_string(possible));
  for (double& value : sums) value /= sum;
  return sums;
}

}  // namespace

Array Generator::permutation(const Queue& queue, std::int64_t count) {
  if (count < 0) refuse_value("permutation: expected a number >= 0, got " + std::to_string(count));
  return order_of(*this, queue, static_cast<std::size_t>(count));
}

Array Generator::permutation(const Queue& queue, const Array& array, int axis) {
  check_rows(queue, array, "permutation");
  const std::size_t along = checked_axis(axis, array.shape().size());
  const auto count = static_cast<std::size_t>(array.shape()[along]);
  return take_along(queue, array, order_of(*this, queue, count), along);
}

Event Generator::shuffle(const Queue& queue, const Array& array, int axis, WaitList wait_for) {
  check_rows(queue, array, "shuffle");
  checked_axis(axis, array.shape().size());
  if (array.evaluate().buffer.access() == Access::read_only) refuse_value("shuffle: the array is read-only");
  const Event ready = queue.barrier(wait_for);
  if (array.size() == 0) return ready;
  const Array shuffled = permutation(queue, array, axis);
  if (array.contiguous() && shuffled.contiguous()) return queue.copy(shuffled.elements(), array.elements());
  assign(array, shuffled, &queue);
  return queue.barrier();
}

Array Generator::permuted(const Queue& queue, const Array& array, std::optional<int> axis) {
  check_rows(queue, array, "permuted");
  if (!axis) {
    const Array all = reshape(array, {-1}, &queue);
    return reshape(permutation(queue, all), array.shape(), &queue);
  }
  const std::size_t along = checked_axis(*axis, array.shape().size());
  if (array.size() == 0) return copy(array, &queue);
  const Array keys = draw(queue, array.shape(), DType::of(Scalar::uint64), Integers{0, -1});
  const Array order = argsort(keys, static_cast<int>(along), {}, &queue);
  return take_along_axis(array, order, static_cast<std::int64_t>(along), &queue);
}

Array Generator::choice(const Queue& queue, std::int64_t count, Shape shape, bool replace,
                        std::optional<std::span<const double>> p) {
  const std::size_t wanted = element_count(shape, kIndex.itemsize);
  const auto available = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  if (count < 0 || (count == 0 && wanted > 0))
    refuse_value("choice: expected a non-empty population, got " + std::to_string(count));
  if (p && p->size() != available)
    refuse_value("choice: expected p with " + std::to_string(available) + " entries, got " +
                 std::to_string(p->size()));
  if (!replace && wanted > available)
    refuse_value("choice: " + std::to_string(wanted) + " of " + std::to_string(available) +
                 " cannot be chosen without replacement");
  std::vector<double> sums;
  if (p) sums = sums_of(queue, *p, replace ? 0 : wanted);
  if (wanted == 0) return empty(queue, std::move(shape), kIndex);
  if (!replace) {
    Array order = [&] {
      if (!p) return order_of(*this, queue, available);
      const Array times = draw(queue, flat(available), DType::of(Scalar::float64), Exponential{});
      const Array weights = asarray(queue, *p);
      // Waiting times: an outcome that is p times as likely occurs p times as soon. Impossible outcomes come
      // last.
      constexpr double kNever = std::numeric_limits<double>::infinity();
      return argsort(queue, where(weights > 0.0, times / weights, kNever, &queue));
    }();
    return {order.elements().sub_buffer(0, wanted * kIndex.itemsize), kIndex, std::move(shape)};
  }
  if (!p) return draw(queue, std::move(shape), kIndex, Integers{0, count - 1});
  const Array numbers = draw(queue, flat(wanted), DType::of(Scalar::float64), Uniform{});
  const Array device_sums = asarray(queue, sums);
  // The first index whose cumulative probability is above each number; the last one is 1.
  return {upper_bound(queue, device_sums, numbers).elements(), kIndex, std::move(shape)};
}

Array Generator::choice(const Queue& queue, const Array& array, Shape shape, bool replace,
                        std::optional<std::span<const double>> p, int axis) {
  check_rows(queue, array, "choice");
  const std::size_t along = checked_axis(axis, array.shape().size());
  const Array rows = choice(queue, array.shape()[along], std::move(shape), replace, p);
  return take_along(queue, array, rows, along);
}

}  // namespace quern::random
