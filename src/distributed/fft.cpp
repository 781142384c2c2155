// SPDX-License-Identifier: MIT
// Which axes are transformed in which layout. Ranks transform lines that they have whole.
#include "quern/distributed/fft.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "distributed/long_line.hpp"
#include "distributed/parts.hpp"
#include "quern/arithmetic.hpp"
#include "quern/distributed/functions.hpp"

namespace quern::distributed {
namespace {

using quern::fft::ManyOptions;
using quern::fft::Norm;
using quern::fft::Options;

struct Pass {
  std::size_t axis;
  std::int64_t points;
  LineKind kind;

  // Length of the axis afterwards.
  [[nodiscard]] std::int64_t length() const {
    return kind == LineKind::to_spectrum ? points / 2 + 1 : points;
  }
};

struct Transform {
  const char* name;
  LineKind kind;  // of the last of the axes
  bool is_inverse;
};

bool is_cut(const AxisLayout& axis) {
  return axis.is_split() && axis.parts() > 1;
}

DType dtype_after(LineKind kind, const DType& dtype) {
  if (kind == LineKind::from_spectrum) return DType::of(is_single(dtype) ? Scalar::float32 : Scalar::float64);
  return DType::of(is_single(dtype) ? Scalar::complex64 : Scalar::complex128);
}

// The same kind of layout for another length.
AxisLayout axis_of_length(const AxisLayout& axis, std::int64_t length) {
  if (axis.length() == length) return axis;
  if (!axis.is_split()) return AxisLayout::whole(length);
  if (axis.cyclic_block() != 0)
    return AxisLayout::cyclic(length, axis.grid_axis(), axis.parts(), axis.cyclic_block());
  return AxisLayout::block(length, axis.grid_axis(), axis.parts());
}

Layout with_length(const Layout& layout, std::size_t axis, std::int64_t length) {
  return layout.with_axis(axis, axis_of_length(layout.axes()[axis], length));
}

DistributedArray along_whole_axis(const Transform& transform, const Pass& pass, const DistributedArray& x,
                                  Norm norm) {
  const Layout after = with_length(x.layout(), pass.axis, pass.length());
  const Shape shape = after.local_shape(x.communicator().rank());
  if (elements_of(shape) == 0)
    return {x.communicator(), after, empty(x.local().queue(), shape, dtype_after(pass.kind, x.dtype()))};
  const Options options{.n = pass.points, .axis = static_cast<int>(pass.axis), .norm = norm};
  const auto function = pass.kind == LineKind::to_spectrum     ? quern::fft::rfft
                        : pass.kind == LineKind::from_spectrum ? quern::fft::irfft
                        : transform.is_inverse                 ? quern::fft::ifft
                                                               : quern::fft::fft;
  return {x.communicator(), after, function(x.local(), options)};
}

// A layout in which the axes of the first passes are whole: of as many of them as leave each rank some
// elements of the other axes.
Layout stage_of(const Shape& shape, const std::vector<Pass>& pending, int ranks) {
  for (std::size_t count = pending.size();; --count) {
    std::vector<bool> is_whole(shape.size());
    for (std::size_t i = 0; i < count; ++i) is_whole[pending[i].axis] = true;
    Shape others;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (!is_whole[axis]) others.push_back(shape[axis]);
    if (count > 1 && (others.size() == 0 || elements_of(others) < ranks)) continue;
    Layout layout = Layout::for_shape(ranks, others);
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (is_whole[axis]) layout = layout.with_new_axis(axis, AxisLayout::whole(shape[axis]));
    return layout;
  }
}

// Whether all elements lie along one axis.
bool is_line(const Shape& shape, std::size_t axis) {
  for (std::size_t other = 0; other < shape.size(); ++other)
    if (other != axis && shape[other] != 1) return false;
  return true;
}

DistributedArray along_split_line(const Transform& transform, const Pass& pass, const DistributedArray& x,
                                  Norm norm) {
  std::vector<int> others;
  for (std::size_t axis = 0; axis < x.shape().size(); ++axis)
    if (axis != pass.axis) others.push_back(static_cast<int>(axis));
  const DistributedArray line =
      transform_line(pass.kind, squeeze(x, others), pass.points, transform.is_inverse, norm);
  return redistribute(expand_dims(line, others), with_length(x.layout(), pass.axis, pass.length()));
}

// The passes in an order in which they may be done. Real elements are transformed first, or last.
DistributedArray run(const Transform& transform, DistributedArray x, std::vector<Pass> pending, Norm norm) {
  Layout home = x.layout();
  for (const Pass& pass : pending) home = with_length(home, pass.axis, pass.length());
  const int ranks = x.communicator().size();
  const auto is_free = [&](std::size_t i) {
    if (pending[i].kind == LineKind::from_spectrum) return pending.size() == 1;
    return i == 0 || pending[0].kind == LineKind::complex;
  };
  while (!pending.empty()) {
    for (std::size_t i = 0; i < pending.size();) {
      if (is_cut(x.layout().axes()[pending[i].axis]) || !is_free(i)) {
        ++i;
        continue;
      }
      x = along_whole_axis(transform, pending[i], x, norm);
      pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;
    }
    if (pending.empty()) break;
    if (is_line(x.shape(), pending[0].axis) && x.layout().root() < 0) {
      x = along_split_line(transform, pending[0], x, norm);
      pending.erase(pending.begin());
      continue;
    }
    x = redistribute(x, stage_of(x.shape(), pending, ranks));
  }
  return redistribute(x, home);
}

void check_options(const Transform& transform, const DistributedArray& x, bool has_out) {
  if (has_out) refuse(std::string(transform.name) + ": out is not taken for distributed arrays");
  if (transform.kind == LineKind::to_spectrum && is_complex(x.dtype()))
    throw ArgumentError(ArgumentError::Kind::type, std::string(transform.name) +
                                                       ": expected real elements, got " + x.dtype().name() +
                                                       "; fft() takes complex ones");
}

// Elements in the precision of the transform, so that fewer bytes move.
DistributedArray as_points(const DistributedArray& x) {
  switch (x.dtype().scalar) {
    case Scalar::float32:
    case Scalar::float64:
    case Scalar::complex64:
    case Scalar::complex128:
      return x;
    default: {
      const DType dtype = DType::of(is_single(x.dtype()) ? Scalar::float32 : Scalar::float64);
      return {x.communicator(), x.layout(), quern::astype(x.local(), dtype)};
    }
  }
}

std::int64_t checked_length(const Transform& transform, std::int64_t n) {
  if (n < 1)
    refuse(std::string(transform.name) + ": Invalid number of FFT data points (" + std::to_string(n) +
           ") specified.");
  return n;
}

DistributedArray along(const Transform& transform, const DistributedArray& x, const Options& options) {
  check_options(transform, x, options.out.has_value());
  const std::size_t axis = checked_axis(options.axis, x.shape().size());
  const std::int64_t length = x.shape()[axis];
  const std::int64_t n =
      options.n.value_or(transform.kind == LineKind::from_spectrum ? 2 * (length - 1) : length);
  return run(transform, as_points(x), {{axis, checked_length(transform, n), transform.kind}}, options.norm);
}

DistributedArray along_axes(const Transform& transform, const DistributedArray& x,
                            const ManyOptions& options) {
  check_options(transform, x, options.out.has_value());
  const std::string name = transform.name;
  const Shape shape = x.shape();
  std::vector<std::size_t> axes;
  if (options.axes) {
    for (const int axis : *options.axes) axes.push_back(checked_axis(axis, shape.size()));
  } else {
    const std::size_t count = options.s ? options.s->size() : shape.size();
    if (count > shape.size())
      refuse(name + ": s has " + std::to_string(count) + " lengths for an array of " +
             std::to_string(shape.size()) + " dimensions");
    for (std::size_t axis = shape.size() - count; axis < shape.size(); ++axis) axes.push_back(axis);
  }
  if (options.s && options.s->size() != axes.size())
    refuse(name + ": Shape and axes have different lengths: " + std::to_string(options.s->size()) + " and " +
           std::to_string(axes.size()));
  if (axes.empty()) {
    if (transform.kind != LineKind::complex) refuse(name + ": expected at least one axis");
    return {x.communicator(), x.layout(), copy(x.local())};
  }
  std::vector<Pass> passes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool is_last = i + 1 == axes.size();
    const LineKind kind = is_last ? transform.kind : LineKind::complex;
    const std::int64_t length = shape[axes[i]];
    std::int64_t n = options.s ? (*options.s)[i] : -1;
    if (n == -1) n = kind == LineKind::from_spectrum && !options.s ? 2 * (length - 1) : length;
    passes.push_back({axes[i], checked_length(transform, n), kind});
  }
  // NumPy goes from the last axis to the first one, except for the last transform of irfftn().
  if (transform.kind != LineKind::from_spectrum) std::reverse(passes.begin(), passes.end());
  return run(transform, as_points(x), std::move(passes), options.norm);
}

}  // namespace

