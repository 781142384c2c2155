// SPDX-License-Identifier: MIT
// A fake libcuda that runs on any machine: streams are threads, device memory is host memory. It
// checks what a real driver leaves unchecked (the current context, every range of memory), so the backend can
// be tested without a GPU.
//
// QUERN_FAKE_CUDA_INIT is what cuInit returns, QUERN_FAKE_CUDA_DEVICES the number of devices,
// QUERN_FAKE_CUDA_BROKEN the one that fails. fake_kernels.cpp has the kernels.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "backend/cuda/api.hpp"
#include "backend/cuda/fake_graphs.hpp"
#include "backend/cuda/fake_kernels.hpp"

namespace fake {

using namespace quern::backend::cuda;
using Clock = std::chrono::steady_clock;

struct Point {
  std::atomic<bool> done{false};
  Clock::time_point when;
};

struct Stream {
  int device = 0, priority = 0;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> work;
  bool busy = false, stop = false;
  std::thread thread;

  void run() {
    running_priority() = priority;
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return stop || !work.empty(); });
      if (work.empty()) return;
      const auto task = std::move(work.front());
      work.pop_front();
      busy = true;
      lock.unlock();
      task();
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }
  void push(std::function<void()> task) {
    const std::lock_guard lock(mutex);
    work.push_back(std::move(task));
    changed.notify_all();
  }
  void drain() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return work.empty() && !busy; });
  }
};

struct Event {
  int device = 0;
  bool timing = false;
  std::mutex mutex;
  std::shared_ptr<Point> point;

  std::shared_ptr<Point> latest() {
    const std::lock_guard lock(mutex);
    return point;
  }
};

struct Allocation {
  std::size_t size;
  int device;
  bool host;
};

struct Driver {
  std::mutex mutex;
  std::map<std::uintptr_t, Allocation> memory;  // by address
  std::vector<Stream*> streams;
  std::size_t in_use = 0;
  std::atomic<int> failed{0};  // a sticky error, once there is one
};

constexpr std::size_t kCapacity = std::size_t{2} << 30;

Driver& driver() {
  static auto* const instance = new Driver;
  return *instance;
}

void break_driver(int error) {
  driver().failed.store(error);
}

int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

char contexts[16];  // their addresses are the context handles
thread_local std::vector<ContextHandle> current;

ContextHandle context_of(int device) {
  return reinterpret_cast<ContextHandle>(&contexts[device]);
}

int current_device() {
  if (current.empty() || current.back() == nullptr) return -1;
  return static_cast<int>(reinterpret_cast<char*>(current.back()) - contexts);
}

// What every call begins with: a context must be current, the stream's own where there is one.
Result entered(int device = -2) {
  if (const int failed = driver().failed.load()) return static_cast<Result>(failed);
  const int now = current_device();
  if (now < 0 || (device >= 0 && now != device)) return Result::invalid_context;
  return Result::success;
}

Stream* stream_of(StreamHandle handle) {
  return reinterpret_cast<Stream*>(handle);
}
Event* event_of(EventHandle handle) {
  return reinterpret_cast<Event*>(handle);
}

// The allocation that holds all of a range; null when there is none.
const Allocation* find(std::uintptr_t address, std::size_t size) {
  Driver& d = driver();
  const std::lock_guard lock(d.mutex);
  auto after = d.memory.upper_bound(address);
  if (after == d.memory.begin()) return nullptr;
  const auto entry = std::prev(after);
  return address + size <= entry->first + entry->second.size ? &entry->second : nullptr;
}

bool on_device(std::uintptr_t address, std::size_t size) {
  const Allocation* allocation = find(address, size);
  return allocation != nullptr && !allocation->host;
}

// Shared by those who wait for streams, so that none is deleted under them.
std::shared_mutex& stream_lives() {
  static auto* const mutex = new std::shared_mutex;
  return *mutex;
}

void drain_all() {
  const std::shared_lock lives(stream_lives());
  std::vector<Stream*> streams;
  {
    const std::lock_guard lock(driver().mutex);
    streams = driver().streams;
  }
  for (Stream* stream : streams) stream->drain();
}

