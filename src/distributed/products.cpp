// SPDX-License-Identifier: MIT
// Products of distributed matrices and vectors.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "distributed/collectives.hpp"
#include "distributed/parts.hpp"
#include "quern/distributed/functions.hpp"
#include "quern/error.hpp"
#include "quern/matmul.hpp"

namespace quern::distributed {
namespace {

// The columns of the first matrix that are multiplied at a time: as many as make panels of this size on a
// rank, and not fewer than pay for the sum of the products.
constexpr std::int64_t kPanelBytes = std::int64_t{4} << 20;
constexpr std::int64_t kLeastPanel = 512;

// Memory for a panel of columns or rows in a layout, and the copy of what the rank's block of the product
// needs.
SectionCopy copy_of_panel(const DistributedArray& matrix, std::size_t axis, const Range& panel,
                          const Layout& layout) {
  const Array block =
      empty(matrix.local().queue(), layout.local_shape(matrix.communicator().rank()), matrix.dtype());
  Section from = whole_section(matrix.shape());
  from[axis] = panel;
  return {matrix.local(), matrix.layout(), from, block, layout, whole_section(layout.shape())};
}

// Rows and columns of the product on a grid; the second axis of the grid may be missing.
AxisLayout on_grid(const ProcessGrid& grid, std::int64_t length, int grid_axis) {
  const int parts = grid.lengths()[static_cast<std::size_t>(grid_axis)];
  return parts == 1 ? AxisLayout::whole(length) : AxisLayout::block(length, grid_axis, parts);
}

// Whether the ranks have matching parts of the inner axis, and their partial products are smaller than the
// factors.
bool adds_partials(const DistributedArray& a, const DistributedArray& b, std::size_t itemsize) {
  const Layout &left = a.layout(), &right = b.layout();
  if (left.root() >= 0 || right.root() >= 0 || left.grid() != right.grid()) return false;
  const AxisLayout& inner = left.axes()[1];
  if (!inner.is_split() || inner != right.axes()[0] || inner.parts() != a.communicator().size()) return false;
  const std::int64_t rows = a.shape()[0], columns = b.shape()[1];
  const double result = static_cast<double>(rows) * static_cast<double>(columns);
  const double factors = (static_cast<double>(rows) * static_cast<double>(a.dtype().itemsize) +
                          static_cast<double>(columns) * static_cast<double>(b.dtype().itemsize)) *
                         static_cast<double>(inner.length());
  return result * static_cast<double>(itemsize) * a.communicator().size() <= factors;
}

// The sum of the ranks' products, in the order of the ranks: the same bits on all of them.
Array sum_of_partials(const DistributedArray& a, const DistributedArray& b, const DType& dtype) {
  CommunicatorState& communicator = *a.communicator().state();
  const Queue queue = a.local().queue();
  const Shape shape = {a.shape()[0], b.shape()[1]};
  Bytes own(static_cast<std::size_t>(elements_of(shape)) * dtype.itemsize);
  const bool has_elements = a.local().shape()[1] != 0;
  const Array partial = has_elements ? quern::matmul(a.local(), b.local()) : zeros(queue, shape, dtype);
  read(partial.dtype() == dtype ? partial : astype(partial, dtype), own);
  const Bytes all = all_gather(communicator, call_of("matmul", agreed(a) + agreed(b)), own);
  std::optional<Array> sum;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    const auto bytes = std::span(all).subspan(static_cast<std::size_t>(rank) * own.size(), own.size());
    const Array term = array_of(queue, bytes, shape, dtype);
    sum = sum ? *sum + term : term;
    sum->evaluate();
  }
  return *sum;
}

DistributedArray product(const DistributedArray& a, const DistributedArray& b) {
  const std::int64_t rows = a.shape()[0], inner = a.shape()[1], columns = b.shape()[1];
  const Communicator& communicator = a.communicator();
  // If the first matrix has its rows split and the product is narrow, the product has the same rows, and
  // only the second matrix moves.
  const bool keeps_rows = a.layout().root() < 0 && a.layout().axes()[0].is_split() &&
                          !a.layout().axes()[1].is_split() && columns <= inner;
  std::optional<Layout> after;
  Layout left = a.layout();
  AxisLayout right = AxisLayout::whole(columns);
  if (keeps_rows) {
    after = Layout(a.layout().grid(), {a.layout().axes()[0], AxisLayout::whole(columns)});
  } else {
    const ProcessGrid grid = ProcessGrid::for_shape(communicator.size(), {rows, columns});
    right = on_grid(grid, columns, 1);
    after = Layout(grid, {on_grid(grid, rows, 0), right});
  }
  const DType dtype = result_type(a.dtype(), b.dtype());
  if (adds_partials(a, b, dtype.itemsize))
    return distribute(communicator, *after, sum_of_partials(a, b, dtype));
  const int rank = communicator.rank();
  const Shape largest = after->local_shape(0);  // no rank has more rows or columns
  const std::int64_t columns_of_bytes =
      kPanelBytes / std::max<std::int64_t>(1, ((keeps_rows ? 0 : largest[0]) + largest[1]) *
                                                  static_cast<std::int64_t>(dtype.itemsize));
  const std::int64_t panel_columns = std::max(kLeastPanel, columns_of_bytes);
  const std::string agreement = agreed(a) + agreed(b);
  struct Panels {
    Array a, b;
    Movement movement;
  };
  // One message to each rank has its parts of both panels.
  const auto begin = [&](std::int64_t start) -> Panels {
    const Range panel{start, 1, std::min(panel_columns, inner - start)};
    const Layout a_layout(after->grid(), {after->axes()[0], AxisLayout::whole(panel.count)});
    const Layout b_layout(after->grid(), {AxisLayout::whole(panel.count), right});
    std::vector<SectionCopy> copies = {copy_of_panel(b, 0, panel, b_layout)};
    if (!keeps_rows) copies.push_back(copy_of_panel(a, 1, panel, a_layout));
    const Array a_block =
        keeps_rows ? part(a.local(), {{0, 1, a.local().shape()[0]}, {start, 1, panel.count}}) : copies[1].to;
    const Array b_block = copies[0].to;
    return {a_block, b_block,
            Movement(communicator, call_of("matmul", agreement + std::to_string(start)), std::move(copies))};
  };
  std::optional<Array> sum;
  std::optional<Panels> next;
  if (inner > 0) next.emplace(begin(0));
  for (std::int64_t start = 0; start < inner; start += panel_columns) {
    Panels panels = std::move(*next);
    panels.movement.finish();
    next.reset();
    // The next panels are under way while these are multiplied.
    if (start + panel_columns < inner) next.emplace(begin(start + panel_columns));
    if (elements_of(after->local_shape(rank)) == 0) continue;
    const Array term = quern::matmul(panels.a, panels.b);
    sum = sum ? *sum + term : term;
    sum->evaluate();
  }
  if (!sum) {
    sum = zeros(a.local().queue(), after->local_shape(rank), dtype);
  }
  return {communicator, *after, *sum};
}

// The axes of a stack that broadcast to those of the product; the last two follow.
std::vector<AxisLayout> stack_axes(const Shape& shape, const Layout& product) {
  std::vector<AxisLayout> axes;
  const std::size_t missing = product.axes().size() - shape.size();
  for (std::size_t i = 0; i + 2 < shape.size(); ++i)
    axes.push_back(shape[i] == product.axes()[missing + i].length() ? product.axes()[missing + i]
                                                                    : AxisLayout::whole(1));
  return axes;
}

// Products of stacks of matrices, of which each rank has some, or some of their rows.
DistributedArray product_of_stacks(const DistributedArray& a, const DistributedArray& b) {
  const Shape a_shape = a.shape(), b_shape = b.shape();
  const std::int64_t rows = a_shape[a_shape.size() - 2], inner = a_shape.back(), columns = b_shape.back();
  Shape shape;  // of the stack, then the rows
  const std::size_t axes = std::max(a_shape.size(), b_shape.size()) - 2;
  const auto length = [&](const Shape& of, std::size_t axis) {
    const std::size_t missing = axes + 2 - of.size();
    return axis < missing ? std::int64_t{1} : of[axis - missing];
  };
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t first = length(a_shape, i), second = length(b_shape, i);
    if (first != second && first != 1 && second != 1)
      refuse("matmul: stacks of shapes " + text_of(a_shape) + " and " + text_of(b_shape) +
             " do not broadcast");
    shape.push_back(first == 1 ? second : first);
  }
  shape.push_back(rows);
  const Communicator& communicator = a.communicator();
  // If the first stack has whole rows and the shape of the product, it stays where it is.
  bool stays = a.layout().root() < 0 && !a.layout().axes().back().is_split() && a_shape.size() == axes + 2;
  for (std::size_t i = 0; stays && i < axes; ++i) stays = a_shape[i] == shape[i];
  const Layout left = stays ? a.layout().with_axis(axes + 1, AxisLayout::whole(columns)) : [&] {
    const Layout blocks = Layout::for_shape(communicator.size(), shape);
    return blocks.with_new_axis(axes + 1, AxisLayout::whole(columns));
  }();
  std::vector<AxisLayout> a_axes = stack_axes(a_shape, left), b_axes = stack_axes(b_shape, left);
  a_axes.push_back(left.axes()[axes]);
  a_axes.push_back(AxisLayout::whole(inner));
  b_axes.push_back(AxisLayout::whole(inner));
  b_axes.push_back(AxisLayout::whole(columns));
  const Array first = redistribute(a, Layout(left.grid(), std::move(a_axes))).local();
  const Array second = redistribute(b, Layout(left.grid(), std::move(b_axes))).local();
  return {communicator, left, quern::matmul(first, second)};
}

}  // namespace

