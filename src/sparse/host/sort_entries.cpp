// SPDX-License-Identifier: MIT
// The order of entries: a stable sort by lines, which are rows or columns, and then within the lines.
//
// Each thread counts the entries of each line in its part of the entries and then stores them where they
// belong. If there are so many lines that the counts do not fit the cache, entries are first distributed
// among buckets of neighbouring lines, and each bucket is sorted by counting.
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "sparse/host/functions.hpp"
#include "sparse/host/host_call.hpp"
#include "sparse/host/number.hpp"

namespace quern::sparse::host {
namespace {

constexpr std::int64_t kBucketEntries = 8192, kMostBuckets = 1024;
constexpr std::int64_t kCountedLines = std::int64_t{1} << 17;  // lines that each thread counts by themselves

enum class Within : std::uint8_t { keep, sort, sum };  // what is done with the entries of a line

// Sorts the entries of one line by their other index.
template <class Index, class Value>
class LineSorter {
 public:
  void operator()(Index* others, Value* values, std::int64_t count) {
    if (std::is_sorted(others, others + count)) return;
    if (count <= 32) {
      insert(others, values, count);
      return;
    }
    order_.resize(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) order_[static_cast<std::size_t>(i)] = {others[i], i};
    std::sort(order_.begin(), order_.end());  // places differ, so the order of duplicates stays
    values_.assign(values, values + count);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto& [other, from] = order_[static_cast<std::size_t>(i)];
      others[i] = other;
      values[i] = values_[static_cast<std::size_t>(from)];
    }
  }

 private:
  static void insert(Index* others, Value* values, std::int64_t count) {
    for (std::int64_t i = 1; i < count; ++i) {
      const Index other = others[i];
      const Value value = values[i];
      std::int64_t k = i;
      for (; k > 0 && others[k - 1] > other; --k) {
        others[k] = others[k - 1];
        values[k] = values[k - 1];
      }
      others[k] = other;
      values[k] = value;
    }
  }

  std::vector<std::pair<Index, std::int64_t>> order_;
  std::vector<Value> values_;
};

template <class Index, class Value>
struct Entry {
  Index line, other;
  Value value;
};

// Entries in any order. The value of entry i is i if there are no values. from(i) returns a function that
// makes the entries from number i on.
template <class Index, class Value>
struct Listed {
  const Index *lines, *others;
  const Value* values;
  [[nodiscard]] auto from(std::int64_t /*first*/) const {
    return [lines = lines, others = others, values = values](std::int64_t i) {
      if constexpr (std::is_same_v<Value, Index>)
        if (values == nullptr) return Entry<Index, Value>{lines[i], others[i], static_cast<Index>(i)};
      return Entry<Index, Value>{lines[i], others[i], values[i]};
    };
  }
};

// The entries of a matrix, of which columns are the lines.
template <class Index, class Value>
struct ByRows {
  const Index *lines, *indptr;
  std::int64_t rows;
  const Value* values;
  [[nodiscard]] auto from(std::int64_t first) const {
    const Index* const next = std::upper_bound(indptr, indptr + rows + 1, static_cast<Index>(first));
    return [columns = lines, end = next, start = indptr, values = values](std::int64_t i) mutable {
      while (*end <= i) ++end;
      const auto row = static_cast<Index>(end - start - 1);
      if constexpr (std::is_same_v<Value, Index>)
        if (values == nullptr) return Entry<Index, Value>{columns[i], row, static_cast<Index>(i)};
      return Entry<Index, Value>{columns[i], row, values[i]};
    };
  }
};

template <class Index, class Value>
class EntrySort {
 public:
  EntrySort(std::int64_t lines, std::int64_t entries, Within within)
      : lines_(lines), entries_(entries), within_(within) {
    const std::int64_t most = std::clamp<std::int64_t>(entries / kBucketEntries, 1, kMostBuckets);
    is_counted_ = lines <= kCountedLines && lines * parts_for(entries) <= std::max(entries, kThreadEntries);
    while (((lines - 1) >> shift_) + 1 > most) ++shift_;
    buckets_ = ((lines - 1) >> shift_) + 1;
    remaining_.assign(static_cast<std::size_t>(buckets_), 0);
  }

