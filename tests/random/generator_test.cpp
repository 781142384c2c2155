// SPDX-License-Identifier: MIT
// Random numbers from C++: engines, states, and what the Python tests cannot see.
#include <algorithm>
#include <set>
#include <thread>

#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "quern/random.hpp"
#include "quern/reduce.hpp"
#include "quern/stats.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using random::Engine;
using random::Generator;
using random::State;
using random::Words;

// Of Random123's kat_vectors.
TEST(Engines, give_the_published_words) {
  const Words zeros = {}, ones = {~0u, ~0u, ~0u, ~0u};
  const Words pi = {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
  const Words more_pi = {0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89};
  EXPECT_EQ(block(Engine::philox, zeros, zeros), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(block(Engine::philox, ones, ones), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(block(Engine::philox, pi, more_pi), (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  EXPECT_EQ(block(Engine::threefry, zeros, zeros), (Words{0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8}));
  EXPECT_EQ(block(Engine::threefry, ones, ones), (Words{0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732}));
  EXPECT_EQ(block(Engine::threefry, pi, more_pi), (Words{0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84}));
}

TEST(States, of_different_seeds_have_different_keys) {
  std::set<Words> keys;
  for (const std::uint64_t seed : {0ull, 1ull, 2ull, 1ull << 32, ~0ull}) {
    for (const Engine engine : {Engine::philox, Engine::threefry})
      keys.insert(random::seeded(seed, engine).key);
  }
  EXPECT_EQ(keys.size(), 10u);
  EXPECT_NE(random::from_entropy().key, random::from_entropy().key);
}

TEST(States, leading_zeros_of_a_seed_do_not_count) {
  const std::uint32_t words[] = {7, 0, 0};
  EXPECT_EQ(random::seeded(words).key, random::seeded(7).key);
}

TEST(Generators, reserve_words_that_no_draw_gets) {
  Generator generator{7};
  EXPECT_EQ(generator.reserve(3, 1).position, 0u);
  EXPECT_EQ(generator.reserve(5, 4).position, 4u);
  EXPECT_EQ(generator.reserve(1, 2).position, 10u);
  EXPECT_EQ(generator.state().position, 11u);
  EXPECT_THROW(generator.reserve(1, 3), ArgumentError);
}

TEST(Generators, are_shared_by_threads) {
  Generator generator{7};
  std::vector<std::uint64_t> places[4];
  std::vector<std::thread> threads;
  for (auto& mine : places)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) mine.push_back(generator.reserve(8).position);
    });
  for (std::thread& thread : threads) thread.join();
  std::set<std::uint64_t> all;
  for (const auto& mine : places) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 4000u);
}

TEST(Generators, spawn_streams_with_keys_of_their_own) {
  Generator generator{7};
  std::set<Words> keys = {generator.state().key};
  for (const Generator& child : generator.spawn(5)) keys.insert(child.state().key);
  for (const Generator& child : generator.spawn(5)) keys.insert(child.state().key);
  for (const Generator& child : generator.jumped().spawn(1)) keys.insert(child.state().key);
  EXPECT_EQ(keys.size(), 12u);
}

class Draws : public EachDevice {};

TEST_P(Draws, follow_the_row_of_words) {
  Generator generator{7};
  const State state = generator.state();
  const std::vector<float> drawn = generator.uniform<float>({1003}, queue_).to_vector<float>(queue_);
  for (std::uint32_t i = 0; i < drawn.size(); ++i) {
    const Words words = block(state.engine, {i / 4, 0, state.key[2], 0}, state.key);
    ASSERT_EQ(drawn[i], static_cast<float>(words[i % 4] >> 8) * 0x1p-24f) << i;
  }
}

TEST_P(Draws, into_part_of_a_buffer_leave_the_rest_alone) {
  Generator generator{7};
  for (const std::size_t size : {1, 2, 3, 64, 65, 1001}) {
    const Array all = asarray(queue_, std::vector<float>(size + 512, 7.f));
    const std::size_t first = 256;  // where every device lets a part begin
    const Array part(all.buffer().sub_buffer(first * 4, size * 4), dtype_of<float>(),
                     {static_cast<std::int64_t>(size)});
    generator.draw(queue_, part, random::Uniform{});
    const std::vector<float> values = all.to_vector<float>(queue_);
    EXPECT_EQ(std::count(values.begin(), values.end(), 7.f), 512) << size;
  }
}

TEST_P(Draws, of_integers_stay_in_their_bounds) {
  Generator generator{7, Engine::threefry};
  const auto drawn = generator.integers<std::int32_t>({500}, queue_, -2, 2).to_vector<std::int32_t>(queue_);
  EXPECT_EQ(std::set<std::int32_t>(drawn.begin(), drawn.end()), (std::set<std::int32_t>{-2, -1, 0, 1, 2}));
}

TEST_P(Draws, of_a_permutation_have_every_number_once) {
  Generator generator{7};
  auto order = generator.permutation(queue_, 1001).to_vector<std::int64_t>(queue_);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], static_cast<std::int64_t>(i));
}

