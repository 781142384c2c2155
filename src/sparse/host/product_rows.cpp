// SPDX-License-Identifier: MIT
// Products of two sparse matrices by Gustavson's algorithm: each row of the result is a sum of rows of the
// second matrix. A first pass counts the entries of each row, a second one computes them.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
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

// Computes rows with a sum for each column of the result.
template <class Index, class Value>
class DenseRow {
 public:
  explicit DenseRow(std::int64_t columns) : set_(columns), sums_(static_cast<std::size_t>(columns), Value{}) {}

  std::int64_t count(const Rows<Index, Value>& a, const Rows<Index, Value>& b, std::int64_t row) {
    for (std::int64_t i = a.indptr[row]; i < a.indptr[row + 1]; ++i) add(b, a.indices[i], [](Index, std::int64_t) {});
    std::int64_t count = 0;
    set_.take([&](std::int64_t, std::uint64_t bits) { count += std::popcount(bits); });
    return count;
  }

  void compute(const Rows<Index, Value>& a, const Rows<Index, Value>& b, std::int64_t row, Index* to, Value* to_values) {
    for (std::int64_t i = a.indptr[row]; i < a.indptr[row + 1]; ++i) {
      const Value factor = a.values[i];
      add(b, a.indices[i], [&](Index column, std::int64_t k) {
        Value& sum = sums_[static_cast<std::size_t>(column)];
        sum = plus(sum, times(factor, b.values[k]));
      });
    }
    set_.take([&](std::int64_t word, std::uint64_t bits) {
      for (; bits != 0; bits &= bits - 1) {
        const std::int64_t column = word << 6 | std::countr_zero(bits);
        *to++ = static_cast<Index>(column);
        *to_values++ = std::exchange(sums_[static_cast<std::size_t>(column)], Value{});
      }
    });
  }

 private:
  template <class F>
  void add(const Rows<Index, Value>& b, std::int64_t row, const F& f) {
    const std::int64_t begin = b.indptr[row], end = b.indptr[row + 1];
    Index least = std::numeric_limits<Index>::max(), most = 0;
    for (std::int64_t k = begin; k < end; ++k) {
      const Index column = b.indices[k];
      least = std::min(least, column);
      most = std::max(most, column);
      set_.add(column);
      f(column, k);
    }
    if (begin < end) set_.widen(least, most);
  }

  ColumnSet set_;
  std::vector<Value> sums_;
};

// Computes rows by sorting all products: for matrices with so many columns that sums for all would take too
// much memory.
template <class Index, class Value>
class SortedRow {
 public:
  explicit SortedRow(std::int64_t) {}

  std::int64_t count(const Rows<Index, Value>& a, const Rows<Index, Value>& b, std::int64_t row) {
    columns_.clear();
    for (std::int64_t i = a.indptr[row]; i < a.indptr[row + 1]; ++i) {
      const Index other = a.indices[i];
      columns_.insert(columns_.end(), b.indices + b.indptr[other], b.indices + b.indptr[other + 1]);
    }
    std::sort(columns_.begin(), columns_.end());
    return std::unique(columns_.begin(), columns_.end()) - columns_.begin();
  }

  void compute(const Rows<Index, Value>& a, const Rows<Index, Value>& b, std::int64_t row, Index* to, Value* to_values) {
    products_.clear();
    for (std::int64_t i = a.indptr[row]; i < a.indptr[row + 1]; ++i) {
      const Index other = a.indices[i];
      for (std::int64_t k = b.indptr[other]; k < b.indptr[other + 1]; ++k)
        products_.emplace_back(b.indices[k], times(a.values[i], b.values[k]));
    }
    std::stable_sort(products_.begin(), products_.end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
    for (std::size_t k = 0; k < products_.size();) {
      const Index column = products_[k].first;
      Value sum = products_[k].second;
      for (++k; k < products_.size() && products_[k].first == column; ++k) sum = plus(sum, products_[k].second);
      *to++ = column;
      *to_values++ = sum;
    }
  }

 private:
  std::vector<Index> columns_;
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
  const std::vector<Array> reads = {a.indptr(), a.indices(), a.data(), b.indptr(), b.indices(), b.data()};
  const std::int64_t work = a.nnz() * std::max<std::int64_t>(1, b.nnz() / b.rows()) + rows;
  const auto left = [](const Memory& m) { return Rows<Index, Value>{m.at<Index>(0), m.at<Index>(1), m.at<Value>(2)}; };
  const auto right = [](const Memory& m) { return Rows<Index, Value>{m.at<Index>(3), m.at<Index>(4), m.at<Value>(5)}; };
  Workers<Worker> workers(b.columns());
  std::vector<std::int64_t> begins;
  // Calls f(worker, row) for all rows.
  const auto for_rows = [&](const auto& f) {
    in_parallel(static_cast<std::int64_t>(begins.size()) - 1, [&](std::int64_t part) {
      workers.with_worker([&](Worker& worker) {
        const auto p = static_cast<std::size_t>(part);
        for (std::int64_t row = begins[p]; row < begins[p + 1]; ++row) f(worker, row);
      });
    });
  };
  const Array lengths = empty(queue, {rows + 1}, int64_type());
  std::int64_t total = 0;
  run(queue, reads, std::vector{lengths}, work, [&](const Memory& memory) {
    const Rows<Index, Value> first = left(memory), second = right(memory);
    const auto weight = [&](std::int64_t row) { return std::int64_t{first.indptr[row]} + row; };
    begins = row_parts(rows, parts_for(work, 16), weight);
    auto* const starts = memory.at<std::int64_t>(6);
    starts[rows] = 0;
    for_rows([&](Worker& worker, std::int64_t row) { starts[row] = worker.count(first, second, row); });
    std::exclusive_scan(starts, starts + rows + 1, starts, std::int64_t{0});
    total = starts[rows];
  });
  const DType type = result_type(a.indices().dtype(), index_type(std::max({rows, b.columns(), total})));
  const Array indices = empty(queue, {total}, type), data = empty(queue, {total}, a.dtype());
  const bool is_wider = type.itemsize > sizeof(Index);
  const Array narrow = is_wider ? empty(queue, {total}, a.indices().dtype()) : indices;
  std::vector<Array> all = reads;
  all.push_back(lengths);
  run(queue, all, std::vector{narrow, data}, work, [&](const Memory& memory) {
    const Rows<Index, Value> first = left(memory), second = right(memory);
    const auto* const starts = memory.at<std::int64_t>(6);
    for_rows([&](Worker& worker, std::int64_t row) {
      worker.compute(first, second, row, memory.at<Index>(7) + starts[row], memory.at<Value>(8) + starts[row]);
    });
  });
  Csr made = Csr::unchecked({rows, b.columns()}, data, is_wider ? quern::astype(narrow, type) : narrow,
                            quern::astype(lengths, type));
  made.state().structure->order = Order{true, true};
  return made;
}

}  // namespace

Csr product(const Queue& queue, const Csr& a, const Csr& b, const DType& dtype) {
  const DType type = result_type(a.indices().dtype(), b.indices().dtype());
  const auto converted = [&](const Csr& matrix) {
    const Csr typed = astype(matrix, dtype);
    if (typed.indices().dtype() == type) return typed;
    return Csr::unchecked(typed.size(), typed.data(), quern::astype(typed.indices(), type), quern::astype(typed.indptr(), type));
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
