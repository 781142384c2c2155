// SPDX-License-Identifier: MIT
// Loops over the rows of a matrix: their order, selections, sums of columns, diagonals, matrices made of
// others.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "quern/views.hpp"
#include "sparse/host/functions.hpp"
#include "sparse/host/host_call.hpp"
#include "sparse/host/number.hpp"

namespace quern::sparse::host {
namespace {

// Parts of the rows with about as many entries and rows each.
template <class Index>
std::vector<std::int64_t> parts_of(const Index* indptr, std::int64_t rows, std::int64_t per_thread = 4) {
  const auto weight = [=](std::int64_t row) { return std::int64_t{indptr[row]} + row; };
  return row_parts(rows, parts_for(weight(rows), per_thread), weight);
}

}  // namespace

Order order_of(const Queue& queue, const Csr& matrix) {
  std::atomic<bool> is_sorted{true}, is_canonical{true};
  const std::int64_t rows = matrix.rows();
  run(queue, std::vector{matrix.indices(), matrix.indptr()}, {}, matrix.nnz() + rows,
      [&](const Memory& memory) {
        with_index_type(matrix.indices().dtype(), [&]<class Index>(Index) {
          const Index* const indices = memory.at<Index>(0);
          const Index* const indptr = memory.at<Index>(1);
          const std::vector<std::int64_t> begins = parts_of(indptr, rows);
          in_parallel(static_cast<std::int64_t>(begins.size()) - 1, [&](std::int64_t part) {
            const auto p = static_cast<std::size_t>(part);
            bool falls = false, repeats = false;
            for (std::int64_t row = begins[p]; row < begins[p + 1]; ++row) {
              for (std::int64_t i = indptr[row] + std::int64_t{1}; i < indptr[row + 1]; ++i) {
                falls |= indices[i] < indices[i - 1];
                repeats |= indices[i] == indices[i - 1];
              }
            }
            if (falls) is_sorted = false;
            if (falls || repeats) is_canonical = false;
          });
        });
      });
  return {is_sorted, is_canonical};
}

Csr rows_at(const Queue& queue, const Csr& matrix, const Array& rows) {
  const Array chosen = vector_of(rows, int64_type());
  const auto count = static_cast<std::int64_t>(chosen.size());
  const std::int64_t parts =
      parts_for(matrix.nnz() / std::max<std::int64_t>(1, matrix.rows()) * count + count);
  std::vector<std::int64_t> begins(static_cast<std::size_t>(parts) + 1, 0);  // first entries of the parts
  const DType& from_type = matrix.indices().dtype();
  run(queue, std::vector{chosen, matrix.indptr()}, {}, count, [&](const Memory& memory) {
    with_index_type(from_type, [&]<class Index>(Index) {
      const auto* const row = memory.at<std::int64_t>(0);
      const Index* const indptr = memory.at<Index>(1);
      in_parallel(parts, [&](std::int64_t part) {
        std::int64_t sum = 0;
        const std::int64_t end = part_begin(count, part + 1, parts);
        for (std::int64_t i = part_begin(count, part, parts); i < end; ++i)
          sum += indptr[row[i] + 1] - indptr[row[i]];
        begins[static_cast<std::size_t>(part) + 1] = sum;
      });
    });
  });
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  const std::int64_t total = begins.back();
  const DType type =
      from_type.itemsize == 8 ? from_type : index_type(std::max({count, matrix.columns(), total}));
  const Array starts = empty(queue, {count + 1}, type), indices = empty(queue, {total}, type),
              data = empty(queue, {total}, matrix.dtype());
  const std::size_t item = matrix.dtype().itemsize;
  const auto copy_as = [&]<class From, class To>(const Memory& memory, From, To) {
    const auto* const row = memory.at<std::int64_t>(0);
    const From* const indptr = memory.at<From>(1);
    const From* const from = memory.at<From>(2);
    const auto* const values = memory.at<std::byte>(3);
    To* const to_starts = memory.at<To>(4);
    To* const to = memory.at<To>(5);
    auto* const to_values = memory.at<std::byte>(6);
    to_starts[count] = static_cast<To>(total);
    in_parallel(parts, [&](std::int64_t part) {
      std::int64_t out = begins[static_cast<std::size_t>(part)];
      const std::int64_t end = part_begin(count, part + 1, parts);
      for (std::int64_t i = part_begin(count, part, parts); i < end;) {
        // Neighbouring rows are one piece of memory.
        const std::int64_t first = row[i], begin = indptr[first];
        std::int64_t next = first;
        for (; i < end && row[i] == next; ++i, ++next)
          to_starts[i] = static_cast<To>(out + indptr[next] - begin);
        const std::int64_t length = indptr[next] - begin;
        std::copy_n(from + begin, length, to + out);
        if (length != 0)
          std::memcpy(to_values + static_cast<std::size_t>(out) * item,
                      values + static_cast<std::size_t>(begin) * item,
                      static_cast<std::size_t>(length) * item);
        out += length;
      }
    });
  };
  run(queue, std::vector{chosen, matrix.indptr(), matrix.indices(), matrix.data()},
      std::vector{starts, indices, data}, total + count, [&](const Memory& memory) {
        with_index_type(from_type, [&](auto from) {
          with_index_type(type, [&](auto to) { copy_as(memory, from, to); });
        });
      });
  return Csr::unchecked({count, matrix.columns()}, data, indices, starts);
}

Csr assembled(const Queue& queue, const Size& size, const std::vector<Placed>& parts, const DType& dtype,
              const DType& type) {
  std::int64_t total = 0;
  std::vector<const Placed*> order;
  for (const Placed& part : parts) {
    total += part.matrix.nnz();
    if (part.matrix.nnz() != 0) order.push_back(&part);
  }
  // The entries of a row come in the order of the columns. Matrices that share no rows are stacks: each is
  // one piece of the result.
  std::stable_sort(order.begin(), order.end(),
                   [](const Placed* a, const Placed* b) { return a->row < b->row; });
  bool is_stack = true;
  for (std::size_t k = 1; k < order.size(); ++k)
    is_stack = is_stack && order[k - 1]->row + order[k - 1]->matrix.rows() <= order[k]->row;
  if (!is_stack)
    std::stable_sort(order.begin(), order.end(),
                     [](const Placed* a, const Placed* b) { return a->column < b->column; });
  std::vector<Array> reads;
  for (const Placed* const part : order) {
    reads.push_back(vector_of(part->matrix.indptr(), type));
    reads.push_back(vector_of(part->matrix.indices(), type));
    reads.push_back(vector_of(part->matrix.data(), dtype));
  }
  const Array starts = empty(queue, {size.rows + 1}, type), indices = empty(queue, {total}, type),
              data = empty(queue, {total}, dtype);
  const std::size_t item = dtype.itemsize, first = reads.size();
  const auto fill = [&]<class Index>(const Memory& memory, Index) {
    Index* const to_starts = memory.at<Index>(first);
    Index* const to = memory.at<Index>(first + 1);
    auto* const to_values = memory.at<std::byte>(first + 2);
    // Calls f(part, its indptr, row in it) for all rows of each part, one part after the other.
    const auto for_rows = [&](const auto& f) {
      for (std::size_t k = 0; k < order.size(); ++k) {
        const Index* const indptr = memory.at<Index>(3 * k);
        const std::vector<std::int64_t> begins = parts_of(indptr, order[k]->matrix.rows(), 1);
        in_parallel(static_cast<std::int64_t>(begins.size()) - 1, [&](std::int64_t piece) {
          const auto p = static_cast<std::size_t>(piece);
          for (std::int64_t row = begins[p]; row < begins[p + 1]; ++row) f(k, indptr, row);
        });
      }
    };
    std::fill_n(to_starts, size.rows + 1, Index{0});
    for_rows([&](std::size_t k, const Index* indptr, std::int64_t row) {
      to_starts[order[k]->row + row] += indptr[row + 1] - indptr[row];
    });
    std::exclusive_scan(to_starts, to_starts + size.rows + 1, to_starts, Index{0});
    for_rows([&](std::size_t k, const Index* indptr, std::int64_t row) {
      const Index* const from = memory.at<Index>(3 * k + 1);
      const auto* const values = memory.at<std::byte>(3 * k + 2);
      Index& start = to_starts[order[k]->row + row];
      const auto moved = static_cast<Index>(order[k]->column);
      const std::int64_t length = indptr[row + 1] - indptr[row], begin = indptr[row], out = start;
      for (std::int64_t i = 0; i < length; ++i) to[out + i] = from[begin + i] + moved;
      if (length != 0)
        std::memcpy(to_values + static_cast<std::size_t>(out) * item,
                    values + static_cast<std::size_t>(begin) * item, static_cast<std::size_t>(length) * item);
      start += static_cast<Index>(length);
    });
    // Each start is now the end of its row.
    std::copy_backward(to_starts, to_starts + size.rows, to_starts + size.rows + 1);
    to_starts[0] = 0;
  };
  const auto stack = [&]<class Index>(const Memory& memory, Index) {
    Index* const to_starts = memory.at<Index>(first);
    Index* const to = memory.at<Index>(first + 1);
    auto* const to_values = memory.at<std::byte>(first + 2);
    std::int64_t row = 0, out = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const Index* const indptr = memory.at<Index>(3 * k);
      const Index* const from = memory.at<Index>(3 * k + 1);
      const auto* const values = memory.at<std::byte>(3 * k + 2);
      const std::int64_t rows = order[k]->matrix.rows(), count = order[k]->matrix.nnz();
      std::fill(to_starts + row, to_starts + order[k]->row, static_cast<Index>(out));
      row = order[k]->row + rows;
      const auto moved = static_cast<Index>(order[k]->column), before = static_cast<Index>(out);
      const std::int64_t pieces = parts_for(count + rows);
      in_parallel(pieces, [&](std::int64_t piece) {
        const auto each = [&](std::int64_t of, const auto& f) {
          const std::int64_t begin = part_begin(of, piece, pieces);
          f(begin, part_begin(of, piece + 1, pieces) - begin);
        };
        each(rows, [&](std::int64_t begin, std::int64_t length) {
          std::transform(indptr + begin, indptr + begin + length, to_starts + order[k]->row + begin,
                         [=](Index start) { return static_cast<Index>(start + before); });
        });
        each(count, [&](std::int64_t begin, std::int64_t length) {
          std::transform(from + begin, from + begin + length, to + out + begin,
                         [=](Index column) { return static_cast<Index>(column + moved); });
          std::memcpy(to_values + static_cast<std::size_t>(out + begin) * item,
                      values + static_cast<std::size_t>(begin) * item,
                      static_cast<std::size_t>(length) * item);
        });
      });
      out += count;
    }
    std::fill(to_starts + row, to_starts + size.rows + 1, static_cast<Index>(out));
  };
  run(queue, reads, std::vector{starts, indices, data}, total + size.rows, [&](const Memory& memory) {
    with_index_type(type, [&](auto index) { is_stack ? stack(memory, index) : fill(memory, index); });
  });
  Csr made = Csr::unchecked(size, data, indices, starts);
  const auto is_canonical = [](const Placed* part) { return part->matrix.has_canonical_format(); };
  if (is_stack && std::all_of(order.begin(), order.end(), is_canonical))
    made.state().structure->order = Order{true, true};
  return sum_duplicates(made);
}

