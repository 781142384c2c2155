// SPDX-License-Identifier: MIT
// Matrix products with an epilogue by cuBLASLt. Its types are declared here, because its headers may be
// missing.
#include "libraries/cublas_lt.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/dtype_kinds.hpp"
#include "base/shared_library.hpp"
#include "libraries/cuda_handles.hpp"
#include "libraries/cuda_search.hpp"
#include "libraries/cuda_trials.hpp"
#include "quern/array.hpp"
#include "quern/error.hpp"
#include "runtime/kept_counts.hpp"
#include "runtime/library_call.hpp"
#include "runtime/queue_state.hpp"

namespace quern::libraries {
namespace {

using Status = int;
using Handle = void*;
using Object = void*;  // a descriptor of a product, a layout or preferences

// cublasLtMatmulAlgo_t and cublasLtMatmulHeuristicResult_t.
struct Algorithm {
  std::array<std::uint64_t, 8> data;
};
struct Choice {
  Algorithm algorithm;
  std::size_t workspace;
  Status state;
  float waves;
  std::array<int, 4> reserved;
};

// Attributes of descriptors, of layouts and of preferences, and epilogues, by their names in cublasLt.h.
enum : int { kTransA = 3, kTransB = 4, kEpilogue = 7, kBiasPointer = 8, kBiasType = 26 };
enum : int { kBatchCount = 5, kBatchOffset = 6 };
enum : int { kMaxWorkspace = 1, kReductionSchemes = 3 };
enum : std::uint32_t { kEpilogueDefault = 1, kEpilogueRelu = 2, kEpilogueBias = 4 };
// Split sums are added in the type of the sums: in the type of the result the bias would be rounded with
// them.
constexpr std::uint32_t kComputeTypeReductions = 2;
constexpr Status kNotSupported = 15;  // CUBLAS_STATUS_NOT_SUPPORTED

struct CublasLt {
  bool is_loaded = false;
  Status (*create)(Handle*) = nullptr;
  const char* (*status_name)(Status) = nullptr;
  Status (*make_product)(Object*, int compute, int scale) = nullptr;
  Status (*free_product)(Object) = nullptr;
  Status (*set_product)(Object, int, const void*, std::size_t) = nullptr;
  Status (*make_layout)(Object*, int type, std::uint64_t rows, std::uint64_t columns,
                        std::int64_t pitch) = nullptr;
  Status (*free_layout)(Object) = nullptr;
  Status (*set_layout)(Object, int, const void*, std::size_t) = nullptr;
  Status (*make_preference)(Object*) = nullptr;
  Status (*free_preference)(Object) = nullptr;
  Status (*set_preference)(Object, int, const void*, std::size_t) = nullptr;
  Status (*choose)(Handle, Object, Object, Object, Object, Object, Object, int, Choice*, int*) = nullptr;
  Status (*multiply)(Handle, Object, const void*, const void*, Object, const void*, Object, const void*,
                     const void*, Object, void*, Object, const Algorithm*, void*, std::size_t,
                     void*) = nullptr;
};

// The library beside cuBLAS, of the same version.
std::unique_ptr<const CublasLt> load_lt() {
  auto lt = std::make_unique<CublasLt>();
  const std::filesystem::path cublas = cublas_report().path;
  if (cublas.empty()) return lt;
  const std::string name = cublas.filename().string();
  const std::string soname = "libcublasLt" + name.substr(name.find(".so"), std::string(".so.13").size());
  const std::array<std::string, 2> names = {(cublas.parent_path() / soname).string(), soname};
  const SharedLibrary library(names);
  if (!library.loaded()) return lt;
  lt->is_loaded = find_function(library, "cublasLtCreate", lt->create) &&
                  find_function(library, "cublasLtGetStatusName", lt->status_name) &&
                  find_function(library, "cublasLtMatmulDescCreate", lt->make_product) &&
                  find_function(library, "cublasLtMatmulDescDestroy", lt->free_product) &&
                  find_function(library, "cublasLtMatmulDescSetAttribute", lt->set_product) &&
                  find_function(library, "cublasLtMatrixLayoutCreate", lt->make_layout) &&
                  find_function(library, "cublasLtMatrixLayoutDestroy", lt->free_layout) &&
                  find_function(library, "cublasLtMatrixLayoutSetAttribute", lt->set_layout) &&
                  find_function(library, "cublasLtMatmulPreferenceCreate", lt->make_preference) &&
                  find_function(library, "cublasLtMatmulPreferenceDestroy", lt->free_preference) &&
                  find_function(library, "cublasLtMatmulPreferenceSetAttribute", lt->set_preference) &&
                  find_function(library, "cublasLtMatmulAlgoGetHeuristic", lt->choose) &&
                  find_function(library, "cublasLtMatmul", lt->multiply);
  return lt;
}

const CublasLt& cublas_lt() {
  static const CublasLt* const loaded = load_lt().release();  // never destroyed: used until the process ends
  return *loaded;
}

void check(Status status, const char* call) {
  if (status == 0) return;
  throw Error(std::string(call) + " failed with " + cublas_lt().status_name(status));
}

// A descriptor that is freed at the end of its scope.
class Descriptor {
 public:
  using Free = Status (*)(Object);
  using Set = Status (*)(Object, int, const void*, std::size_t);
  Descriptor(Object object, Free free_object, Set set_attribute)
      : object_(object, free_object), set_(set_attribute) {}
  [[nodiscard]] Object get() const { return object_.get(); }
  template <class T>
  void set(int attribute, const T& value) const {
    check(set_(object_.get(), attribute, &value, sizeof value), "an attribute of cuBLASLt");
  }

