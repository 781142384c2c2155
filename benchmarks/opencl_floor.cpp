// SPDX-License-Identifier: MIT
// What the OpenCL backend adds to the driver: enqueuing a kernel of three arguments through backend.hpp
// against clSetKernelArg three times and clEnqueueNDRangeKernel, and waiting for one launch, interleaved in
// one run.
//
// Build by hand, next to a built library:
//   c++ -std=c++20 -O3 -Iinclude -Isrc benchmarks/opencl_floor.cpp build/libquern.a -ldl -lpthread -o
//   opencl_floor
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

#include "backend/opencl/api.hpp"
#include "backend/registry.hpp"

using namespace quern::backend;  // NOLINT: a benchmark of one file

namespace {

constexpr int kLaunches = 500, kRounds = 90;

struct Raw {
  cl_context context;
  cl_command_queue queue;
  cl_kernel kernel;
  cl_mem a, b;
};

// In the same context: switching between two costs a GPU more than what is measured here.
Raw make_raw(const Device& device, const Context& context, const char* source) {
  const opencl::Api& cl = opencl::api();
  auto* id = reinterpret_cast<cl_device_id>(device.native_handle());
  cl_int status = 0;
  Raw raw{};
  raw.context = reinterpret_cast<cl_context>(context.native_handle(0));
  raw.queue = cl.CreateCommandQueue(raw.context, id, 0, &status);
  cl_program program = cl.CreateProgramWithSource(raw.context, 1, &source, nullptr, &status);
  opencl::check(cl.BuildProgram(program, 1, &id, "", nullptr, nullptr), "clBuildProgram", "");
  raw.kernel = cl.CreateKernel(program, "add", &status);
  raw.a = cl.CreateBuffer(raw.context, CL_MEM_READ_WRITE, 4096, nullptr, &status);
  raw.b = cl.CreateBuffer(raw.context, CL_MEM_READ_WRITE, 4096, nullptr, &status);
  return raw;
}

void launch_raw(const Raw& raw, int c) {
  const opencl::Api& cl = opencl::api();
  const std::size_t global = 64, local = 64;
  cl.SetKernelArg(raw.kernel, 0, sizeof raw.a, &raw.a);
  cl.SetKernelArg(raw.kernel, 1, sizeof raw.b, &raw.b);
  cl.SetKernelArg(raw.kernel, 2, sizeof c, &c);
  cl.EnqueueNDRangeKernel(raw.queue, raw.kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr);
}

void wait_raw(const Raw& raw) {
  const opencl::Api& cl = opencl::api();
  cl_event event = nullptr;
  cl.EnqueueMarkerWithWaitList(raw.queue, 0, nullptr, &event);
  cl.WaitForEvents(1, &event);
  cl.ReleaseEvent(event);
}

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Minimum and median, which a busy machine disturbs least.
struct Samples {
  std::vector<double> all;
  void add(double value) { all.push_back(value); }
  void print(const char* name) {
    std::sort(all.begin(), all.end());
    std::printf("  %-44s min %8.3f us   median %8.3f us\n", name, all.front(), all[all.size() / 2]);
  }
};

void measure(const std::shared_ptr<Device>& device) {
  const char* source =
      "kernel void add(global const float* a, global float* b, int c) { size_t i = get_global_id(0); b[i] = "
      "a[i] + c; }";
  std::printf("%s (%s)\n", device->properties().name.c_str(), device->properties().platform.c_str());
  auto context = device->make_context({&device, 1});
  const Raw raw = make_raw(*device, *context, source);
  CompileRequest request;
  request.text = source;
  auto compiled = context->compile(0, request);
  auto function = compiled.module->function("add", nullptr);
  auto queue = context->make_queue(0, {});
  auto a = context->allocate(0, 4096), b = context->allocate(0, 4096);
  int c = 0;
  Argument arguments[3];
  arguments[0].kind = arguments[1].kind = Argument::Kind::memory;
  arguments[0].memory = a.get();
  arguments[1].memory = b.get();
  arguments[0].size = arguments[1].size = 4096;
  arguments[2].value = &c;
  arguments[2].size = sizeof c;
  LaunchShape shape;
  shape.global[0] = shape.local[0] = 64;

  Samples raw_enqueue, same, changing, raw_wait, forever, limited;
  for (int round = 0; round < kRounds; ++round) {
    const auto batch = [&](Samples& samples, const auto& launch, const auto& wait) {
      const auto start = Clock::now();
      for (int i = 0; i < kLaunches; ++i) launch(i);
      samples.add(microseconds_since(start) / kLaunches);
      wait();
    };
    const auto finish = [&] { queue->record()->wait(Deadline::max()); };
    // Each goes first as often as the others: what ran before decides whether the driver's threads are awake.
    for (int turn = 0; turn < 3; ++turn) {
      switch ((round + turn) % 3) {
        case 0:
          batch(
              raw_enqueue, [&](int i) { launch_raw(raw, i); }, [&] { wait_raw(raw); });
          break;
        case 1:
          batch(
              same, [&](int) { queue->launch(*function, shape, arguments); }, finish);
          break;
        default:
          batch(
              changing,
              [&](int i) {
                c = i;
                std::swap(arguments[0].memory, arguments[1].memory);
                queue->launch(*function, shape, arguments);
              },
              finish);
      }
    }
    for (int i = 0; i < 20; ++i) {
      auto start = Clock::now();
      launch_raw(raw, i);
      wait_raw(raw);
      raw_wait.add(microseconds_since(start));
      start = Clock::now();
      queue->launch(*function, shape, arguments);
      queue->record()->wait(Deadline::max());
      forever.add(microseconds_since(start));
      start = Clock::now();
      queue->launch(*function, shape, arguments);
      queue->record()->wait(Clock::now() + std::chrono::seconds(1));
      limited.add(microseconds_since(start));
    }
  }
  raw_enqueue.print("raw: three arguments set, enqueue");
  same.print("backend: launch, arguments as before");
  changing.print("backend: launch, every argument changes");
  raw_wait.print("raw: launch, marker, clWaitForEvents");
  forever.print("backend: launch, record, wait for ever");
  limited.print("backend: launch, record, wait with deadline");
}

}  // namespace

int main() {
  for (const auto& device : discover_opencl().devices) measure(device);
}