Array column_sums(const Queue& queue, const Csr& matrix) {
  const std::int64_t columns = matrix.columns(), entries = matrix.nnz();
  Array result = empty(queue, {columns}, matrix.dtype());
  // Each part has sums of its own for all columns.
  const std::int64_t parts =
      std::clamp<std::int64_t>(entries / std::max<std::int64_t>(1, columns), 1, parts_for(entries));
  const Array others = empty(queue, {(parts - 1) * columns}, matrix.dtype());
  const auto sum_as = [&]<class Index, class Value>(const Memory& memory, Index, Value) {
    const Index* const indices = memory.at<Index>(0);
    const Value* const values = memory.at<Value>(1);
    Value* const sums = memory.at<Value>(2);
    Value* const rest = memory.at<Value>(3);
    in_parallel(parts, [&](std::int64_t part) {
      Value* const own = part == 0 ? sums : rest + (part - 1) * columns;
      std::fill_n(own, columns, Value{});
      const std::int64_t end = part_begin(entries, part + 1, parts);
      for (std::int64_t i = part_begin(entries, part, parts); i < end; ++i)
        own[indices[i]] = plus(own[indices[i]], values[i]);
    });
    in_parallel(parts, [&](std::int64_t part) {
      const std::int64_t begin = part_begin(columns, part, parts), end = part_begin(columns, part + 1, parts);
      for (std::int64_t k = 0; k + 1 < parts; ++k)
        for (std::int64_t j = begin; j < end; ++j) sums[j] = plus(sums[j], rest[k * columns + j]);
    });
  };
  run(queue, std::vector{matrix.indices(), matrix.data()}, std::vector{result, others}, entries + columns,
      [&](const Memory& memory) {
        with_index_type(matrix.indices().dtype(), [&](auto index) {
          with_value_type(matrix.dtype(), [&](auto value) { sum_as(memory, index, value); });
        });
      });
  return result;
}

