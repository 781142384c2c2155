// SPDX-License-Identifier: MIT
// Launches, and ordering between queues.
#include "backend/cuda/queue.hpp"

#include <algorithm>
#include <bit>
#include <mutex>

#include "backend/cuda/program.hpp"
#include "quern/error.hpp"

namespace quern::backend::cuda {
namespace {

// The hidden last parameter of kernels that the front end lowered.
struct NdRange {
  unsigned long long global_size[3], global_offset[3];
  unsigned work_dim, partial;
};
static_assert(sizeof(NdRange) == kNdRangeBytes);

[[noreturn]] void refuse(const CudaFunction& function, const std::string& what) {
  throw ArgumentError(ArgumentError::Kind::value, "kernel '" + std::string(function.name()) + "': " + what);
}

std::string sizes_text(const std::array<std::size_t, 3>& sizes, unsigned dims) {
  std::string out = "(";
  for (unsigned d = 0; d < dims; ++d) out += (d == 0 ? "" : ", ") + std::to_string(sizes[d]);
  return out + ")";
}

[[noreturn]] void refuse_shape(const CudaFunction& function, const LaunchShape& shape,
                               const DeviceState& state) {
  const unsigned dims = shape.dims;
  const std::string sizes =
      "global size " + sizes_text(shape.global, dims) + " with local size " + sizes_text(shape.local, dims);
  for (unsigned d = 0; d < 3; ++d) {
    const std::string axis = " in dimension " + std::to_string(d);
    if (shape.local[d] == 0 || shape.global[d] == 0) refuse(function, "the " + sizes + " is empty" + axis);
    if (shape.local[d] > state.limits.local[d]) {
      refuse(function, "the local size " + sizes_text(shape.local, dims) + " exceeds the limit of " +
                           std::to_string(state.limits.local[d]) + axis + " of " + state.name);
    }
    const std::size_t groups = (shape.global[d] - 1) / shape.local[d] + 1;
    if (groups > state.limits.groups[d]) {
      refuse(function, sizes + " makes " + std::to_string(groups) + " work-groups" + axis + ", and " +
                           state.name + " takes " + std::to_string(state.limits.groups[d]) + " at most");
    }
    if (!function.lowered() && shape.global[d] % shape.local[d] != 0) {
      refuse(function, "CUDA C kernels run in whole blocks: " + sizes + " is not a multiple" + axis);
    }
    if (!function.lowered() && shape.offset[d] != 0)
      refuse(function, "CUDA C kernels do not support a global offset");
  }
  const std::size_t items = shape.local[0] * shape.local[1] * shape.local[2];
  refuse(function, "the local size " + sizes_text(shape.local, dims) + " has " + std::to_string(items) +
                       " work-items; this kernel can have " +
                       std::to_string(function.attributes().max_work_group_size) + " at most on " +
                       state.name);
}

[[noreturn]] void refuse_argument(const CudaFunction& function, std::size_t index, const Argument& argument) {
  const std::string which = "argument " + std::to_string(index + 1);
  if (argument.kind == Argument::Kind::local) {
    refuse(function, which + " is local memory, " +
                         (function.lowered() ? "and the kernel's parameter is not a pointer to local memory"
                                             : "which CUDA C kernels do not take as an argument: use extern "
                                               "__shared__ and the dynamic local size"));
  }
  const std::size_t size = argument.kind == Argument::Kind::value ? argument.size : sizeof(DevicePointer);
  throw ArgumentError(ArgumentError::Kind::type,
                      "kernel '" + std::string(function.name()) + "': " + which + " has " +
                          std::to_string(size) +
                          (argument.kind == Argument::Kind::value ? " bytes" : " bytes (a pointer)") +
                          ", the kernel takes " + std::to_string(function.parameter_size(index)));
}

// The offset of a local argument in the dynamic local memory, which grows by it. Its type is aligned to a
// power of two that divides its size; kernels may access it in larger pieces, but never in pieces larger than
// 16 bytes.
DevicePointer add_local(std::size_t& dynamic_local, std::size_t size) {
  const std::size_t alignment =
      std::clamp<std::size_t>(std::size_t{1} << std::countr_zero(size | 128), 16, 128);
  const std::size_t begin = (dynamic_local + alignment - 1) / alignment * alignment;
  dynamic_local = begin + size;
  return begin;
}

}  // namespace

CudaQueue::CudaQueue(StatePtr state, const QueueOptions& options, GreenContextHandle green)
    : state_(std::move(state)), owned_(true), profiling_(options.profiling), green_(green) {
  state_->drain();
  const Current current(*state_);
  if (profiling_) state_->clock();  // waits for a first event here, not in the first launch
  if (options.priority != 0) {
    // CUDA's priorities are 0 and below, the least number first. A device without priorities reports 0 for
    // both.
    int least = 0, greatest = 0;
    state_->check(state_->api.cuCtxGetStreamPriorityRange(&least, &greatest), "cuCtxGetStreamPriorityRange");
    priority_ = -std::clamp(-std::clamp(options.priority, -1000, 1000), greatest, least);
  }
  if (green != nullptr) {
    static constinit std::mutex mutex;  // one thread at a time may use the handle of a green context
    const std::lock_guard lock(mutex);
    state_->check(state_->api.cuGreenCtxStreamCreate(&stream_, green, kStreamNonBlocking, -priority_),
                  "cuGreenCtxStreamCreate");
  } else if (priority_ != 0) {
    state_->check(state_->api.cuStreamCreateWithPriority(&stream_, kStreamNonBlocking, -priority_),
                  "cuStreamCreateWithPriority");
  } else {
    state_->check(state_->api.cuStreamCreate(&stream_, kStreamNonBlocking), "cuStreamCreate");
  }
}

CudaQueue::CudaQueue(StatePtr state, StreamHandle borrowed)
    : state_(std::move(state)), stream_(borrowed), owned_(false), profiling_(false) {}

CudaQueue::~CudaQueue() {
  if (!owned_) return;
  const CurrentNoThrow current(*state_);
  if (current) state_->api.cuStreamDestroy(stream_);  // the driver lets the work in it finish
}

template <class Use>
void CudaQueue::with_parameters(CudaFunction& function, const LaunchShape& shape,
                                std::span<const Argument> arguments, Use&& use) const {
  const DeviceState& state = *state_;

  constexpr std::size_t kInline = 32;
  std::array<DevicePointer, kInline> inline_pointers;
  std::array<void*, kInline + 1> inline_parameters;
  std::vector<DevicePointer> many_pointers;
  std::vector<void*> many_parameters;
  DevicePointer* pointers = inline_pointers.data();
  void** parameters = inline_parameters.data();
  if (arguments.size() > kInline) [[unlikely]] {
    many_pointers.resize(arguments.size());
    many_parameters.resize(arguments.size() + 1);
    pointers = many_pointers.data();
    parameters = many_parameters.data();
  }

  if (function.knows_parameters() && arguments.size() != function.parameter_count()) [[unlikely]] {
    throw ArgumentError(ArgumentError::Kind::type, "kernel '" + std::string(function.name()) + "' takes " +
                                                       std::to_string(function.parameter_count()) +
                                                       " arguments, " + std::to_string(arguments.size()) +
                                                       " were given");
  }
  std::size_t dynamic_local = shape.dynamic_local;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    std::size_t size = sizeof(DevicePointer);
    switch (argument.kind) {
      case Argument::Kind::value:
        parameters[i] = const_cast<void*>(argument.value);
        size = argument.size;
        break;
      case Argument::Kind::memory:
        pointers[i] = static_cast<CudaMemory*>(argument.memory)->pointer() + argument.offset;
        parameters[i] = &pointers[i];
        break;
      case Argument::Kind::null_pointer:
        pointers[i] = 0;
        parameters[i] = &pointers[i];
        break;
      case Argument::Kind::local:
        if (!function.takes_local(i)) refuse_argument(function, i, argument);
        pointers[i] = add_local(dynamic_local, argument.size);
        parameters[i] = &pointers[i];
        break;
    }
    // The driver would read as many bytes as the kernel takes.
    if (!function.accepts(i, size)) [[unlikely]]
      refuse_argument(function, i, argument);
  }