DistributedArray matmul(const DistributedArray& a, const DistributedArray& b) {
  const auto refuse = [&](const std::string& text) {
    throw ArgumentError(ArgumentError::Kind::value, "matmul: " + text + " (shapes " + text_of(a.shape()) +
                                                        " and " + text_of(b.shape()) + ")");
  };
  if (a.communicator() != b.communicator()) refuse("the operands belong to different communicators");
  const std::size_t a_axes = a.shape().size(), b_axes = b.shape().size();
  if (a_axes == 0 || b_axes == 0) refuse("operands must not be 0-d");
  if (a.shape()[a_axes - 1] != b.shape()[b_axes == 1 ? 0 : b_axes - 2]) refuse("the inner lengths differ");
  const int row = 0, column = 1;
  const DistributedArray left = a_axes == 1 ? expand_dims(a, std::span(&row, 1)) : a;
  const DistributedArray right = b_axes == 1 ? expand_dims(b, std::span(&column, 1)) : b;
  const bool is_stack = a_axes > 2 || b_axes > 2;
  DistributedArray result = is_stack ? product_of_stacks(left, right) : product(left, right);
  const int last = -1;
  if (a_axes == 1) {
    const int before_last = -2;
    result = squeeze(result, std::span(&before_last, 1));
  }
  if (b_axes == 1) result = squeeze(result, std::span(&last, 1));
  return result;
}

}  // namespace quern::distributed
