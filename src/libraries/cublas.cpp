// SPDX-License-Identifier: MIT
// Matrix products by cuBLAS. Its types are declared here, because its headers may be missing.
#include "libraries/cublas.hpp"

#include <array>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/cuda_libraries.hpp"
#include "base/environment.hpp"
#include "base/shared_library.hpp"
#include "libraries/allowed.hpp"
#include "libraries/cuda_handles.hpp"
#include "quern/array.hpp"
#include "quern/error.hpp"
#include "runtime/context_state.hpp"
#include "runtime/library_call.hpp"
#include "runtime/queue_state.hpp"

namespace quern::libraries {
namespace {

using Handle = void*;
using Status = int;

// The values of cublasOperation_t, cudaDataType and cublasComputeType_t.
enum Operation : int { kAsIs = 0, kTransposed = 1 };
constexpr int kDefaultAlgorithm = -1;

struct Cublas {
  LibraryReport report;
  Status (*create)(Handle*) = nullptr;
  Status (*get_version)(Handle, int*) = nullptr;
  Status (*set_stream)(Handle, void*) = nullptr;
  Status (*set_workspace)(Handle, void*, std::size_t) = nullptr;
  const char* (*get_status_name)(Status) = nullptr;
  Status (*gemm)(Handle, int, int, std::int64_t, std::int64_t, std::int64_t, const void*, const void*, int,
                 std::int64_t, long long, const void*, int, std::int64_t, long long, const void*, void*, int,
                 std::int64_t, long long, std::int64_t, int, int) = nullptr;
};

template <class Pointer>
bool find(const SharedLibrary& library, const char* name, Pointer& pointer) {
  pointer = reinterpret_cast<Pointer>(library.symbol(name));
  return pointer != nullptr;
}

// The functions with 64-bit sizes exist since CUDA 12.
std::unique_ptr<const Cublas> load() {
  auto cublas = std::make_unique<Cublas>();
  cublas->report.name = "cuBLAS";
  cublas->report.backend = "cuda";
  const std::array<std::string, 2> sonames = {"libcublas.so.13", "libcublas.so.12"};
  std::vector<std::string> files =
      find_cuda_libraries(sonames, environment("QUERN_CUDA_LIBRARIES").value_or(""));
  if (files.empty()) files.assign(sonames.begin(), sonames.end());
  for (const std::string& file : files) {
    // It depends on a second library beside it, which not every package names by its folder.
    const std::filesystem::path path(file);
    if (path.has_parent_path()) {
      const std::string name = path.filename().string();
      const std::string second =
          (path.parent_path() / ("libcublasLt" + name.substr(name.find(".so")))).string();
      static_cast<void>(SharedLibrary({&second, 1}));
    }
    const SharedLibrary library({&file, 1});
    for (const SharedLibrary::Attempt& attempt : library.attempts())
      cublas->report.attempts.push_back(
          {attempt.name, attempt.error.empty() ? "loaded" : attempt.error, attempt.error.empty()});
    if (!library.loaded()) continue;
    if (find(library, "cublasCreate_v2", cublas->create) &&
        find(library, "cublasGetVersion_v2", cublas->get_version) &&
        find(library, "cublasSetStream_v2", cublas->set_stream) &&
        find(library, "cublasSetWorkspace_v2", cublas->set_workspace) &&
        find(library, "cublasGetStatusName", cublas->get_status_name) &&
        find(library, "cublasGemmStridedBatchedEx_64", cublas->gemm)) {
      cublas->report.path = library.path();
      int version = 0;
      if (cublas->get_version(nullptr, &version) == 0)
        cublas->report.version = std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
                                 "." + std::to_string(version % 100);
      return cublas;
    }
    cublas->gemm = nullptr;
    cublas->report.attempts.back() = {file, "it lacks functions of CUDA 12", false};
  }
  return cublas;
}

const Cublas& cublas() {
  static const Cublas* const loaded = load().release();  // never destroyed: used until the process ends
  return *loaded;
}

void check(Status status, const char* call, const Queue& queue) {
  if (status == 0) return;
  throw Error(std::string(call) + " failed on " + queue.device().spec() + " with " +
              cublas().get_status_name(status));
}

CudaHandles& handles() {
  static auto* const all = new CudaHandles;  // never destroyed: used until the process ends
  return *all;
}

// The factors of the product and of the old result, 1 and 0, in the type of the sums.
struct Factors {
  alignas(16) std::array<std::byte, 16> one{}, zero{};
  explicit Factors(Scalar scalar) {
    const bool is_double = scalar == Scalar::float64 || scalar == Scalar::complex128;
    if (is_double) {
      const double value = 1;
      std::memcpy(one.data(), &value, sizeof value);
    } else {
      const float value = 1;
      std::memcpy(one.data(), &value, sizeof value);
    }
  }
};

}  // namespace

// float16 and bfloat16 are summed in float32. float32 is not rounded to fewer bits unless the caller allows
// it.
GemmTypes gemm_types(Scalar scalar, bool may_round) {
  constexpr int kFloat32 = 68, kFloat64 = 70, kTensorFloat32 = 77;
  switch (scalar) {
    case Scalar::float16:
      return {2, kFloat32, 0};
    case Scalar::bfloat16:
      return {14, kFloat32, 0};
    case Scalar::float32:
      return {0, may_round ? kTensorFloat32 : kFloat32, 0};
    case Scalar::float64:
      return {1, kFloat64, 1};
    case Scalar::complex64:
      return {4, kFloat32, 4};
    case Scalar::complex128:
      return {5, kFloat64, 5};
    default:
      return {-1, -1, -1};
  }
}

bool cublas_takes(const Queue& queue, Scalar scalar) {
  return queue.state()->properties().dialect == Dialect::cuda_cpp && gemm_types(scalar).data >= 0 &&
         are_allowed() && cublas().gemm != nullptr;
}

bool cublas_multiply(const Queue& queue, const Gemm& gemm) {
  Buffer scratch;
  try {
    scratch = empty(queue, {kGemmWorkspace}, DType::of(Scalar::uint8)).elements();
  } catch (const OutOfDeviceMemory&) {
    return false;
  }
  const std::array<detail::LibraryUse, 4> uses = {
      {{gemm.a.buffer}, {gemm.b.buffer}, {gemm.out.buffer, true}, {&scratch, true}}};
  const auto item = DType::of(gemm.scalar).itemsize;
  detail::call_library(queue, uses, [gemm, item, queue](const detail::LibraryArguments& arguments) {
    const auto at = [&](std::size_t number, const GemmOperand& operand) {
      return reinterpret_cast<void*>(arguments.addresses[number] +
                                     static_cast<std::uintptr_t>(operand.start) * item);
    };
    const CudaHandles::Lease handle(handles(), queue.state()->context(), [&] {
      Handle made = nullptr;
      check(cublas().create(&made), "cublasCreate", queue);
      return made;
    });
    // cuBLAS counts along columns, so it computes the transposed product b.T @ a.T.
    const GemmTypes types = gemm_types(gemm.scalar, gemm.may_round);
    const Factors factors(gemm.scalar);
    Status status = cublas().set_stream(handle.get(), reinterpret_cast<void*>(arguments.queue));
    if (status == 0)
      status = cublas().set_workspace(handle.get(), reinterpret_cast<void*>(arguments.addresses[3]),
                                      kGemmWorkspace);
    if (status == 0)
      status = cublas().gemm(handle.get(), gemm.b.is_transposed ? kTransposed : kAsIs,
                             gemm.a.is_transposed ? kTransposed : kAsIs, gemm.n, gemm.m, gemm.depth,
                             factors.one.data(), at(1, gemm.b), types.data, gemm.b.pitch, gemm.b.step,
                             at(0, gemm.a), types.data, gemm.a.pitch, gemm.a.step, factors.zero.data(),
                             at(2, gemm.out), types.data, gemm.out.pitch, gemm.out.step, gemm.count,
                             types.compute, kDefaultAlgorithm);
    check(status, "cublasGemmStridedBatchedEx", queue);
  });
  return true;
}

LibraryReport cublas_report() {
  if (are_allowed()) return cublas().report;
  return {"cuBLAS", "cuda", {}, {}, {}, {{"libcublas", kNotSearched, false}}};
}

}  // namespace quern::libraries