  std::array<unsigned, 3> grid = {1, 1, 1};
  std::array<unsigned, 3> block = {1, 1, 1};
  std::size_t items = 1;
  bool fits = true;
  bool partial = false;  // some threads are past the global size
  for (unsigned d = 0; d < shape.dims; ++d) {
    const std::size_t global = shape.global[d], local = shape.local[d];
    std::size_t groups = global;
    if (local != 1) {
      if (local == 0 || global == 0) refuse_shape(function, shape, state);
      groups = (global - 1) / local + 1;
      partial = partial || groups * local != global;
    }
    fits = fits && groups - 1 < state.limits.groups[d] && local <= state.limits.local[d] &&
           (function.lowered() || shape.offset[d] == 0);
    items *= local;
    grid[d] = static_cast<unsigned>(groups);
    block[d] = static_cast<unsigned>(local);
  }
  fits = fits && (function.lowered() || !partial);
  if (!fits || items > function.attributes().max_work_group_size) [[unlikely]]
    refuse_shape(function, shape, state);
  if (dynamic_local > function.dynamic_local_allowed()) [[unlikely]] {
    function.allow_dynamic_local(dynamic_local);
  }

  NdRange range;
  if (function.lowered()) {
    for (unsigned d = 0; d < 3; ++d) {
      range.global_size[d] = shape.global[d];
      range.global_offset[d] = shape.offset[d];
    }
    range.work_dim = shape.dims;
    range.partial = partial ? 1 : 0;
    parameters[arguments.size()] = &range;
  }

