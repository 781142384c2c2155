// SPDX-License-Identifier: MIT
// Factorisations of sparse matrices by cuDSS. Its types are declared here, because its headers may be
// missing.
#include "libraries/cudss.hpp"

#include <array>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/shared_library.hpp"
#include "libraries/allowed.hpp"
#include "libraries/call_now.hpp"
#include "libraries/cuda_search.hpp"
#include "libraries/cuda_trials.hpp"
#include "quern/array.hpp"
#include "quern/error.hpp"
#include "runtime/queue_state.hpp"

namespace quern::libraries {
namespace {

using Object = void*;  // a handle, a configuration, data of a solver or a matrix
using Status = int;
using Size = std::int64_t;
// The values of its enumerations, which are the same in all versions.
constexpr int kInt32 = 10;  // cudaDataType
constexpr int kGeneral = 0, kFull = 0, kFromZero = 0, kColumnMajor = 0;
constexpr int kAnalysis = 3, kFactorization = 1 << 2, kSolve = 0x3f0;
constexpr int kInfo = 0, kChangedPivots = 2;
constexpr Status kNoMemory = 2;

struct Cudss {
  LibraryReport report;
  Status (*create)(Object*) = nullptr;
  Status (*destroy)(Object) = nullptr;
  Status (*get_property)(int, int*) = nullptr;
  Status (*set_stream)(Object, void*) = nullptr;
  Status (*set_threading)(Object, const char*) = nullptr;
  Status (*create_config)(Object*) = nullptr;
  Status (*destroy_config)(Object) = nullptr;
  Status (*set_config)(Object, int, const void*, std::size_t) = nullptr;
  Status (*create_data)(Object, Object*) = nullptr;
  Status (*destroy_data)(Object, Object) = nullptr;
  Status (*get_data)(Object, Object, int, void*, std::size_t, std::size_t*) = nullptr;
  // Before version 0.8 indices and offsets have one type.
  Status (*create_csr_0_7)(Object*, Size, Size, Size, const void*, const void*, const void*, const void*, int,
                           int, int, int, int) = nullptr;
  Status (*create_csr)(Object*, Size, Size, Size, const void*, const void*, const void*, const void*, int,
                       int, int, int, int, int) = nullptr;
  Status (*create_dense)(Object*, Size, Size, Size, const void*, int, int) = nullptr;
  Status (*destroy_matrix)(Object) = nullptr;
  Status (*execute)(Object, int, Object, Object, Object, Object, Object) = nullptr;
  int version = 0;        // 100 * major + minor
  std::string threading;  // a library of the same package, with which the order of rows is found by all cores
  bool is_found = false;

