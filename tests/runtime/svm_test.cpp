// SPDX-License-Identifier: MIT
// Shared virtual memory: one address on the host and in kernels, pointers between buffers, what is refused.
#include "quern/svm.hpp"

#include <array>
#include <cstring>

#include "quern/map.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

// A list that the host builds. Its nodes may lie in several buffers.
struct Node {
  Node* next;
  std::int64_t value;
};

constexpr const char* kWalk = R"(
typedef struct Node { global struct Node *next; long value; } Node;
kernel void walk(global Node *first, global Node *others, global long *sum) {
  long total = 0;
  for (global Node *node = first; node != 0; node = node->next) {
    total += node->value;
    node->value = -node->value;
  }
  sum[0] = total;
}
kernel void address_of(global const uchar *memory, global ulong *out) { out[0] = (ulong)memory; }
)";

class Svm : public EachDevice {
 protected:
  Buffer shared(std::size_t nbytes) { return svm_buffer(queue_, nbytes, grain_); }
  std::int64_t read(const Buffer& buffer) {
    std::int64_t value = 0;
    queue_.read(buffer, &value, sizeof value).wait();
    return value;
  }
  void SetUp() override {
    if (svm_grain(device_) == SvmGrain::none) GTEST_SKIP() << "no shared virtual memory";
  }
  const SvmGrain grain_ = svm_grain(device_);
  const Program program_{kWalk};
  const Buffer out_{device_, 8};
};

TEST_P(Svm, kernels_and_maps_see_one_address) {
  for (const SvmGrain grain : {SvmGrain::coarse, grain_}) {
    const Buffer memory = svm_buffer(queue_, 1000, grain);
    const MemoryMap map = map_buffer(queue_, memory, MapAccess::read_write);
    map.wait();
    const auto address = reinterpret_cast<std::uintptr_t>(map.data());
    map.unmap().wait();
    program_.kernel("address_of")(queue_, range(1), memory, out_);
    EXPECT_EQ(static_cast<std::uintptr_t>(read(out_)), address);
    program_.kernel("address_of")(queue_, range(1), memory.sub_buffer(128, 64), out_);
    EXPECT_EQ(static_cast<std::uintptr_t>(read(out_)), address + 128);
  }
}

TEST_P(Svm, a_kernel_walks_a_list_over_two_buffers) {
  constexpr std::size_t kNodes = 100;
  const std::array<Buffer, 2> memory = {shared(kNodes * sizeof(Node)), shared(kNodes * sizeof(Node))};
  std::int64_t sum = 0;
  {
    const std::array<MemoryMap, 2> maps = {map_buffer(queue_, memory[0], MapAccess::discard),
                                           map_buffer(queue_, memory[1], MapAccess::discard)};
    for (const MemoryMap& map : maps) map.wait();
    // Alternates between the buffers.
    for (std::size_t k = 0; k < 2 * kNodes; ++k) {
      const std::size_t next = k + 1;
      Node& node = maps[k % 2].as<Node>()[k / 2];
      node.value = static_cast<std::int64_t>(3 * k + 1);
      node.next = next < 2 * kNodes ? &maps[next % 2].as<Node>()[next / 2] : nullptr;
      sum += node.value;
    }
    for (const MemoryMap& map : maps) map.unmap();
  }
  program_.kernel("walk")(queue_, range(1), memory[0], memory[1], out_);
  EXPECT_EQ(read(out_), sum);
  for (const Buffer& buffer : memory) {
    const MemoryMap map = map_buffer(queue_, buffer, MapAccess::read);
    map.wait();
    const std::size_t first = &buffer == &memory[0] ? 0 : 1;
    for (std::size_t k = 0; k < kNodes; ++k)
      ASSERT_EQ(map.as<const Node>()[k].value, -static_cast<std::int64_t>(3 * (2 * k + first) + 1)) << k;
  }
}

TEST_P(Svm, copies_fills_and_expressions_use_the_memory) {
  const Array x = svm_empty(queue_, {4, 3}, dtype_of<float>(), grain_);
  const float two = 2;
  queue_.fill(x.buffer(), std::as_bytes(std::span(&two, 1)));
  EXPECT_EQ((x * x + x).to_vector<float>(queue_), std::vector<float>(12, 6));
  const Buffer ordinary(device_, x.buffer().size());
  queue_.copy(x.buffer(), ordinary);
  std::vector<float> back(12);
  queue_.read(ordinary, back.data(), ordinary.size()).wait();
  EXPECT_EQ(back, std::vector<float>(12, 2));
}

TEST_P(Svm, memory_lives_until_its_last_kernel_has_ended) {
  for (int i = 0; i < 20; ++i) {
    const Buffer memory = shared(64 * sizeof(int));
    const int zero = 0;
    queue_.fill(memory, std::as_bytes(std::span(&zero, 1)));
    kernels().kernel("slow_set")(queue_, range(64), memory, i, 100);
  }
  queue_.finish();
}

TEST_P(Svm, grains_that_a_device_lacks_are_refused) {
  EXPECT_THROW(static_cast<void>(svm_buffer(queue_, 64, SvmGrain::none)), ArgumentError);
  if (grain_ == SvmGrain::coarse) {
    EXPECT_THROW(static_cast<void>(svm_buffer(queue_, 64, SvmGrain::fine)), ArgumentError);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Svm, ::testing::ValuesIn(device_specs()), test_name);

}  // namespace
}  // namespace quern::test
