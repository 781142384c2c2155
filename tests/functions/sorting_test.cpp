// SPDX-License-Identifier: MIT
// Sorting from C++ with NumPy's keywords; the expected values are sorted by hand.
#include <vector>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using Ints = std::vector<std::int32_t>;
using Places = std::vector<std::int64_t>;

class Sorting : public EachDevice {
 protected:
  // 5 1 3
  // 2 1 4
  Array matrix() { return reshape(asarray(queue_, Ints{5, 1, 3, 2, 1, 4}), {2, 3}); }
  Ints values(const Array& x) { return copy(x).to_vector<std::int32_t>(queue_); }
  Places places(const Array& x) { return copy(x).to_vector<std::int64_t>(queue_); }
};

TEST_P(Sorting, sorts_go_along_an_axis_or_through_all) {
  EXPECT_EQ(values(sort(matrix())), (Ints{1, 3, 5, 1, 2, 4}));
  EXPECT_EQ(values(sort(matrix(), 0)), (Ints{2, 1, 3, 5, 1, 4}));
  EXPECT_EQ(values(sort(matrix(), {}, {.descending = true})), (Ints{5, 4, 3, 2, 1, 1}));
  EXPECT_EQ(places(argsort(matrix(), {})), (Places{1, 4, 3, 2, 5, 0}));
  EXPECT_THROW(sort(matrix(), 2), AxisError);
}

TEST_P(Sorting, an_array_is_sorted_in_place) {
  const Array x = matrix();
  sort_in_place(x, 1, {.descending = true});
  EXPECT_EQ(values(x), (Ints{5, 3, 1, 4, 2, 1}));
}

TEST_P(Sorting, a_partition_puts_one_element_in_its_place) {
  EXPECT_EQ(values(view(partition(matrix(), 1, {}), {1})), (Ints{1}));
  EXPECT_EQ(places(view(argpartition(matrix(), -1), {Index::slice(), -1})), (Places{0, 2}));
  EXPECT_THROW(partition(matrix(), 3), ArgumentError);
}

TEST_P(Sorting, parts_of_an_axis_are_found_once) {
  const Array x = reshape(asarray(queue_, Ints{3, 1, 0, 2, 3, 1}), {3, 2});
  const Unique found = unique(x, {.axis = 0});
  EXPECT_EQ(values(found.values), (Ints{0, 2, 3, 1}));
  EXPECT_EQ(places(found.indices), (Places{1, 0}));
  EXPECT_EQ(places(found.inverse), (Places{1, 0, 1}));
  EXPECT_EQ(places(found.counts), (Places{1, 2}));
}

QUERN_EACH_DEVICE(Sorting);

}  // namespace
}  // namespace quern::test