  KernelNodeParameters launch;
  launch.function = function.handle();
  launch.grid_x = grid[0], launch.grid_y = grid[1], launch.grid_z = grid[2];
  launch.block_x = block[0], launch.block_y = block[1], launch.block_z = block[2];
  launch.shared_bytes = static_cast<unsigned>(dynamic_local);
  launch.parameters = parameters;
  use(launch);
}

TimingPtr CudaQueue::launch(Function& any_function, const LaunchShape& shape,
                            std::span<const Argument> arguments) {
  auto& function = static_cast<CudaFunction&>(any_function);
  TimingPtr timing;
  with_parameters(function, shape, arguments, [&](const KernelNodeParameters& p) {
    timing = enqueue([&] {
      state_->note_launch(function.name());
      const Result result =
          state_->api.cuLaunchKernel(p.function, p.grid_x, p.grid_y, p.grid_z, p.block_x, p.block_y,
                                     p.block_z, p.shared_bytes, stream_, p.parameters, nullptr);
      if (result == Result::success) [[likely]]
        return;
      if (result == Result::launch_out_of_resources) {
        refuse(function, "a work-group of " + std::to_string(p.block_x * p.block_y * p.block_z) +
                             " work-items needs more registers or local memory (" +
                             std::to_string(function.attributes().registers) + " registers each, " +
                             std::to_string(function.attributes().local_memory + p.shared_bytes) +
                             " bytes) than " + state_->name + " has; use a smaller local size");
      }
      state_->fail(result, "cuLaunchKernel");
    });
  });
  return timing;
}

void CudaQueue::set_node(GraphExecHandle graph, GraphNodeHandle node, Function& function,
                         const LaunchShape& shape, std::span<const Argument> arguments) const {
  with_parameters(static_cast<CudaFunction&>(function), shape, arguments,
                  [&](const KernelNodeParameters& parameters) {
                    const Current current(*state_);
                    state_->check(state_->api.cuGraphExecKernelNodeSetParams(graph, node, &parameters),
                                  "cuGraphExecKernelNodeSetParams");
                  });
}

TimingPtr CudaQueue::call(const std::function<void(std::uintptr_t native)>& function) {
  return enqueue([&] { function(native_handle()); });
}

std::shared_ptr<Marker> CudaQueue::record() {
  const Current current(*state_);
  return std::make_shared<CudaMarker>(state_, stream_, progress_);
}

bool CudaQueue::wait(const std::shared_ptr<Marker>& marker) {
  const auto* event = dynamic_cast<const CudaMarker*>(marker.get());
  if (event == nullptr || &event->api() != &state_->api) return false;
  if (event->known_done()) return true;
  const Current current(*state_);
  // Counted: a queue that has only enqueued a wait is not idle.
  const Counted counted(*progress_);
  last_end_.reset();
  state_->check(state_->api.cuStreamWaitEvent(stream_, event->event(), 0), "cuStreamWaitEvent");
  return true;
}

bool CudaQueue::idle() const noexcept {
  // Other code may use a borrowed stream too.
  return owned_ && progress_->done.load(std::memory_order_acquire) ==
                       progress_->enqueued.load(std::memory_order_acquire);
}

}  // namespace quern::backend::cuda
