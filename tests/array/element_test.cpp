// SPDX-License-Identifier: MIT
// Single elements, which the calling thread reads and writes without a launch.
#include "quern/element.hpp"

#include <cstring>
#include <vector>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Element : public EachDevice {
 protected:
  Array table() { return reshape(asarray(queue_, std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}), {2, 3}); }
};

std::int32_t int32_of(const ElementBytes& bytes) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TEST_P(Element, is_read_and_written_where_the_host_reaches_the_memory) {
  const Array x = permute_dims(table());
  if (!x.buffer().host_pointer()) {
    EXPECT_FALSE(read_element_now(x, std::vector<std::int64_t>{0, 0}));
    EXPECT_FALSE(write_element_now(x, std::vector<std::int64_t>{0, 0}, 7));
    return;
  }
  const auto last = read_element_now(x, std::vector<std::int64_t>{2, -1});
  ASSERT_TRUE(last);
  EXPECT_EQ(int32_of(*last), 5);
  EXPECT_TRUE(write_element_now(x, std::vector<std::int64_t>{-3, 1}, 7));
  EXPECT_EQ(copy(x).to_vector<std::int32_t>(queue_), (std::vector<std::int32_t>{0, 7, 1, 4, 2, 5}));
}

TEST_P(Element, needs_an_index_that_fits) {
  const Array x = table();
  for (const std::vector<std::int64_t>& index :
       {std::vector<std::int64_t>{2, 0}, {0, -4}, {0}, {0, 0, 0}, {}}) {
    EXPECT_FALSE(read_element_now(x, index));
    EXPECT_FALSE(write_element_now(x, index, 7));
  }
  EXPECT_EQ(x.to_vector<std::int32_t>(queue_), (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
}

TEST_P(Element, is_written_after_pending_expressions_that_read_it_were_computed) {
  const Array x = asarray(queue_, std::vector<std::int32_t>{1, 2, 3});
  const Array twice = x * 2;
  if (!write_element_now(x, std::vector<std::int64_t>{0}, 50)) assign(view(x, {Index(0)}), 50);
  EXPECT_EQ(twice.to_vector<std::int32_t>(queue_), (std::vector<std::int32_t>{2, 4, 6}));
  EXPECT_EQ(x.to_vector<std::int32_t>(queue_), (std::vector<std::int32_t>{50, 2, 3}));
}

TEST_P(Element, of_an_expression_is_not_computed) {
  const Array x = table() + 1;
  EXPECT_FALSE(read_element_now(x, std::vector<std::int64_t>{0, 0}));
  EXPECT_FALSE(x.in_memory());
}

TEST_P(Element, that_does_not_fit_the_dtype_is_refused) {
  const Array x = asarray(queue_, std::vector<std::int8_t>{1, 2, 3});
  if (!x.buffer().host_pointer()) GTEST_SKIP() << "memory that the host does not reach";
  EXPECT_THROW(static_cast<void>(write_element_now(x, std::vector<std::int64_t>{0}, 300)), NumberError);
  EXPECT_EQ(x.to_vector<std::int8_t>(queue_), (std::vector<std::int8_t>{1, 2, 3}));
}

TEST_P(Element, is_an_array_of_no_dimensions) {
  const Array x = asarray(queue_, std::vector<std::int32_t>{1, 2, 3});
  const auto element = read_element_now(x, std::vector<std::int64_t>{1});
  if (!element) GTEST_SKIP() << "memory that the host does not reach";
  const Array number = element_array(queue_, x.dtype(), *element);
  assign(view(x, {Index(1)}), 9);
  EXPECT_EQ(int32_of(*read_element_now(number, {})), 2);
  EXPECT_EQ((number + x).to_vector<std::int32_t>(queue_), (std::vector<std::int32_t>{3, 11, 5}));
}

QUERN_EACH_DEVICE(Element);

}  // namespace
}  // namespace quern::test
