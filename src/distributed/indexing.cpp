// SPDX-License-Identifier: MIT
// Reading and writing parts of distributed arrays by basic indices and by lists of indices.
#include "quern/indexing.hpp"

#include <algorithm>
#include <utility>

#include "distributed/communicator.hpp"
#include "distributed/margins.hpp"
#include "distributed/parts.hpp"
#include "distributed/selection.hpp"
#include "quern/distributed/functions.hpp"
#include "quern/error.hpp"

namespace quern::distributed {
namespace {

std::string section_text(const Section& section) {
  std::string text;
  for (const Range& range : section) {
    text += " " + std::to_string(range.start) + ":" + std::to_string(range.step) + ":" +
            std::to_string(range.count);
  }
  return text;
}

// A block of the selected elements without dropped axes and with new ones.
Array with_axes_of(const Array& block, const Selection& selection) {
  std::vector<Index> index;
  std::size_t axis = 0;
  const auto drop = [&](std::size_t end) {
    for (; axis < end; ++axis) index.emplace_back(std::int64_t{0});
  };
  for (const auto& from : selection.axes) {
    if (!from) {
      index.push_back(Index::new_axis());
      continue;
    }
    drop(*from);
    index.push_back(Index::slice());
    ++axis;
  }
  drop(selection.section.size());
  return view(block, index);
}

Layout with_axes_of(const Layout& layout, const Selection& selection) {
  std::vector<AxisLayout> axes;
  for (const auto& from : selection.axes) axes.push_back(from ? layout.axes()[*from] : AxisLayout::whole(1));
  return {layout.grid(), std::move(axes)};
}

// The layout of the selected elements, dropped axes included, and whether every rank has all its elements.
std::pair<Layout, bool> selected_layout(const Layout& layout, const Selection& selection) {
  std::vector<AxisLayout> axes;
  bool is_local = true;
  for (std::size_t axis = 0; axis < selection.section.size(); ++axis) {
    if (selection.is_dropped[axis]) {
      is_local = is_local && layout.axes()[axis].parts() == 1;
      axes.push_back(AxisLayout::whole(1));
    } else {
      SelectedAxis selected = selected_axis(layout.axes()[axis], selection.section[axis]);
      is_local = is_local && selected.is_local;
      axes.push_back(std::move(selected.layout));
    }
  }
  return {Layout(layout.grid(), std::move(axes)), is_local};
}

// Whether each rank has the values for the elements that it has of the part.
bool is_aligned(const Layout& value, const Layout& part) {
  if (value.root() >= 0 || value.grid() != part.grid()) return false;
  for (std::size_t axis = 0; axis < part.axes().size(); ++axis) {
    const bool is_repeated = value.axes()[axis] == AxisLayout::whole(1);
    if (!is_repeated && value.axes()[axis] != part.axes()[axis]) return false;
  }
  return true;
}

// The value with as many axes as the array that it is written to: of length 1 or of the section.
DistributedArray fitted(const DistributedArray& value, const Selection& selection) {
  const Shape target = selection.shape();
  Shape shape = value.shape();
  std::size_t extra = shape.size() > target.size() ? shape.size() - target.size() : 0;
  const auto refuse = [&] {
    throw ArgumentError(ArgumentError::Kind::value,
                        "cannot assign an array of shape " + distributed::text_of(value.shape()) +
                            " to a part of shape " + distributed::text_of(target));
  };
  for (std::size_t i = 0; i < extra; ++i)
    if (shape[i] != 1) refuse();
  for (std::size_t i = extra; i < shape.size(); ++i) {
    const std::int64_t length = target[target.size() - shape.size() + i];
    if (shape[i] != 1 && shape[i] != length) refuse();
  }
  // Axes of length 1 that go away must not be split.
  Layout layout = value.layout();
  std::vector<std::size_t> from;  // axes of the value for axes of the target, counted from the end
  std::vector<AxisLayout> whole = layout.axes();
  for (AxisLayout& axis : whole)
    if (axis.length() == 1) axis = AxisLayout::whole(1);
  const DistributedArray moved =
      layout.root() >= 0 ? value : redistribute(value, Layout(layout.grid(), std::move(whole)));
  std::vector<AxisLayout> axes;
  for (std::size_t axis = 0; axis < selection.section.size(); ++axis) {
    const auto found = std::find(selection.axes.begin(), selection.axes.end(), std::optional(axis));
    const auto from_end = static_cast<std::size_t>(selection.axes.end() - found);  // 0 if it is dropped
    if (from_end == 0 || from_end > shape.size()) {
      axes.push_back(AxisLayout::whole(1));
    } else {
      axes.push_back(moved.layout().axes()[shape.size() - from_end]);
    }
  }
  Layout fitting(layout.grid(), std::move(axes));
  if (layout.root() >= 0) fitting = Layout::owned(layout.grid().size(), fitting.shape(), layout.root());
  return {value.communicator(), fitting, reshaped(moved.local(), fitting, value.communicator().rank())};
}

}  // namespace

DistributedArray get_item(const DistributedArray& array, std::span<const Index> index) {
  const Layout& before = array.layout();
  const Communicator& communicator = array.communicator();
  const int rank = communicator.rank();
  const Selection selection = select(array.shape(), index);
  if (before.root() >= 0) {
    const Layout after = Layout::owned(communicator.size(), selection.shape(), before.root());
    if (!before.holds(rank)) {
      return {communicator, after, empty(array.local().queue(), after.local_shape(rank), array.dtype())};
    }
    const Array chosen = part(array.local(), selection.section);
    return {communicator, after, snapshot(with_axes_of(chosen, selection))};
  }
  const auto [after, is_local] = selected_layout(before, selection);
  const Layout result = with_axes_of(after, selection);
  if (is_local) {
    const std::vector<Section> own = local_sections(before, selection.section, rank);
    const Array block = own.empty() ? empty(array.local().queue(), after.local_shape(rank), array.dtype())
                                    : snapshot(part(array.local(), own.front()));
    return {communicator, result, with_axes_of(block, selection)};
  }
  const Call call = call_of("get_item", agreed(array) + section_text(selection.section));
  // Messages are the same in both cases, so each rank decides for itself.
  Margins* const margins = array.margins().get();
  if (const auto rows = margins ? margins->shifted(before, selection, after, rank) : std::nullopt) {
    const SectionCopy copy{array.local(), before, selection.section,
                           *rows,         after,  whole_section(after.shape())};
    move(communicator, call, {copy},
         [&](const Array& part, std::span<const std::byte> bytes) { margins->write(part, bytes); });
    const Array block = snapshot(*rows);
    margins->add_reader(block, *rows);
    return {communicator, result, with_axes_of(block, selection)};
  }
  const Array block = empty(array.local().queue(), after.local_shape(rank), array.dtype());
  const SectionCopy copy{array.local(), before, selection.section,
                         block,         after,  whole_section(after.shape())};
  move(communicator, call, {copy});
  return {communicator, result, with_axes_of(block, selection)};
}

void set_item(const DistributedArray& array, std::span<const Index> index, const DistributedOperand& value) {
  const Selection selection = select(array.shape(), index);
  const int rank = array.communicator().rank();
  if (const auto* number = std::get_if<Number>(&value)) {
    for (const Section& own : local_sections(array.layout(), selection.section, rank)) {
      assign(part(array.local(), own), *number);
    }
    return;
  }
  const auto& given = std::get<DistributedArray>(value);
  if (given.communicator() != array.communicator()) {
    throw ArgumentError(ArgumentError::Kind::value, "the value belongs to another communicator");
  }
  const DistributedArray fitting = fitted(given, selection);
  if (array.layout().root() < 0) {
    const auto [part_layout, is_local] = selected_layout(array.layout(), selection);
    if (is_local && is_aligned(fitting.layout(), part_layout)) {
      const std::vector<Section> own = local_sections(array.layout(), selection.section, rank);
      if (!own.empty()) assign(part(array.local(), own.front()), fitting.local());
      return;
    }
  }
  Section from;
  for (std::size_t axis = 0; axis < selection.section.size(); ++axis) {
    const std::int64_t count = selection.section[axis].count;
    from.push_back({0, fitting.shape()[axis] == count ? 1 : 0, count});
  }
  // The value may be the array itself.
  const SectionCopy copy{snapshot(fitting.local()), fitting.layout(), from, array.local(), array.layout(),
                         selection.section};
  move(array.communicator(),
       call_of("set_item", agreed(array) + section_text(selection.section) + agreed(given)), {copy});
}

DistributedArray take(const DistributedArray& array, std::span<const std::int64_t> indices, int axis) {
  const std::size_t along = checked_axis(axis, array.layout().axes().size());
  const AxisLayout& split = array.layout().axes()[along];
  std::vector<std::int64_t> wanted(indices.begin(), indices.end());
  for (std::int64_t& at : wanted) {
    const std::int64_t given = at;
    if (at < 0) at += split.length();
    if (at < 0 || at >= split.length()) {
      throw ArgumentError(ArgumentError::Kind::index,
                          "take: index " + std::to_string(given) + " is out of bounds for axis " +
                              std::to_string(axis) + " with size " + std::to_string(split.length()));
    }
  }
  const Communicator& communicator = array.communicator();
  const auto count = static_cast<std::int64_t>(wanted.size());
  const auto positions = [](std::vector<std::int64_t> values) {
    const auto length = static_cast<std::int64_t>(values.size());
    return HostPositions{{length}, std::move(values)};
  };
  if (!split.is_split()) {
    Shape shape = array.shape();
    shape[along] = count;
    const Layout after = array.layout().root() >= 0
                             ? Layout::owned(communicator.size(), shape, array.layout().root())
                             : array.layout().with_axis(along, AxisLayout::whole(count));
    const Array block =
        array.layout().holds(communicator.rank())
            ? quern::take(array.local(), positions(wanted), static_cast<int>(along))
            : empty(array.local().queue(), after.local_shape(communicator.rank()), array.dtype());
    return {communicator, after, block};
  }

  // Elements pass between ranks that differ in the coordinate along this axis only.
  const Layout after =
      array.layout().with_axis(along, AxisLayout::block(count, split.grid_axis(), split.parts()));
  const ProcessGrid& grid = after.grid();
  std::vector<int> at = grid.coordinates_of(communicator.rank());
  const auto over = static_cast<std::size_t>(split.grid_axis());
  const int own = at[over];
  const auto rank_of = [&](int coordinate) {
    at[over] = coordinate;
    return grid.rank_at(at);
  };
  // What one coordinate sends to another: indices of its block, and where they go.
  struct Passing {
    std::vector<std::int64_t> from, to;
  };
  const auto passing = [&](int sender, int receiver) {
    Passing found;
    for (const Interval& interval : after.axes()[along].intervals(receiver)) {
      for (std::int64_t i = interval.start; i < interval.stop; ++i) {
        const std::int64_t index = wanted[static_cast<std::size_t>(i)];
        if (split.owner(index) != sender) continue;
        found.from.push_back(split.local_index(index));
        found.to.push_back(i - interval.start);
      }
    }
    return found;
  };
  const auto taken = [&](const std::vector<std::int64_t>& from) {
    return quern::take(array.local(), positions(from), static_cast<int>(along));
  };
  const Queue queue = array.local().queue();
  const Array block = empty(queue, after.local_shape(communicator.rank()), array.dtype());
  const auto put = [&](const std::vector<std::int64_t>& to, const Array& values) {
    std::vector<ItemIndex> index(along, ItemIndex(Index::slice()));
    index.emplace_back(positions(to));
    quern::set_item(block, index, values);
  };
  const auto shape_of_part = [&](std::size_t length) {
    Shape shape = block.shape();
    shape[along] = static_cast<std::int64_t>(length);
    return shape;
  };

  std::string text = agreed(array);
  for (const std::int64_t index : wanted) text += " " + std::to_string(index);
  // Reading may fail. Nothing has begun then.
  std::vector<std::pair<int, Message>> messages;
  for (int other = 0; other < split.parts(); ++other) {
    if (other == own) continue;
    const Passing outgoing = passing(own, other);
    const Array values = taken(outgoing.from);
    if (values.size() == 0) continue;
    Message message(values.nbytes());
    read(values, message.payload());
    messages.emplace_back(rank_of(other), std::move(message));
  }
  Exchange exchange = communicator.state()->begin(call_of("take", text));
  std::vector<std::pair<std::size_t, Passing>> arriving;
  for (int other = 0; other < split.parts(); ++other) {
    if (other == own) continue;
    Passing incoming = passing(other, own);
    const Shape shape = shape_of_part(incoming.from.size());
    if (elements_of(shape) == 0) continue;
    const std::size_t nbytes = static_cast<std::size_t>(elements_of(shape)) * array.dtype().itemsize;
    arriving.emplace_back(exchange.receive(rank_of(other), nbytes), std::move(incoming));
  }
  for (auto& [peer, message] : messages) exchange.send(peer, std::move(message));
  if (const Passing kept = passing(own, own); !kept.from.empty()) put(kept.to, taken(kept.from));
  exchange.finish();
  for (const auto& [number, incoming] : arriving) {
    put(incoming.to,
        array_of(queue, exchange.received(number), shape_of_part(incoming.to.size()), array.dtype()));
  }
  return {communicator, after, block};
}

}  // namespace quern::distributed
