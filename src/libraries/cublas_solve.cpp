// SPDX-License-Identifier: MIT
// Triangular systems, and systems of stacks of matrices, by cuBLAS. Its types are declared here, because its
// headers may be missing.
#include "libraries/cublas_solve.hpp"

#include <array>
#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/dtype_kinds.hpp"
#include "base/shared_library.hpp"
#include "libraries/cublas.hpp"
#include "libraries/cuda_handles.hpp"
#include "libraries/cuda_search.hpp"
#include "quern/error.hpp"
#include "runtime/context_state.hpp"
#include "runtime/library_call.hpp"
#include "runtime/queue_state.hpp"

namespace quern::libraries {
namespace {

using Handle = void*;
using Status = int;
using Size = std::int64_t;
// The values of cublasSideMode_t, cublasFillMode_t, cublasOperation_t and cublasDiagType_t.
constexpr int kLeft = 0, kLower = 0, kUpper = 1, kAsIs = 0, kTransposed = 1, kAdjoint = 2, kStored = 0,
              kOnes = 1;

// Functions of float32, float64, complex64, complex128.
struct Functions {
  Status (*create)(Handle*) = nullptr;
  Status (*set_stream)(Handle, void*) = nullptr;
  std::array<Status (*)(Handle, int, int, int, int, Size, Size, const void*, const void*, Size, void*, Size),
             4>
      trsm{};
  std::array<Status (*)(Handle, int, void*, int, int*, int*, int), 4> getrf_batched{};
  std::array<Status (*)(Handle, int, int, int, const void*, int, const int*, void*, int, int*, int), 4>
      getrs_batched{};
  bool has_all = false;
};

// From the library that products use.
const Functions& functions() {
  static const Functions found = [] {
    Functions to;
    const std::string path = cublas_report().path;
    if (path.empty()) return to;
    const SharedLibrary library({&path, 1});
    to.has_all = library.loaded() && find_function(library, "cublasCreate_v2", to.create) &&
                 find_function(library, "cublasSetStream_v2", to.set_stream);
    constexpr std::array<char, 4> kLetters = {'S', 'D', 'C', 'Z'};
    for (std::size_t i = 0; i < kLetters.size(); ++i) {
      const std::string prefix = std::string("cublas") + kLetters[i];
      to.has_all = to.has_all && find_function(library, (prefix + "trsm_v2_64").c_str(), to.trsm[i]) &&
                   find_function(library, (prefix + "getrfBatched").c_str(), to.getrf_batched[i]) &&
                   find_function(library, (prefix + "getrsBatched").c_str(), to.getrs_batched[i]);
    }
    return to;
  }();
  return found;
}

CudaHandles& handles() {
  static auto* const all = new CudaHandles;  // never destroyed: used until the process ends
  return *all;
}

std::size_t number_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::float32:
      return 0;
    case Scalar::float64:
      return 1;
    case Scalar::complex64:
      return 2;
    default:
      return 3;
  }
}

int operation_of(char op) {
  return op == 'N' ? kAsIs : op == 'T' ? kTransposed : kAdjoint;
}

void check(Status status, const char* call, const Queue& queue) {
  if (status != 0)
    throw Error(std::string(call) + " failed on " + queue.device().spec() + " with status " +
                std::to_string(status));
}

using Work = std::function<Status(Handle, const std::vector<void*>&)>;

void enqueue(const Queue& queue, const char* name, std::vector<DevicePart> parts, Work work) {
  std::vector<detail::LibraryUse> uses;
  for (const DevicePart& part : parts) uses.push_back({part.buffer, true});
  std::vector<std::int64_t> starts;
  for (const DevicePart& part : parts) starts.push_back(part.start);
  detail::call_library(
      queue, name, uses,
      [queue, name, starts, work = std::move(work)](const detail::LibraryArguments& arguments) {
        const CudaHandles::Lease handle(handles(), queue, [&] {
          Handle made = nullptr;
          check(functions().create(&made), "cublasCreate", queue);
          return made;
        });
        check(functions().set_stream(handle.get(), reinterpret_cast<void*>(arguments.queue)),
              "cublasSetStream", queue);
        std::vector<void*> at;
        for (std::size_t i = 0; i < starts.size(); ++i)
          at.push_back(
              reinterpret_cast<void*>(arguments.addresses[i] + static_cast<std::uintptr_t>(starts[i])));
        check(work(handle.get(), at), name, queue);
      });
}

}  // namespace

bool cublas_solves(const Queue& queue, Scalar scalar) {
  return queue.state()->properties().dialect == Dialect::cuda_cpp && !detail::is_short_float(scalar) &&
         gemm_types(scalar).data >= 0 && cublas_is_on(queue) && functions().has_all;
}

void cublas_trsm(const Queue& queue, Scalar scalar, bool is_lower, char op, bool has_unit_diagonal,
                 std::int64_t n, std::int64_t columns, DevicePart a, DevicePart b) {
  enqueue(queue, "cublasTrsm", {a, b}, [=](Handle handle, const std::vector<void*>& at) {
    const std::complex<double> wide{1};
    const std::complex<float> narrow{1};
    const bool is_wide = scalar == Scalar::float64 || scalar == Scalar::complex128;
    return functions().trsm[number_of(scalar)](
        handle, kLeft, is_lower ? kLower : kUpper, operation_of(op), has_unit_diagonal ? kOnes : kStored, n,
        columns, is_wide ? static_cast<const void*>(&wide) : &narrow, at[0], n, at[1], n);
  });
}

void cublas_getrf_batched(const Queue& queue, Scalar scalar, std::int64_t n, std::int64_t count, MatrixList a,
                          DevicePart pivots, DevicePart info) {
  enqueue(queue, "cublasGetrfBatched", {a.addresses, a.matrices, pivots, info},
          [=](Handle handle, const std::vector<void*>& at) {
            return functions().getrf_batched[number_of(scalar)](
                handle, static_cast<int>(n), at[0], static_cast<int>(n), static_cast<int*>(at[2]),
                static_cast<int*>(at[3]), static_cast<int>(count));
          });
}

void cublas_getrs_batched(const Queue& queue, Scalar scalar, char op, std::int64_t n, std::int64_t columns,
                          std::int64_t count, MatrixList lu, DevicePart pivots, MatrixList b) {
  enqueue(queue, "cublasGetrsBatched", {lu.addresses, lu.matrices, pivots, b.addresses, b.matrices},
          [=](Handle handle, const std::vector<void*>& at) {
            int refused = 0;  // the number of an argument, written at once
            return functions().getrs_batched[number_of(scalar)](
                handle, operation_of(op), static_cast<int>(n), static_cast<int>(columns), at[0],
                static_cast<int>(n), static_cast<const int*>(at[2]), at[3], static_cast<int>(n), &refused,
                static_cast<int>(count));
          });
}

}  // namespace quern::libraries
