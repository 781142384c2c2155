// SPDX-License-Identifier: MIT
// Products of two sparse matrices by Gustavson's algorithm: each row of the result is a sum of rows of the
// second matrix. Parts of the rows are computed by themselves and then joined.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "quern/arithmetic.hpp"
#include "sparse/host/functions.hpp"
#include "sparse/host/host_call.hpp"
#include "sparse/host/number.hpp"

namespace quern::sparse::host {
namespace {

// Sums of a row may take this memory on all threads, or as much as the products.
constexpr std::int64_t kMostSums = std::int64_t{64} << 20;

// A set of columns, which yields them in increasing order. A second level of bits tells which words are not
// zero.
class ColumnSet {
 public:
  explicit ColumnSet(std::int64_t columns)
      : words_(static_cast<std::size_t>(columns >> 6) + 1, 0), groups_(words_.size() / 64 + 1, 0) {
    clear_range();
  }

  void add(std::int64_t column) {
    const auto c = static_cast<std::size_t>(column);
    words_[c >> 6] |= std::uint64_t{1} << (c & 63);
    groups_[c >> 12] |= std::uint64_t{1} << (c >> 6 & 63);
  }
  // The range of columns that were added; take() looks for columns there.
  void widen(std::int64_t least, std::int64_t most) {
    first_ = std::min(first_, static_cast<std::size_t>(least) >> 12);
    last_ = std::max(last_, static_cast<std::size_t>(most) >> 12);
  }

  // Removes all columns; calls f(word, bits) for those of each word.
  template <class F>
  void take(const F& f) {
    for (std::size_t group = first_; group <= last_ && group < groups_.size(); ++group) {
      for (std::uint64_t rest = std::exchange(groups_[group], 0); rest != 0; rest &= rest - 1) {
        const std::size_t word = group << 6 | static_cast<std::size_t>(std::countr_zero(rest));
        f(static_cast<std::int64_t>(word), std::exchange(words_[word], 0));
      }
    }
    clear_range();
  }

 private:
  void clear_range() {
    first_ = groups_.size();
    last_ = 0;
  }

  std::vector<std::uint64_t> words_, groups_;
  std::size_t first_ = 0, last_ = 0;
};

template <class Index, class Value>
struct Rows {
  const Index* indptr;
  const Index* indices;
  const Value* values;
};

// Asks for the rows of `b` that the next entries of `a` need, from entry `i` of `last` on.
template <class Index, class Value>
void prefetch(const Rows<Index, Value>& a, const Rows<Index, Value>& b, std::int64_t i, std::int64_t last) {
  constexpr std::int64_t kAhead = 8, kLine = 64;
  const std::int64_t next = b.indptr[a.indices[std::min(i + kAhead, last)]];
  __builtin_prefetch(b.indices + next);
  __builtin_prefetch(b.values + next);
  __builtin_prefetch(b.values + next + kLine / static_cast<std::int64_t>(sizeof(Value)));
  __builtin_prefetch(b.indptr + a.indices[std::min(i + 2 * kAhead, last)]);
}

// What a part of the rows computed, with room for all products.
template <class Index, class Value>
struct PartOfProduct {
  std::unique_ptr<Index[]> indices;
  std::unique_ptr<Value[]> values;
  std::int64_t count = 0;

  void reserve(std::int64_t products) {
    indices = std::make_unique_for_overwrite<Index[]>(static_cast<std::size_t>(products));
    values = std::make_unique_for_overwrite<Value[]>(static_cast<std::size_t>(products));
  }
};

// Computes rows with a sum for each column of the result.
template <class Index, class Value>
class DenseRow {
 public:
  explicit DenseRow(std::int64_t columns)
      : set_(columns), sums_(static_cast<std::size_t>(columns), Value{}) {}