  // Whether scratch memory for all entries is needed.
  [[nodiscard]] bool has_buckets() const { return !is_counted_ && buckets_ > 1; }

  // Writes the entries in order and the first entry of each line. Returns the number of entries that remain;
  // each bucket then begins where it would without sums.
  template <class Source>
  std::int64_t run(const Source& source, Entry<Index, Value>* scratch, Index* starts, Index* out_others,
                   Value* out_values) {
    begins_.assign(static_cast<std::size_t>(buckets_) + 1, entries_);
    begins_[0] = 0;
    if (is_counted_) {
      count_all(source, starts, out_others, out_values);
    } else if (has_buckets()) {
      distribute(source, scratch);
      in_parallel(buckets_, [&](std::int64_t bucket) {
        count_bucket(bucket, Stored{scratch}, starts, out_others, out_values);
        finish_bucket(bucket, starts, out_others, out_values);
      });
    } else {
      count_bucket(0, source, starts, out_others, out_values);
      finish_bucket(0, starts, out_others, out_values);
    }
    std::int64_t remaining = 0;
    for (const std::int64_t count : remaining_) remaining += count;
    starts[lines_] = static_cast<Index>(remaining);
    return remaining;
  }

  // Copies what remains to arrays of its size, and corrects the starts.
  void compact(Index* starts, const Index* others, const Value* values, Index* out_others,
               Value* out_values) const {
    std::vector<std::int64_t> to(remaining_.size(), 0);
    for (std::size_t b = 1; b < to.size(); ++b) to[b] = to[b - 1] + remaining_[b - 1];
    in_parallel(buckets_, [&](std::int64_t bucket) {
      const auto b = static_cast<std::size_t>(bucket);
      std::copy_n(others + begins_[b], remaining_[b], out_others + to[b]);
      std::copy_n(values + begins_[b], remaining_[b], out_values + to[b]);
      const auto moved = static_cast<Index>(begins_[b] - to[b]);
      for (std::int64_t line = first_line(bucket); line < first_line(bucket + 1); ++line)
        starts[line] -= moved;
    });
  }

 private:
  struct Stored {
    const Entry<Index, Value>* entries;
    [[nodiscard]] auto from(std::int64_t /*first*/) const {
      return [entries = entries](std::int64_t i) -> const auto& {
        return entries[i];
      };
    }
  };

  [[nodiscard]] std::int64_t first_line(std::int64_t bucket) const {
    return std::min(bucket << shift_, lines_);
  }

  template <class Source>
  void distribute(const Source& source, Entry<Index, Value>* scratch) {
    const Index* const lines = source.lines;
    const std::int64_t parts = parts_for(entries_);
    const auto buckets = static_cast<std::size_t>(buckets_);
    std::vector<std::int64_t> cursors(static_cast<std::size_t>(parts) * buckets, 0);
    in_parallel(parts, [&](std::int64_t part) {
      std::int64_t* const own = cursors.data() + static_cast<std::size_t>(part) * buckets;
      const std::int64_t end = part_begin(entries_, part + 1, parts);
      for (std::int64_t i = part_begin(entries_, part, parts); i < end; ++i) ++own[lines[i] >> shift_];
    });
    std::int64_t position = 0;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      begins_[bucket] = position;
      for (std::int64_t part = 0; part < parts; ++part) {
        std::int64_t& cursor = cursors[static_cast<std::size_t>(part) * buckets + bucket];
        const std::int64_t count = cursor;
        cursor = position;
        position += count;
      }
    }
    in_parallel(parts, [&](std::int64_t part) {
      std::int64_t* const own = cursors.data() + static_cast<std::size_t>(part) * buckets;
      const std::int64_t begin = part_begin(entries_, part, parts),
                         end = part_begin(entries_, part + 1, parts);
      auto entry = source.from(begin);
      for (std::int64_t i = begin; i < end; ++i) scratch[own[lines[i] >> shift_]++] = entry(i);
    });
  }