 private:
  std::unique_ptr<void, Free> object_;
  Set set_;
};

Descriptor product_descriptor(const GemmTypes& types) {
  Object made = nullptr;
  check(cublas_lt().make_product(&made, types.compute, types.factors), "cublasLtMatmulDescCreate");
  return {made, cublas_lt().free_product, cublas_lt().set_product};
}

// cuBLASLt counts along columns, so a row-major matrix is the transposed one.
Descriptor layout(int type, const GemmOperand& operand, std::int64_t rows, std::int64_t columns,
                  std::int64_t count) {
  if (operand.is_transposed) std::swap(rows, columns);
  Object made = nullptr;
  check(cublas_lt().make_layout(&made, type, static_cast<std::uint64_t>(columns),
                                static_cast<std::uint64_t>(rows), operand.pitch),
        "cublasLtMatrixLayoutCreate");
  Descriptor result(made, cublas_lt().free_layout, cublas_lt().set_layout);
  if (count > 1) {
    result.set(kBatchCount, static_cast<std::int32_t>(count));
    result.set(kBatchOffset, operand.step);
  }
  return result;
}

// All that the choice of an algorithm depends on.
using Key = std::array<std::int64_t, 16>;

Key key_of(const Gemm& gemm, const GemmEpilogue& epilogue, std::int64_t alignment, std::uintptr_t context) {
  return {static_cast<std::int64_t>(gemm.scalar),
          gemm.m,
          gemm.n,
          gemm.depth,
          gemm.count,
          gemm.a.pitch,
          gemm.a.step,
          gemm.b.pitch,
          gemm.b.step,
          (gemm.a.is_transposed ? 1 : 0) | (gemm.b.is_transposed ? 2 : 0) | (epilogue.row ? 4 : 0) |
              (epilogue.is_relu ? 8 : 0) | (epilogue.added ? 16 : 0) | (gemm.may_round ? 32 : 0),
          epilogue.added ? epilogue.added->pitch : 0,
          epilogue.added ? epilogue.added->step : 0,
          alignment,
          static_cast<std::int64_t>(context),
          0,
          0};
}

class Algorithms {
 public:
  std::optional<Algorithm> find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }
  void add(const Key& key, const Algorithm& algorithm) {
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMost) {
      detail::library_plans.remove(known_.size(), known_.size() * kBytes);
      known_.clear();
    }
    if (known_.emplace(key, algorithm).second) detail::library_plans.add(1, kBytes);
  }

