// SPDX-License-Identifier: MIT
// Strided operands of precompiled kernels.
#include "algorithms/host/strided_walk.hpp"

namespace quern::algorithms {
namespace {

// The words of a call: the number of the function's own words, of loops and of operands; the own words; the
// lengths; then for each operand the offset of its first element and its strides.
constexpr std::size_t kHeader = 3;

}  // namespace

codegen::IndexSpace bytewise_space(const Shape& shape, std::span<const StridedOperand> operands) {
  InlineVector<codegen::View, 8> views;
  for (const StridedOperand& operand : operands)
    views.push_back({operand.array->shape(), operand.array->strides()});
  return codegen::index_space(shape, {views.data(), views.size()});
}

StridedCall::StridedCall(std::span<const std::int64_t> own, const codegen::IndexSpace& space,
                         std::span<const StridedOperand> operands) {
  words = {static_cast<std::int64_t>(own.size()), static_cast<std::int64_t>(space.rank()),
           static_cast<std::int64_t>(operands.size())};
  words.insert(words.end(), own.begin(), own.end());
  words.insert(words.end(), space.lengths.begin(), space.lengths.end());
  memory.reserve(operands.size() + 1);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Array& array = *operands[k].array;
    std::int64_t down = 0, up = static_cast<std::int64_t>(array.dtype().itemsize);
    for (std::size_t d = 0; d < space.rank(); ++d) {
      const std::int64_t reach = space.strides[k][d] * (space.lengths[d] - 1);
      (reach < 0 ? down : up) += reach;
    }
    const auto first = static_cast<std::int64_t>(array.offset());
    if (operands[k].is_base) {
      memory.push_back({&array.buffer(), 0, array.buffer().size(), operands[k].writes});
      words.push_back(first);
    } else {
      memory.push_back({&array.buffer(), static_cast<std::size_t>(first + down),
                        static_cast<std::size_t>(up - down), operands[k].writes});
      words.push_back(-down);
    }
    words.insert(words.end(), space.strides[k].begin(), space.strides[k].end());
  }
}

StridedWalk::StridedWalk(const quern_launch* launch) {
  const auto* const words = static_cast<const std::int64_t*>(launch->arguments[0]);
  own_ = words + kHeader;
  rank_ = static_cast<std::size_t>(words[1]);
  operands_ = static_cast<std::size_t>(words[2]);
  lengths_ = own_ + words[0];
  index_.resize(rank_);
  for (std::size_t k = 0; k < operands_; ++k) at_.push_back(memory_of(launch, k) + strides_of(k)[-1]);
}

void StridedWalk::seek(std::uint64_t number, std::size_t first) {
  auto rest = static_cast<std::int64_t>(number);
  for (std::size_t d = 0; d < rank_; ++d) {
    const std::int64_t wanted = d < first ? 0 : d + 1 == rank_ ? rest : rest % lengths_[d];
    if (d >= first) rest /= lengths_[d];
    step(d, wanted - index_[d]);
  }
}

StridedWalk::Block StridedWalk::block(std::uint64_t most) const {
  const auto limit = static_cast<std::int64_t>(most);
  if (rank_ > 1 && index_[0] == 0 && lengths_[0] <= limit)
    return {std::min(lengths_[1] - index_[1], limit / lengths_[0]), lengths_[0]};
  return {1, std::min(lengths_[0] - index_[0], limit)};
}

void StridedWalk::skip(const Block& block) {
  const bool is_whole = rank_ > 1 && index_[0] == 0 && block.columns == lengths_[0];
  std::size_t d = is_whole ? 1 : 0;
  step(d, is_whole ? block.rows : block.columns);
  for (; d + 1 < rank_ && index_[d] == lengths_[d]; ++d) {
    step(d, -lengths_[d]);
    step(d + 1, 1);
  }
}

}  // namespace quern::algorithms
