// SPDX-License-Identifier: MIT
// Buffers and arrays in shared virtual memory.
#include "quern/svm.hpp"

#include <memory>
#include <utility>

#include "backend/shared_memory.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/context_state.hpp"
#include "runtime/queue_state.hpp"

namespace quern {
namespace {

using Grain = backend::SharingContext::Grain;

Grain finest_grain_of(backend::Context& context, std::size_t device) {
  const auto* const sharing = dynamic_cast<const backend::SharingContext*>(&context);
  return sharing != nullptr ? sharing->finest_grain(device) : Grain::none;
}

}  // namespace

SvmGrain svm_grain(const Device& device) {
  switch (finest_grain_of(detail::ContextState::of(device)->native(), 0)) {
    case Grain::fine:
      return SvmGrain::fine;
    case Grain::coarse:
      return SvmGrain::coarse;
    case Grain::none:
      break;
  }
  return SvmGrain::none;
}

Buffer svm_buffer(const Queue& queue, std::size_t nbytes, SvmGrain grain) {
  const std::shared_ptr<detail::ContextState>& context = queue.state()->context();
  const std::size_t device = queue.state()->device();
  if (grain == SvmGrain::none)
    throw ArgumentError(ArgumentError::Kind::value,
                        "shared virtual memory is coarse-grained or fine-grained");
  const Grain wanted = grain == SvmGrain::fine ? Grain::fine : Grain::coarse;
  const Grain finest = finest_grain_of(context->native(), device);
  if (finest == Grain::none || (wanted == Grain::fine && finest != Grain::fine)) {
    throw ArgumentError(ArgumentError::Kind::value,
                        queue.device().spec() + " has no " +
                            (finest == Grain::none ? "shared virtual memory; copy the data, with offsets in "
                                                     "place of pointers"
                                                   : "fine-grained shared virtual memory; use coarse-grained "
                                                     "memory and map it"));
  }
  backend::SharedMemory shared =
      dynamic_cast<backend::SharingContext&>(context->native()).allocate_shared(device, nbytes, wanted);
  const Buffer buffer(std::make_shared<detail::Allocation>(context, device, std::move(shared.memory),
                                                           std::move(shared.owner)),
                      nbytes);
  buffer.share();  // the host and other kernels may follow pointers into it
  return buffer;
}

Array svm_empty(const Queue& queue, Shape shape, DType dtype, SvmGrain grain) {
  const std::size_t nbytes = element_count(shape, dtype.itemsize) * dtype.itemsize;
  return {svm_buffer(queue, nbytes, grain), std::move(dtype), std::move(shape)};
}

}  // namespace quern