Result allocate(std::uintptr_t* address, std::size_t bytes, bool host) {
  if (const Result result = entered(); result != Result::success) return result;
  if (bytes == 0) return Result::invalid_value;
  Driver& d = driver();
  const std::lock_guard lock(d.mutex);
  if (!host && bytes > kCapacity - d.in_use) return Result::out_of_memory;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory == nullptr) return Result::out_of_memory;
  std::memset(memory, 0xA5, bytes);
  *address = reinterpret_cast<std::uintptr_t>(memory);
  d.memory[*address] = {bytes, current_device(), host};
  if (!host) d.in_use += bytes;
  return Result::success;
}

Result release(std::uintptr_t address) {
  if (const Result result = entered(); result != Result::success) return result;
  drain_all();  // as the real driver may
  Driver& d = driver();
  const std::lock_guard lock(d.mutex);
  const auto entry = d.memory.find(address);
  if (entry == d.memory.end()) return Result::invalid_value;
  if (!entry->second.host) d.in_use -= entry->second.size;
  d.memory.erase(entry);
  std::free(reinterpret_cast<void*>(address));
  return Result::success;
}

Result push(StreamHandle handle, std::function<void()> task) {
  Stream* stream = stream_of(handle);
  if (const Result result = entered(stream->device); result != Result::success) return result;
  if (!record(handle, stream->priority, task)) stream->push(std::move(task));
  return Result::success;
}

template <class T>
Result set(DevicePointer to, T value, std::size_t count, StreamHandle stream) {
  if (to % sizeof(T) != 0 || !on_device(to, count * sizeof(T))) return Result::invalid_value;
  return push(stream, [=] {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(reinterpret_cast<T*>(to) + i, &value, sizeof value);
  });
}

}  // namespace fake

using namespace fake;

extern "C" {

Result cuInit(unsigned) {
  return static_cast<Result>(setting("QUERN_FAKE_CUDA_INIT", 0));
}
Result cuDriverGetVersion(int* version) {
  *version = 13000;
  return Result::success;
}
Result cuGetErrorName(Result error, const char** name) {
  *name = error == Result::illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OF_THE_FAKE";
  return Result::success;
}
Result cuGetErrorString(Result, const char** text) {
  *text = "the fake driver was asked to fail";
  return Result::success;
}
Result cuDeviceGetCount(int* count) {
  *count = setting("QUERN_FAKE_CUDA_DEVICES", 1);
  return Result::success;
}
Result cuDeviceGet(DeviceHandle* device, int ordinal) {
  *device = ordinal;
  return Result::success;
}
Result cuDeviceGetName(char* name, int length, DeviceHandle device) {
  if (device == setting("QUERN_FAKE_CUDA_BROKEN", -1)) return Result::unknown;
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(length));
  return Result::success;
}
Result cuDeviceGetAttribute(int* value, DeviceAttribute attribute, DeviceHandle) {
  switch (attribute) {
    case DeviceAttribute::max_threads_per_block:
    case DeviceAttribute::max_block_dim_x:
    case DeviceAttribute::max_block_dim_y:
      *value = 1024;
      break;
    case DeviceAttribute::max_block_dim_z:
      *value = 64;
      break;
    case DeviceAttribute::max_grid_dim_x:
    case DeviceAttribute::max_pitch:
      *value = 2147483647;
      break;
    case DeviceAttribute::max_grid_dim_y:
    case DeviceAttribute::max_grid_dim_z:
      *value = 65535;
      break;
    case DeviceAttribute::max_shared_memory_per_block:
      *value = 49152;
      break;
    case DeviceAttribute::max_shared_memory_per_block_optin:
      *value = 232448;
      break;
    case DeviceAttribute::warp_size:
      *value = 32;
      break;
    case DeviceAttribute::multiprocessor_count:
      *value = 132;
      break;
    case DeviceAttribute::unified_addressing:
      *value = 1;
      break;
    case DeviceAttribute::compute_capability_major:
      *value = 9;
      break;
    default:
      *value = 0;
  }
  return static_cast<int>(attribute) > 147 ? Result::invalid_value : Result::success;
}
Result cuDeviceTotalMem_v2(std::size_t* bytes, DeviceHandle) {
  *bytes = kCapacity;
  return Result::success;
}

