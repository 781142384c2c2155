// SPDX-License-Identifier: MIT
// When expressions are evaluated: before memory that they read is written, when their elements are needed,
// and by one thread.
#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Laziness : public EachDevice {
 protected:
  Array ones(std::int64_t count = 8) {
    return asarray(queue_, std::vector<float>(static_cast<std::size_t>(count), 1.f));
  }
  std::vector<float> values(const Array& array) { return array.to_vector<float>(queue_); }
  static std::vector<float> all(float value, std::size_t count = 8) {
    return std::vector<float>(count, value);
  }
};

TEST_P(Laziness, a_copy_is_the_same_array) {
  Array z = ones() + 1;
  const Array same = z;
  z += 1;
  EXPECT_EQ(values(same), all(3));
}

TEST_P(Laziness, what_reads_memory_is_evaluated_before_it_is_filled) {
  const Array x = ones();
  const Array z = x + 1;
  const std::byte zero{0};
  queue_.fill(x.buffer(), {&zero, 1});
  EXPECT_TRUE(z.in_memory());
  EXPECT_EQ(values(z), all(2));
  EXPECT_EQ(values(x), all(0));
}

TEST_P(Laziness, what_reads_an_evaluated_part_is_evaluated_before_that_is_written) {
  Array part = ones() * 3;
  const Array z = part + 1;
  part.evaluate();
  part += 100;
  EXPECT_EQ(values(z), all(4));
  EXPECT_EQ(values(part), all(103));
}

