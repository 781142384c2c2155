// SPDX-License-Identifier: MIT
// Sums, differences and products of the elements of two sparse matrices: the sorted rows are merged.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sparse/host/functions.hpp"
#include "sparse/host/host_call.hpp"
#include "sparse/host/number.hpp"

namespace quern::sparse::host {
namespace {

template <class Index, class Value>
struct Rows {
  const Index* indptr;
  const Index* indices;
  const Value* values;
};

// Merges a row of each matrix and writes what is not zero to `to`; returns the number of such entries. The
// next entry is chosen without a branch, which processors could not predict. As many elements are written as
// the rows have entries, at most.
template <class Index, class Value, class Combine>
std::int64_t merge_row(const Rows<Index, Value>& a, const Rows<Index, Value>& b, std::int64_t row, Index* to,
                       Value* to_values, const Combine& combine) {
  std::int64_t i = a.indptr[row], k = b.indptr[row], out = 0;
  const std::int64_t a_end = a.indptr[row + 1], b_end = b.indptr[row + 1];
  const auto store = [&](Index column, Value value) {
    to[out] = column;
    to_values[out] = value;
    out += value != Value{};
  };
  while (i < a_end && k < b_end) {
    const Index left = a.indices[i], right = b.indices[k];
    const Value x = left <= right ? a.values[i] : Value{}, y = right <= left ? b.values[k] : Value{};
    store(std::min(left, right), combine(x, y));
    i += left <= right;
    k += right <= left;
  }
  for (; i < a_end; ++i) store(a.indices[i], combine(a.values[i], Value{}));
  for (; k < b_end; ++k) store(b.indices[k], combine(Value{}, b.values[k]));
  return out;
}

template <class Index, class Value, class Combine>
Csr merge(const Queue& queue, const Csr& a, const Csr& b, const Combine& combine) {
  const DType& type = a.indices().dtype();
  const std::int64_t rows = a.rows(), most = a.nnz() + b.nnz();
  // A part writes from the sum of the entries before it on.
  const Array starts = empty(queue, {rows + 1}, type), spare = empty(queue, {most}, type),
              spare_values = empty(queue, {most}, a.dtype());
  std::vector<std::int64_t> begins, counts;
  run(queue, std::vector{a.indptr(), a.indices(), a.data(), b.indptr(), b.indices(), b.data()},
      std::vector{starts, spare, spare_values}, most + rows, [&](const Memory& memory) {
        const Rows<Index, Value> left = {memory.at<Index>(0), memory.at<Index>(1), memory.at<Value>(2)};
        const Rows<Index, Value> right = {memory.at<Index>(3), memory.at<Index>(4), memory.at<Value>(5)};
        const auto weight = [&](std::int64_t row) {
          return std::int64_t{left.indptr[row]} + right.indptr[row] + row;
        };
        Index* const to_starts = memory.at<Index>(6);
        begins = row_parts(rows, parts_for(weight(rows)), weight);
        counts.assign(begins.size(), 0);
        in_parallel(static_cast<std::int64_t>(begins.size()) - 1, [&](std::int64_t part) {
          const auto p = static_cast<std::size_t>(part);
          const std::int64_t first = std::int64_t{left.indptr[begins[p]]} + right.indptr[begins[p]];
          Index* const to = memory.at<Index>(7) + first;
          Value* const to_values = memory.at<Value>(8) + first;
          std::int64_t out = 0;
          for (std::int64_t row = begins[p]; row < begins[p + 1]; ++row) {
            to_starts[row] = static_cast<Index>(out);
            out += merge_row(left, right, row, to + out, to_values + out, combine);
          }
          counts[p + 1] = out;
        });
        for (std::size_t p = 1; p < counts.size(); ++p) counts[p] += counts[p - 1];
      });
  const std::int64_t total = counts.back();
  const Array indices = empty(queue, {total}, type), data = empty(queue, {total}, a.dtype());
  run(queue, std::vector{a.indptr(), b.indptr(), spare, spare_values}, std::vector{starts, indices, data},
      most + rows, [&](const Memory& memory) {
        const Index* const left = memory.at<Index>(0);
        const Index* const right = memory.at<Index>(1);
        Index* const to_starts = memory.at<Index>(4);
        to_starts[rows] = static_cast<Index>(total);
        in_parallel(static_cast<std::int64_t>(begins.size()) - 1, [&](std::int64_t part) {
          const auto p = static_cast<std::size_t>(part);
          const std::int64_t first = std::int64_t{left[begins[p]]} + right[begins[p]];
          const std::int64_t count = counts[p + 1] - counts[p];
          std::copy_n(memory.at<Index>(2) + first, count, memory.at<Index>(5) + counts[p]);
          std::copy_n(memory.at<Value>(3) + first, count, memory.at<Value>(6) + counts[p]);
          for (std::int64_t row = begins[p]; row < begins[p + 1]; ++row)
            to_starts[row] += static_cast<Index>(counts[p]);
        });
      });
  Csr made = Csr::unchecked(a.size(), data, indices, starts);
  made.state().structure->order = Order{true, true};
  return made;
}

}  // namespace

Csr merged(const Queue& queue, std::string_view operation, const Csr& a, const Csr& b) {
  return with_index_type(a.indices().dtype(), [&]<class Index>(Index) {
    return with_wide_type(a.dtype(), [&]<class Value>(Value) {
      if (operation == "multiply")
        return merge<Index, Value>(queue, a, b, [](Value x, Value y) { return times(x, y); });
      if (operation == "subtract")
        return merge<Index, Value>(queue, a, b, [](Value x, Value y) { return static_cast<Value>(x - y); });
      return merge<Index, Value>(queue, a, b, [](Value x, Value y) { return plus(x, y); });
    });
  });
}

}  // namespace quern::sparse::host