Array diagonal(const Queue& queue, const Csr& matrix, std::int64_t offset, std::int64_t count) {
  Array result = empty(queue, {count}, matrix.dtype());
  const std::int64_t first_row = std::max<std::int64_t>(-offset, 0);
  const auto sum_as = [&]<class Index, class Value>(const Memory& memory, Index, Value) {
    const Index* const indptr = memory.at<Index>(0);
    const Index* const indices = memory.at<Index>(1);
    const Value* const values = memory.at<Value>(2);
    Value* const out = memory.at<Value>(3);
    const std::int64_t parts = parts_for(matrix.nnz() + count, 4);
    in_parallel(parts, [&](std::int64_t part) {
      const std::int64_t end = part_begin(count, part + 1, parts);
      for (std::int64_t k = part_begin(count, part, parts); k < end; ++k) {
        const std::int64_t row = first_row + k;
        const auto wanted = static_cast<Index>(row + offset);
        Value sum{};
        for (std::int64_t i = indptr[row]; i < indptr[row + 1]; ++i)
          if (indices[i] == wanted) sum = plus(sum, values[i]);
        out[k] = sum;
      }
    });
  };
  run(queue, std::vector{matrix.indptr(), matrix.indices(), matrix.data()}, std::vector{result},
      matrix.nnz() + count, [&](const Memory& memory) {
        with_index_type(matrix.indices().dtype(), [&](auto index) {
          with_value_type(matrix.dtype(), [&](auto value) { sum_as(memory, index, value); });
        });
      });
  return result;
}