  [[nodiscard]] bool is_before_0_8() const { return version < 8; }
  // CUDSS_CONFIG_IR_N_STEPS.
  [[nodiscard]] int refinement() const { return is_before_0_8() ? 6 : 5; }
};

bool find_all(const SharedLibrary& library, Cudss& to) {
  if (!find_function(library, "cudssGetProperty", to.get_property)) return false;
  int major = 0, minor = 0;
  to.get_property(0, &major);
  to.get_property(1, &minor);
  to.version = 100 * major + minor;
  const char* const kCreateCsr = "cudssMatrixCreateCsr";
  return to.version >= 7 && find_function(library, "cudssCreate", to.create) &&
         find_function(library, "cudssDestroy", to.destroy) &&
         find_function(library, "cudssSetStream", to.set_stream) &&
         find_function(library, "cudssSetThreadingLayer", to.set_threading) &&
         find_function(library, "cudssConfigCreate", to.create_config) &&
         find_function(library, "cudssConfigDestroy", to.destroy_config) &&
         find_function(library, "cudssConfigSet", to.set_config) &&
         find_function(library, "cudssDataCreate", to.create_data) &&
         find_function(library, "cudssDataDestroy", to.destroy_data) &&
         find_function(library, "cudssDataGet", to.get_data) &&
         find_function(library, kCreateCsr, to.create_csr_0_7) &&
         find_function(library, kCreateCsr, to.create_csr) &&
         find_function(library, "cudssMatrixCreateDn", to.create_dense) &&
         find_function(library, "cudssMatrixDestroy", to.destroy_matrix) &&
         find_function(library, "cudssExecute", to.execute);
}

std::unique_ptr<const Cudss> load() {
  auto cudss = std::make_unique<Cudss>();
  cudss->report.name = "cuDSS";
  const std::array<std::string, 2> sonames = {"libcudss.so.1", "libcudss.so.0"};
  cudss->is_found = load_cuda_library(
      cudss->report, sonames, [&](const SharedLibrary& library) { return find_all(library, *cudss); },
      [](const std::string&) {
        load_cuda_dependencies({"cublasLt", "cublas", "nvrtc"});
      });
  if (!cudss->is_found) return cudss;
  cudss->report.version = version_by(cudss->get_property);
  const std::filesystem::path path = cudss->report.path;
  const auto layer = path.parent_path() / ("libcudss_mtlayer_gomp.so" + path.extension().string());
  std::error_code ignored;
  if (std::filesystem::exists(layer, ignored)) cudss->threading = layer.string();
  return cudss;
}

const Cudss& cudss() {
  static const Cudss* const loaded = load().release();  // never destroyed: used until the process ends
  return *loaded;
}

void check(Status status, const char* call, const Queue& queue) {
  constexpr std::array kNames = {"CUDSS_STATUS_SUCCESS",        "CUDSS_STATUS_NOT_INITIALIZED",
                                 "CUDSS_STATUS_ALLOC_FAILED",   "CUDSS_STATUS_INVALID_VALUE",
                                 "CUDSS_STATUS_NOT_SUPPORTED",  "CUDSS_STATUS_EXECUTION_FAILED",
                                 "CUDSS_STATUS_INTERNAL_ERROR", "CUDSS_STATUS_IR_FAILED"};
  if (status == 0) return;
  const auto number = static_cast<std::size_t>(status);
  throw Error(std::string(call) + " failed on " + queue.device().spec() + " with " +
              (number < kNames.size() ? kNames[number] : "an unknown status"));
}

CudaTrials& trials() {
  static auto* const all = new CudaTrials;  // never destroyed: used until the process ends
  return *all;
}

class Dense {
 public:
  Dense(const Queue& queue, Size rows, Size columns, std::uintptr_t memory, int type) {
    check(cudss().create_dense(&object_, rows, columns, rows, reinterpret_cast<void*>(memory), type,
                               kColumnMajor),
          "cudssMatrixCreateDn", queue);
  }
  Dense(const Dense&) = delete;
  Dense& operator=(const Dense&) = delete;
  ~Dense() { cudss().destroy_matrix(object_); }
  [[nodiscard]] Object get() const { return object_; }

 private:
  Object object_ = nullptr;
};

class Factors final : public CudssFactors {
 public:
  // The other constructor has made the object by then, so that the destructor runs if the call fails.
  Factors(const Queue& queue, const DeviceCsr& matrix) : Factors(queue, std::make_shared<Parts>()) {
    parts_->matrix = matrix;
    parts_->order = empty(queue, {1}, DType::of(Scalar::int32)).elements();
    call_now(
        queue, "cudssExecute (factorise)", uses(),
        [this, &queue](const detail::LibraryArguments& arguments) { factorize(*parts_, queue, arguments); });
  }
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;
  // cuDSS frees its memory after the solutions that use it.
  ~Factors() override {
    try {
      detail::call_library(queue_, "cudssDestroy", uses(),
                           [parts = parts_](const detail::LibraryArguments& to) {
                             const Cudss& library = cudss();
                             // The queue of the last solution may be gone.
                             if (parts->handle != nullptr)
                               library.set_stream(parts->handle, reinterpret_cast<void*>(to.queue));
                             if (parts->data != nullptr) library.destroy_data(parts->handle, parts->data);
                             if (parts->csr != nullptr) library.destroy_matrix(parts->csr);
                             if (parts->config != nullptr) library.destroy_config(parts->config);
                             if (parts->handle != nullptr) library.destroy(parts->handle);
                           });
    } catch (...) {  // NOLINT(bugprone-empty-catch): the device is lost, and its memory with it
    }
  }

  [[nodiscard]] bool is_whole() const { return parts_->is_whole; }

  void solve(const Queue& queue, const Buffer& b, const Buffer& x, std::int64_t columns) const override {
    std::vector<detail::LibraryUse> all = uses();
    all.insert(all.end(), {{&b}, {&x, true}});
    detail::call_library(queue, "cudssExecute (solve)", all,
                         [parts = parts_, queue, columns](const detail::LibraryArguments& to) {
                           const std::lock_guard lock(parts->mutex);
                           const int type = cuda_type_of(parts->matrix.scalar);
                           const Size n = parts->matrix.rows;
                           check(cudss().set_stream(parts->handle, reinterpret_cast<void*>(to.queue)),
                                 "cudssSetStream", queue);
                           const Dense right(queue, n, columns, to.addresses[4], type),
                               solution(queue, n, columns, to.addresses[5], type);
                           check(cudss().execute(parts->handle, kSolve, parts->config, parts->data,
                                                 parts->csr, solution.get(), right.get()),
                                 "cudssExecute (solve)", queue);
                         });
  }