  // Sorts all entries by line; buckets are then ranges of lines, which threads finish.
  template <class Source>
  void count_all(const Source& source, Index* starts, Index* others, Value* values) {
    const Index* const lines = source.lines;
    const std::int64_t parts = parts_for(entries_);
    std::vector<Index> cursors(static_cast<std::size_t>(parts * lines_), 0);
    in_parallel(parts, [&](std::int64_t part) {
      Index* const own = cursors.data() + part * lines_;
      const std::int64_t end = part_begin(entries_, part + 1, parts);
      for (std::int64_t i = part_begin(entries_, part, parts); i < end; ++i) ++own[lines[i]];
    });
    Index position = 0;
    for (std::int64_t line = 0; line < lines_; ++line) {
      if (line == first_line(line >> shift_)) begins_[static_cast<std::size_t>(line >> shift_)] = position;
      for (std::int64_t part = 0; part < parts; ++part) {
        Index& cursor = cursors[static_cast<std::size_t>(part * lines_ + line)];
        const Index count = cursor;
        cursor = position;
        position += count;
      }
      starts[line] = position;  // the end of the line, as finish_bucket() expects
    }
    in_parallel(parts, [&](std::int64_t part) {
      Index* const own = cursors.data() + part * lines_;
      const std::int64_t begin = part_begin(entries_, part, parts),
                         end = part_begin(entries_, part + 1, parts);
      auto entry = source.from(begin);
      for (std::int64_t i = begin; i < end; ++i) {
        const Entry<Index, Value> one = entry(i);
        const Index at = own[one.line]++;
        others[at] = one.other;
        values[at] = one.value;
      }
    });
    in_parallel(buckets_, [&](std::int64_t bucket) { finish_bucket(bucket, starts, others, values); });
  }

  // Sorts the entries of a bucket by line. Each start is then the end of its line.
  template <class Source>
  void count_bucket(std::int64_t bucket, const Source& source, Index* starts, Index* others, Value* values) {
    const std::int64_t begin = begins_[static_cast<std::size_t>(bucket)],
                       end = begins_[static_cast<std::size_t>(bucket) + 1], first = first_line(bucket),
                       last = first_line(bucket + 1);
    std::fill(starts + first, starts + last, Index{0});
    auto counted = source.from(begin);
    for (std::int64_t i = begin; i < end; ++i) ++starts[counted(i).line];
    auto position = static_cast<Index>(begin);
    for (std::int64_t line = first; line < last; ++line) {
      const Index count = starts[line];
      starts[line] = position;
      position += count;
    }
    auto entry = source.from(begin);
    for (std::int64_t i = begin; i < end; ++i) {
      const Entry<Index, Value> one = entry(i);
      const Index at = starts[one.line]++;
      others[at] = one.other;
      values[at] = one.value;
    }
  }

  // Sorts and sums within the lines, and sets the starts.
  void finish_bucket(std::int64_t bucket, Index* starts, Index* others, Value* values) {
    const std::int64_t begin = begins_[static_cast<std::size_t>(bucket)], first = first_line(bucket),
                       last = first_line(bucket + 1);
    LineSorter<Index, Value> sort;
    std::int64_t line_begin = begin, out = begin;
    for (std::int64_t line = first; line < last; ++line) {
      const std::int64_t line_end = starts[line];
      if (within_ != Within::keep) sort(others + line_begin, values + line_begin, line_end - line_begin);
      starts[line] = static_cast<Index>(out);
      if (within_ == Within::sum)
        out = sum_line(others, values, line_begin, line_end, out);
      else
        out = line_end;
      line_begin = line_end;
    }
    remaining_[static_cast<std::size_t>(bucket)] = out - begin;
  }

  // Moves the entries [begin, end) of one line to `out` and sums those with the same index; returns the end.
  static std::int64_t sum_line(Index* others, Value* values, std::int64_t begin, std::int64_t end,
                               std::int64_t out) {
    for (std::int64_t i = begin; i < end;) {
      const Index other = others[i];
      Value sum = values[i];
      for (++i; i < end && others[i] == other; ++i) sum = plus(sum, values[i]);
      others[out] = other;
      values[out] = sum;
      ++out;
    }
    return out;
  }

  std::int64_t lines_, entries_, buckets_ = 1;
  int shift_ = 0;
  bool is_counted_ = false;
  Within within_;
  std::vector<std::int64_t> begins_, remaining_;  // of the buckets: first entry, number of entries
};

// What is sorted, and the result.
struct Sorted {
  Array starts, others, values;
};

