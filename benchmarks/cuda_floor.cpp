// SPDX-License-Identifier: MIT
// What the CUDA backend costs on top of the driver: launches, markers, transfers, compilations. Prints a
// table.
//
// Each row interleaves the backend with the same work done by bare driver calls, and shows the minima and
// their ratio.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "backend/cuda/device.hpp"
#include "backend/cuda/nvrtc.hpp"
#include "backend/cuda/program.hpp"
#include "backend/registry.hpp"
#include "base/shared_library.hpp"

using namespace quern;
using namespace quern::backend;
using namespace quern::backend::cuda;

namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double time_of(const std::function<void()>& work) {
  const double start = seconds();
  work();
  return seconds() - start;
}

struct Pair {
  double ours = 1e9, theirs = 1e9;
};

// `resolve` runs between, untimed.
Pair interleave(int rounds, const std::function<void()>& ours, const std::function<void()>& theirs,
                const std::function<void()>& resolve) {
  Pair best;
  for (int i = 0; i < rounds; ++i) {
    best.ours = std::min(best.ours, time_of(ours));
    resolve();
    best.theirs = std::min(best.theirs, time_of(theirs));
    resolve();
  }
  return best;
}

void row(const char* what, Pair t, double count, double scale, const char* unit) {
  std::printf("%-64s %10.3f %10.3f %s   ratio %.3f\n", what, t.ours / count * scale, t.theirs / count * scale,
              unit, t.ours / t.theirs);
}

void single(const char* what, double value, const char* unit) {
  std::printf("%-64s %10.3f %10s %s\n", what, value, "", unit);
}

}  // namespace

