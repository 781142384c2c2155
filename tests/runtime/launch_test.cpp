// SPDX-License-Identifier: MIT
// Launches: results, sizes and arguments, on every device.
#include <cmath>

#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Launch : public EachDevice {
 protected:
  // The message of the ArgumentError that the call throws.
  template <class Call>
  std::string rejection(Call call) {
    try {
      call();
    } catch (const ArgumentError& error) {
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
  }
  static ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "'" << text << "' does not say '" << part << "'";
  }
};

TEST_P(Launch, lin_comb_is_the_loop) {
  for (const std::size_t n : {1U, 7U, 1000U, 65537U}) {
    std::vector<float> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<float>(i) * 0.5F;
      y[i] = 1.0F / static_cast<float>(i + 1);
    }
    const Array a = asarray(queue_, x), b = asarray(queue_, y);
    const Array c = empty(queue_, {static_cast<std::int64_t>(n)}, dtype_of<float>());
    kernels().kernel("lin_comb")(queue_, range(n), 5.0F, a, 6.0F, b, c);
    const std::vector<float> z = c.to_vector<float>(queue_);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(z[i], 5.0F * x[i] + 6.0F * y[i]) << i;
  }
}

TEST_P(Launch, three_dimensions_with_an_offset_cover_their_box) {
  const int width = 20, height = 12, depth = 5;
  const Array out = zeros(queue_, {depth, height, width}, dtype_of<int>());
  kernels().kernel("set_index")(queue_, range(16, 8, 3).with_offset(2, 3, 1), out, width, height);
  const std::vector<int> values = out.to_vector<int>(queue_);
  for (int z = 0; z < depth; ++z) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const bool inside = x >= 2 && x < 18 && y >= 3 && y < 11 && z >= 1 && z < 4;
        ASSERT_EQ(values[static_cast<std::size_t>((z * height + y) * width + x)],
                  inside ? x + 100 * y + 10000 * z : 0);
      }
    }
  }
}

TEST_P(Launch, a_launch_of_no_items_does_nothing) {
  const Array x = asarray(queue_, iota(8));
  kernels().kernel("add_one")(queue_, range(0), x).wait();
  EXPECT_EQ(x.to_vector<int>(queue_), iota(8));
}

TEST_P(Launch, scalars_of_every_type_arrive) {
  const Array out = zeros(queue_, {8}, dtype_of<std::int64_t>());
  const Array out_float = zeros(queue_, {1}, dtype_of<float>());
  kernels().kernel("scalars")(queue_, range(1), -128, 255, -32768, 65535, INT32_MIN, UINT32_MAX, INT64_MIN,
                              UINT64_MAX, 0.1, out, out_float);
  const std::vector<std::int64_t> expected = {-128, 255, -32768, 65535, INT32_MIN, UINT32_MAX, INT64_MIN, -1};
  EXPECT_EQ(out.to_vector<std::int64_t>(queue_), expected);
  EXPECT_EQ(out_float.to_vector<float>(queue_)[0], 0.1F);
}

TEST_P(Launch, null_pointers_arrive_as_null) {
  const Array out = zeros(queue_, {4}, dtype_of<int>());
  kernels().kernel("is_null")(queue_, range(4), nullptr, out);
  EXPECT_EQ(out.to_vector<int>(queue_), std::vector<int>(4, 1));
}

TEST_P(Launch, wrong_arguments_are_named_before_anything_runs) {
  const Kernel add_one = kernels().kernel("add_one");
  const Kernel set_index = kernels().kernel("set_index");
  const Array ints = asarray(queue_, iota(8));
  const Array floats = zeros(queue_, {8}, dtype_of<float>());
  EXPECT_TRUE(contains(rejection([&] { add_one(queue_, range(8), floats); }), "argument 0 ('x'"));
  EXPECT_TRUE(contains(rejection([&] { add_one(queue_, range(8), 5); }), "expected a buffer or an array"));
  EXPECT_TRUE(contains(rejection([&] { add_one(queue_, range(8)); }), "takes 1 arguments, got 0"));
  EXPECT_TRUE(contains(rejection([&] { set_index(queue_, range(8), ints, 1.5, 2); }), "argument 1 ('width'"));
  EXPECT_TRUE(contains(rejection([&] { set_index(queue_, range(8), ints, std::int64_t{1} << 40, 2); }),
                       "does not fit"));
  EXPECT_TRUE(contains(rejection([&] { set_index(queue_, range(8), ints, ints, 2); }), "expected a value"));
  EXPECT_TRUE(contains(rejection([&] { kernels().kernel("absent")(queue_, range(8)); }), "absent"));
  EXPECT_EQ(ints.to_vector<int>(queue_), iota(8));
}

TEST_P(Launch, sizes_above_a_limit_name_the_limit) {
  const Kernel add_one = kernels().kernel("add_one");
  const Array ints = asarray(queue_, iota(8));
  const std::size_t most = device_.properties().max_work_group_size;
  EXPECT_TRUE(
      contains(rejection([&] { add_one(queue_, range(most * 4).with_local(most * 2), ints); }), "max_work_"));
  EXPECT_EQ(ints.to_vector<int>(queue_), iota(8));
}

TEST_P(Launch, a_read_only_buffer_cannot_be_written) {
  const Buffer buffer(queue_, 64, Access::read_only);
  EXPECT_TRUE(
      contains(rejection([&] { kernels().kernel("add_one")(queue_, range(8), buffer); }), "read-only"));
}

TEST_P(Launch, a_released_buffer_is_refused) {
  Buffer buffer(queue_, 64);
  buffer.release();
  EXPECT_TRUE(
      contains(rejection([&] { kernels().kernel("add_one")(queue_, range(8), buffer); }), "released"));
}

TEST_P(Launch, memory_of_another_device_is_refused) {
  for (const Device& other : tested_devices()) {
    if (other == device_) continue;
    const Buffer buffer(other, 64);
    EXPECT_TRUE(
        contains(rejection([&] { kernels().kernel("add_one")(queue_, range(8), buffer); }), other.spec()));
  }
}

TEST_P(Launch, signatures_say_what_the_kernel_takes) {
  const Signature signature = kernels().kernel("lin_comb").signature(device_);
  ASSERT_EQ(signature.parameters.size(), 5U);
  EXPECT_EQ(signature.parameters[0].name, "a");
  EXPECT_EQ(signature.parameters[0].dtype, dtype_of<float>());
  EXPECT_FALSE(signature.parameters[0].is_pointer);
  EXPECT_TRUE(signature.parameters[1].is_pointer);
  EXPECT_TRUE(signature.parameters[1].is_const);
  EXPECT_EQ(signature.parameters[1].space, AddressSpace::global);
  EXPECT_FALSE(signature.parameters[4].is_const);
  EXPECT_GE(kernels().kernel("lin_comb").attributes(device_).max_work_group_size, 1U);
}

QUERN_EACH_DEVICE(Launch);

}  // namespace
}  // namespace quern::test
