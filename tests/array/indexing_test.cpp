// SPDX-License-Identifier: MIT
// Indexing with arrays, and arrays joined and padded, from C++.
#include "quern/indexing.hpp"

#include <gtest/gtest.h>

#include "quern/quern.hpp"

namespace quern::test {
namespace {

// Of many kernels, which PoCL takes long for: the tests from Python run on every device.
class Indexing : public ::testing::Test {
 protected:
  Queue queue_{device("host")};
  Array ints(const std::vector<std::int32_t>& values) { return asarray(queue_, values); }
  Array table() { return reshape(ints({0, 1, 2, 3, 4, 5}), {2, 3}); }
  std::vector<std::int32_t> values(const Array& array) {
    return as_contiguous(array).to_vector<std::int32_t>(queue_);
  }
  static Array item(const Array& array, const std::vector<ItemIndex>& index) {
    return get_item(array, index);
  }
};

using Values = std::vector<std::int32_t>;

TEST_F(Indexing, positions_on_host_and_device_gather_the_same) {
  const Array x = table();
  EXPECT_EQ(values(item(x, {Index::slice(), ints({2, -3})})), (Values{2, 0, 5, 3}));
  EXPECT_EQ(values(item(x, {Index::slice(), HostPositions{{2}, {2, -3}}})), (Values{2, 0, 5, 3}));
  EXPECT_EQ(values(item(x, {ints({1, 0}), ints({0, 2})})), (Values{3, 2}));
  EXPECT_EQ(item(x, {false}).shape(), (Shape{0, 2, 3}));
}

TEST_F(Indexing, masks_select_elements_to_read_and_to_write) {
  const Array x = table();
  const Array large = x > 2;
  EXPECT_EQ(values(item(x, {large})), (Values{3, 4, 5}));
  set_item(x, std::vector<ItemIndex>{x > 3}, -1);
  EXPECT_EQ(values(x), (Values{0, 1, 2, 3, -1, -1}));
  set_item(x, std::vector<ItemIndex>{x < 0}, ints({7, 8}));
  EXPECT_EQ(values(x), (Values{0, 1, 2, 3, 7, 8}));
}

TEST_F(Indexing, finish_raises_the_error_of_a_bad_position) {
  const Array x = table();
  EXPECT_THROW(item(x, {HostPositions{{1}, {2}}}), ArgumentError);
  set_item(x, std::vector<ItemIndex>{ints({1, 5})}, 9, &queue_);
  try {
    queue_.finish();
    FAIL() << "index 5 is out of bounds";
  } catch (const ArgumentError& error) {
    EXPECT_EQ(error.kind(), ArgumentError::Kind::index);
    EXPECT_EQ(std::string(error.what()).substr(0, 48), "index 5 is out of bounds for axis 0 with size 2;");
  }
  EXPECT_EQ(values(x), (Values{0, 1, 2, 9, 9, 9}));
}

TEST_F(Indexing, results_of_a_bad_position_raise_and_no_others_do) {
  const Array x = table();
  const Array bad = item(x, {ints({2})}), good = item(x, {ints({1})});
  const Array from_bad = bad + 1, from_good = good + 1;
  evaluate(std::vector<Array>{from_bad, from_good});
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(values(from_good), (Values{4, 5, 6}));
    EXPECT_THROW(values(bad), ArgumentError);
    EXPECT_THROW(values(from_bad), ArgumentError);
  }
  queue_.finish();  // the read has raised the error
  assign(bad, good);
  EXPECT_EQ(values(bad), (Values{3, 4, 5}));
}

TEST_F(Indexing, elements_are_found_and_taken_along_axes) {
  const Array x = table();
  const std::vector<Array> found = nonzero_indices(x > 3);
  EXPECT_EQ(found[0].to_vector<std::int64_t>(queue_), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(found[1].to_vector<std::int64_t>(queue_), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(values(take_along_axis(x, reshape(ints({2, 0}), {2, 1}), 1)), (Values{2, 3}));
  EXPECT_EQ(searchsorted(ints({1, 3, 3, 9}), ints({3}), true).to_vector<std::int64_t>(queue_)[0], 3);
}

TEST_F(Indexing, arrays_are_joined_rolled_repeated_and_padded) {
  const std::vector<Array> rows = {ints({1, 2}), ints({3})};
  EXPECT_EQ(values(concat(rows)), (Values{1, 2, 3}));
  EXPECT_THROW(stack(rows), ArgumentError);
  const std::vector<std::int64_t> shifts = {1};
  EXPECT_EQ(values(roll(table(), shifts, Axes{1})), (Values{2, 0, 1, 5, 3, 4}));
  EXPECT_EQ(values(repeat(ints({4, 5}), 2)), (Values{4, 4, 5, 5}));
  EXPECT_EQ(values(tile(ints({4, 5}), {2})), (Values{4, 5, 4, 5}));
  EXPECT_EQ(values(pad(ints({4, 5, 6}), {{2, 1}}, Padding::reflect)), (Values{6, 5, 4, 5, 6, 5}));
  EXPECT_EQ(values(flip(table(), Axes{0})), (Values{3, 4, 5, 0, 1, 2}));
  EXPECT_EQ(moveaxis(table(), {0}, {1}).shape(), (Shape{3, 2}));
  EXPECT_EQ(expand_dims(table(), {0, -1}).shape(), (Shape{1, 2, 3, 1}));
  EXPECT_THROW(squeeze(table(), Axes{0}), ArgumentError);
}

}  // namespace
}  // namespace quern::test
