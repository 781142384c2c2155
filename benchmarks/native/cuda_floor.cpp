// SPDX-License-Identifier: MIT
// What the CUDA driver itself takes: launches of an empty kernel, graphs and plain pageable copies, from C++
// and with nothing in between. It needs no header of CUDA: the few entry points are declared here and loaded
// by name.
#include <dlfcn.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace {

using Handle = void*;
using Address = std::uint64_t;

template <class Function>
bool load(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

int (*init)(unsigned);
int (*get_device)(int*, int);
int (*retain_context)(Handle*, int);
int (*set_context)(Handle);
int (*load_module)(Handle*, const void*);
int (*get_function)(Handle*, Handle, const char*);
int (*create_stream)(Handle*, unsigned);
int (*synchronize_stream)(Handle);
int (*allocate)(Address*, size_t);
int (*copy_to_device)(Address, const void*, size_t);
int (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**,
              void**);

int (*begin_capture)(Handle, int);
int (*end_capture)(Handle, Handle*);
int (*instantiate_graph)(Handle*, Handle, unsigned long long);
int (*launch_graph)(Handle, Handle);

Handle context, kernel, stream, graph;
Address memory;
size_t memory_size;

// An empty kernel of three parameters; the driver compiles it for the device.
constexpr char kText[] = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry empty(.param .u64 a, .param .u64 b, .param .f32 c) { ret; }
)";

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

// Zero, or the error of the driver call that failed; -1 without a driver.
extern "C" int cuda_floor_open() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) return -1;
  if (!load(library, "cuInit", init) || !load(library, "cuDeviceGet", get_device) ||
      !load(library, "cuDevicePrimaryCtxRetain", retain_context) ||
      !load(library, "cuCtxSetCurrent", set_context) || !load(library, "cuModuleLoadData", load_module) ||
      !load(library, "cuModuleGetFunction", get_function) ||
      !load(library, "cuStreamCreate", create_stream) ||
      !load(library, "cuStreamSynchronize", synchronize_stream) ||
      !load(library, "cuMemAlloc_v2", allocate) || !load(library, "cuMemcpyHtoD_v2", copy_to_device) ||
      !load(library, "cuLaunchKernel", launch))
    return -1;
  constexpr unsigned kNonBlocking = 1;
  int device = 0;
  Handle module = nullptr;
  if (int error = init(0)) return error;
  if (int error = get_device(&device, 0)) return error;
  if (int error = retain_context(&context, device)) return error;
  if (int error = set_context(context)) return error;
  if (int error = load_module(&module, kText)) return error;
  if (int error = get_function(&kernel, module, "empty")) return error;
  if (int error = create_stream(&stream, kNonBlocking)) return error;
  return allocate(&memory, memory_size = 4096);
}

// Seconds for so many launches, without the wait that follows them; negative on an error.
extern "C" double cuda_floor_launch(int calls) {
  set_context(context);
  float scalar = 1;
  void* arguments[] = {&memory, &memory, &scalar};
  const auto start = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; call++)
    if (launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr)) return -1;
  const double seconds = seconds_since(start);
  return synchronize_stream(stream) ? -1 : seconds;
}

// Makes a graph of so many launches, one after the other. Zero, or the error of the driver; -1 without
// graphs.
extern "C" int cuda_floor_make_graph(int launches) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library || !load(library, "cuStreamBeginCapture_v2", begin_capture) ||
      !load(library, "cuStreamEndCapture", end_capture) ||
      !load(library, "cuGraphInstantiateWithFlags", instantiate_graph) ||
      !load(library, "cuGraphLaunch", launch_graph))
    return -1;
  constexpr int kThreadLocal = 1;
  set_context(context);
  float scalar = 1;
  void* arguments[] = {&memory, &memory, &scalar};
  Handle recorded = nullptr;
  if (int error = begin_capture(stream, kThreadLocal)) return error;
  for (int i = 0; i < launches; i++)
    if (int error = launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr)) return error;
  if (int error = end_capture(stream, &recorded)) return error;
  return instantiate_graph(&graph, recorded, 0);
}

// Seconds for so many launches of the graph; with `waits`, each is waited for, otherwise the wait for all is
// not timed. Negative on an error.
extern "C" double cuda_floor_launch_graph(int calls, int waits) {
  set_context(context);
  const auto start = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; call++) {
    if (launch_graph(graph, stream)) return -1;
    if (waits && synchronize_stream(stream)) return -1;
  }
  const double seconds = seconds_since(start);
  return synchronize_stream(stream) ? -1 : seconds;
}

// Seconds for so many copies of host memory to the device, by cuMemcpyHtoD; negative on an error.
extern "C" double cuda_floor_upload(const void* host, size_t size, int calls) {
  set_context(context);
  if (size > memory_size) {
    if (allocate(&memory, size)) return -1;
    memory_size = size;
  }
  const auto start = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; call++)
    if (copy_to_device(memory, host, size)) return -1;
  synchronize_stream(nullptr);
  return seconds_since(start);
}
