// SPDX-License-Identifier: MIT
// Elements by their positions, and updates at positions that repeat, from C++. Expected values are written by
// hand.
#include <vector>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;

class Indexing : public EachDevice {
 protected:
  Array floats(const Floats& values) { return asarray(queue_, values); }
  Array integers(const Integers& values) { return asarray(queue_, values); }
  Floats values(const Array& x) { return copy(x).to_vector<float>(queue_); }
  static HostPositions host(Integers values) {
    const auto count = static_cast<std::int64_t>(values.size());
    return {{count}, std::move(values)};
  }
};

TEST_P(Indexing, elements_are_taken_and_put) {
  const Array x = reshape(floats({0, 1, 2, 3, 4, 5}), {2, 3});
  EXPECT_EQ(values(take(x, host({5, -6}))), (Floats{5, 0}));
  EXPECT_EQ(values(take(x, integers({2, 0}), 1)), (Floats{2, 0, 5, 3}));
  EXPECT_EQ(values(take(x, host({7}), 1, IndexMode::wrap)), (Floats{1, 4}));
  EXPECT_EQ(values(take(x, integers({7}), 1, IndexMode::clip)), (Floats{2, 5}));
  EXPECT_THROW(take(x, host({6})), ArgumentError);
  put(x, host({0, 4, 5}), floats({10, 20}));
  EXPECT_EQ(values(x), (Floats{10, 1, 2, 3, 20, 10}));
  // A view that has no flat form.
  put(permute_dims(x), host({1}), floats({7}));
  EXPECT_EQ(values(x), (Floats{10, 1, 2, 7, 20, 10}));
}

TEST_P(Indexing, elements_are_chosen) {
  const Array x = floats({1, 2, 3, 4});
  EXPECT_EQ(values(extract(x > 2, x)), (Floats{3, 4}));
  EXPECT_EQ(values(compress(floats({1, 0, 1}), x)), (Floats{1, 3}));
  place(x, x > 2, floats({9}));
  EXPECT_EQ(values(x), (Floats{1, 2, 9, 9}));
  const std::vector<Array> choices = {x, x * 10};
  EXPECT_EQ(values(choose(integers({0, 1, 0, 1}), choices)), (Floats{1, 20, 9, 90}));
  const std::vector<Array> conditions = {x<2, x> 5};
  const std::vector<Operand> given = {-1, choices[1]};
  EXPECT_EQ(values(select(conditions, given, x)), (Floats{-1, 2, 90, 90}));
  EXPECT_EQ(argwhere(x > 5).to_vector<std::int64_t>(queue_), (Integers{2, 3}));
}

TEST_P(Indexing, elements_stay_within_bounds) {
  const Array x = floats({1, 5, 9});
  EXPECT_EQ(values(clip(x, Operand(2), Operand(6))), (Floats{2, 5, 6}));
  EXPECT_EQ(values(clip(x, {}, Operand(floats({0, 9, 3})))), (Floats{0, 5, 3}));
  const Array out = floats({7, 7, 7});
  clip(x, Operand(2), {}, {.out = out, .where = x < 9});
  EXPECT_EQ(values(out), (Floats{2, 5, 7}));
}

TEST_P(Indexing, every_value_counts_where_a_position_repeats) {
  const Array x = floats({1, 2, 3});
  const std::vector<ItemIndex> at = {host({0, 2, 0, 0, -1})};
  update_at(operation("add"), x, at, floats({10, 20, 30, 40, 50}));
  EXPECT_EQ(values(x), (Floats{81, 2, 73}));
  update_at(operation("maximum"), x, at, floats({1, 99, 100, 2, 3}));
  EXPECT_EQ(values(x), (Floats{100, 2, 99}));
  // Not associative: one after the other.
  update_at(operation("divide"), x, at, floats({2, 3, 5, 10, 11}));
  EXPECT_EQ(values(x), (Floats{1, 2, 3}));
  update_at(operation("negative"), x, at);  // of one operand, three times for the first element
  EXPECT_EQ(values(x), (Floats{-1, 2, 3}));
  update_at(operation("absolute"), x, at);
  const std::vector<ItemIndex> beyond = {integers({3})};
  EXPECT_THROW(update_at(operation("add"), x, beyond, 1), ArgumentError);
  EXPECT_EQ(values(x), (Floats{1, 2, 3}));
}

TEST_P(Indexing, parts_of_an_axis_are_reduced) {
  const Array x = floats({1, 2, 3, 4, 5});
  EXPECT_EQ(values(reduce_at(operation("add"), x, Integers{0, 3, 1})), (Floats{6, 4, 14}));
  EXPECT_EQ(values(reduce_at(operation("subtract"), x, Integers{0, 3})), (Floats{-4, -1}));
  const Array rows = reshape(floats({1, 2, 3, 4, 5, 6}), {2, 3});
  EXPECT_EQ(values(reduce_at(operation("multiply"), rows, Integers{0, 2}, {.axis = 1})),
            (Floats{2, 3, 20, 6}));
  EXPECT_EQ(values(accumulate(operation("hypot"), floats({3, 4, 12}))), (Floats{3, 5, 13}));
  EXPECT_EQ(values(fold(operation("hypot"), floats({3, 4, 12}))), (Floats{13}));
  EXPECT_THROW(reduce_at(operation("add"), x, Integers{5}), ArgumentError);
}

TEST_P(Indexing, folds_begin_with_a_number_and_leave_elements_out) {
  const Array x = reshape(floats({1, 2, 3, 4, 5, 6}), {2, 3});
  const Array mask = apply("not_equal", {x, 4});
  // 100 - 1, 100 - 2 - 5, 100 - 3 - 6
  EXPECT_EQ(values(fold(operation("subtract"), x, {.over = 0, .initial = 100, .where = mask})),
            (Floats{99, 93, 91}));
  EXPECT_EQ(values(fold(operation("fmax"), x, {.over = 1, .initial = 2, .where = mask})), (Floats{3, 6}));
  EXPECT_EQ(values(fold(operation("add"), x, {.where = mask})), (Floats{17}));
  EXPECT_THROW(fold(operation("subtract"), x, {.where = mask}), ArgumentError);
  const Array out = floats({0, 0});
  EXPECT_EQ(values(fold(operation("maximum"), x, {.over = 1, .out = out})), (Floats{3, 6}));
  EXPECT_EQ(values(out), (Floats{3, 6}));
  EXPECT_EQ(values(outer(operation("subtract"), floats({5, 7}), floats({1, 2}))), (Floats{4, 3, 6, 5}));
}

QUERN_EACH_DEVICE(Indexing);

}  // namespace
}  // namespace quern::test
