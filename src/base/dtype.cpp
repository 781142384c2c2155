// SPDX-License-Identifier: MIT
// Sizes, names and equality of element types.
#include "quern/dtype.hpp"

#include <algorithm>
#include <array>

#include "base/dtype_kinds.hpp"
#include "quern/api.hpp"
#include "quern/error.hpp"

namespace quern {
namespace {

struct Row {
  const char* name;
  std::size_t size;
};

constexpr std::array<Row, 17> kRows = {{{"bool", 1},
                                        {"int8", 1},
                                        {"int16", 2},
                                        {"int32", 4},
                                        {"int64", 8},
                                        {"uint8", 1},
                                        {"uint16", 2},
                                        {"uint32", 4},
                                        {"uint64", 8},
                                        {"float16", 2},
                                        {"bfloat16", 2},
                                        {"float32", 4},
                                        {"float64", 8},
                                        {"complex64", 8},
                                        {"complex128", 16},
                                        {"struct", 0},
                                        {"unknown", 0}}};

const Row& row(Scalar scalar) {
  return kRows[static_cast<std::size_t>(scalar)];
}

bool is_lane_count(unsigned lanes) {
  return lanes == 1 || lanes == 2 || lanes == 3 || lanes == 4 || lanes == 8 || lanes == 16;
}

}  // namespace

DType DType::of(Scalar scalar, unsigned lanes) {
  const std::size_t slots = lanes == 3 ? 4 : lanes;
  return {scalar, static_cast<std::uint8_t>(lanes), row(scalar).size * slots, nullptr};
}

DType DType::parse(std::string_view name) {
  for (std::size_t i = 0; i < kRows.size() - 2; ++i) {
    const std::string_view scalar = kRows[i].name;
    if (!name.starts_with(scalar)) continue;
    const std::string rest(name.substr(scalar.size()));
    if (rest.empty()) return of(static_cast<Scalar>(i));
    if (rest.size() < 2 || rest.size() > 3 || rest[0] != 'x') continue;
    if (!std::all_of(rest.begin() + 1, rest.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
    const auto lanes = static_cast<unsigned>(std::stoul(rest.substr(1)));
    if (lanes > 1 && is_lane_count(lanes)) return of(static_cast<Scalar>(i), lanes);
  }
  throw ArgumentError(
      ArgumentError::Kind::type,
      "'" + std::string(name) + "' is not a dtype; expected a name such as float32, int64 or float32x4");
}

DType DType::structure(std::shared_ptr<const StructLayout> layout) {
  const std::size_t size = layout->size;
  return {Scalar::structure, 1, size, std::move(layout)};
}

std::string DType::name() const {
  if (scalar == Scalar::structure) return layout ? "struct " + layout->name : "struct";
  std::string text = row(scalar).name;
  if (lanes > 1) text += "x" + std::to_string(lanes);
  return text;
}

std::size_t DType::alignment() const {
  if (scalar == Scalar::structure) return layout ? layout->alignment : 1;
  if (detail::is_complex(*this)) return itemsize / 2;
  if (lanes == 3 && itemsize % 3 == 0) return itemsize / 3;  // CUDA's vectors of three, which have no padding
  return std::max<std::size_t>(itemsize, 1);
}

// Declared only in its class, as a friend, which takes no visibility mark from the namespace around it.
QUERN_API bool operator==(const DType& a, const DType& b) {
  if (a.scalar != b.scalar || a.lanes != b.lanes || a.itemsize != b.itemsize) return false;
  if (a.scalar != Scalar::structure || a.layout == b.layout) return true;
  if (!a.layout || !b.layout || a.layout->fields.size() != b.layout->fields.size()) return false;
  return std::equal(a.layout->fields.begin(), a.layout->fields.end(), b.layout->fields.begin(),
                    [](const StructField& x, const StructField& y) {
                      return x.offset == y.offset && x.count == y.count && x.dtype == y.dtype;
                    });
}

}  // namespace quern