int main() {
  const double discovery_time = time_of([] { discovery("cuda"); });
  const Discovery& found = discovery("cuda");
  if (found.devices.empty()) {
    for (const Attempt& attempt : found.attempts)
      std::printf("%s: %s\n", attempt.what.c_str(), attempt.outcome.c_str());
    return 1;
  }
  const auto device = std::static_pointer_cast<CudaDevice>(found.devices.front());
  std::shared_ptr<Context> context;
  const double context_time =
      time_of([&] { context = device->make_context(std::span(&found.devices.front(), 1)); });
  const DeviceState& state = *device->state();
  const Driver& api = state.api;
  const SharedLibrary library(std::vector<std::string>{api.path});
  const auto copy_pageable = reinterpret_cast<Result (*)(DevicePointer, const void*, std::size_t)>(
      library.symbol("cuMemcpyHtoD_v2"));
  const auto copy_back =
      reinterpret_cast<Result (*)(void*, DevicePointer, std::size_t)>(library.symbol("cuMemcpyDtoH_v2"));
  const auto synchronize = reinterpret_cast<Result (*)(StreamHandle)>(library.symbol("cuStreamSynchronize"));
  std::printf("%s, %s\n%-64s %10s %10s\n", state.name.c_str(), device->properties().version.c_str(), "",
              "Quern", "driver");
  single("discovery", discovery_time * 1e3, "ms");
  single("first context", context_time * 1e3, "ms");

  // Compiling and loading.
  CompileRequest request;
  request.dialect = Dialect::cuda_cpp;
  request.name = "floor.cu";
  request.text = R"(
struct quern_ndrange { unsigned long long global_size[3], global_offset[3]; };
extern "C" __global__ void three(float* x, float* y, int n) {}
extern "C" __global__ void lowered(float* x, float* y, int n, quern_ndrange r) {}
)";
  std::vector<std::byte> binary;
  single("NVRTC, first compilation", time_of([&] { binary = context->compile(0, request).binary; }) * 1e3,
         "ms");
  const Nvrtc& nvrtc = load_nvrtc(api.version / 1000);
  const std::string architecture = "--gpu-architecture=" + choose_target(nvrtc, device->capability());
  int round = 0;
  const Pair compile = interleave(
      5,
      [&] {
        request.options = {"-DROUND=" + std::to_string(round++)};
        context->compile(0, request);
      },
      [&] {
        NvrtcProgram program = nullptr;
        nvrtc.nvrtcCreateProgram(&program, request.text.c_str(), "floor.cu", 0, nullptr, nullptr);
        const std::string define = "-DROUND=" + std::to_string(round++);
        const char* options[] = {architecture.c_str(), "--std=c++17", define.c_str()};
        nvrtc.nvrtcCompileProgram(program, 3, options);
        std::size_t size = 0;
        nvrtc.nvrtcGetCUBINSize(program, &size);
        std::vector<char> cubin(size);
        nvrtc.nvrtcGetCUBIN(program, cubin.data());
        nvrtc.nvrtcDestroyProgram(&program);
      },
      [] {});
  row("NVRTC, later compilations", compile, 1, 1e3, "ms");
  single("compiler_identity", time_of([&] { context->compiler_identity(0); }) * 1e3, "ms");

  const auto queue = context->make_queue(0, {});
  const auto stream = reinterpret_cast<StreamHandle>(queue->native_handle());
  const auto finish = [&] { queue->record()->wait(Deadline::max()); };
  std::unique_ptr<Module> module;
  const Pair load = interleave(
      10,
      [&] {
        module = context->load(0, binary);
        module->function("three", nullptr);
      },
      [&] {
        const Current current(state);
        ModuleHandle handle = nullptr;
        FunctionHandle function = nullptr;
        api.cuModuleLoadDataEx(&handle, binary.data(), 0, nullptr, nullptr);
        api.cuModuleGetFunction(&function, handle, "three");
        api.cuModuleUnload(handle);
      },
      finish);
  row("load a cubin and get a function (driver: and unload)", load, 1, 1e3, "ms");

  // Launches with three arguments.
  constexpr int kLaunches = 500;
  Signature signature;
  signature.name = "lowered";
  signature.parameters.resize(3);
  for (Parameter& parameter : signature.parameters) parameter.dtype = dtype_of<float>();
  signature.parameters[0].is_pointer = signature.parameters[1].is_pointer = true;
  signature.parameters[2].dtype = dtype_of<std::int32_t>();
  const auto plain = module->function("three", nullptr);
  const auto lowered = module->function("lowered", &signature);
  const auto memory = context->allocate(0, 4096);
  int n = 3;
  std::vector<Argument> arguments(3);
  arguments[0].kind = arguments[1].kind = Argument::Kind::memory;
  arguments[0].memory = arguments[1].memory = memory.get();
  arguments[2].value = &n;
  arguments[2].size = sizeof n;
  LaunchShape sizes;
  sizes.global = {256, 1, 1};
  sizes.local = {128, 1, 1};
  DevicePointer pointer = memory->native_handle();
  struct {
    unsigned long long global_size[3] = {256, 1, 1}, global_offset[3] = {0, 0, 0};
  } range;
  void* parameters[] = {&pointer, &pointer, &n, &range};
  const auto launches = [&](Queue& q, Function& function) {
    for (int i = 0; i < kLaunches; ++i) q.launch(function, sizes, arguments);
  };
  const auto bare = [&](Function& function) {
    const auto handle = static_cast<CudaFunction&>(function).handle();
    for (int i = 0; i < kLaunches; ++i)
      api.cuLaunchKernel(handle, 2, 1, 1, 128, 1, 1, 0, stream, parameters, nullptr);
  };
  const auto profiled = context->make_queue(0, {.profiling = true});
  const auto resolve = [&] {
    finish();
    profiled->record()->wait(Deadline::max());
  };
  {
    const Current current(state);  // as in a program that uses the context itself
    row("launch, CUDA C, context current",
        interleave(
            40, [&] { launches(*queue, *plain); }, [&] { bare(*plain); }, resolve),
        kLaunches, 1e6, "us");
    row("launch, lowered, context current",
        interleave(
            40, [&] { launches(*queue, *lowered); }, [&] { bare(*lowered); }, resolve),
        kLaunches, 1e6, "us");
  }
  row("launch, lowered, no context current (driver: current)",
      interleave(
          40, [&] { launches(*queue, *lowered); },
          [&] {
            const Current current(state);
            bare(*lowered);
          },
          resolve),
      kLaunches, 1e6, "us");
  row("launch on a profiling queue (driver: not profiled)",
      interleave(
          20, [&] { launches(*profiled, *lowered); },
          [&] {
            const Current current(state);
            bare(*lowered);
          },
          resolve),
      kLaunches, 1e6, "us");
  row("get, push and pop the current context",
      interleave(
          20,
          [&] {
            for (int i = 0; i < kLaunches; ++i) const Current current(state);
          },
          [&] {
            ContextHandle context_now = nullptr;
            for (int i = 0; i < kLaunches; ++i) api.cuCtxGetCurrent(&context_now);
          },
          [] {}),
      kLaunches, 1e6, "us");

  // Markers.
  EventHandle event = nullptr;
  {
    const Current current(state);
    api.cuEventCreate(&event, kEventDisableTiming);
    row("record a marker (driver: record an event)",
        interleave(
            20,
            [&] {
              for (int i = 0; i < kLaunches; ++i) queue->record();
            },
            [&] {
              for (int i = 0; i < kLaunches; ++i) api.cuEventRecord(event, stream);
            },
            resolve),
        kLaunches, 1e6, "us");
    row("launch, record, wait (driver: launch, cuStreamSynchronize)",
        interleave(
            20,
            [&] {
              for (int i = 0; i < 50; ++i) {
                queue->launch(*lowered, sizes, arguments);
                queue->record()->wait(Deadline::max());
              }
            },
            [&] {
              const auto handle = static_cast<CudaFunction&>(*lowered).handle();
              for (int i = 0; i < 50; ++i) {
                api.cuLaunchKernel(handle, 2, 1, 1, 128, 1, 1, 0, stream, parameters, nullptr);
                synchronize(stream);
              }
            },
            resolve),
        50, 1e6, "us");
    api.cuEventDestroy(event);
  }

  // Transfers. The ratio is of times: below one half is more than twice as fast.
  for (const std::size_t mib : {std::size_t{1}, std::size_t{16}, std::size_t{256}}) {
    const std::size_t bytes = mib << 20;
    const double gigabytes = static_cast<double>(bytes) / 1e9;
    std::vector<char> host(bytes, 1);
    const auto target = context->allocate(0, bytes);
    const Pair up = interleave(
        8,
        [&] {
          queue->write(*target, 0, host.data(), bytes);
          finish();
        },
        [&] {
          const Current current(state);
          copy_pageable(target->native_handle(), host.data(), bytes);
        },
        resolve);
    const Pair down = interleave(
        8,
        [&] {
          queue->read(*target, 0, host.data(), bytes);
          finish();
        },
        [&] {
          const Current current(state);
          copy_back(host.data(), target->native_handle(), bytes);
        },
        resolve);
    const auto pinned = context->allocate_pinned(bytes);
    std::memset(pinned->data(), 1, bytes);
    double direct = 1e9;
    for (int i = 0; i < 8; ++i) {
      direct = std::min(direct, time_of([&] {
                          queue->write(*target, 0, pinned->data(), bytes);
                          finish();
                        }));
    }
    const std::string size = std::to_string(mib) + " MiB";
    const auto rates = [&](const char* way, Pair t) {
      std::printf("%-64s %10.2f %10.2f GB/s ratio %.3f of the time\n", (way + size + ", pageable").c_str(),
                  gigabytes / t.ours, gigabytes / t.theirs, t.ours / t.theirs);
    };
    rates("upload ", up);
    rates("download ", down);
    single(("upload " + size + ", pinned").c_str(), gigabytes / direct, "GB/s");
  }
}
