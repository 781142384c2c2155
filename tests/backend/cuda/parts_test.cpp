// SPDX-License-Identifier: MIT
// Parts of a CUDA device, and copies between contexts.
#include "backend/parts.hpp"
#include "backend/cuda/memory.hpp"
#include "backend/cuda/queue.hpp"
#include "backend/cuda/test_device.hpp"
#include "base/shared_library.hpp"
#include "quern/error.hpp"

namespace quern::backend::cuda {
namespace {

class CudaParts : public Cuda {
 protected:
  static std::vector<std::shared_ptr<Device>> split(const std::shared_ptr<Device>& device,
                                                    const Division& division) {
    return dynamic_cast<DividedDevice&>(*device).split(device, division);
  }
  static std::size_t units(const std::shared_ptr<Device>& device) {
    return device->properties().compute_units;
  }
  // The number of multiprocessors that cannot be divided.
  [[nodiscard]] std::size_t group() const {
    const int major = dynamic_cast<CudaDevice&>(*device).capability() / 10;
    return major >= 9 ? 8 : major == 8 ? 4 : 2;
  }
};

TEST_F(CudaParts, equal_parts_are_as_large_as_possible) {
  for (const std::size_t count : {1, 2, 3}) {
    const auto parts = split(device, Equally{count});
    ASSERT_EQ(parts.size(), count);
    for (const auto& part : parts) {
      EXPECT_EQ(units(part), units(parts[0]));
      EXPECT_EQ(units(part) % group(), 0U);
      EXPECT_EQ(part->properties().name, device->properties().name);
    }
    EXPECT_LE(count * units(parts[0]), units(device));
  }
  if (kFake) {
    EXPECT_EQ(units(split(device, Equally{2})[0]), 64U);
  }
}

TEST_F(CudaParts, counts_are_multiples_of_what_the_hardware_schedules_together) {
  const auto parts = split(device, Counts{{group(), 2 * group()}});
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(units(parts[0]), group());
  EXPECT_EQ(units(parts[1]), 2 * group());
  EXPECT_THROW(split(device, Counts{{group() + 1}}), ArgumentError);
  EXPECT_THROW(split(device, Counts{{units(device), group()}}), ArgumentError);
  EXPECT_THROW(split(device, Equally{units(device)}), ArgumentError);
  EXPECT_THROW(split(device, AffinityDomain::numa), ArgumentError);
}

TEST_F(CudaParts, parts_can_be_divided) {
  const auto half = split(device, Equally{2})[0];
  const auto quarters = split(half, Equally{2});
  ASSERT_EQ(quarters.size(), 2U);
  EXPECT_LE(2 * units(quarters[0]), units(half));
  EXPECT_THROW(split(split(device, Counts{{group()}})[0], Equally{2}), ArgumentError);
}

TEST_F(CudaParts, parts_use_the_memory_of_their_device) {
  const auto data = noise(1 << 20);
  const auto source = upload(data);
  const auto parts = split(device, Equally{2});
  const auto together = device->make_context(parts);
  auto& common = dynamic_cast<CommonMemoryContext&>(*together);
  EXPECT_TRUE(common.can_use(*source));
  const std::unique_ptr<Queue> queues[] = {together->make_queue(0, {}), together->make_queue(1, {})};
  const auto middle = together->allocate(0, data.size()), target = context->allocate(0, data.size());
  ASSERT_TRUE(queues[0]->wait(queue->record()));
  queues[0]->copy(*source, 0, *middle, 0, data.size());
  ASSERT_TRUE(queues[1]->wait(queues[0]->record()));
  queues[1]->copy(*middle, 0, *target, 0, data.size());
  ASSERT_TRUE(queue->wait(queues[1]->record()));
  EXPECT_EQ(first_difference(download<unsigned char>(target), data), data.size());
}

TEST_F(CudaParts, markers_of_parts_notify) {
  struct Flag final : Signal {
    std::atomic<int> raised{0};
    void raise() noexcept override {
      raised.store(1);
      raised.notify_all();
    }
  };
  const auto parts = split(device, Equally{2});
  const auto own = parts[1]->make_context(std::span(&parts[1], 1));
  const auto q = own->make_queue(0, {.profiling = true});
  const auto memory = own->allocate(0, 1 << 20);
  const std::byte pattern{7};
  const auto timing = q->fill(*memory, 0, 1 << 20, {&pattern, 1});
  const auto flag = std::make_shared<Flag>();
  q->record()->notify(flag);
  flag->raised.wait(0);
  EXPECT_GE(timing->times().ended, timing->times().started);
}

// A second context of the same device, as another library might make it.
class SecondContext {
 public:
  explicit SecondContext(DeviceState& primary) {
    const std::string names[] = {primary.api.path};
    const SharedLibrary library{names};
    const auto create = reinterpret_cast<Result (*)(ContextHandle*, unsigned, DeviceHandle)>(
        library.symbol("cuCtxCreate_v2"));
    ContextHandle context = nullptr;
    primary.check(create(&context, 0, primary.device), "cuCtxCreate");
    ContextHandle popped = nullptr;
    primary.check(primary.api.cuCtxPopCurrent(&popped), "cuCtxPopCurrent");
    state =
        std::make_shared<DeviceState>(primary.api, primary.device, context, "second context", primary.limits);
  }
  StatePtr state;
};

TEST_F(Cuda, memory_of_another_context_is_copied_directly) {
  DeviceState& primary = *dynamic_cast<CudaDevice&>(*device).state();
  const SecondContext second(primary);
  const auto data = noise(3 << 20);
  const auto here = upload(data);
  const auto there = allocate_memory(second.state, data.size());
  EXPECT_TRUE(dynamic_cast<PeerQueue&>(*queue).can_copy(*there));
  queue->copy(*here, 0, *there, 0, data.size());
  const auto back = context->allocate(0, data.size());
  queue->copy(*there, 0, *back, 0, data.size());
  EXPECT_EQ(first_difference(download<unsigned char>(back), data), data.size());
  // A queue of the other context waits for ours, and copies the other way.
  CudaQueue other(second.state, QueueOptions{});
  ASSERT_TRUE(other.wait(queue->record()));
  const auto again = context->allocate(0, data.size());
  other.copy(*there, 0, *again, 0, data.size());
  ASSERT_TRUE(queue->wait(other.record()));
  EXPECT_EQ(first_difference(download<unsigned char>(again), data), data.size());
}

}  // namespace
}  // namespace quern::backend::cuda
