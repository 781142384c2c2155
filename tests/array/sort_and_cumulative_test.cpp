// SPDX-License-Identifier: MIT
// Sorting and cumulative sums along axes from C++.
#include "quern/sorting.hpp"

#include <gtest/gtest.h>

#include "quern/quern.hpp"

namespace quern::test {
namespace {

// Of many kernels, which PoCL takes long for: the tests from Python run on every device.
class SortAndCumulative : public ::testing::Test {
 protected:
  Queue queue_{device("host")};
  Array table() {  // 2 x 3
    return reshape(asarray(queue_, std::vector<std::int32_t>{3, 1, 2, 1, 9, 1}), {2, 3});
  }
  template <class T>
  std::vector<T> values(const Array& array) {
    return as_contiguous(array).to_vector<T>(queue_);
  }
};

using Ints = std::vector<std::int32_t>;
using Places = std::vector<std::int64_t>;

TEST_F(SortAndCumulative, rows_and_columns_are_sorted_each_for_itself) {
  EXPECT_EQ(values<std::int32_t>(sort(table())), (Ints{1, 2, 3, 1, 1, 9}));
  EXPECT_EQ(values<std::int32_t>(sort(table(), 0)), (Ints{1, 1, 1, 3, 9, 2}));
  EXPECT_EQ(values<std::int64_t>(argsort(table())), (Places{1, 2, 0, 0, 2, 1}));
  EXPECT_EQ(values<std::int64_t>(argsort(table(), -1, {true})), (Places{0, 2, 1, 1, 0, 2}));
  EXPECT_THROW(sort(table(), 2), ArgumentError);
}

TEST_F(SortAndCumulative, each_value_is_found_once) {
  const Unique found = unique_all(table());
  EXPECT_EQ(values<std::int32_t>(found.values), (Ints{1, 2, 3, 9}));
  EXPECT_EQ(values<std::int64_t>(found.indices), (Places{1, 2, 0, 4}));
  EXPECT_EQ(values<std::int64_t>(found.inverse), (Places{2, 0, 1, 0, 3, 0}));
  EXPECT_EQ(values<std::int64_t>(found.counts), (Places{3, 1, 1, 1}));
}

TEST_F(SortAndCumulative, sums_go_along_an_axis) {
  CumulativeOptions options;
  options.axis = 1;
  EXPECT_EQ(values<std::int64_t>(cumulative(ScanOperation::sum, table() * 2, options)),
            (Places{6, 8, 12, 2, 20, 22}));
  options.axis = 0;
  EXPECT_EQ(values<std::int64_t>(cumulative(ScanOperation::product, table(), options)),
            (Places{3, 1, 2, 3, 9, 2}));
  options.include_initial = true;
  EXPECT_EQ(values<std::int64_t>(cumulative(ScanOperation::sum, table(), options)),
            (Places{0, 0, 0, 3, 1, 2, 4, 10, 3}));
  EXPECT_THROW(cumulative(ScanOperation::maximum, table(), options), ArgumentError);
}

}  // namespace
}  // namespace quern::test
