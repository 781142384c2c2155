// SPDX-License-Identifier: MIT
// Padding with NumPy's modes: constants, elements of the array, ramps and statistics.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "array/write.hpp"
#include "base/text.hpp"
#include "functions/operands.hpp"
#include "functions/rows.hpp"
#include "functions/whole_number.hpp"
#include "quern/creation.hpp"
#include "quern/manipulation.hpp"
#include "quern/reduce.hpp"
#include "quern/statistics.hpp"

namespace quern {
namespace {

using functions::along;
using functions::value_error;

// The array with padding before and after it along one axis; nothing if the width is 0.
Array joined(const Array& x, std::size_t axis, const std::optional<Array>& before,
             const std::optional<Array>& behind) {
  std::vector<Array> parts;
  if (before) parts.push_back(*before);
  parts.push_back(x);
  if (behind) parts.push_back(*behind);
  return parts.size() == 1 ? x : concat(parts, static_cast<int>(axis));
}

// Calls pad_axis(x, axis, width) for one axis after the other, so that each includes the padding of earlier
// axes.
template <class F>
Array pad_each(const Array& array, const PadWidths& widths, F&& pad_axis) {
  const std::size_t rank = array.shape().size();
  if (widths.size() != rank)
    value_error("pad: " + std::to_string(widths.size()) + " widths for an array of " + std::to_string(rank) +
                " dimensions");
  for (std::size_t d = 0; d < rank; ++d) {
    const auto& [before, behind] = widths[d];
    if (before < 0 || behind < 0) value_error("pad: widths must not be negative");
    if (array.shape()[d] == 0 && before + behind > 0)
      value_error("pad: axis " + std::to_string(d) + " has no elements to pad with");
  }
  if (array.size() == 0) return pad(array, widths, Padding::edge);
  Array result = array;
  for (std::size_t d = 0; d < rank; ++d)
    if (widths[d].first + widths[d].second > 0) result = pad_axis(result, d, widths[d]);
  return result.value() == array.value() ? copy(array) : result;
}

Array statistic_of(PadStatistic statistic, const Array& x, std::size_t axis) {
  const ReduceOptions over{.over = static_cast<int>(axis), .keepdims = true};
  switch (statistic) {
    case PadStatistic::maximum:
      return max(x, over);
    case PadStatistic::minimum:
      return min(x, over);
    case PadStatistic::mean:
      break;
    case PadStatistic::median:
      return median(x, over);
  }
  return mean(x, over);
}

Array margin_of(const Array& one, std::size_t axis, std::int64_t width, const DType& dtype) {
  Shape shape = one.shape();
  shape[axis] = width;
  const bool is_rounded = functions::is_integer(dtype) && functions::is_floating(one.dtype());
  return broadcast_to(astype(is_rounded ? apply("rint", {one}) : one, dtype), shape);
}

}  // namespace

Array pad(const Array& array, const PadWidths& widths, PadStatistic statistic, const PadLengths& lengths) {
  const bool is_extreme = statistic == PadStatistic::maximum || statistic == PadStatistic::minimum;
  for (const auto& [first, last] : lengths)
    if (is_extreme && array.size() != 0 && (first == 0 || last == 0))
      value_error("pad: stat_length must be at least 1 for 'maximum' and 'minimum'");
  return pad_each(array, widths, [&](const Array& x, std::size_t axis, const auto& width) {
    const std::int64_t length = x.shape()[axis];
    const auto counted = [&](const std::optional<std::int64_t>& own) {
      if (own && *own < 0) value_error("pad: stat_length must not be negative");
      return own ? std::min(*own, length) : length;
    };
    std::optional<Array> before, behind;
    const auto& [first, last] = lengths.empty() ? PadLengths::value_type() : lengths[axis];
    if (width.first > 0) {
      const Array part = along(x, axis, Index::slice(0, counted(first)));
      before = margin_of(statistic_of(statistic, part, axis), axis, width.first, x.dtype());
    }
    if (width.second > 0) {
      const Array part = along(x, axis, Index::slice(length - counted(last), length));
      behind = margin_of(statistic_of(statistic, part, axis), axis, width.second, x.dtype());
    }
    return joined(x, axis, before, behind);
  });
}

Array pad_ramps(const Array& array, const PadWidths& widths,
                std::span<const std::pair<Number, Number>> ends) {
  if (ends.size() != widths.size())
    value_error("pad: " + std::to_string(ends.size()) + " pairs of ends for " +
                std::to_string(widths.size()) + " axes");
  return pad_each(array, widths, [&](const Array& x, std::size_t axis, const auto& width) {
    const auto ramp = [&](const Number& end, std::int64_t edge, std::int64_t count) {
      SpacingOptions options{.count = count, .endpoint = false, .dtype = x.dtype()};
      options.axis = static_cast<int>(axis);
      return linspace(x.queue(), end, along(x, axis, Index(edge)), options).numbers;
    };
    std::optional<Array> before, behind;
    if (width.first > 0) before = ramp(ends[axis].first, 0, width.first);
    if (width.second > 0)
      behind = flip(ramp(ends[axis].second, -1, width.second), Axes{static_cast<int>(axis)});
    return joined(x, axis, before, behind);
  });
}

Array pad_odd(const Array& array, const PadWidths& widths, bool repeats_edge) {
  return pad_each(array, widths, [&](Array x, std::size_t axis, auto width) {
    const std::int64_t period = x.shape()[axis];
    if (period == 1) {
      PadWidths own(x.shape().size());
      own[axis] = width;
      return pad(x, own, Padding::edge);
    }
    // Reflects whole periods at a time, on both sides.
    const std::int64_t skipped = repeats_edge ? 0 : 1;
    while (width.first > 0 || width.second > 0) {
      const std::int64_t length = x.shape()[axis];
      const std::int64_t whole = (length - skipped) / (period - skipped) * (period - skipped);
      const auto image = [&](const Index& edge, const Index& part) {
        const Array mirrored = along(x, axis, part), about = along(x, axis, edge);
        return astype(apply("subtract", {apply("multiply", {Number(2), about}), mirrored}), x.dtype());
      };
      std::optional<Array> before, behind;
      const std::int64_t first = std::min(whole, width.first), last = std::min(whole, width.second);
      if (first > 0)
        before = flip(image(Index::slice(0, 1), Index::slice(skipped, skipped + first)),
                      Axes{static_cast<int>(axis)});
      if (last > 0)
        behind = flip(
            image(Index::slice(length - 1, length), Index::slice(length - skipped - last, length - skipped)),
            Axes{static_cast<int>(axis)});
      x = joined(x, axis, before, behind);
      width = {width.first - first, width.second - last};
    }
    return x;
  });
}

namespace registry {
namespace {

// Before and after, for each axis. One number applies to all, one pair to all axes.
std::vector<std::pair<Number, Number>> pairs_of(const Numbers& given, std::size_t rank, const char* role) {
  const Shape& shape = given.shape;
  const auto rows = static_cast<std::int64_t>(given.keys.empty() ? rank : given.keys.size());
  const std::int64_t height = shape.size() == 2 ? shape[0] : 1, width = shape.empty() ? 1 : shape.back();
  const bool fits = shape.size() <= 2 && (height == 1 || height == rows) && (width == 1 || width == 2);
  if (!fits)
    value_error(std::string("pad: ") + role + " of shape " + shape_text(shape) + " for " +
                std::to_string(rank) + " axes");
  std::vector<std::pair<Number, Number>> result(rank, {Number(0), Number(0)});
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto first = static_cast<std::size_t>(height == 1 ? 0 : row * width);
    const auto axis = given.keys.empty() ? static_cast<std::size_t>(row)
                                         : checked_axis(given.keys[static_cast<std::size_t>(row)], rank);
    result[axis] = {given.values[first], given.values[first + (width == 1 ? 0 : 1)]};
  }
  return result;
}

std::vector<std::pair<Number, Number>> ends_of(const Arguments& a, std::size_t k, const char* role) {
  const std::size_t rank = a.array(0).shape().size();
  if (!a.has(k)) return std::vector(rank, std::pair(Number(0), Number(0)));
  return pairs_of(a.nested(k), rank, role);
}

struct Mode {
  enum class Kind : std::uint8_t { numbers, elements, mirror, statistic, ramps };
  std::string_view name;
  Kind kind;
  std::size_t keyword = 0;  // the additional parameter of the mode
  Padding padding = Padding::edge;
  PadStatistic statistic = PadStatistic::mean;
};
constexpr std::size_t kConstantValues = 3, kStatLength = 4, kEndValues = 5, kReflectType = 6;
constexpr std::array kModes = std::to_array<Mode>({
    {"constant", Mode::Kind::numbers, kConstantValues},
    {"empty", Mode::Kind::numbers},
    {"edge", Mode::Kind::elements, 0, Padding::edge},
    {"wrap", Mode::Kind::elements, 0, Padding::wrap},
    {"reflect", Mode::Kind::mirror, kReflectType, Padding::reflect},
    {"symmetric", Mode::Kind::mirror, kReflectType, Padding::symmetric},
    {"linear_ramp", Mode::Kind::ramps, kEndValues},
    {"maximum", Mode::Kind::statistic, kStatLength, Padding::edge, PadStatistic::maximum},
    {"mean", Mode::Kind::statistic, kStatLength, Padding::edge, PadStatistic::mean},
    {"median", Mode::Kind::statistic, kStatLength, Padding::edge, PadStatistic::median},
    {"minimum", Mode::Kind::statistic, kStatLength, Padding::edge, PadStatistic::minimum},
});

const Mode& mode_of(const Arguments& a) {
  std::string names;
  for (const Mode& mode : kModes) {
    names += (names.empty() ? "'" : ", '") + std::string(mode.name) + "'";
    if (mode.name != a.text(2)) continue;
    for (const std::size_t k : {kConstantValues, kStatLength, kEndValues, kReflectType})
      if (k != mode.keyword && a.has(k))
        value_error("pad: mode '" + std::string(mode.name) + "' does not take " +
                    parameters_of(a.function())[k].name);
    return mode;
  }
  value_error("pad: mode must be one of " + names + ", got '" + std::string(a.text(2)) + "'");
}

// array, pad_width, mode, constant_values, stat_length, end_values, reflect_type
Result call_pad(const Arguments& a) {
  const Array& x = a.array(0);
  const std::size_t rank = x.shape().size();
  PadWidths widths;
  for (const auto& [before, behind] : pairs_of(a.nested(1), rank, "pad_width"))
    widths.emplace_back(functions::whole_number(before, "pad: widths"),
                        functions::whole_number(behind, "pad: widths"));
  const Mode& mode = mode_of(a);
  switch (mode.kind) {
    case Mode::Kind::numbers:
      return pad(x, widths, ends_of(a, kConstantValues, "constant_values"));
    case Mode::Kind::elements:
      return pad(x, widths, mode.padding);
    case Mode::Kind::ramps:
      return pad_ramps(x, widths, ends_of(a, kEndValues, "end_values"));
    case Mode::Kind::statistic: {
      PadLengths lengths(rank);
      if (a.has(kStatLength)) {
        const auto pairs = pairs_of(a.nested(kStatLength), rank, "stat_length");
        for (std::size_t d = 0; d < rank; ++d)
          lengths[d] = {functions::whole_number(pairs[d].first, "pad: lengths"),
                        functions::whole_number(pairs[d].second, "pad: lengths")};
      }
      return pad(x, widths, mode.statistic, lengths);
    }
    case Mode::Kind::mirror:
      break;
  }
  const std::string_view how = a.has(kReflectType) ? a.text(kReflectType) : "even";
  if (how != "even" && how != "odd")
    value_error("pad: reflect_type must be 'even' or 'odd', got '" + std::string(how) + "'");
  return how == "odd" ? pad_odd(x, widths, mode.padding == Padding::symmetric) : pad(x, widths, mode.padding);
}

const Function kPaddingRows[] = {
    {.name = "pad",
     .parameters =
         "array: array, pad_width: by_axis, mode: str | callable = 'constant', *, "
         "constant_values: by_axis = None, stat_length: by_axis = None, end_values: by_axis = None, "
         "reflect_type: str = None",
     .summary = "Pad an array: with constants, its own elements, linear ramps or statistics.",
     .notes = "As in NumPy, a callable mode is called as mode(vector, pad_widths, axis, kwargs) for each "
              "vector along each axis, and writes the padding in place. These are Python calls, one after "
              "another.",
     .about = "pad_width: Number of elements to add before and after: one number, a pair, a pair for each "
              "axis, or a dict by axis.\n"
              "mode: 'constant', 'edge', 'reflect', 'symmetric', 'wrap', 'linear_ramp', 'maximum', 'mean', "
              "'median', 'minimum' or 'empty', or a callable.\n"
              "constant_values: Values for mode 'constant', in the form of `pad_width`; 0 by default.\n"
              "stat_length: Number of edge elements to compute 'maximum', 'mean', 'median' and 'minimum' "
              "from; None: all.\n"
              "end_values: Outer values for mode 'linear_ramp'; 0 by default.\n"
              "reflect_type: 'even' (default) reflects unchanged; 'odd' gives twice the edge value minus "
              "the reflection.",
     .returns = "A new array.",
     .example = ">>> print(qn.pad([1, 2], (1, 2), mode='edge'))\n[1 1 2 2 2]\n"
                ">>> print(qn.pad([4, 8], 2, mode='linear_ramp'))\n[0 2 4 8 4 0]",
     .call = call_pad},
};

}  // namespace

std::span<const Function> padding_rows() {
  return kPaddingRows;
}

}  // namespace registry
}  // namespace quern