Csr eye(const Queue& queue, Size size, std::int64_t offset, const DType& dtype) {
  const std::int64_t first_row = std::max<std::int64_t>(-offset, 0),
                     last_row = std::max(first_row, std::min(size.rows, size.columns - offset));
  const std::int64_t count = last_row - first_row, parts = parts_for(size.rows + count);
  const DType type = index_type(std::max(size.rows, size.columns));
  const Array starts = empty(queue, {size.rows + 1}, type), indices = empty(queue, {count}, type),
              data = empty(queue, {count}, dtype);
  const auto fill = [&]<class Index, class Value>(const Memory& memory, Index, Value) {
    Index* const to_starts = memory.at<Index>(0);
    Index* const to = memory.at<Index>(1);
    in_parallel(parts, [&](std::int64_t part) {
      const std::int64_t begin = part_begin(size.rows + 1, part, parts),
                         end = part_begin(size.rows + 1, part + 1, parts);
      for (std::int64_t row = begin; row < end; ++row)
        to_starts[row] = static_cast<Index>(std::clamp(row, first_row, last_row) - first_row);
      const std::int64_t first = part_begin(count, part, parts), last = part_begin(count, part + 1, parts);
      for (std::int64_t k = first; k < last; ++k) to[k] = static_cast<Index>(first_row + k + offset);
      if (first < last) std::fill_n(memory.at<Value>(2) + first, last - first, static_cast<Value>(1));
    });
  };
  run(queue, {}, std::vector{starts, indices, data}, size.rows + count, [&](const Memory& memory) {
    with_index_type(
        type, [&](auto index) { with_value_type(dtype, [&](auto value) { fill(memory, index, value); }); });
  });
  Csr made = Csr::unchecked(size, data, indices, starts);
  made.state().structure->order = Order{true, true};
  return made;
}