// What is sorted. Without values, the places of the entries are sorted.
struct Unsorted {
  Array lines, others;  // the other index of each entry, or the first entry of each row
  const Array* values;
  std::int64_t line_count;
  bool has_rows = false;
};

// Sorts entries in memory.
Sorted sorted(const Queue& queue, const Unsorted& from, Within within) {
  const Array &lines = from.lines, &others = from.others;
  const Array* const values = from.values;
  const std::int64_t line_count = from.line_count;
  const DType type = lines.dtype(), dtype = values == nullptr ? type : values->dtype();
  const auto count = static_cast<std::int64_t>(lines.size());
  const auto sort_as = [&]<class Index, class Value>(Index, Value) {
    EntrySort<Index, Value> sort(line_count, count, within);
    const auto bytes =
        static_cast<std::int64_t>(sizeof(Entry<Index, Value>)) * (sort.has_buckets() ? count : 0);
    const Array scratch = empty(queue, {bytes}, DType::of(Scalar::uint8));
    Sorted result = {empty(queue, {line_count + 1}, type), empty(queue, {count}, type),
                     empty(queue, {count}, dtype)};
    std::int64_t remaining = 0;
    std::vector<Array> reads = {lines, others};
    if (values != nullptr) reads.push_back(*values);
    const std::size_t first = reads.size();
    run(queue, reads, std::vector{result.starts, result.others, result.values, scratch}, count,
        [&](const Memory& memory) {
          const auto sort_from = [&](const auto& source) {
            return sort.run(source, memory.at<Entry<Index, Value>>(first + 3), memory.at<Index>(first),
                            memory.at<Index>(first + 1), memory.at<Value>(first + 2));
          };
          const Value* const given = values != nullptr ? memory.at<Value>(2) : nullptr;
          const auto* const each = memory.at<Index>(0);
          const auto* const other = memory.at<Index>(1);
          const auto rows = static_cast<std::int64_t>(others.size()) - 1;
          remaining = from.has_rows ? sort_from(ByRows<Index, Value>{each, other, rows, given})
                                    : sort_from(Listed<Index, Value>{each, other, given});
        });
    if (remaining == count) return result;
    const Array fewer = empty(queue, {remaining}, type), sums = empty(queue, {remaining}, dtype);
    run(queue, std::vector{result.others, result.values}, std::vector{result.starts, fewer, sums}, count,
        [&](const Memory& memory) {
          sort.compact(memory.at<Index>(2), memory.at<Index>(0), memory.at<Value>(1), memory.at<Index>(3),
                       memory.at<Value>(4));
        });
    return Sorted{result.starts, fewer, sums};
  };
  return with_index_type(type, [&](auto index) {
    if (values == nullptr) return sort_as(index, index);
    return with_value_type(dtype, [&](auto value) { return sort_as(index, value); });
  });
}

}  // namespace

Csr csr_of_coordinates(const Queue& queue, const Coo& matrix, const DType& type) {
  const Sorted result = sorted(
      queue, {vector_of(matrix.rows, type), vector_of(matrix.columns, type), &matrix.data, matrix.size.rows},
      Within::sum);
  Csr made = Csr::unchecked(matrix.size, result.values, result.others, result.starts);
  made.state().structure->order = Order{true, true};
  return made;
}

Csr sorted_rows(const Queue& queue, const Csr& matrix) {
  const Sorted result =
      sorted(queue, {row_indices(matrix), matrix.indices(), &matrix.data(), matrix.rows()}, Within::sort);
  return Csr::unchecked(matrix.size(), result.values, result.others, result.starts);
}

Transposition transposition_of(const Queue& queue, const Csr& matrix) {
  // Entries of a column stay in the order of their rows.
  const Sorted result =
      sorted(queue, {matrix.indices(), matrix.indptr(), nullptr, matrix.columns(), true}, Within::keep);
  return {result.others, result.starts, result.values, std::nullopt};
}

Transposition transposed(const Queue& queue, const Csr& matrix) {
  const Sorted result = sorted(
      queue, {matrix.indices(), matrix.indptr(), &matrix.data(), matrix.columns(), true}, Within::keep);
  return {result.others, result.starts, std::nullopt, result.values};
}

}  // namespace quern::sparse::host
