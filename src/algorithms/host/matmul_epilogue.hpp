// SPDX-License-Identifier: MIT
// What the host does with a block of a matrix product while the block is in a cache.
#pragma once

#include <algorithm>
#include <cstdint>

#include "algorithms/host/hand_written_kernel.hpp"
#include "algorithms/host/matmul_call.hpp"

namespace quern::algorithms {

// Applies the epilogue to a block of sums, which is still in a cache.
template <class Type, class Sum>
void finish_block(const quern_launch* launch, const ProductCall& call, const ProductBlock& block,
                  const Target<Sum>& to, std::int64_t rows, std::int64_t columns) {
  const Ending& ending = call.ending;
  const auto factor = static_cast<Sum>(ending.factor), constant = static_cast<Sum>(ending.constant);
  for (std::int64_t i = 0; i < rows; ++i) {
    Sum* const row = to.at + i * to.pitch;
    if (factor != 1 || constant != 0)
      for (std::int64_t j = 0; j < columns; ++j) row[j] = factor * row[j] + constant;
    for (std::int64_t k = 0; k < ending.terms; ++k) {
      const Term& term = ending.term[static_cast<std::size_t>(k)];
      std::int64_t start = term.start + (block.row + i) * term.row_step + block.column * term.column_step;
      for (std::size_t d = 0; d < block.place.size(); ++d) start += block.place[d] * term.steps[d];
      const auto* const from = memory_of<const Type>(launch, 3 + static_cast<std::size_t>(k)) + start;
      const auto scale = static_cast<Sum>(term.factor);
      if (term.column_step == 1) {
        for (std::int64_t j = 0; j < columns; ++j) row[j] += scale * converted<Sum>(from[j]);
      } else {
        for (std::int64_t j = 0; j < columns; ++j)
          row[j] += scale * converted<Sum>(from[j * term.column_step]);
      }
    }
    if (ending.is_relu)
      for (std::int64_t j = 0; j < columns; ++j) row[j] = row[j] < Sum{0} ? Sum{0} : row[j];
  }
}

// Writes the elements of a block of a symmetric matrix to the block on the other side of the diagonal, whose
// first element is `mirrored`. Small squares stay in the first cache.
template <class Type>
void mirror_block(const Target<Type>& from, Type* mirrored, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kSquare = 16;
  for (std::int64_t i = 0; i < rows; i += kSquare)
    for (std::int64_t j = 0; j < columns; j += kSquare)
      for (std::int64_t y = i; y < std::min(rows, i + kSquare); ++y)
        for (std::int64_t x = j; x < std::min(columns, j + kSquare); ++x)
          mirrored[x * from.pitch + y] = from.at[y * from.pitch + x];
}

}  // namespace quern::algorithms