  // Appends the entries of a row of a @ b.
  void append(const Rows<Index, Value>& a, const Rows<Index, Value>& b, std::int64_t row, std::int64_t last,
              PartOfProduct<Index, Value>& part) {
    Value* const sums = sums_.data();
    for (std::int64_t i = a.indptr[row]; i < a.indptr[row + 1]; ++i) {
      prefetch(a, b, i, last);
      const Value factor = a.values[i];
      const std::int64_t begin = b.indptr[a.indices[i]], end = b.indptr[a.indices[i] + 1];
      Index least = std::numeric_limits<Index>::max(), most = 0;
      for (std::int64_t k = begin; k < end; ++k) {
        const Index column = b.indices[k];
        least = std::min(least, column);
        most = std::max(most, column);
        set_.add(column);
        sums[column] = plus(sums[column], times(factor, b.values[k]));
      }
      if (begin < end) set_.widen(least, most);
    }
    Index* to = part.indices.get() + part.count;
    Value* to_values = part.values.get() + part.count;
    set_.take([&](std::int64_t word, std::uint64_t bits) {
      for (; bits != 0; bits &= bits - 1) {
        const std::int64_t column = word << 6 | std::countr_zero(bits);
        *to++ = static_cast<Index>(column);
        *to_values++ = std::exchange(sums[column], Value{});
      }
    });
    part.count = to - part.indices.get();
  }

 private:
  ColumnSet set_;
  std::vector<Value> sums_;
};

// Computes rows by sorting all products: for matrices with so many columns that sums for all would take too
// much memory.
template <class Index, class Value>
class SortedRow {
 public:
  explicit SortedRow(std::int64_t) {}

  void append(const Rows<Index, Value>& a, const Rows<Index, Value>& b, std::int64_t row, std::int64_t last,
              PartOfProduct<Index, Value>& part) {
    products_.clear();
    for (std::int64_t i = a.indptr[row]; i < a.indptr[row + 1]; ++i) {
      prefetch(a, b, i, last);
      const Index other = a.indices[i];
      for (std::int64_t k = b.indptr[other]; k < b.indptr[other + 1]; ++k)
        products_.emplace_back(b.indices[k], times(a.values[i], b.values[k]));
    }
    std::stable_sort(products_.begin(), products_.end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
    for (std::size_t k = 0; k < products_.size();) {
      const Index column = products_[k].first;
      Value sum = products_[k].second;
      for (++k; k < products_.size() && products_[k].first == column; ++k)
        sum = plus(sum, products_[k].second);
      part.indices[static_cast<std::size_t>(part.count)] = column;
      part.values[static_cast<std::size_t>(part.count++)] = sum;
    }
  }

 private:
  std::vector<std::pair<Index, Value>> products_;
};

// One worker for each thread that computes rows.
template <class Worker>
class Workers {
 public:
  explicit Workers(std::int64_t columns) : columns_(columns) {}