DistributedArray fft(const DistributedArray& x, const Options& options) {
  return along({"fft", LineKind::complex, false}, x, options);
}
DistributedArray ifft(const DistributedArray& x, const Options& options) {
  return along({"ifft", LineKind::complex, true}, x, options);
}
DistributedArray rfft(const DistributedArray& x, const Options& options) {
  return along({"rfft", LineKind::to_spectrum, false}, x, options);
}
DistributedArray irfft(const DistributedArray& x, const Options& options) {
  return along({"irfft", LineKind::from_spectrum, true}, x, options);
}

namespace {

Options exchanged(Options options) {
  if (options.norm != Norm::ortho)
    options.norm = options.norm == Norm::backward ? Norm::forward : Norm::backward;
  return options;
}

DistributedArray conjugated(const DistributedArray& x) {
  if (!is_complex(x.dtype())) return x;
  return {x.communicator(), x.layout(), quern::apply("conj", {x.local()})};
}

}  // namespace

DistributedArray hfft(const DistributedArray& x, const Options& options) {
  return along({"hfft", LineKind::from_spectrum, true}, conjugated(x), exchanged(options));
}
DistributedArray ihfft(const DistributedArray& x, const Options& options) {
  return conjugated(along({"ihfft", LineKind::to_spectrum, false}, x, exchanged(options)));
}
DistributedArray fftn(const DistributedArray& x, const ManyOptions& options) {
  return along_axes({"fftn", LineKind::complex, false}, x, options);
}
DistributedArray ifftn(const DistributedArray& x, const ManyOptions& options) {
  return along_axes({"ifftn", LineKind::complex, true}, x, options);
}
DistributedArray rfftn(const DistributedArray& x, const ManyOptions& options) {
  return along_axes({"rfftn", LineKind::to_spectrum, false}, x, options);
}
DistributedArray irfftn(const DistributedArray& x, const ManyOptions& options) {
  return along_axes({"irfftn", LineKind::from_spectrum, true}, x, options);
}

}  // namespace quern::distributed