Result cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceHandle device) {
  *context = context_of(device);
  return Result::success;
}
Result cuCtxGetCurrent(ContextHandle* context) {
  *context = current.empty() ? nullptr : current.back();
  return Result::success;
}
// A context besides the primary one.
Result cuCtxCreate_v2(ContextHandle* context, unsigned, DeviceHandle device) {
  *context = context_of(device + 8);
  current.push_back(*context);
  return Result::success;
}
Result cuCtxPushCurrent_v2(ContextHandle context) {
  current.push_back(context);
  return Result::success;
}
Result cuCtxPopCurrent_v2(ContextHandle* context) {
  if (current.empty()) return Result::invalid_context;
  *context = current.back();
  current.pop_back();
  return Result::success;
}

Result cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (const Result result = entered(); result != Result::success) return result;
  *least = 0;
  *greatest = -5;
  return Result::success;
}

Result cuStreamCreateWithPriority(StreamHandle* handle, unsigned, int priority) {
  if (priority > 0 || priority < -5) return Result::invalid_value;
  if (const Result result = entered(); result != Result::success) return result;
  auto* stream = new Stream;
  stream->device = current_device();
  stream->priority = priority;
  stream->thread = std::thread([stream] { stream->run(); });
  const std::lock_guard lock(driver().mutex);
  driver().streams.push_back(stream);
  *handle = reinterpret_cast<StreamHandle>(stream);
  return Result::success;
}
Result cuStreamDestroy_v2(StreamHandle handle) {
  Stream* stream = stream_of(handle);
  {
    const std::unique_lock lives(fake::stream_lives());
    const std::lock_guard lock(driver().mutex);
    std::erase(driver().streams, stream);
  }
  {
    const std::lock_guard lock(stream->mutex);
    stream->stop = true;
    stream->changed.notify_all();
  }
  stream->thread.join();
  delete stream;
  return Result::success;
}
Result cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned) {
  if (join(stream, event)) return Result::success;
  const auto point = event_of(event)->latest();
  if (!point) return Result::success;
  return push(stream, [point] {
    while (!point->done.load()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  });
}
Result cuEventCreate(EventHandle* handle, unsigned flags) {
  if (const Result result = entered(); result != Result::success) return result;
  auto* event = new Event;
  event->device = current_device();
  event->timing = (flags & kEventDisableTiming) == 0;
  *handle = reinterpret_cast<EventHandle>(event);
  return Result::success;
}
Result cuEventDestroy_v2(EventHandle event) {
  delete event_of(event);
  return Result::success;
}
Result cuEventRecord(EventHandle handle, StreamHandle stream) {
  Event* event = event_of(handle);
  if (event->device != stream_of(stream)->device) return Result::invalid_handle;
  if (mark(handle, stream)) return Result::success;
  auto point = std::make_shared<Point>();
  {
    const std::lock_guard lock(event->mutex);
    event->point = point;
  }
  return push(stream, [point] {
    point->when = Clock::now();
    point->done.store(true);
  });
}
Result cuEventQuery(EventHandle event) {
  if (const Result result = entered(); result != Result::success) return result;
  const auto point = event_of(event)->latest();
  return !point || point->done.load() ? Result::success : Result::not_ready;
}
Result cuEventSynchronize(EventHandle event) {
  if (const Result result = entered(); result != Result::success) return result;
  const auto point = event_of(event)->latest();
  while (point && !point->done.load()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  return Result::success;
}
Result cuEventElapsedTime(float* milliseconds, EventHandle start, EventHandle end) {
  if (!event_of(start)->timing || !event_of(end)->timing) return Result::invalid_handle;
  const auto from = event_of(start)->latest(), to = event_of(end)->latest();
  if (!from || !to) return Result::invalid_handle;
  if (!from->done.load() || !to->done.load()) return Result::not_ready;
  *milliseconds = std::chrono::duration<float, std::milli>(to->when - from->when).count();
  return Result::success;
}

Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  if (const Result result = entered(); result != Result::success) return result;
  const std::lock_guard lock(driver().mutex);
  *free = kCapacity - driver().in_use;
  *total = kCapacity;
  return Result::success;
}
Result cuMemAlloc_v2(DevicePointer* pointer, std::size_t bytes) {
  std::uintptr_t address = 0;
  const Result result = allocate(&address, bytes, false);
  *pointer = address;
  return result;
}
Result cuMemFree_v2(DevicePointer pointer) {
  return release(pointer);
}
Result cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  std::uintptr_t address = 0;
  const Result result = allocate(&address, bytes, true);
  *pointer = reinterpret_cast<void*>(address);
  return result;
}
Result cuMemFreeHost(void* pointer) {
  return release(reinterpret_cast<std::uintptr_t>(pointer));
}
Result cuPointerGetAttributes(unsigned count, PointerAttribute* attributes, void** values,
                              DevicePointer pointer) {
  if (const Result result = entered(); result != Result::success) return result;
  const Allocation* allocation = find(pointer, 1);
  for (unsigned i = 0; i < count; ++i) {
    int value = 0;
    if (allocation != nullptr && attributes[i] == PointerAttribute::memory_type) {
      value = static_cast<int>(allocation->host ? MemoryType::host : MemoryType::device);
    } else if (allocation != nullptr) {
      value = allocation->device;
    }
    std::memcpy(values[i], &value, sizeof value);
  }
  return Result::success;
}

Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
  if (!on_device(to, bytes) || !on_device(from, bytes)) return Result::invalid_value;
  if (to < from + bytes && from < to + bytes) return Result::invalid_value;  // undefined with the real one
  return push(stream,
              [=] { std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes); });
}
Result cuMemcpyAsync(DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
  return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}
Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, StreamHandle stream) {
  if (!on_device(to, bytes) || is_captured(stream)) return Result::invalid_value;
  if (find(reinterpret_cast<std::uintptr_t>(from), bytes) != nullptr) {
    return push(stream, [=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
  }
  const auto* begin = static_cast<const char*>(from);
  auto staged = std::make_shared<std::vector<char>>(begin, begin + bytes);
  return push(stream, [=] { std::memcpy(reinterpret_cast<void*>(to), staged->data(), bytes); });
}
Result cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
  if (!on_device(from, bytes)) return Result::invalid_value;
  const bool pinned = find(reinterpret_cast<std::uintptr_t>(to), bytes) != nullptr;
  if (!pinned && is_captured(stream)) return Result::invalid_value;
  const Result result = push(stream, [=] { std::memcpy(to, reinterpret_cast<void*>(from), bytes); });
  if (result == Result::success && !pinned) stream_of(stream)->drain();
  return result;
}
Result cuLaunchHostFunc(StreamHandle stream, void (*function)(void*), void* data) {
  return push(stream, [=] { function(data); });
}
Result cuMemcpy3DAsync_v2(const Copy3D* given, StreamHandle stream) {
  const Copy3D copy = *given;
  const auto valid = [&](const auto& side, std::uintptr_t address) {
    if (side.pitch < copy.width_bytes || (copy.depth > 1 && side.height < copy.height)) return false;
    const std::size_t slice = side.pitch * side.height;
    const std::size_t extent = (copy.depth - 1) * slice + (copy.height - 1) * side.pitch + copy.width_bytes;
    return side.type == MemoryType::host || on_device(address, extent);
  };
  const auto from = copy.from.type == MemoryType::host ? reinterpret_cast<std::uintptr_t>(copy.from.host)
                                                       : static_cast<std::uintptr_t>(copy.from.device);
  const auto to = copy.to.type == MemoryType::host ? reinterpret_cast<std::uintptr_t>(copy.to.host)
                                                   : static_cast<std::uintptr_t>(copy.to.device);
  if (!valid(copy.from, from) || !valid(copy.to, to)) return Result::invalid_value;
  const Result result = push(stream, [=] {
    for (std::size_t z = 0; z < copy.depth; ++z) {
      for (std::size_t y = 0; y < copy.height; ++y) {
        std::memcpy(reinterpret_cast<void*>(to + (z * copy.to.height + y) * copy.to.pitch),
                    reinterpret_cast<void*>(from + (z * copy.from.height + y) * copy.from.pitch),
                    copy.width_bytes);
      }
    }
  });
  const bool host_side = copy.from.type == MemoryType::host || copy.to.type == MemoryType::host;
  if (result == Result::success && host_side) stream_of(stream)->drain();
  return result;
}
Result cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t count, StreamHandle stream) {
  return set(to, value, count, stream);
}
Result cuMemsetD16Async(DevicePointer to, unsigned short value, std::size_t count, StreamHandle stream) {
  return set(to, value, count, stream);
}
Result cuMemsetD32Async(DevicePointer to, unsigned value, std::size_t count, StreamHandle stream) {
  return set(to, value, count, stream);
}

