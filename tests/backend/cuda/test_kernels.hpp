// SPDX-License-Identifier: MIT
// The kernels of queue_test.cpp. The fake driver has host functions of the same names.
#pragma once

namespace quern::backend::cuda {

inline constexpr const char* kKernels = R"(
struct quern_ndrange { unsigned long long global_size[3], global_offset[3]; unsigned work_dim; };
typedef unsigned long long ulong64;

// As the front end lowers: the hidden parameter last, work-items past the global size do nothing.
extern "C" __global__ void quern_kernel_mark(int* out, int value, quern_ndrange r) {
  const ulong64 id[3] = {blockIdx.x * (ulong64)blockDim.x + threadIdx.x, blockIdx.y * (ulong64)blockDim.y + threadIdx.y,
                         blockIdx.z * (ulong64)blockDim.z + threadIdx.z};
  for (int d = 0; d < 3; ++d) if (id[d] >= r.global_size[d]) return;
  ulong64 index = 0;
  for (int d = 2; d >= 0; --d) index = index * (r.global_size[d] + r.global_offset[d]) + id[d] + r.global_offset[d];
  out[index] += value;
}
extern "C" __global__ void quern_kernel_dims(int* out, quern_ndrange r) { out[0] = r.work_dim; }
extern "C" __global__ void add(int* x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] += value; }
extern "C" __global__ void append(int* log, int value) { log[++log[0]] = value; }
extern "C" __global__ void spin(int* out, long long cycles, int value) {
  const long long start = clock64();
  while (clock64() - start < cycles) {}
  if (out) *out = value;
}
extern "C" __global__ void fault(int* x) { *(volatile int*)(x + 4) = 1; }
extern "C" __global__ void empty() {}
extern "C" __global__ void sum40(long long* out, PARAMETERS) {
  *out = SUM;
}
__device__ int counter = 3;
__constant__ float table[4];
extern "C" __global__ void use_globals(float* out) {
  for (int i = 0; i < 4; ++i) out[i] = table[i] * counter;
  counter = 11;
}
extern "C" __global__ void reverse(int* x, int n) {
  extern __shared__ int cache[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) cache[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = cache[n - 1 - i];
}
template <class T, int N> __global__ void times(T* x) { x[threadIdx.x] *= N; }
)";

}  // namespace quern::backend::cuda
