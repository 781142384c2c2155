// SPDX-License-Identifier: MIT
// Reads or writes one element on the calling thread, if the host can address the memory.
#include "quern/element.hpp"

#include <cstring>

#include "array/memory_runs.hpp"
#include "array/node.hpp"
#include "array/types.hpp"
#include "array/write.hpp"
#include "base/process.hpp"
#include "runtime/allocation.hpp"
#include "runtime/pending.hpp"

namespace quern {
namespace {

static_assert(std::is_same_v<ElementBytes, array::NumberBytes>);

struct Location {
  detail::UseRecord* uses;
  std::byte* address;
  detail::ByteRange range;  // of the allocation
};

// Returns nothing if the index does not fit, or if the host cannot address the memory.
std::optional<Location> location_of(const ArrayMemory& memory, const Shape& shape, std::size_t itemsize,
                                    std::span<const std::int64_t> index) {
  if (index.size() != shape.size() || memory.buffer.released()) return {};
  auto* const base = static_cast<std::byte*>(memory.buffer.host_pointer());
  if (base == nullptr) return {};
  auto offset = static_cast<std::int64_t>(memory.offset);
  for (std::size_t d = 0; d < index.size(); ++d) {
    const std::int64_t at = index[d] < 0 ? index[d] + shape[d] : index[d];
    if (at < 0 || at >= shape[d]) return {};
    offset += at * memory.strides[d];
  }
  const std::size_t begin = memory.buffer.offset() + static_cast<std::size_t>(offset);
  return Location{&memory.buffer.allocation()->uses(), base + offset, {begin, begin + itemsize}};
}

// The most bytes that are copied while no operation can be enqueued: some hundred nanoseconds.
constexpr std::size_t kMostBytes = 4096;

// Calls `access` while no operation on the memory can be enqueued. Returns false if an operation still uses
// it. An operation records its uses under the same lock before it runs, so one of the two comes first.
template <class Access>
bool run_between_operations(const Location& location, bool writes, Access&& access) {
  if (location.uses->deferred_errors().any()) return false;
  const std::lock_guard lock(detail::hazard_mutex());
  if (!location.uses->is_idle(location.range, writes)) return false;
  access();
  return true;
}

}  // namespace

std::optional<ElementBytes> read_element_now(const Array& array, std::span<const std::int64_t> index) {
  const std::size_t itemsize = array.dtype().itemsize;
  ElementBytes bytes{};
  if (itemsize > bytes.size()) return {};
  if (const array::Node* const node = array::pending_node(*array.value())) {
    if (node->kind() != array::Node::Kind::number || index.size() != array.shape().size()) return {};
    if (!array.shape().empty()) return {};
    return node->number();
  }
  process::check_not_forked();
  const auto location = location_of(array.value()->memory(), array.shape(), itemsize, index);
  if (!location || array.buffer().access() == Access::write_only) return {};
  if (!run_between_operations(*location, false,
                              [&] { std::memcpy(bytes.data(), location->address, itemsize); }))
    return {};
  return bytes;
}

namespace {

// Calls `bytes()` for the element after it has checked the index.
template <class Bytes>
bool write_now(const Array& array, std::span<const std::int64_t> index, Bytes&& bytes) {
  const std::size_t itemsize = array.dtype().itemsize;
  if (!array.in_memory() || itemsize > sizeof(ElementBytes)) return false;
  process::check_not_forked();
  const auto location = location_of(array.value()->memory(), array.shape(), itemsize, index);
  if (!location || array.buffer().access() == Access::read_only) return false;
  for (std::size_t d = 0; d < array.shape().size(); ++d)  // the general path throws
    if (array.value()->memory().strides[d] == 0 && array.shape()[d] > 1) return false;
  const ElementBytes value = bytes();
  // First evaluates the pending expressions that read the memory.
  if (location->uses->laziness().is_read.load()) detail::pending_work.load()->before_write(*location->uses);
  return run_between_operations(*location, true,
                                [&] { std::memcpy(location->address, value.data(), itemsize); });
}

}  // namespace

bool write_element_now(const Array& array, std::span<const std::int64_t> index, const ElementBytes& value) {
  return write_now(array, index, [&] { return value; });
}

bool write_element_now(const Array& array, std::span<const std::int64_t> index, const Number& value) {
  return array::is_number(array.dtype()) &&
         write_now(array, index, [&] { return array::bytes_of(value, array.dtype()); });
}

namespace array {

bool copy_now(const Array& target, const Array& source) {
  const std::size_t nbytes = target.nbytes(), itemsize = target.dtype().itemsize;
  if (nbytes == 0 || nbytes > kMostBytes || source.dtype() != target.dtype() ||
      source.shape() != target.shape() || !source.in_memory() || !target.in_memory())
    return false;
  const ArrayMemory &from = source.value()->memory(), &to = target.value()->memory();
  const auto* const read = static_cast<const std::byte*>(from.buffer.host_pointer());
  auto* const written = static_cast<std::byte*>(to.buffer.host_pointer());
  if (read == nullptr || written == nullptr || from.buffer.access() == Access::write_only ||
      to.buffer.access() == Access::read_only || from.buffer.allocation()->uses().deferred_errors().any() ||
      to.buffer.allocation()->uses().deferred_errors().any())
    return false;
  process::check_not_forked();
  detail::UseRecord& uses = to.buffer.allocation()->uses();
  // First evaluates the pending expressions that read the memory.
  if (uses.laziness().is_read.load()) detail::pending_work.load()->before_write(uses);
  const Shape& shape = target.shape();
  std::array<std::byte, kMostBytes> elements;  // source and target may overlap
  const std::lock_guard lock(detail::hazard_mutex());
  if (!from.buffer.allocation()->uses().is_idle(reach_of(from, shape, itemsize), false) ||
      !uses.is_idle(reach_of(to, shape, itemsize), true))
    return false;
  std::byte* at = elements.data();
  for_each_run(shape, from.strides, itemsize, [&](std::int64_t offset, std::size_t count) {
    std::memcpy(at, read + static_cast<std::int64_t>(from.offset) + offset, count);
    at += count;
  });
  at = elements.data();
  for_each_run(shape, to.strides, itemsize, [&](std::int64_t offset, std::size_t count) {
    std::memcpy(written + static_cast<std::int64_t>(to.offset) + offset, at, count);
    at += count;
  });
  return true;
}

}  // namespace array

bool copy_elements_now(const Array& target, const Array& source) {
  if (!target.in_memory() || !source.in_memory() || target.shape() != source.shape()) return false;
  const ArrayMemory &to = target.value()->memory(), &from = source.value()->memory();
  if (to.buffer.released() || from.buffer.released() ||
      to.buffer.allocation()->context() != from.buffer.allocation()->context())
    return false;
  // Expressions that read the memory would have to be evaluated first.
  if (to.buffer.allocation()->uses().laziness().is_read.load()) return false;
  for (std::size_t d = 0; d < target.shape().size(); ++d)
    if (to.strides[d] == 0 && target.shape()[d] > 1) return false;  // several elements share memory
  return array::copy_now(target, source);
}

Array element_array(Queue queue, const DType& dtype, const ElementBytes& value) {
  return Array(std::make_shared<array::Node>(std::move(queue), dtype, value, Shape{}));
}

}  // namespace quern
