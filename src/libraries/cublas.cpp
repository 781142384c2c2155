// SPDX-License-Identifier: MIT
// Matrix products by cuBLAS. Its types are declared here, because its headers may be missing.
#include "libraries/cublas.hpp"

#include <array>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/dtype_kinds.hpp"
#include "base/shared_library.hpp"
#include "libraries/allowed.hpp"
#include "libraries/cuda_handles.hpp"
#include "libraries/cuda_search.hpp"
#include "libraries/cuda_trials.hpp"
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
  bool is_found = false;
  Status (*create)(Handle*) = nullptr;
  Status (*get_version)(Handle, int*) = nullptr;
  Status (*set_stream)(Handle, void*) = nullptr;
  Status (*set_workspace)(Handle, void*, std::size_t) = nullptr;
  const char* (*get_status_name)(Status) = nullptr;
  Status (*gemm)(Handle, int, int, std::int64_t, std::int64_t, std::int64_t, const void*, const void*, int,
                 std::int64_t, long long, const void*, int, std::int64_t, long long, const void*, void*, int,
                 std::int64_t, long long, std::int64_t, int, int) = nullptr;
  // Of float32, float64, complex64, complex128.
  std::array<Status (*)(Handle, int, int, std::int64_t, std::int64_t, const void*, const void*, std::int64_t,
                        const void*, void*, std::int64_t),
             4>
      syrk{};
};

bool find_all(const SharedLibrary& library, Cublas& to) {
  bool has_all = find_function(library, "cublasCreate_v2", to.create) &&
                 find_function(library, "cublasGetVersion_v2", to.get_version) &&
                 find_function(library, "cublasSetStream_v2", to.set_stream) &&
                 find_function(library, "cublasSetWorkspace_v2", to.set_workspace) &&
                 find_function(library, "cublasGetStatusName", to.get_status_name) &&
                 find_function(library, "cublasGemmStridedBatchedEx_64", to.gemm);
  constexpr const char* kNames[] = {"cublasSsyrk_v2_64", "cublasDsyrk_v2_64", "cublasCsyrk_v2_64",
                                    "cublasZsyrk_v2_64"};
  for (std::size_t i = 0; i < to.syrk.size(); ++i)
    has_all = has_all && find_function(library, kNames[i], to.syrk[i]);
  return has_all;
}

// It depends on a second library beside it, which not every package names by its folder.
void load_second(const std::string& file) {
  const std::filesystem::path path(file);
  if (!path.has_parent_path()) return;
  const std::string name = path.filename().string();
  const std::string second = (path.parent_path() / ("libcublasLt" + name.substr(name.find(".so")))).string();
  static_cast<void>(SharedLibrary({&second, 1}));
}