 private:
  // What calls share that may run later than the factors live.
  struct Parts {
    DeviceCsr matrix;
    Buffer order;  // each call writes it: the solver has workspaces, so calls on all queues follow each other
    Object handle = nullptr, config = nullptr, data = nullptr, csr = nullptr;
    bool is_whole = false;
    std::mutex mutex;
  };

  Factors(const Queue& queue, std::shared_ptr<Parts> parts) : queue_(queue), parts_(std::move(parts)) {}

  [[nodiscard]] std::vector<detail::LibraryUse> uses() const {
    const DeviceCsr& matrix = parts_->matrix;
    return {{&matrix.data}, {&matrix.indices}, {&matrix.indptr}, {&parts_->order, true}};
  }

  static void factorize(Parts& parts, const Queue& queue, const detail::LibraryArguments& arguments) {
    const Cudss& library = cudss();
    const int type = cuda_type_of(parts.matrix.scalar);
    check(library.create(&parts.handle), "cudssCreate", queue);
    check(library.set_stream(parts.handle, reinterpret_cast<void*>(arguments.queue)), "cudssSetStream",
          queue);
    // It lacks OpenMP where this fails, and then uses one core.
    if (!library.threading.empty())
      static_cast<void>(library.set_threading(parts.handle, library.threading.c_str()));
    check(library.create_config(&parts.config), "cudssConfigCreate", queue);
    const int steps = 2;  // of refinement: pivots are chosen within blocks only
    check(library.set_config(parts.config, library.refinement(), &steps, sizeof steps), "cudssConfigSet",
          queue);
    check(library.create_data(parts.handle, &parts.data), "cudssDataCreate", queue);
    const auto at = [&](std::size_t i) { return reinterpret_cast<const void*>(arguments.addresses[i]); };
    const Size n = parts.matrix.rows, entries = parts.matrix.entries;
    check(library.is_before_0_8()
              ? library.create_csr_0_7(&parts.csr, n, n, entries, at(2), nullptr, at(1), at(0), kInt32, type,
                                       kGeneral, kFull, kFromZero)
              : library.create_csr(&parts.csr, n, n, entries, at(2), nullptr, at(1), at(0), kInt32, kInt32,
                                   type, kGeneral, kFull, kFromZero),
          "cudssMatrixCreateCsr", queue);
    // Both steps want matrices for solutions, of which they read the sizes only.
    const Dense b(queue, n, 1, arguments.addresses[0], type), x(queue, n, 1, arguments.addresses[0], type);
    for (const int phase : {kAnalysis, kFactorization}) {
      const Status status =
          library.execute(parts.handle, phase, parts.config, parts.data, parts.csr, x.get(), b.get());
      if (status == kNoMemory) return;
      check(status, phase == kAnalysis ? "cudssExecute (analysis)" : "cudssExecute (factorization)", queue);
    }
    int info = 0, changed = 0;
    std::size_t written = 0;
    check(library.get_data(parts.handle, parts.data, kInfo, &info, sizeof info, &written),
          "cudssDataGet (info)", queue);
    check(library.get_data(parts.handle, parts.data, kChangedPivots, &changed, sizeof changed, &written),
          "cudssDataGet (pivots)", queue);
    parts.is_whole = info == 0 && changed == 0;
  }

  Queue queue_;
  std::shared_ptr<Parts> parts_;
};

}  // namespace

bool cudss_takes(const Queue& queue, Scalar scalar) {
  return queue.state()->properties().dialect == Dialect::cuda_cpp && cuda_type_of(scalar) >= 0 &&
         are_allowed() && cudss().is_found && trials().work(queue, [&] {
           Object handle = nullptr;
           check(cudss().create(&handle), "cudssCreate", queue);
           cudss().destroy(handle);
         });
}

std::shared_ptr<const CudssFactors> CudssFactors::factorize(const Queue& queue, const DeviceCsr& matrix) {
  const auto factors = std::make_shared<const Factors>(queue, matrix);
  return factors->is_whole() ? factors : nullptr;
}

LibraryReport cudss_report() {
  if (!are_allowed()) return {"cuDSS", "cuda", {}, {}, {}, {{"libcudss", kNotSearched, false}}, {}};
  LibraryReport report = cudss().report;
  report.failure = trials().failures();
  return report;
}

}  // namespace quern::libraries
