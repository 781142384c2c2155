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

}  // namespace
}  // namespace quern::test