// The functions with 64-bit sizes exist since CUDA 12.
std::unique_ptr<const Cublas> load() {
  auto cublas = std::make_unique<Cublas>();
  cublas->report.name = "cuBLAS";
  const auto take = [&](const SharedLibrary& library) { return find_all(library, *cublas); };
  cublas->is_found = load_cuda_library(cublas->report, "cublas", take, load_second);
  int version = 0;
  if (cublas->is_found && cublas->get_version(nullptr, &version) == 0)
    cublas->report.version = std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
                             "." + std::to_string(version % 100);
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

CudaTrials& trials() {
  static auto* const all = new CudaTrials;  // never destroyed: used until the process ends
  return *all;
}

Handle make_handle(const Queue& queue) {
  Handle made = nullptr;
  check(cublas().create(&made), "cublasCreate", queue);
  return made;
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
  constexpr int kFloat32 = 68, kFloat64 = 70, kInt32 = 72, kTensorFloat32 = 77;
  switch (scalar) {
    case Scalar::int8:
      return {3, kInt32, 10};
    case Scalar::int32:  // of results only
      return {10, kInt32, 10};
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

bool cublas_is_on(const Queue& queue) {
  return queue.state()->properties().dialect == Dialect::cuda_cpp && are_allowed() && cublas().is_found &&
         trials().work(queue, [&] { handles().add(queue, make_handle(queue)); });
}

bool cublas_takes(const Queue& queue, Scalar scalar, Scalar result) {
  const bool takes_result = result == scalar || (detail::is_short_float(scalar) && result == Scalar::float32);
  return scalar != Scalar::int8 && scalar != Scalar::int32 && gemm_types(scalar).data >= 0 && takes_result &&
         cublas_is_on(queue);
}

namespace {

// The workspace of a call; nothing if there is no memory for it.
std::optional<Buffer> workspace(const Queue& queue) {
  try {
    return empty(queue, {kGemmWorkspace}, DType::of(Scalar::uint8)).elements();
  } catch (const OutOfDeviceMemory&) {
    return std::nullopt;
  }
}

// A handle with the stream and the workspace of a call.
CudaHandles::Lease prepared_handle(const Queue& queue, const detail::LibraryArguments& arguments,
                                   std::size_t workspace_number) {
  CudaHandles::Lease handle(handles(), queue, [&] { return make_handle(queue); });
  check(cublas().set_stream(handle.get(), reinterpret_cast<void*>(arguments.queue)), "cublasSetStream",
        queue);
  check(cublas().set_workspace(handle.get(), reinterpret_cast<void*>(arguments.addresses[workspace_number]),
                               kGemmWorkspace),
        "cublasSetWorkspace", queue);
  return handle;
}

}  // namespace

bool cublas_multiply(const Queue& queue, const Gemm& gemm) {
  const std::optional<Buffer> scratch = workspace(queue);
  if (!scratch) return false;
  const std::array<detail::LibraryUse, 4> uses = {
      {{gemm.a.buffer}, {gemm.b.buffer}, {gemm.out.buffer, true}, {&*scratch, true}}};
  const auto item = DType::of(gemm.scalar).itemsize, result_item = DType::of(gemm.result).itemsize;
  detail::call_library(queue, "cublasGemmStridedBatchedEx", uses,
                       [gemm, item, result_item, queue](const detail::LibraryArguments& arguments) {
                         const auto at = [&](std::size_t number, const GemmOperand& operand) {
                           return reinterpret_cast<void*>(arguments.addresses[number] +
                                                          static_cast<std::uintptr_t>(operand.start) *
                                                              (number == 2 ? result_item : item));
                         };
                         const CudaHandles::Lease handle = prepared_handle(queue, arguments, 3);
                         // cuBLAS counts along columns, so it computes the transposed product b.T @ a.T.
                         const GemmTypes types = gemm_types(gemm.scalar, gemm.may_round);
                         const Factors factors(gemm.scalar);
                         const Status status = cublas().gemm(
                             handle.get(), gemm.b.is_transposed ? kTransposed : kAsIs,
                             gemm.a.is_transposed ? kTransposed : kAsIs, gemm.n, gemm.m, gemm.depth,
                             factors.one.data(), at(1, gemm.b), types.data, gemm.b.pitch, gemm.b.step,
                             at(0, gemm.a), types.data, gemm.a.pitch, gemm.a.step, factors.zero.data(),
                             at(2, gemm.out), gemm_types(gemm.result).data, gemm.out.pitch, gemm.out.step,
                             gemm.count, types.compute, kDefaultAlgorithm);
                         check(status, "cublasGemmStridedBatchedEx", queue);
                       });
  return true;
}

bool cublas_multiply_symmetric(const Queue& queue, const Gemm& gemm) {
  const std::size_t type = gemm.scalar == Scalar::float32     ? 0
                           : gemm.scalar == Scalar::float64   ? 1
                           : gemm.scalar == Scalar::complex64 ? 2
                                                              : 3;
  const std::optional<Buffer> scratch = workspace(queue);
  if (!scratch) return false;
  const std::array<detail::LibraryUse, 3> uses = {
      {{gemm.a.buffer}, {gemm.out.buffer, true}, {&*scratch, true}}};
  const auto item = DType::of(gemm.scalar).itemsize;
  detail::call_library(
      queue, "cublasSyrk", uses, [gemm, item, type, queue](const detail::LibraryArguments& arguments) {
        const auto at = [&](std::size_t number, std::int64_t start) {
          return reinterpret_cast<void*>(arguments.addresses[number] +
                                         static_cast<std::uintptr_t>(start) * item);
        };
        const CudaHandles::Lease handle = prepared_handle(queue, arguments, 2);
        const Factors factors(gemm.scalar);
        // Row-major matrices are transposed ones to cuBLAS: the upper triangle is the lower one of rows.
        constexpr int kUpper = 1;
        check(cublas().syrk[type](handle.get(), kUpper, gemm.a.is_transposed ? kAsIs : kTransposed, gemm.m,
                                  gemm.depth, factors.one.data(), at(0, gemm.a.start), gemm.a.pitch,
                                  factors.zero.data(), at(1, gemm.out.start), gemm.out.pitch),
              "cublasSyrk", queue);
      });
  return true;
}

LibraryReport cublas_report() {
  if (!are_allowed()) return {"cuBLAS", "cuda", {}, {}, {}, {{"libcublas", kNotSearched, false}}, {}};
  LibraryReport report = cublas().report;
  report.failure = trials().failures();
  return report;
}

}  // namespace quern::libraries
