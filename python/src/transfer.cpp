// SPDX-License-Identifier: MIT
// Chooses the copy for each pair of Python objects: buffers, arrays, NumPy arrays, other host memory.
#include "transfer.hpp"

#include <string>
#include <vector>

#include "conversions.hpp"
#include "current.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "wait_list.hpp"

namespace quern::python {
namespace {

// One to three numbers; the rest keeps its value.
std::array<std::size_t, 3> triple(nb::handle values, std::array<std::size_t, 3> result, const char* role) {
  if (values.is_none()) return result;
  if (PyIndex_Check(values.ptr()) && !PySequence_Check(values.ptr())) {
    result[0] = size_argument(values, role);
    return result;
  }
  if (!PySequence_Check(values.ptr()) || PyUnicode_Check(values.ptr()))
    type_error(std::string(role) + ": expected one to three ints, got " + class_name(values));
  const std::size_t count = nb::len(values);
  if (count == 0 || count > 3) value_error(std::string(role) + ": expected one to three numbers");
  for (std::size_t i = 0; i < count; ++i) result[i] = size_argument(nb::object(values[nb::int_(i)]), role);
  return result;
}

bool fits(std::size_t a, std::size_t b, std::size_t& sum_of_product, std::size_t factor) {
  std::size_t product = 0;
  return !__builtin_mul_overflow(b, factor, &product) && !__builtin_add_overflow(a, product, &sum_of_product);
}

// The library knows the end of a buffer; only the binding knows the end of host memory.
void check_host_rectangle(const RectView& view, const std::array<std::size_t, 3>& region, std::size_t size,
                          const char* role) {
  if (region[0] == 0 || region[1] == 0 || region[2] == 0) return;
  const std::size_t row = view.row_pitch != 0 ? view.row_pitch : region[0];
  const std::size_t slice = view.slice_pitch != 0 ? view.slice_pitch : row * region[1];
  std::size_t end = 0, rows = 0, slices = 0;
  const bool representable =
      fits(view.origin[1], region[1] - 1, rows, 1) && fits(view.origin[2], region[2] - 1, slices, 1) &&
      fits(view.origin[0], region[0], end, 1) && fits(end, rows, end, row) && fits(end, slices, end, slice);
  if (!representable || end > size) {
    value_error(std::string(role) + ": the rectangle ends at byte " +
                (representable ? std::to_string(end) : "2^64") + ", the memory has " + std::to_string(size));
  }
}

RectView rectangle_of(Side& side, const Rectangle& rectangle, const std::array<std::size_t, 3>& region,
                      const char* role) {
  RectView view;
  view.origin = triple(rectangle.origin, {0, 0, 0}, role);
  const auto pitches = triple(rectangle.pitches, {0, 0, 0}, role);
  view.row_pitch = pitches[0];
  view.slice_pitch = pitches[1];
  if (side.on_device()) {
    view.buffer = &side.buffer();
  } else {
    view.host = side.host().data();
    check_host_rectangle(view, region, side.size(), role);
  }
  return view;
}

}  // namespace

Side::Side(nb::handle object, bool writable, const char* role) {
  if (nb::isinstance<Buffer>(object)) {
    buffer_ = *nb::inst_ptr<Buffer>(object);
    if (buffer_.released()) value_error(std::string(role) + ": this buffer was released");
  } else if (nb::isinstance<PyArray>(object)) {
    const Array array = nb::inst_ptr<PyArray>(object)->array;
    without_gil([&] { array.evaluate(); });
    buffer_ = array.elements();
    dtype_ = array.dtype();
  } else {
    host_.emplace(object, writable, role);
    if (is_numpy_array(object)) dtype_ = element_type(nb::object(object.attr("dtype")));
  }
}

Event enqueue_copy(const Queue& queue, nb::handle to, nb::handle from, nb::handle wait_for) {
  Side target(to, true, "dst");
  Side source(from, false, "src");
  if (target.size() != source.size()) {
    value_error("copy: dst has " + std::to_string(target.size()) + " bytes, src has " +
                std::to_string(source.size()));
  }
  if (target.dtype() && source.dtype() && !(*target.dtype() == *source.dtype()))
    type_error("copy: dst has dtype " + target.dtype()->name() + ", src has " + source.dtype()->name());
  if (!target.on_device() && !source.on_device()) type_error("copy: neither side is on a device");
  const std::vector<Event> events = events_of(wait_for);
  release_kept();
  if (target.on_device() && source.on_device())
    return without_gil([&] { return queue.copy(source.buffer(), target.buffer(), events); });
  HostMemory& host = target.on_device() ? source.host() : target.host();
  void* const memory = host.data();
  const std::size_t size = host.size();
  std::shared_ptr<void> keep = host.keep();
  return without_gil([&] {
    return target.on_device() ? queue.write(target.buffer(), memory, size, events, std::move(keep))
                              : queue.read(source.buffer(), memory, size, events, std::move(keep));
  });
}

Event enqueue_copy_rect(nb::handle queue, nb::handle to, nb::handle from, nb::handle region,
                        const Rectangle& to_rectangle, const Rectangle& from_rectangle, nb::handle wait_for) {
  const auto extent = triple(region, {1, 1, 1}, "region");
  Side target(to, true, "dst");
  Side source(from, false, "src");
  if (!target.on_device() && !source.on_device()) type_error("copy_rect: neither side is on a device");
  const RectView target_view = rectangle_of(target, to_rectangle, extent, "dst");
  const RectView source_view = rectangle_of(source, from_rectangle, extent, "src");
  const Queue chosen = queue_for(queue, target.on_device() ? target.buffer() : source.buffer());
  const std::vector<Event> events = events_of(wait_for);
  std::shared_ptr<void> keep;
  if (!target.on_device()) keep = target.host().keep();
  if (!source.on_device()) keep = source.host().keep();
  release_kept();
  return without_gil(
      [&] { return chosen.copy_rect(source_view, target_view, extent, events, std::move(keep)); });
}

}  // namespace quern::python
