// SPDX-License-Identifier: MIT
// Signatures of kernels, read from OpenCL C and from CUDA C.
#include <gtest/gtest.h>

#include "frontend/frontend.hpp"

namespace quern::frontend {
namespace {

Source text(std::string code) {
  Source source;
  source.text = std::move(code);
  return source;
}

TEST(OpenclSignatures, tell_names_types_spaces_and_constness) {
  const auto kernels = opencl_signatures(text(R"(
    typedef float real;
    kernel void f(global const real *x, constant int *t, local double *l, uint n, real4_t unknown, global uchar4 *p) { }
    __attribute__((reqd_work_group_size(8, 4, 2))) __kernel void g(void) {}
  )"));
  ASSERT_EQ(kernels.size(), 2U);
  const Signature& f = kernels[0];
  EXPECT_EQ(f.name, "f");
  ASSERT_EQ(f.parameters.size(), 6U);
  EXPECT_EQ(f.parameters[0].name, "x");
  EXPECT_EQ(f.parameters[0].type_name, "const float*");
  EXPECT_EQ(f.parameters[0].dtype, DType::of(Scalar::float32));
  EXPECT_TRUE(f.parameters[0].is_pointer);
  EXPECT_TRUE(f.parameters[0].is_const);
  EXPECT_EQ(f.parameters[0].space, AddressSpace::global);
  EXPECT_EQ(f.parameters[1].space, AddressSpace::constant);
  EXPECT_TRUE(f.parameters[1].is_const);
  EXPECT_EQ(f.parameters[2].space, AddressSpace::local);
  EXPECT_EQ(f.parameters[2].dtype, DType::of(Scalar::float64));
  EXPECT_FALSE(f.parameters[3].is_pointer);
  EXPECT_EQ(f.parameters[3].space, AddressSpace::value);
  EXPECT_EQ(f.parameters[3].dtype, DType::of(Scalar::uint32));
  EXPECT_EQ(f.parameters[4].dtype.scalar, Scalar::unknown);
  EXPECT_EQ(f.parameters[5].dtype, DType::of(Scalar::uint8, 4));
  EXPECT_FALSE(f.parameters[5].is_const);
  EXPECT_EQ(kernels[1].required_local, (std::array<std::size_t, 3>{8, 4, 2}));
}

TEST(OpenclSignatures, do_not_need_to_understand_bodies_or_other_functions) {
  const auto kernels = opencl_signatures(text(R"(
    float4 __attribute__((overloadable)) odd(image2d_t i, sampler_t s) { return read_imagef(i, s, (int2)(0)); }
    whatever::this is { not OpenCL C };
    kernel void f(read_only image2d_t image, global int *out) { barrier(1); local int l[3]; @@ }
  )"));
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].parameters[0].dtype.scalar, Scalar::unknown);
  EXPECT_EQ(kernels[0].parameters[1].name, "out");
}

TEST(OpenclSignatures, lay_out_structures) {
  const auto kernels = opencl_signatures(text(R"(
    typedef struct { char tag; float4 v; short s[3]; double d; } item;
    typedef struct __attribute__((packed)) { char tag; double d; } tight;
    kernel void f(global item *items, tight t) {}
  )"));
  const DType& item = kernels[0].parameters[0].dtype;
  ASSERT_EQ(item.scalar, Scalar::structure);
  EXPECT_EQ(item.itemsize, 48U);
  EXPECT_EQ(item.layout->fields[1].offset, 16U);
  EXPECT_EQ(item.layout->fields[1].dtype, DType::of(Scalar::float32, 4));
  EXPECT_EQ(item.layout->fields[2].count, 3U);
  EXPECT_EQ(item.layout->fields[3].offset, 40U);
  EXPECT_EQ(kernels[0].parameters[1].dtype.itemsize, 9U);
}

TEST(CudaSignatures, read_kernels_and_skip_templates) {
  const auto kernels = cuda_signatures(text(R"(
    #include <cuda_fp16.h>
    typedef unsigned long long u64;
    struct pair { int a; float b[2]; };
    template <class T> __global__ void generic(T* x) { *x = T{}; }
    __device__ float helper(float x) { return x; }
    extern "C" __global__ void __launch_bounds__(256) f(const float* __restrict__ x, float4 *y, unsigned long long n, size_t m,
                                                        u64 k, const unsigned char c, pair p, pair *q, odd::thing<int, 3> o, bool b)
    { y[0] = make_float4(x[0], 0, 0, 0); }
    __global__ void g(int const *a, long long *b, double d[], float **pp, unsigned) {}
  )"));
  ASSERT_EQ(kernels.size(), 2U);
  const auto& p = kernels[0].parameters;
  EXPECT_EQ(kernels[0].name, "f");
  ASSERT_EQ(p.size(), 10U);
  EXPECT_EQ(p[0].name, "x");
  EXPECT_EQ(p[0].type_name, "const float*");
  EXPECT_TRUE(p[0].is_const);
  EXPECT_EQ(p[0].space, AddressSpace::global);
  EXPECT_EQ(p[1].dtype, DType::of(Scalar::float32, 4));
  EXPECT_EQ(p[2].dtype, DType::of(Scalar::uint64));
  EXPECT_EQ(p[2].name, "n");
  EXPECT_EQ(p[3].dtype, DType::of(Scalar::uint64));
  EXPECT_EQ(p[4].dtype, DType::of(Scalar::uint64));
  EXPECT_EQ(p[5].dtype, DType::of(Scalar::uint8));
  EXPECT_FALSE(p[5].is_const);
  EXPECT_EQ(p[6].dtype.scalar, Scalar::structure);
  EXPECT_EQ(p[6].dtype.itemsize, 12U);
  EXPECT_EQ(p[7].dtype.itemsize, 12U);
  EXPECT_EQ(p[8].dtype.scalar, Scalar::unknown);
  EXPECT_EQ(p[8].name, "o");
  EXPECT_EQ(p[9].dtype, DType::of(Scalar::boolean));
  const auto& g = kernels[1].parameters;
  ASSERT_EQ(g.size(), 5U);
  EXPECT_TRUE(g[0].is_const);
  EXPECT_EQ(g[1].dtype, DType::of(Scalar::int64));
  EXPECT_TRUE(g[2].is_pointer);
  EXPECT_EQ(g[3].dtype.scalar, Scalar::unknown);
  EXPECT_EQ(g[4].dtype, DType::of(Scalar::uint32));
}

TEST(CudaSignatures, vectors_of_three_have_no_padding) {
  const auto kernels = cuda_signatures(text(R"(
    struct body { float3 at; float mass; };
    __global__ void k(const float3 *x, char3 c, double3 *d, body *b) {}
  )"));
  ASSERT_EQ(kernels.size(), 1U);
  const auto& p = kernels[0].parameters;
  ASSERT_EQ(p.size(), 4U);
  EXPECT_EQ(p[0].dtype.lanes, 3U);
  EXPECT_EQ(p[0].dtype.itemsize, 12U);
  EXPECT_EQ(p[0].dtype.alignment(), 4U);
  EXPECT_EQ(p[1].dtype.itemsize, 3U);
  EXPECT_EQ(p[2].dtype.itemsize, 24U);
  EXPECT_EQ(p[2].dtype.alignment(), 8U);
  EXPECT_EQ(p[3].dtype.scalar, Scalar::unknown);  // laid out in another way than in OpenCL C
  EXPECT_EQ(DType::of(Scalar::float32, 3).alignment(), 16U);
}

}  // namespace
}  // namespace quern::frontend