  template <class F>
  void with_worker(const F& f) {
    std::unique_ptr<Worker> worker;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        worker = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (!worker) worker = std::make_unique<Worker>(columns_);
    f(*worker);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  std::int64_t columns_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

template <class Index, class Value, class Worker>
Csr product_by(const Queue& queue, const Csr& a, const Csr& b) {
  const std::int64_t rows = a.rows();
  const std::int64_t work = a.nnz() * std::max<std::int64_t>(1, b.nnz() / b.rows()) + rows;
  std::vector<std::int64_t> begins;
  std::vector<PartOfProduct<Index, Value>> parts;
  const Array lengths = empty(queue, {rows + 1}, int64_type());  // first entries in their part
  run(queue, std::vector{a.indptr(), a.indices(), a.data(), b.indptr(), b.indices(), b.data()},
      std::vector{lengths}, work, [&](const Memory& memory) {
        const Rows<Index, Value> left = {memory.at<Index>(0), memory.at<Index>(1), memory.at<Value>(2)};
        const Rows<Index, Value> right = {memory.at<Index>(3), memory.at<Index>(4), memory.at<Value>(5)};
        auto* const starts = memory.at<std::int64_t>(6);
        const auto weight = [&](std::int64_t row) { return std::int64_t{left.indptr[row]} + row; };
        begins = row_parts(rows, parts_for(work, 16), weight);
        parts.resize(begins.size() - 1);
        Workers<Worker> workers(b.columns());
        in_parallel(static_cast<std::int64_t>(parts.size()), [&](std::int64_t part) {
          workers.with_worker([&](Worker& worker) {
            const auto p = static_cast<std::size_t>(part);
            std::int64_t products = 0;
            for (std::int64_t i = left.indptr[begins[p]]; i < left.indptr[begins[p + 1]]; ++i)
              products += right.indptr[left.indices[i] + 1] - right.indptr[left.indices[i]];
            parts[p].reserve(products);
            for (std::int64_t row = begins[p]; row < begins[p + 1]; ++row) {
              starts[row] = parts[p].count;
              worker.append(left, right, row, left.indptr[rows] - std::int64_t{1}, parts[p]);
            }
          });
        });
      });
  std::vector<std::int64_t> firsts = {0};
  for (const auto& part : parts) firsts.push_back(firsts.back() + part.count);
  const std::int64_t total = firsts.back();
  const DType type = result_type(a.indices().dtype(), index_type(std::max({rows, b.columns(), total})));
  const Array starts = empty(queue, {rows + 1}, type), indices = empty(queue, {total}, type),
              data = empty(queue, {total}, a.dtype());
  const auto store = [&]<class To>(const Memory& memory, To) {
    const auto* const from = memory.at<std::int64_t>(0);
    To* const to_starts = memory.at<To>(1);
    to_starts[rows] = static_cast<To>(total);
    in_parallel(static_cast<std::int64_t>(parts.size()), [&](std::int64_t part) {
      const auto p = static_cast<std::size_t>(part);
      for (std::int64_t row = begins[p]; row < begins[p + 1]; ++row)
        to_starts[row] = static_cast<To>(from[row] + firsts[p]);
      std::copy_n(parts[p].indices.get(), parts[p].count, memory.at<To>(2) + firsts[p]);
      std::copy_n(parts[p].values.get(), parts[p].count, memory.at<Value>(3) + firsts[p]);
      parts[p] = {};
    });
  };
  run(queue, std::vector{lengths}, std::vector{starts, indices, data}, total + rows,
      [&](const Memory& memory) { with_index_type(type, [&](auto index) { store(memory, index); }); });
  Csr made = Csr::unchecked({rows, b.columns()}, data, indices, starts);
  made.state().structure->order = Order{true, true};
  return made;
}

}  // namespace

Csr product(const Queue& queue, const Csr& a, const Csr& b, const DType& dtype) {
  const DType type = result_type(a.indices().dtype(), b.indices().dtype());
  const auto converted = [&](const Csr& matrix) {
    const Csr typed = astype(matrix, dtype);
    if (typed.indices().dtype() == type) return typed;
    return Csr::unchecked(typed.size(), typed.data(), quern::astype(typed.indices(), type),
                          quern::astype(typed.indptr(), type));
  };
  const Csr left = converted(a), right = converted(b);
  const auto item = static_cast<std::int64_t>(dtype.itemsize);
  const std::int64_t sums = parts_for(a.nnz()) * b.columns() * item;
  const bool is_dense = sums <= std::max(kMostSums, (a.nnz() + b.nnz()) * item);
  return with_index_type(type, [&]<class Index>(Index) {
    return with_wide_type(dtype, [&]<class Value>(Value) {
      if (is_dense) return product_by<Index, Value, DenseRow<Index, Value>>(queue, left, right);
      return product_by<Index, Value, SortedRow<Index, Value>>(queue, left, right);
    });
  });
}

}  // namespace quern::sparse::host