Result cuModuleLoadDataEx(ModuleHandle* module, const void*, unsigned, JitOption*, void**) {
  if (const Result result = entered(); result != Result::success) return result;
  *module = reinterpret_cast<ModuleHandle>(new int(0));
  return Result::success;
}
Result cuModuleUnload(ModuleHandle module) {
  delete reinterpret_cast<int*>(module);
  return Result::success;
}
Result cuModuleGetFunction(FunctionHandle* function, ModuleHandle, const char* name) {
  if (const Result result = entered(); result != Result::success) return result;
  for (const Kernel& kernel : kernels()) {
    if (std::strcmp(kernel.name, name) != 0) continue;
    *function = reinterpret_cast<FunctionHandle>(const_cast<Kernel*>(&kernel));
    return Result::success;
  }
  return Result::not_found;
}
Result cuModuleGetGlobal_v2(DevicePointer*, std::size_t*, ModuleHandle, const char*) {
  return Result::not_found;
}
Result cuModuleGetFunctionCount(unsigned* count, ModuleHandle) {
  *count = static_cast<unsigned>(kernels().size());
  return Result::success;
}
Result cuModuleEnumerateFunctions(FunctionHandle* functions, unsigned count, ModuleHandle) {
  for (unsigned i = 0; i < count; ++i) {
    functions[i] = reinterpret_cast<FunctionHandle>(const_cast<Kernel*>(&kernels()[i]));
  }
  return Result::success;
}
Result cuFuncGetName(const char** name, FunctionHandle function) {
  *name = reinterpret_cast<Kernel*>(function)->name;
  return Result::success;
}
Result cuFuncGetAttribute(int* value, FunctionAttribute attribute, FunctionHandle) {
  *value = attribute == FunctionAttribute::max_threads_per_block           ? 1024
           : attribute == FunctionAttribute::max_dynamic_shared_size_bytes ? 49152
           : attribute == FunctionAttribute::num_regs                      ? 16
                                                                           : 0;
  return Result::success;
}
Result cuFuncSetAttribute(FunctionHandle, FunctionAttribute, int) {
  return entered();
}
Result cuFuncGetParamInfo(FunctionHandle function, std::size_t index, std::size_t* offset,
                          std::size_t* size) {
  const auto& sizes = reinterpret_cast<Kernel*>(function)->sizes;
  if (index >= sizes.size()) return Result::invalid_value;
  *offset = 0;
  *size = sizes[index];
  return Result::success;
}
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, FunctionHandle, int block_size, std::size_t) {
  *blocks = 2048 / block_size;
  return entered();
}
Result cuLaunchKernel(FunctionHandle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                      unsigned by, unsigned bz, unsigned, StreamHandle stream, void** parameters, void**) {
  if (std::size_t{bx} * by * bz > 1024) return Result::invalid_value;
  return push(stream, kernel_task({function, gx, gy, gz, bx, by, bz, 0, parameters, nullptr}));
}

}  // extern "C"