 private:
  static constexpr std::size_t kMost = 1024, kBytes = sizeof(Key) + sizeof(Algorithm);
  std::mutex mutex_;
  std::map<Key, Algorithm> known_;
};

Algorithms& algorithms() {
  static auto* const all = new Algorithms;  // never destroyed: used until the process ends
  return *all;
}

CudaHandles& lt_handles() {
  static auto* const all = new CudaHandles;  // never destroyed: used until the process ends
  return *all;
}

// A number in the type of the sums.
struct LtFactor {
  alignas(8) std::array<std::byte, 8> bytes{};
  LtFactor(double value, Scalar scalar) {
    const auto put = [&](auto number) { std::memcpy(bytes.data(), &number, sizeof number); };
    if (scalar == Scalar::float64)
      put(value);
    else if (scalar == Scalar::int8)
      put(static_cast<std::int32_t>(value));
    else
      put(static_cast<float>(value));
  }
};

// The addresses of one call.
struct Addresses {
  std::uintptr_t a, b, out, workspace, added, row;
  // The greatest power of two that divides all of them, at most 16.
  [[nodiscard]] std::int64_t alignment() const {
    return std::int64_t{1} << std::countr_zero(a | b | out | added | row | 16U);
  }
};

// Returns whether cuBLASLt has an algorithm for the problem.
bool enqueue(Handle handle, const Gemm& gemm, const GemmEpilogue& epilogue, const Addresses& at,
             std::uintptr_t context, void* stream) {
  const CublasLt& lt = cublas_lt();
  const GemmTypes types = gemm_types(gemm.scalar, gemm.may_round);
  const Descriptor product = product_descriptor(types);
  // The transposed product: out.T = b.T @ a.T.
  product.set(kTransA, static_cast<std::int32_t>(gemm.b.is_transposed));
  product.set(kTransB, static_cast<std::int32_t>(gemm.a.is_transposed));
  const std::uint32_t ending = (epilogue.row ? kEpilogueBias : 0U) | (epilogue.is_relu ? kEpilogueRelu : 0U);
  product.set(kEpilogue, ending == 0 ? std::uint32_t{kEpilogueDefault} : ending);
  if (epilogue.row) {
    product.set(kBiasPointer, at.row);
    product.set(kBiasType, static_cast<std::int32_t>(types.data));
  }
  const int result = gemm_types(gemm.result).data;
  const Descriptor a = layout(types.data, gemm.b, gemm.depth, gemm.n, gemm.count);
  const Descriptor b = layout(types.data, gemm.a, gemm.m, gemm.depth, gemm.count);
  const Descriptor d = layout(result, gemm.out, gemm.m, gemm.n, gemm.count);
  const Descriptor c =
      layout(result, epilogue.added ? *epilogue.added : gemm.out, gemm.m, gemm.n, gemm.count);

  const Key key = key_of(gemm, epilogue, at.alignment(), context);
  std::optional<Algorithm> algorithm = algorithms().find(key);
  if (!algorithm) {
    Object made = nullptr;
    check(lt.make_preference(&made), "cublasLtMatmulPreferenceCreate");
    const Descriptor preference(made, lt.free_preference, lt.set_preference);
    preference.set(kMaxWorkspace, static_cast<std::uint64_t>(kGemmWorkspace));
    preference.set(kReductionSchemes, kComputeTypeReductions);
    // MIN_ALIGNMENT_A_BYTES to MIN_ALIGNMENT_D_BYTES
    for (int attribute = 5; attribute <= 8; ++attribute)
      preference.set(attribute, static_cast<std::uint32_t>(at.alignment()));
    Choice choice{};
    int found = 0;
    const Status status = lt.choose(handle, product.get(), a.get(), b.get(), c.get(), d.get(),
                                    preference.get(), 1, &choice, &found);
    if (status == kNotSupported || (status == 0 && (found == 0 || choice.state != 0))) return false;
    check(status, "cublasLtMatmulAlgoGetHeuristic");
    algorithm = choice.algorithm;
    algorithms().add(key, *algorithm);
  }
  const LtFactor factor(epilogue.factor, gemm.scalar), added(epilogue.added_factor, gemm.scalar);
  const auto pointer = [](std::uintptr_t address) { return reinterpret_cast<void*>(address); };
  check(lt.multiply(handle, product.get(), factor.bytes.data(), pointer(at.b), a.get(), pointer(at.a),
                    b.get(), added.bytes.data(), pointer(epilogue.added ? at.added : at.out), c.get(),
                    pointer(at.out), d.get(), &*algorithm, pointer(at.workspace),
                    static_cast<std::size_t>(kGemmWorkspace), stream),
        "cublasLtMatmul");
  return true;
}

}  // namespace

