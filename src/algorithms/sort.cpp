// SPDX-License-Identifier: MIT
// sort, argsort and sort_by_key: checks the arguments and describes them as a radix sort.
#include "quern/sort.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "algorithms/gather.hpp"
#include "algorithms/launch/checks.hpp"
#include "algorithms/radix_sort.hpp"
#include "quern/error.hpp"

namespace quern {
namespace {

using namespace algorithms;

// Keys are compared as integers, so floating-point keys need no floating-point support of the device.
RadixSort keys_of(std::string_view what, const Queue& queue, const Array& keys, SortOptions options) {
  check_vector(what, "keys", keys, queue);
  RadixSort sort;
  sort.n = keys.size();
  sort.order = key_order(what, "keys", keys.dtype(), options);
  sort.keys = keys.elements();
  return sort;
}

Event run(const Queue& queue, const RadixSort& sort, WaitList wait_for) {
  if (!wait_for.empty()) queue.barrier(wait_for);
  return radix_sort(queue, sort, radix_engine_for(queue.device().properties()));
}

void add_positions(RadixSort& sort, unsigned size_at_the_end) {
  sort.has_values = sort.are_positions = true;
  sort.value_size = sort.n <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
  sort.value_out_size = size_at_the_end == 0 ? sort.value_size : size_at_the_end;
}

}  // namespace

Event sort(const Queue& queue, const Array& keys, const Array& out, SortOptions options, WaitList wait_for) {
  RadixSort sort = keys_of("sort", queue, keys, options);
  check_vector("sort", "out", out, queue);
  check_dtype("sort", "out", out, keys.dtype());
  check_size("sort", "out", out, keys.size());
  check_apart("sort", "out", out, "keys", keys, true);
  if (sort.n == 0) return {};
  sort.keys_out = out.elements();
  return run(queue, sort, wait_for);
}

Array sort(const Queue& queue, const Array& keys, SortOptions options) {
  Array out = empty(queue, keys.shape(), keys.dtype());
  sort(queue, keys, out, options);
  return out;
}

Event argsort(const Queue& queue, const Array& keys, const Array& out, SortOptions options,
              WaitList wait_for) {
  RadixSort sort = keys_of("argsort", queue, keys, options);
  check_vector("argsort", "out", out, queue);
  if (!is_integer(out.dtype()) || out.dtype().itemsize < 4)
    reject_dtype("argsort", "out", out.dtype(), "an integer of 32 or 64 bits");
  if (out.dtype().itemsize == 4 &&
      keys.size() > (std::size_t{1} << (is_signed_integer(out.dtype()) ? 31 : 32)))
    throw ArgumentError(ArgumentError::Kind::value, "argsort: out of dtype " + out.dtype().name() +
                                                        " cannot hold the positions of " +
                                                        std::to_string(keys.size()) + " keys");
  check_size("argsort", "out", out, keys.size());
  check_apart("argsort", "out", out, "keys", keys);
  if (sort.n == 0) return {};
  add_positions(sort, static_cast<unsigned>(out.dtype().itemsize));
  if (sort.value_size > sort.value_out_size) sort.value_size = sort.value_out_size;  // for exactly 2^32 keys
  sort.values_out = out.elements();
  return run(queue, sort, wait_for);
}

Array argsort(const Queue& queue, const Array& keys, SortOptions options) {
  Array out = empty(queue, keys.shape(), DType::of(Scalar::int64));
  argsort(queue, keys, out, options);
  return out;
}

Event sort_by_key(const Queue& queue, const Array& keys, const Array& values, const Array& keys_out,
                  const Array& values_out, SortOptions options, WaitList wait_for) {
  constexpr const char* kWhat = "sort_by_key";
  RadixSort sort = keys_of(kWhat, queue, keys, options);
  check_vector(kWhat, "values", values, queue);
  check_size(kWhat, "values", values, keys.size());
  check_vector(kWhat, "keys_out", keys_out, queue);
  check_dtype(kWhat, "keys_out", keys_out, keys.dtype());
  check_size(kWhat, "keys_out", keys_out, keys.size());
  check_vector(kWhat, "values_out", values_out, queue);
  check_dtype(kWhat, "values_out", values_out, values.dtype());
  check_size(kWhat, "values_out", values_out, keys.size());
  check_apart(kWhat, "keys_out", keys_out, "keys", keys, true);
  check_apart(kWhat, "values_out", values_out, "values", values, true);
  check_apart(kWhat, "keys_out", keys_out, "values", values);
  check_apart(kWhat, "values_out", values_out, "keys", keys);
  check_apart(kWhat, "keys_out", keys_out, "values_out", values_out);
  if (sort.n == 0) return {};
  sort.keys_out = keys_out.elements();
  const std::size_t size = values.dtype().itemsize;
  // Kernels move values of these sizes as integers, which need this alignment. Structures with smaller
  // members may not have it.
  const bool is_word = size == 1 || size == 2 || size == 4 || size == 8;
  if (is_word && values.dtype().alignment() >= size && values_out.dtype().alignment() >= size) {
    sort.has_values = true;
    sort.value_size = sort.value_out_size = static_cast<unsigned>(size);
    sort.values = values.elements();
    sort.values_out = values_out.elements();
    return run(queue, sort, wait_for);
  }
  // Large values are gathered once at the end, instead of being moved in every pass.
  if (!wait_for.empty()) queue.barrier(wait_for);
  Buffer from = values.elements();
  if (is_same(values, values_out)) {
    from = Buffer(queue, values.nbytes());
    queue.copy(values.elements(), from);
  }
  add_positions(sort, 0);
  sort.values_out = Buffer(queue, sort.n * sort.value_size);
  run(queue, sort, {});
  return enqueue_gather(queue, values.dtype(), from, sort.values_out,
                        DType::of(sort.value_size == 4 ? Scalar::uint32 : Scalar::uint64),
                        values_out.elements(), sort.n);
}

std::pair<Array, Array> sort_by_key(const Queue& queue, const Array& keys, const Array& values,
                                    SortOptions options) {
  std::pair<Array, Array> out = {empty(queue, keys.shape(), keys.dtype()),
                                 empty(queue, values.shape(), values.dtype())};
  sort_by_key(queue, keys, values, out.first, out.second, options);
  return out;
}

}  // namespace quern
