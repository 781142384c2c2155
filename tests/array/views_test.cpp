// SPDX-License-Identifier: MIT
// Views from C++.
#include "quern/views.hpp"

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Views : public EachDevice {
 protected:
  Array table() {  // 3 x 4
    std::vector<std::int32_t> values;
    for (std::int32_t i = 0; i < 12; ++i) values.push_back(i);
    return reshape(asarray(queue_, values), {3, 4});
  }
  Array table_of_words() {  // three rows as one element of 16 bytes each
    const Array rows = table();
    const DType row = DType::of(Scalar::uint32, 4);
    return {rows.buffer(), row, {3}};
  }
  std::vector<std::int32_t> values(const Array& array) {
    return as_contiguous(array).to_vector<std::int32_t>(queue_);
  }
};

using Values = std::vector<std::int32_t>;

TEST_P(Views, parts_of_an_index_count_from_both_ends) {
  const Array x = table();
  EXPECT_EQ(values(view(x, {1, -1})), (Values{7}));
  EXPECT_EQ(values(view(x, {Index::slice({}, {}, -1), 0})), (Values{8, 4, 0}));
  EXPECT_EQ(values(view(x, {Index::ellipsis(), Index::slice(1, 100, 2)})), (Values{1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(view(x, {Index::new_axis(), 0}).shape(), (Shape{1, 4}));
  EXPECT_EQ(view(x, {Index::slice(2, 1)}).shape(), (Shape{0, 4}));
  EXPECT_THROW(view(x, {3}), ArgumentError);
  EXPECT_THROW(view(x, {0, 0, 0}), ArgumentError);
  EXPECT_THROW(view(x, {Index::slice(0, 1, 0)}), ArgumentError);
}

TEST_P(Views, what_is_written_to_them_is_seen_by_the_array) {
  const Array x = table();
  assign(view(x, {Index::ellipsis(), 0}), -1);
  EXPECT_EQ(values(x), (Values{-1, 1, 2, 3, -1, 5, 6, 7, -1, 9, 10, 11}));
}

TEST_P(Views, axes_change_places_and_shapes) {
  const Array x = table();
  EXPECT_EQ(values(permute_dims(x)), (Values{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(broadcast_to(view(x, {0}), {2, 4}).strides().front(), 0);
  EXPECT_THROW(broadcast_to(x, {3, 5}), ArgumentError);
  EXPECT_EQ(reshape(x, {2, -1}).shape(), (Shape{2, 6}));
  EXPECT_EQ(values(reshape(permute_dims(x), {12})), values(permute_dims(x)));
  EXPECT_FALSE(strides_of_reshaped(permute_dims(x), {12}).has_value());
  EXPECT_THROW(reshape(x, {5, -1}), ArgumentError);
}

QUERN_EACH_DEVICE(Views);

TEST_P(Views, the_same_bytes_are_elements_of_another_type) {
  const Array x = table();
  const Array halves = view_as(x, DType::of(Scalar::int16));
  EXPECT_EQ(halves.shape(), (Shape{3, 8}));
  EXPECT_EQ(halves.strides(), (Strides{16, 2}));
  assign(view(halves, {0, Index::slice(1, {}, 2)}), 1);  // the upper halves of the first row
  EXPECT_EQ(values(view(x, {0})), (Values{65536, 65537, 65538, 65539}));
  EXPECT_EQ(view_as(x, DType::of(Scalar::int64)).shape(), (Shape{3, 2}));
  EXPECT_EQ(view_as(permute_dims(x), DType::of(Scalar::uint32)).strides(), (Strides{4, 16}));
  EXPECT_THROW(view_as(permute_dims(x), DType::of(Scalar::int64)), ArgumentError);
  EXPECT_THROW(view_as(view(x, {0, 0}), DType::of(Scalar::int64)), ArgumentError);
  EXPECT_THROW(view_as(view(x, {0, Index::slice(0, 3)}), DType::of(Scalar::int64)), ArgumentError);
  // Two elements of 8 bytes, but not at multiples of 8.
  EXPECT_THROW(view_as(view(reshape(x, {12}), {Index::slice(1, 5)}), DType::of(Scalar::int64)),
               ArgumentError);
}

TEST_P(Views, members_of_structures_are_views) {
  auto layout = std::make_shared<StructLayout>();
  layout->name = "located";
  layout->fields = {{"id", DType::of(Scalar::int32), 0}, {"place", DType::of(Scalar::int32), 4, 2}};
  layout->size = 12;
  layout->alignment = 4;
  const DType located = DType::structure(layout);
  const Array x = reshape(table(), {12});
  const Array all = view_as(x, located);
  EXPECT_EQ(all.shape(), (Shape{4}));
  EXPECT_EQ(values(field(all, "id")), (Values{0, 3, 6, 9}));
  const Array place = field(all, "place");
  EXPECT_EQ(place.shape(), (Shape{4, 2}));
  assign(view(place, {Index::ellipsis(), 1}), -1);
  EXPECT_EQ(values(x), (Values{0, 1, -1, 3, 4, -1, 6, 7, -1, 9, 10, -1}));
  EXPECT_THROW(field(all, "weight"), ArgumentError);
  EXPECT_THROW(field(x, "id"), ArgumentError);
  // 12 bytes in each 16 are moved word by word where kernels cannot address them.
  const Array inner = field(table_of_words(), StructField{"inner", located, 4});
  EXPECT_EQ(values(view_as(copy(inner), DType::of(Scalar::int32))), (Values{1, 2, 3, 5, 6, 7, 9, 10, 11}));
  assign(inner, copy(view(inner, {Index::slice({}, {}, -1)})));
  EXPECT_EQ(values(field(inner, "id")), (Values{9, 5, 1}));
}

TEST_P(Views, a_read_only_array_is_not_written) {
  const Array x = table(), closed = read_only(x);
  EXPECT_EQ(values(closed), values(x));
  EXPECT_THROW(assign(closed, 1), ArgumentError);
  EXPECT_THROW(assign(view(closed, {0}), 1), ArgumentError);
  const Values others(12, 7);
  EXPECT_THROW(closed.set(queue_, others.data()), ArgumentError);
  assign(x, 2);
  EXPECT_EQ(values(closed), Values(12, 2));
}

}  // namespace
}  // namespace quern::test
