// SPDX-License-Identifier: MIT
// Kernels that are OpenCL C for the front end and C++ for the test: what C++ makes of the same text, one
// thread for each work-item of a group, is what the lowered kernel must compute.
#pragma once

#include <barrier>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "frontend/host_program.hpp"

namespace quern::frontend::test {

// The work-item that runs on this thread.
struct WorkItem {
  Sizes global_id, local_id, group_id, global_size, local_size, groups;
  std::barrier<>* barrier;
};
inline thread_local WorkItem here;

namespace opencl {
inline std::size_t get_global_id(unsigned d) {
  return here.global_id[d];
}
inline std::size_t get_local_id(unsigned d) {
  return here.local_id[d];
}
inline std::size_t get_group_id(unsigned d) {
  return here.group_id[d];
}
inline std::size_t get_global_size(unsigned d) {
  return here.global_size[d];
}
inline std::size_t get_local_size(unsigned d) {
  return here.local_size[d];
}
inline std::size_t get_num_groups(unsigned d) {
  return here.groups[d];
}
inline constexpr int CLK_LOCAL_MEM_FENCE = 1;
inline void barrier(int) {
  here.barrier->arrive_and_wait();
}
}  // namespace opencl

// Calls `item` for every work-item, group after group. If the kernel has barriers, each work-item has a
// thread.
template <class Item>
void for_each_item(Sizes global, Sizes local, Sizes offset, bool has_barriers, const Item& item) {
  Sizes groups, g, size, l;
  for (std::size_t d = 0; d < 3; ++d) groups[d] = (global[d] + local[d] - 1) / local[d];
  for (g[2] = 0; g[2] < groups[2]; ++g[2])
    for (g[1] = 0; g[1] < groups[1]; ++g[1])
      for (g[0] = 0; g[0] < groups[0]; ++g[0]) {
        for (std::size_t d = 0; d < 3; ++d) size[d] = std::min(local[d], global[d] - g[d] * local[d]);
        std::barrier<> barrier(static_cast<std::ptrdiff_t>(size[0] * size[1] * size[2]));
        std::vector<std::jthread> threads;
        for (l[2] = 0; l[2] < size[2]; ++l[2])
          for (l[1] = 0; l[1] < size[1]; ++l[1])
            for (l[0] = 0; l[0] < size[0]; ++l[0]) {
              WorkItem work_item{{}, l, g, global, size, groups, &barrier};
              for (std::size_t d = 0; d < 3; ++d) work_item.global_id[d] = offset[d] + g[d] * local[d] + l[d];
              const auto run = [work_item, &item] {
                here = work_item;
                item();
              };
              if (has_barriers)
                threads.emplace_back(run);
              else
                run();
            }
      }
}

using Body = void (*)(std::int32_t* out, const std::int32_t* in, int n);

struct SharedKernel {
  const char* name;
  const char* text;
  Body body;
};

struct Launch {
  Sizes global = {1, 1, 1}, local = {1, 1, 1}, offset = {0, 0, 0};
};

// Runs both for each n and compares. `before` is put before the kernel: helpers, attributes.
inline void expect_same(const SharedKernel& kernel, const Launch& launch,
                        std::initializer_list<int> arguments, KernelForm form,
                        const std::string& before = "") {
  Source source;
  source.text = before + "kernel void " + kernel.name + kernel.text;
  source.file = kernel.name;
  const HostProgram program(source);
  ASSERT_EQ(program.lowered().forms, std::vector<KernelForm>{form}) << program.lowered().text;
  for (const int n : arguments) {
    std::vector<std::int32_t> in(1 << 14), expected(1 << 14, -7), out(1 << 14, -7);
    std::uint32_t state = 1;
    for (std::int32_t& x : in)
      x = static_cast<std::int32_t>((state = state * 1664525u + 1013904223u) >> 20) - 1000;
    std::int32_t* expected_data = expected.data();
    const std::int32_t* in_data = in.data();
    const bool has_barriers = form == KernelForm::split || form == KernelForm::fibers;
    for_each_item(launch.global, launch.local, launch.offset, has_barriers,
                  [&] { kernel.body(expected_data, in_data, n); });
    std::int32_t* out_data = out.data();
    program.run(kernel.name, launch.global, launch.local, {&out_data, &in_data, &n}, launch.offset, 3, 3);
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], expected[i]) << kernel.name << " at " << i << ", n " << n << "\n"
                                     << program.lowered().text;
  }
}

}  // namespace quern::frontend::test

// NOLINTBEGIN: words of OpenCL C
#define global
#define constant const
#define local static
#define QUERN_SHARED_KERNEL(name, ...) \
  namespace as_cpp {                   \
  using namespace opencl;              \
  static void name __VA_ARGS__         \
  }                                    \
  static const SharedKernel name = {#name, #__VA_ARGS__, as_cpp::name};
// NOLINTEND
