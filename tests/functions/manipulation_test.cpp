// SPDX-License-Identifier: MIT
// Shapes, views, joined and repeated arrays from C++; the expected elements are written out by hand.
#include <vector>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using Ints = std::vector<std::int32_t>;

class Manipulation : public EachDevice {
 protected:
  Array ints(const Ints& values) { return asarray(queue_, values); }
  // 0 1 2
  // 3 4 5
  Array matrix() { return reshape(ints({0, 1, 2, 3, 4, 5}), {2, 3}); }
  Ints values(const Array& x) { return as_contiguous(x).to_vector<std::int32_t>(queue_); }
};

TEST_P(Manipulation, orders_say_how_elements_are_counted) {
  EXPECT_EQ(values(ravel(matrix(), MemoryOrder::fortran)), (Ints{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values(flatten(permute_dims(matrix()), MemoryOrder::keep)), (Ints{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values(flatten(permute_dims(matrix()), MemoryOrder::any)), (Ints{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values(reshape(matrix(), {3, 2}, MemoryOrder::fortran)), (Ints{0, 4, 3, 2, 1, 5}));
  EXPECT_EQ(asfortranarray(matrix()).strides(), (Strides{4, 8}));
  EXPECT_EQ(copy(matrix(), MemoryOrder::fortran).strides(), (Strides{4, 8}));
  EXPECT_EQ(zeros(queue_, {2, 3}, DType::of(Scalar::int32), MemoryOrder::fortran).strides(), (Strides{4, 8}));
  EXPECT_EQ(ascontiguousarray(permute_dims(matrix())).strides(), (Strides{8, 4}));
  EXPECT_THROW(memory_order_of("X", "ravel"), ArgumentError);
}

TEST_P(Manipulation, orders_of_turned_and_broadcast_arrays_are_those_of_memory) {
  // A copy has the order that 'any' means for the array it is of.
  const Array turned = permute_dims(matrix());
  EXPECT_EQ(values(reshape(turned, {6}, MemoryOrder::any, true)), (Ints{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values(reshape(matrix(), {6}, MemoryOrder::any, true)), (Ints{0, 1, 2, 3, 4, 5}));
  // An axis with a step of 0 stays where it is.
  const Array twice = broadcast_to(ints({1, 2}), {2, 2});
  EXPECT_EQ(values(ravel(twice, MemoryOrder::keep)), (Ints{1, 2, 1, 2}));
}

TEST_P(Manipulation, windows_slide_along_axes_as_views) {
  const Array x = matrix();
  const std::vector<std::int64_t> pair = {2};
  const Array windows = sliding_window_view(x, pair, Axes{1});
  EXPECT_EQ(windows.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(values(windows), (Ints{0, 1, 1, 2, 3, 4, 4, 5}));
  EXPECT_TRUE(shares_memory(windows, x));
  const std::vector<std::int64_t> both = {2, 3};
  EXPECT_EQ(sliding_window_view(x, both).shape(), (Shape{1, 1, 2, 3}));
  EXPECT_THROW(sliding_window_view(x, pair), ArgumentError);
  const std::vector<std::int64_t> longer = {4};
  EXPECT_THROW(sliding_window_view(x, longer, Axes{1}), ArgumentError);
}

TEST_P(Manipulation, a_shape_that_needs_a_copy_can_be_refused) {
  const Array x = matrix();
  EXPECT_THROW(reshape(permute_dims(x), {6}, MemoryOrder::c, false), ArgumentError);
  EXPECT_NE(reshape(x, {6}, MemoryOrder::c, true).buffer().allocation(), x.buffer().allocation());
  EXPECT_EQ(reshape(x, {6}, MemoryOrder::c, false).buffer().allocation(), x.buffer().allocation());
}

TEST_P(Manipulation, axes_are_exchanged_turned_and_added) {
  EXPECT_EQ(values(swapaxes(matrix(), 0, -1)), (Ints{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values(rot90(matrix())), (Ints{2, 5, 1, 4, 0, 3}));
  EXPECT_EQ(values(rot90(matrix(), -1)), (Ints{3, 0, 4, 1, 5, 2}));
  EXPECT_EQ(values(rot90(matrix(), 6)), (Ints{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(rollaxis(reshape(ints({1, 2, 3, 4, 5, 6}), {1, 2, 3}), 2).shape(), (Shape{3, 1, 2}));
  EXPECT_EQ(atleast_3d(matrix()).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(atleast_2d(ints({1, 2})).shape(), (Shape{1, 2}));
  EXPECT_THROW(swapaxes(matrix(), 0, 2), AxisError);
  EXPECT_THROW(matrix_transpose(ints({1})), ArgumentError);
  EXPECT_EQ(transpose(reshape(ints({1, 2, 3, 4, 5, 6}), {3, 1, 2})).shape(), (Shape{2, 1, 3}));
  EXPECT_EQ(copy(transpose(reshape(ints({1, 2, 3, 4, 5, 6}), {3, 2}))).to_vector<std::int32_t>(queue_),
            (std::vector<std::int32_t>{1, 3, 5, 2, 4, 6}));
  const std::vector<Array> both = broadcast_arrays(std::vector{ints({1, 2, 3}), matrix()});
  EXPECT_EQ(values(both[0]), (Ints{1, 2, 3, 1, 2, 3}));
}

TEST_P(Manipulation, parts_are_views) {
  const Array x = matrix();
  const std::vector<Array> parts = array_split(x, 2, 1);
  EXPECT_EQ(values(parts[0]), (Ints{0, 1, 3, 4}));
  EXPECT_EQ(values(parts[1]), (Ints{2, 5}));
  assign(parts[1], Number(7));
  EXPECT_EQ(values(unstack(x, 0)[1]), (Ints{3, 4, 7}));
  const std::int64_t cuts[] = {1, 2};
  EXPECT_EQ(values(split_at(x, cuts, 1)[1]), (Ints{1, 4}));
  EXPECT_THROW(split(x, 2, 1), ArgumentError);
  EXPECT_THROW(array_split(x, 0), ArgumentError);
}

TEST_P(Manipulation, arrays_are_joined_by_the_rule_that_is_named) {
  const std::vector<Array> both = {ints({1, 2}), ints({3, 4})};
  EXPECT_EQ(values(vstack(both)), (Ints{1, 2, 3, 4}));
  EXPECT_EQ(vstack(both).shape(), (Shape{2, 2}));
  EXPECT_EQ(values(column_stack(both)), (Ints{1, 3, 2, 4}));
  EXPECT_EQ(hstack(both).shape(), (Shape{4}));
  EXPECT_EQ(dstack(both).shape(), (Shape{1, 2, 2}));
  EXPECT_EQ(values(append(matrix(), ints({9}))), (Ints{0, 1, 2, 3, 4, 5, 9}));
  EXPECT_EQ(concat(both, 0, {.dtype = DType::of(Scalar::int16)}).dtype().scalar, Scalar::int16);
  EXPECT_THROW(concat(both, 0, {.dtype = DType::of(Scalar::int16), .casting = Casting::safe}), ArgumentError);
  const Array out = asarray(queue_, std::vector<float>{9, 9, 9, 9});
  EXPECT_EQ(concat(both, 0, {.out = out}).value(), out.value());
  EXPECT_EQ(out.to_vector<float>(queue_), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_THROW(stack(both, 0, {.out = out}), ArgumentError);
}

TEST_P(Manipulation, types_are_joined_all_at_once) {
  const auto made = [&](Scalar scalar) { return full(queue_, {1}, Number(1), DType::of(scalar)); };
  // The first two alone would be int32, and float64 with the third.
  const std::vector<Array> three = {made(Scalar::uint16), made(Scalar::int16), made(Scalar::float32)};
  EXPECT_EQ(concat(three).dtype().scalar, Scalar::float32);
}

TEST_P(Manipulation, elements_come_again) {
  const std::int64_t counts[] = {2, 0, 1};
  EXPECT_EQ(values(repeat_each(matrix(), counts, 1)), (Ints{0, 0, 2, 3, 3, 5}));
  EXPECT_EQ(values(resize(ints({1, 2, 3}), {2, 2})), (Ints{1, 2, 3, 1}));
  EXPECT_EQ(values(resize(matrix(), {4})), (Ints{0, 1, 2, 3}));
  EXPECT_EQ(values(resize(ints({}), {2})), (Ints{0, 0}));
  const std::int64_t wrong[] = {1, 2};
  EXPECT_THROW(repeat_each(matrix(), wrong, 1), ArgumentError);
}

TEST_P(Manipulation, positions_are_deleted_and_inserted) {
  const std::int64_t some[] = {0, -1};
  EXPECT_EQ(values(delete_at(matrix(), some, 1)), (Ints{1, 4}));
  EXPECT_EQ(values(insert(ints({1, 2, 3}), -1, ints({8, 9}))), (Ints{1, 2, 8, 9, 3}));
  EXPECT_EQ(values(insert(matrix(), 1, ints({7}), 1)), (Ints{0, 7, 1, 2, 3, 7, 4, 5}));
  const std::int64_t places[] = {3, 0, 0};
  EXPECT_EQ(values(insert_each(ints({1, 2, 3}), places, ints({7, 8, 9}))), (Ints{8, 9, 1, 2, 3, 7}));
  const std::int64_t wrong[] = {3};
  EXPECT_THROW(delete_at(matrix(), wrong, 1), ArgumentError);
  EXPECT_THROW(insert(matrix(), 4, ints({7}), 1), ArgumentError);
}

TEST_P(Manipulation, zeros_are_trimmed_along_axes) {
  const Array x = reshape(ints({0, 0, 0, 0, 1, 0, 0, 2, 0}), {3, 3});
  EXPECT_EQ(values(trim_zeros(x)), (Ints{1, 2}));
  EXPECT_EQ(trim_zeros(x, "f", Axes{0}).shape(), (Shape{2, 3}));
  EXPECT_EQ(trim_zeros(x, "b", Axes{1}).shape(), (Shape{3, 2}));
  EXPECT_EQ(trim_zeros(ints({0, 0})).size(), 0U);
  EXPECT_THROW(trim_zeros(x, "x"), ArgumentError);
}

TEST_P(Manipulation, elements_are_written_where_they_belong) {
  const Array x = matrix();
  copyto(x, Number(9), Casting::same_kind, x < 2);
  EXPECT_EQ(values(x), (Ints{9, 9, 2, 3, 4, 5}));
  EXPECT_THROW(copyto(x, Number(1.5)), ArgumentError);
  copyto(x, Number(1.5), Casting::unsafe);
  EXPECT_EQ(values(x), (Ints{1, 1, 1, 1, 1, 1}));
  const Array y = matrix();
  putmask(y, y > 2, ints({7, 8}));
  EXPECT_EQ(values(y), (Ints{0, 1, 2, 8, 7, 8}));
  const Array tall = zeros(queue_, {5, 2}, DType::of(Scalar::int32));
  fill_diagonal(tall, ints({4, 5}));
  EXPECT_EQ(values(tall), (Ints{4, 0, 0, 5, 0, 0, 0, 0, 0, 0}));
  fill_diagonal(tall, ints({1}), true);
  EXPECT_EQ(values(tall), (Ints{1, 0, 0, 1, 0, 0, 1, 0, 0, 1}));
}

TEST_P(Manipulation, bytes_are_swapped_in_each_element) {
  EXPECT_EQ(values(byteswap(ints({1, 0x01020304}))), (Ints{0x01000000, 0x04030201}));
  const Array x = ints({1, 2, 3, 4});
  const Array result = byteswap(view(x, {Index::slice({}, {}, 2)}), true);
  EXPECT_EQ(values(x), (Ints{0x01000000, 2, 0x03000000, 4}));
  EXPECT_EQ(values(result), (Ints{0x01000000, 0x03000000}));
}

TEST_P(Manipulation, memory_and_elements_are_asked_about) {
  const Array x = ints({1, 2, 3, 4});
  const auto part = [&](std::int64_t start, std::int64_t stop) {
    return view(x, {Index::slice(start, stop)});
  };
  EXPECT_TRUE(may_share_memory(part(0, 3), part(2, 4)));
  EXPECT_FALSE(may_share_memory(part(0, 2), part(2, 4)));
  EXPECT_FALSE(may_share_memory(x, copy(x)));
  EXPECT_TRUE(array_equiv(ints({5}), ints({5, 5})));
  EXPECT_FALSE(array_equiv(x, ints({1, 2})));
  EXPECT_FALSE(array_equiv(x, x + Number(1)));
}

QUERN_EACH_DEVICE(Manipulation);

}  // namespace
}  // namespace quern::test