Csr csr_of_diagonals(const Queue& queue, const Dia& matrix, const DType& type) {
  const DType dtype = value_type(matrix.data.dtype());
  const std::int64_t diagonals = matrix.data.shape()[0], width = matrix.data.shape()[1];
  const std::int64_t columns = std::min(matrix.size.columns, width), rows = matrix.size.rows;
  const Array values = vector_of(reshape(matrix.data, {-1}), dtype);
  const std::vector<std::int64_t> offsets =
      vector_of(matrix.offsets, int64_type()).to_vector<std::int64_t>(queue);
  std::vector<std::int64_t> order(offsets.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return offsets[static_cast<std::size_t>(a)] < offsets[static_cast<std::size_t>(b)];
  });
  // Column j of diagonal k is in row j - offsets[k].
  struct Diagonal {
    std::int64_t offset, start, first_row, last_row;
  };
  std::vector<Diagonal> lines;
  for (const std::int64_t k : order) {
    const std::int64_t offset = offsets[static_cast<std::size_t>(k)];
    const std::int64_t first = std::max<std::int64_t>(0, -offset), last = std::min(rows, columns - offset);
    if (first < last) lines.push_back({offset, k * width + offset, first, last});
  }
  const std::int64_t parts = parts_for(diagonals * columns);
  std::vector<std::int64_t> begins(static_cast<std::size_t>(parts) + 1, 0);
  run(queue, std::vector{values}, {}, diagonals * columns, [&](const Memory& memory) {
    with_value_type(dtype, [&]<class Value>(Value) {
      const Value* const from = memory.at<Value>(0);
      in_parallel(parts, [&](std::int64_t part) {
        const std::int64_t first = part_begin(rows, part, parts), last = part_begin(rows, part + 1, parts);
        std::int64_t count = 0;
        for (const Diagonal& line : lines) {
          const std::int64_t end = std::min(last, line.last_row);
          for (std::int64_t row = std::max(first, line.first_row); row < end; ++row)
            count += from[line.start + row] != Value{};
        }
        begins[static_cast<std::size_t>(part) + 1] = count;
      });
    });
  });
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  const std::int64_t total = begins.back();
  // Rows that all diagonals cross. Unless an element is zero, each of them has one entry of every diagonal.
  std::int64_t places = 0, first_whole = 0, last_whole = rows;
  for (const Diagonal& line : lines) {
    places += line.last_row - line.first_row;
    first_whole = std::max(first_whole, line.first_row);
    last_whole = std::min(last_whole, line.last_row);
  }
  if (places != total || lines.empty()) last_whole = first_whole;
  const Array starts = empty(queue, {rows + 1}, type), indices = empty(queue, {total}, type),
              data = empty(queue, {total}, dtype);
  const auto fill = [&]<class Index, class Value>(const Memory& memory, Index, Value) {
    const Value* const from = memory.at<Value>(0);
    Index* const to_starts = memory.at<Index>(1);
    Index* const to = memory.at<Index>(2);
    Value* const to_values = memory.at<Value>(3);
    to_starts[rows] = static_cast<Index>(total);
    // One diagonal after the other, so that the loops have no branches.
    const auto fill_whole = [&]<std::int64_t kCount>(std::int64_t row, std::int64_t last, std::int64_t out) {
      const std::int64_t step = kCount != 0 ? kCount : std::ssize(lines);
      constexpr std::int64_t kBlock = 512;
      for (; row < last; row += kBlock) {
        const std::int64_t count = std::min(kBlock, last - row);
        for (std::int64_t i = 0; i < count; ++i) to_starts[row + i] = static_cast<Index>(out + i * step);
        for (std::int64_t k = 0; k < step; ++k) {
          const Diagonal& line = lines[static_cast<std::size_t>(k)];
          const Value* const source = from + line.start + row;
          const std::int64_t column = row + line.offset;
          for (std::int64_t i = 0; i < count; ++i) {
            to[out + i * step + k] = static_cast<Index>(column + i);
            to_values[out + i * step + k] = source[i];
          }
        }
        out += count * step;
      }
    };
    in_parallel(parts, [&](std::int64_t part) {
      std::int64_t out = begins[static_cast<std::size_t>(part)];
      const std::int64_t last = part_begin(rows, part + 1, parts);
      for (std::int64_t row = part_begin(rows, part, parts); row < last; ++row) {
        if (row >= first_whole && row < last_whole) {
          const std::int64_t end = std::min(last, last_whole);
          if (lines.size() == 3)
            fill_whole.template operator()<3>(row, end, out);
          else
            fill_whole.template operator()<0>(row, end, out);
          out += (end - row) * std::ssize(lines);
          row = end;
          if (row == last) break;
        }
        to_starts[row] = static_cast<Index>(out);
        for (const Diagonal& line : lines) {
          if (row < line.first_row || row >= line.last_row) continue;
          const Value value = from[line.start + row];
          if (value == Value{}) continue;
          to[out] = static_cast<Index>(row + line.offset);
          to_values[out++] = value;
        }
      }
    });
  };
  run(queue, std::vector{values}, std::vector{starts, indices, data}, diagonals * columns + rows,
      [&](const Memory& memory) {
        with_index_type(type, [&](auto index) {
          with_value_type(dtype, [&](auto value) { fill(memory, index, value); });
        });
      });
  Csr made = Csr::unchecked(matrix.size, data, indices, starts);
  made.state().structure->order = Order{true, true};
  return made;
}

}  // namespace quern::sparse::host