namespace {

CudaTrials& lt_trials() {
  static auto* const all = new CudaTrials;  // never destroyed: used until the process ends
  return *all;
}

Handle make_lt_handle() {
  Handle made = nullptr;
  check(cublas_lt().create(&made), "cublasLtCreate");
  return made;
}

bool lt_is_on(const Queue& queue) {
  return cublas_is_on(queue) && cublas_lt().is_loaded &&
         lt_trials().work(queue, [&] { lt_handles().add(queue, make_lt_handle()); });
}

}  // namespace

bool cublas_lt_takes(const Queue& queue, Scalar scalar, Scalar result, const GemmEpilogue& epilogue) {
  const bool is_simple = !epilogue.row && !epilogue.is_relu;
  if (scalar == Scalar::int8)
    return result == Scalar::int32 && is_simple && !epilogue.added && lt_is_on(queue);
  // In float64 it only scales and adds matrices.
  const bool takes_type =
      detail::is_short_float(scalar) || scalar == Scalar::float32 || (scalar == Scalar::float64 && is_simple);
  return takes_type && result == scalar && cublas_takes(queue, scalar, result) && lt_is_on(queue);
}

bool cublas_lt_multiply(const Queue& queue, const Gemm& gemm, const GemmEpilogue& epilogue) {
  Buffer scratch;
  try {
    scratch = empty(queue, {kGemmWorkspace}, DType::of(Scalar::uint8)).elements();
  } catch (const OutOfDeviceMemory&) {
    return false;
  }
  std::vector<detail::LibraryUse> uses = {
      {gemm.a.buffer}, {gemm.b.buffer}, {gemm.out.buffer, true}, {&scratch, true}};
  if (epilogue.added) uses.push_back({epilogue.added->buffer});
  if (epilogue.row) uses.push_back({epilogue.row->buffer});
  const auto item = static_cast<std::uintptr_t>(DType::of(gemm.scalar).itemsize);
  const auto result_item = static_cast<std::uintptr_t>(DType::of(gemm.result).itemsize);
  // Whether the caller still waits for the answer that there is no algorithm. A call that is held back runs
  // after it has gone on.
  enum : int { kWaiting, kGone, kRefused };
  const auto caller = std::make_shared<std::atomic<int>>(kWaiting);
  detail::call_library(
      queue, "cublasLtMatmul", uses,
      [gemm, epilogue, item, result_item, queue, caller](const detail::LibraryArguments& arguments) {
        const auto at = [&](std::size_t number, const GemmOperand& operand) {
          return arguments.addresses[number] +
                 static_cast<std::uintptr_t>(operand.start) * (number < 2 ? item : result_item);
        };
        Addresses addresses = {at(0, gemm.a), at(1, gemm.b), at(2, gemm.out), arguments.addresses[3], 0, 0};
        if (epilogue.added) addresses.added = at(4, *epilogue.added);
        if (epilogue.row) addresses.row = at(epilogue.added ? 5 : 4, *epilogue.row);
        const CudaHandles::Lease handle(lt_handles(), queue, make_lt_handle);
        if (enqueue(handle.get(), gemm, epilogue, addresses, cuda_context(queue),
                    reinterpret_cast<void*>(arguments.queue)))
          return;
        int state = kWaiting;
        if (!caller->compare_exchange_strong(state, kRefused))
          throw Error(
              "cuBLASLt has no algorithm for a product with its epilogue; evaluate the product first");
      });
  return caller->exchange(kGone) != kRefused;
}

}  // namespace quern::libraries
