// SPDX-License-Identifier: MIT
// The fake driver's green contexts and further contexts: 132 multiprocessors in 16 groups of 8, as on an
// H200.
#include <algorithm>
#include <deque>
#include <vector>

#include "backend/cuda/api.hpp"

namespace fake {

using namespace quern::backend::cuda;

constexpr unsigned kMultiprocessors = 132, kGroup = 8, kGroups = 16;

// What a descriptor and a green context hold: their groups of multiprocessors.
struct Groups {
  std::vector<unsigned> numbers;
};

// A resource keeps its groups, as a bit mask, in the part that programs must not look at.
unsigned& mask_of(Resource& resource) {
  return *reinterpret_cast<unsigned*>(resource.internal + 4);
}

Resource resource_of(unsigned mask, unsigned multiprocessors) {
  Resource result;
  result.type = kResourceMultiprocessors;
  mask_of(result) = mask;
  result.multiprocessors = multiprocessors;
  result.smallest_part = result.granularity = kGroup;
  return result;
}

}  // namespace fake

using namespace fake;

extern "C" {

Result cuStreamCreateWithPriority(StreamHandle* stream, unsigned flags, int priority);
Result cuMemcpyAsync(DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream);

Result cuDeviceGetDevResource(DeviceHandle, Resource* resource, int type) {
  if (type != kResourceMultiprocessors) return Result::invalid_value;
  *resource = resource_of((1U << kGroups) - 1, kMultiprocessors);
  return Result::success;
}

Result cuGreenCtxGetDevResource(GreenContextHandle context, Resource* resource, int) {
  unsigned mask = 0;
  const auto& numbers = reinterpret_cast<Groups*>(context)->numbers;
  for (const unsigned number : numbers) mask |= 1U << number;
  *resource = resource_of(mask, static_cast<unsigned>(numbers.size()) * kGroup);
  return Result::success;
}

Result cuDevSmResourceSplitByCount(Resource* result, unsigned* groups, const Resource* input, Resource*,
                                   unsigned flags, unsigned least) {
  Resource from = *input;
  if (flags != 0 || least != kGroup || from.type != kResourceMultiprocessors) return Result::invalid_value;
  unsigned made = 0;
  for (unsigned number = 0; number < kGroups; ++number) {
    if ((mask_of(from) >> number & 1U) == 0) continue;
    if (result != nullptr) {
      if (made == *groups) break;
      result[made] = resource_of(1U << number, kGroup);
    }
    ++made;
  }
  *groups = made;
  return Result::success;
}

Result cuDevResourceGenerateDesc(ResourceDescriptor* descriptor, Resource* resources, unsigned count) {
  if (count == 0) return Result::invalid_value;
  // The driver owns descriptors and has no function that frees one.
  static auto* const descriptors = new std::deque<Groups>;
  Groups* const groups = &descriptors->emplace_back();
  for (unsigned i = 0; i < count; ++i)
    for (unsigned number = 0; number < kGroups; ++number)
      if ((mask_of(resources[i]) >> number & 1U) != 0) groups->numbers.push_back(number);
  *descriptor = reinterpret_cast<ResourceDescriptor>(groups);
  return Result::success;
}

Result cuGreenCtxCreate(GreenContextHandle* context, ResourceDescriptor descriptor, DeviceHandle,
                        unsigned flags) {
  if (flags != kGreenContextDefaultStream) return Result::invalid_value;
  *context = reinterpret_cast<GreenContextHandle>(descriptor);
  return Result::success;
}

Result cuStreamCreate(StreamHandle* stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}
Result cuGreenCtxStreamCreate(StreamHandle* stream, GreenContextHandle, unsigned flags, int priority) {
  if (flags != kStreamNonBlocking) return Result::invalid_value;
  return cuStreamCreateWithPriority(stream, flags, priority);
}

Result cuMemcpyPeerAsync(DevicePointer to, ContextHandle to_context, DevicePointer from,
                         ContextHandle from_context, std::size_t bytes, StreamHandle stream) {
  if (to_context == from_context) return Result::invalid_context;
  return cuMemcpyAsync(to, from, bytes, stream);
}

}  // extern "C"