TEST_P(Draws, are_parts_of_expressions_with_the_same_numbers) {
  Generator generator{7}, other{7};
  const auto launches = stats().launches;
  const Array drawn = generator.uniform<float>({1000}, queue_);
  EXPECT_FALSE(drawn.in_memory());
  EXPECT_EQ(stats().launches, launches);
  EXPECT_EQ(generator.state().position, 1000u);
  const Array sum = reduce("sum", drawn < 0.5f);
  // OpenCL's CPUs have them in memory first.
  const DeviceProperties properties = queue_.device().properties();
  EXPECT_EQ(drawn.in_memory(), properties.kind == DeviceKind::cpu && properties.dialect == Dialect::opencl_c);
  const Array out = empty(queue_, {1000}, dtype_of<float>());
  other.draw(queue_, out, random::Uniform{});
  const auto numbers = out.to_vector<float>(queue_);
  EXPECT_EQ(drawn.to_vector<float>(queue_), numbers);
  EXPECT_EQ(sum.to_vector<std::int64_t>(queue_)[0],
            std::count_if(numbers.begin(), numbers.end(), [](float number) { return number < 0.5f; }));
}

TEST_P(Draws, take_parameters_for_each_element) {
  Generator generator{7};
  const Array means = asarray(queue_, std::vector<float>{0, 100, 200});
  const Array out = empty(queue_, {50, 3}, dtype_of<float>());
  generator.draw_each(queue_, out, random::Family::normal, {means, 0.5F});
  const auto drawn = out.to_vector<float>(queue_);
  for (std::size_t i = 0; i < drawn.size(); ++i)
    ASSERT_NEAR(drawn[i], 100 * static_cast<float>(i % 3), 5) << i;
  EXPECT_EQ(generator.state().position, 150u);
  EXPECT_THROW(generator.draw_each(queue_, means, random::Family::normal, {out, 0.5}), ArgumentError);
  EXPECT_THROW(generator.draw_each(queue_, out, random::Family::poisson, {means}), ArgumentError);
  EXPECT_EQ(generator.state().position, 150u);
}

TEST_P(Draws, with_bad_parameters_are_refused) {
  Generator generator{7};
  EXPECT_THROW(generator.uniform<float>({3}, queue_, 2, 1), ArgumentError);
  EXPECT_THROW(generator.normal<float>({3}, queue_, 0, -1), ArgumentError);
  EXPECT_THROW(generator.uniform<int>({3}, queue_), ArgumentError);
  EXPECT_THROW(generator.integers<std::int8_t>({3}, queue_, 5, 4), ArgumentError);
  EXPECT_THROW(generator.choice(queue_, 3, {4}, false), ArgumentError);
  const double p[] = {0.5, 0.6};
  EXPECT_THROW(generator.choice(queue_, 2, {4}, true, p), ArgumentError);
  EXPECT_EQ(generator.state().position, 0u);
}

QUERN_EACH_DEVICE(Draws);

}  // namespace
}  // namespace quern::test