fake::Task fake::kernel_task(const KernelNodeParameters& launch) {
  const auto* kernel = reinterpret_cast<Kernel*>(launch.function);
  auto bytes = std::make_shared<std::vector<std::vector<char>>>();  // parameters are copied by the call
  for (std::size_t i = 0; i < kernel->sizes.size(); ++i) {
    const auto* begin = static_cast<const char*>(launch.parameters[i]);
    bytes->emplace_back(begin, begin + kernel->sizes[i]);
  }
  return [=] {
    std::vector<void*> values;
    for (auto& value : *bytes) values.push_back(value.data());
    Thread t{};
    t.dim[0] = launch.block_x, t.dim[1] = launch.block_y, t.dim[2] = launch.block_z;
    for (t.block[2] = 0; t.block[2] < launch.grid_z; ++t.block[2])
      for (t.block[1] = 0; t.block[1] < launch.grid_y; ++t.block[1])
        for (t.block[0] = 0; t.block[0] < launch.grid_x; ++t.block[0])
          for (t.thread[2] = 0; t.thread[2] < t.dim[2]; ++t.thread[2])
            for (t.thread[1] = 0; t.thread[1] < t.dim[1]; ++t.thread[1])
              for (t.thread[0] = 0; t.thread[0] < t.dim[0]; ++t.thread[0]) kernel->body(t, values.data());
  };
}
