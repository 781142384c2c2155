// SPDX-License-Identifier: MIT
// Copies arrays between devices, and between devices and host memory.
#include "quern/transfer.hpp"

#include <utility>

#include "quern/arithmetic.hpp"

namespace quern {

Array to_device(const Array& array, const Queue& queue) {
  if (array.context() == queue.context() && array.device() == queue.device()) return array;
  const Array source = as_contiguous(array);
  Array result = empty(queue, array.shape(), array.dtype());
  if (array.size() != 0) queue.copy(source.elements(), result.elements());
  return result;
}

Event get_elements(const Array& array, const Queue& queue, void* to, WaitList wait_for,
                   std::shared_ptr<void> keep) {
  if (array.evaluate().contiguous) return array.get(queue, to, wait_for, std::move(keep));
  if (!wait_for.empty()) queue.barrier(wait_for);  // the copy without gaps reads the elements, too
  return copy(array, &queue).get(queue, to, {}, std::move(keep));
}

Event set_elements(const Array& array, const Queue& queue, const void* from, WaitList wait_for,
                   std::shared_ptr<void> keep) {
  if (array.evaluate().contiguous) return array.set(queue, from, wait_for, std::move(keep));
  const Array values = empty(queue, array.shape(), array.dtype());
  values.set(queue, from, wait_for, std::move(keep));
  assign(array, values, &queue);
  return queue.marker();
}

}  // namespace quern