TEST_P(Laziness, the_layout_of_pending_elements_is_refused) {
  const Array z = ones() + 1;
  const auto before = stats().launches;
  EXPECT_THROW(static_cast<void>(z.buffer()), ArgumentError);
  EXPECT_THROW(static_cast<void>(z.strides()), ArgumentError);
  EXPECT_THROW(static_cast<void>(z.offset()), ArgumentError);
  EXPECT_THROW(static_cast<void>(z.contiguous()), ArgumentError);
  try {
    static_cast<void>(z.elements());
    ADD_FAILURE() << "elements() of a pending array";
  } catch (const ArgumentError& error) {
    EXPECT_NE(std::string(error.what()).find("evaluate()"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(z.in_memory());
  EXPECT_EQ(stats().launches, before);
}

TEST_P(Laziness, evaluate_enqueues_once_and_returns_the_memory) {
  const Array z = ones() + 1;
  const auto before = stats().launches;
  const ArrayMemory& memory = z.evaluate();
  EXPECT_TRUE(z.in_memory());
  EXPECT_EQ(stats().launches, before + 1);
  EXPECT_EQ(&z.evaluate(), &memory);
  EXPECT_EQ(stats().launches, before + 1);
  EXPECT_EQ(memory.strides, (Strides{4}));
  EXPECT_EQ(memory.offset, 0U);
  EXPECT_TRUE(memory.contiguous);
  EXPECT_EQ(memory.buffer.allocation(), z.buffer().allocation());
  EXPECT_EQ(z.strides(), memory.strides);
  EXPECT_EQ(values(z), all(2));
}

TEST_P(Laziness, functions_evaluate_the_pending_arrays_they_are_given) {
  using Floats = std::vector<float>;
  const Array base = reshape(asarray(queue_, Floats{0, 1, 2, 3, 4, 5}), {2, 3});
  const Program program(
      "kernel void twice(global const float *x, global float *y) {"
      " const size_t i = get_global_id(0); y[i] = x[i] * 2; }");
  const Kernel twice = program.kernel("twice");
  const ElementwiseKernel half("const float *x, float *y", "y[i] = x[i] / 2");
  const Array order = asarray(queue_, std::vector<std::int64_t>{2, 0, 1});
  const auto flat = [](const Array& x) { return reshape(x, {-1}); };
  struct Case {
    const char* name;
    std::function<Array(const Array&)> f;  // of the pending matrix (1, 2, 3), (4, 5, 6)
    Floats expected;
  };
  const Case cases[] = {
      {"kernel",
       [&](const Array& x) {
         Array y = empty(queue_, {6}, x.dtype());
         twice(queue_, range(6), x, y);
         return y;
       },
       {2, 4, 6, 8, 10, 12}},
      {"elementwise kernel",
       [&](const Array& x) {
         Array y = empty(queue_, x.shape(), x.dtype());
         half(queue_, x, y);
         return y;
       },
       {.5, 1, 1.5, 2, 2.5, 3}},
      {"algorithm", [&](const Array& x) { return sort(queue_, view(x, {1}) * -1.f); }, {-6, -5, -4}},
      {"gather", [&](const Array& x) { return gather(queue_, view(x, {0}) + 0.f, order + 0); }, {3, 1, 2}},
      {"to_device", [&](const Array& x) { return to_device(x, queue_); }, {1, 2, 3, 4, 5, 6}},
      {"get",
       [&](const Array& x) {
         Floats host(6);
         get_elements(permute_dims(x), queue_, host.data()).wait();
         return asarray(queue_, host);
       },
       {1, 4, 2, 5, 3, 6}},
      {"set",
       [&](const Array& x) {
         set_elements(x, queue_, Floats{6, 5, 4, 3, 2, 1}.data()).wait();
         return x;
       },
       {6, 5, 4, 3, 2, 1}},
      {"reshape", flat, {1, 2, 3, 4, 5, 6}},
      {"squeeze", [](const Array& x) { return squeeze(expand_dims(x, {0}) + 0.f); }, {1, 2, 3, 4, 5, 6}},
      {"view_as",
       [](const Array& x) { return view_as(view_as(x, DType::of(Scalar::int32)), x.dtype()); },
       {1, 2, 3, 4, 5, 6}},
      {"read_only", [](const Array& x) { return read_only(x); }, {1, 2, 3, 4, 5, 6}},
      {"diagonal", [](const Array& x) { return diagonal(x); }, {1, 5}},
      {"roll", [](const Array& x) { return roll(x, std::array<std::int64_t, 1>{1}); }, {6, 1, 2, 3, 4, 5}},
      {"repeat", [](const Array& x) { return repeat(x, 2, 0); }, {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}},
      {"tile",
       [](const Array& x) {
         return tile(x, {2, 1});
       },
       {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}},
      {"pad",
       [](const Array& x) {
         return pad(x, {{0, 0}, {1, 0}}, Padding::edge);
       },
       {1, 1, 2, 3, 4, 4, 5, 6}},
      {"take_along_axis",
       [&](const Array& x) {
         return take_along_axis(x, reshape(order, {1, 3}) + 0, 1);
       },
       {3, 1, 2, 6, 4, 5}},
      {"index by arrays",
       [&](const Array& x) {
         const ItemIndex index[] = {Index::slice(), order + 0};
         return get_item(x, index);
       },
       {3, 1, 2, 6, 4, 5}},
      {"assign by arrays",
       [&](const Array& x) {
         const ItemIndex index[] = {Index::slice(), order + 0};
         set_item(x, index, view(x, {0}) + 0.f);
         return x;
       },
       {2, 3, 1, 2, 3, 1}},
      {"sort", [](const Array& x) { return sort(x * -1.f, 0); }, {-4, -5, -6, -1, -2, -3}},
      {"matmul", [](const Array& x) { return matmul(x, permute_dims(x)); }, {14, 32, 32, 77}},
      {"fortran order", [](const Array& x) { return asfortranarray(x); }, {1, 2, 3, 4, 5, 6}},
      {"sliding_window_view",
       [](const Array& x) {
         return sliding_window_view(x, std::array<std::int64_t, 2>{2, 2}, {});
       },
       {1, 2, 4, 5, 2, 3, 5, 6}},
      {"fill_diagonal",
       [&](const Array& x) {
         fill_diagonal(x, asarray(queue_, Floats{0}) + 0.f, false);
         return x;
       },
       {0, 2, 3, 4, 0, 6}},
      {"byteswap", [](const Array& x) { return byteswap(byteswap(x, false), false); }, {1, 2, 3, 4, 5, 6}},
      {"shares_memory",
       [&](const Array& x) { return shares_memory(x, view(x, {0})) ? x : base; },
       {1, 2, 3, 4, 5, 6}},
      {"dlpack",
       [&](const Array& x) { return dlpack::from_versioned(dlpack::to_versioned(x), queue_); },
       {1, 2, 3, 4, 5, 6}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const Array pending = base + 1;
    ASSERT_FALSE(pending.in_memory());
    EXPECT_EQ(values(as_contiguous(one.f(pending))), one.expected);
  }
}

TEST_P(Laziness, what_nobody_has_any_more_is_never_computed) {
  const Array x = ones();
  const auto before = stats().launches;
  { const Array z = x + 1; }
  assign(x, 0);
  EXPECT_EQ(stats().launches, before + 1);
}

TEST_P(Laziness, finishing_a_queue_evaluates_expressions_recorded_on_it) {
  const Array z = apply("add", {ones(), 1}, &queue_);
  EXPECT_FALSE(z.in_memory());
  queue_.finish();
  EXPECT_TRUE(z.in_memory());
}

TEST_P(Laziness, shared_memory_is_read_at_once) {
  const Array x = ones();
  const Array before = x + 1;
  x.buffer().share();
  EXPECT_TRUE(before.in_memory());
  EXPECT_TRUE((x + 1).in_memory());
}

TEST_P(Laziness, an_evaluation_that_fails_can_be_tried_again) {
  Array x = ones();
  const Array z = x + 1;
  set_pool_limit(queue_.device(), 1);
  bool has_failed = false;
  try {
    z.evaluate();
  } catch (const OutOfDeviceMemory&) {
    has_failed = true;
  }
  set_pool_limit(queue_.device(), 0);
  // Pools may still have had a block of this size.
  EXPECT_TRUE(!has_failed || !z.in_memory());
  EXPECT_EQ(values(z), all(2));
}

TEST_P(Laziness, threads_that_want_one_value_compute_it_once) {
  const Array x = ones(1000);
  (x + 1).evaluate();  // the kernel is there
  const auto before = stats().launches;
  const Array z = x + 1;
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] { right += z.to_vector<float>(Queue(queue_.device())) == all(2, 1000); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8);
  EXPECT_EQ(stats().launches, before + 1);
}

QUERN_EACH_DEVICE(Laziness);

}  // namespace
}  // namespace quern::test
