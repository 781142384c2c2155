// SPDX-License-Identifier: MIT
// Sparse products and triangular systems by cuSPARSE. Its types are declared here, because its headers may be
// missing.
#include "libraries/cusparse.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <string>
#include <vector>

#include "base/shared_library.hpp"
#include "libraries/allowed.hpp"
#include "libraries/call_now.hpp"
#include "libraries/cuda_handles.hpp"
#include "libraries/cuda_search.hpp"
#include "libraries/cuda_trials.hpp"
#include "quern/error.hpp"
#include "runtime/queue_state.hpp"

namespace quern::libraries {
namespace {

using Handle = void*;
using Descriptor = void*;  // of a matrix, a vector or an operation
using Status = int;
using Size = std::int64_t;
// The values of its enumerations.
constexpr int kAsIs = 0, kFromZero = 0, kInt32 = 2, kInt64 = 3, kDefault = 0;
enum Attribute : int { kFillMode = 0, kDiagonal = 1 };
constexpr Status kNoMemory = 2, kInsufficientResources = 11;

struct Cusparse {
  LibraryReport report;
  Status (*create)(Handle*) = nullptr;
  Status (*set_stream)(Handle, void*) = nullptr;
  Status (*get_property)(int, int*) = nullptr;
  const char* (*error_name)(Status) = nullptr;
  Status (*create_csr)(Descriptor*, Size, Size, Size, void*, void*, void*, int, int, int, int) = nullptr;
  Status (*set_attribute)(Descriptor, int, void*, std::size_t) = nullptr;
  Status (*set_pointers)(Descriptor, void*, void*, void*) = nullptr;
  Status (*get_size)(Descriptor, Size*, Size*, Size*) = nullptr;
  Status (*destroy_matrix)(Descriptor) = nullptr;
  Status (*create_vector)(Descriptor*, Size, void*, int) = nullptr;
  Status (*destroy_vector)(Descriptor) = nullptr;
  Status (*create_solver)(Descriptor*) = nullptr;
  Status (*destroy_solver)(Descriptor) = nullptr;
  Status (*solver_size)(Handle, int, const void*, Descriptor, Descriptor, Descriptor, int, int, Descriptor,
                        std::size_t*) = nullptr;
  Status (*analyse)(Handle, int, const void*, Descriptor, Descriptor, Descriptor, int, int, Descriptor,
                    void*) = nullptr;
  Status (*solve)(Handle, int, const void*, Descriptor, Descriptor, Descriptor, int, int,
                  Descriptor) = nullptr;
  Status (*create_product)(Descriptor*) = nullptr;
  Status (*destroy_product)(Descriptor) = nullptr;
  Status (*estimate)(Handle, int, int, const void*, Descriptor, Descriptor, const void*, Descriptor, int, int,
                     Descriptor, std::size_t*, void*) = nullptr;
  Status (*compute)(Handle, int, int, const void*, Descriptor, Descriptor, const void*, Descriptor, int, int,
                    Descriptor, std::size_t*, void*) = nullptr;
  Status (*copy)(Handle, int, int, const void*, Descriptor, Descriptor, const void*, Descriptor, int, int,
                 Descriptor) = nullptr;
  bool is_found = false;
};

bool find_all(const SharedLibrary& library, Cusparse& to) {
  return find_function(library, "cusparseCreate", to.create) &&
         find_function(library, "cusparseSetStream", to.set_stream) &&
         find_function(library, "cusparseGetProperty", to.get_property) &&
         find_function(library, "cusparseGetErrorName", to.error_name) &&
         find_function(library, "cusparseCreateCsr", to.create_csr) &&
         find_function(library, "cusparseSpMatSetAttribute", to.set_attribute) &&
         find_function(library, "cusparseCsrSetPointers", to.set_pointers) &&
         find_function(library, "cusparseSpMatGetSize", to.get_size) &&
         find_function(library, "cusparseDestroySpMat", to.destroy_matrix) &&
         find_function(library, "cusparseCreateDnVec", to.create_vector) &&
         find_function(library, "cusparseDestroyDnVec", to.destroy_vector) &&
         find_function(library, "cusparseSpSV_createDescr", to.create_solver) &&
         find_function(library, "cusparseSpSV_destroyDescr", to.destroy_solver) &&
         find_function(library, "cusparseSpSV_bufferSize", to.solver_size) &&
         find_function(library, "cusparseSpSV_analysis", to.analyse) &&
         find_function(library, "cusparseSpSV_solve", to.solve) &&
         find_function(library, "cusparseSpGEMM_createDescr", to.create_product) &&
         find_function(library, "cusparseSpGEMM_destroyDescr", to.destroy_product) &&
         find_function(library, "cusparseSpGEMM_workEstimation", to.estimate) &&
         find_function(library, "cusparseSpGEMM_compute", to.compute) &&
         find_function(library, "cusparseSpGEMM_copy", to.copy);
}

std::unique_ptr<const Cusparse> load() {
  auto cusparse = std::make_unique<Cusparse>();
  cusparse->report.name = "cuSPARSE";
  cusparse->is_found = load_cuda_library(
      cusparse->report, "cusparse",
      [&](const SharedLibrary& library) { return find_all(library, *cusparse); },
      [](const std::string&) { load_cuda_dependencies({"nvJitLink"}); });
  if (cusparse->is_found) cusparse->report.version = version_by(cusparse->get_property);
  return cusparse;
}

const Cusparse& cusparse() {
  static const Cusparse* const loaded = load().release();  // never destroyed: used until the process ends
  return *loaded;
}

CudaHandles& handles() {
  static auto* const all = new CudaHandles;  // never destroyed: used until the process ends
  return *all;
}

void check(Status status, const char* call, const Queue& queue) {
  if (status != 0)
    throw Error(std::string(call) + " failed on " + queue.device().spec() + " with " +
                cusparse().error_name(status));
}

CudaTrials& trials() {
  static auto* const all = new CudaTrials;  // never destroyed: used until the process ends
  return *all;
}

Handle make_handle(const Queue& queue) {
  Handle made = nullptr;
  check(cusparse().create(&made), "cusparseCreate", queue);
  return made;
}

CudaHandles::Lease handle_for(const Queue& queue, const detail::LibraryArguments& arguments) {
  CudaHandles::Lease handle(handles(), queue, [&] { return make_handle(queue); });
  check(cusparse().set_stream(handle.get(), reinterpret_cast<void*>(arguments.queue)), "cusparseSetStream",
        queue);
  return handle;
}

// 1 and 0 of any type: complex numbers have their zero imaginary part behind them.
const void* one_of(Scalar scalar) {
  static constexpr std::array<float, 2> kSingle = {1, 0};
  static constexpr std::array<double, 2> kDouble = {1, 0};
  const bool is_single = scalar == Scalar::float32 || scalar == Scalar::complex64;
  return is_single ? static_cast<const void*>(kSingle.data()) : kDouble.data();
}
const void* zero() {
  static constexpr std::array<double, 2> kZero = {0, 0};
  return kZero.data();
}

// Owns a descriptor.
class Owned {
 public:
  explicit Owned(Status (*destroy)(Descriptor)) : destroy_(destroy) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (descriptor_ != nullptr) static_cast<void>(destroy_(descriptor_));
  }
  Descriptor* out() { return &descriptor_; }
  [[nodiscard]] Descriptor get() const { return descriptor_; }

 private:
  Status (*destroy_)(Descriptor);
  Descriptor descriptor_ = nullptr;
};

std::array<detail::LibraryUse, 3> uses_of(const DeviceCsr& matrix) {
  return {{{&matrix.data}, {&matrix.indices}, {&matrix.indptr}}};
}

// `first` is the number of the matrix's data among the addresses; indices and starts follow.
void describe(const Queue& queue, Owned& to, const DeviceCsr& matrix,
              const detail::LibraryArguments& arguments, std::size_t first) {
  const auto at = [&](std::size_t number) {
    return reinterpret_cast<void*>(arguments.addresses[first + number]);
  };
  const int index = matrix.has_wide_indices ? kInt64 : kInt32;
  check(cusparse().create_csr(to.out(), matrix.rows, matrix.columns, matrix.entries, at(2), at(1), at(0),
                              index, index, kFromZero, cuda_type_of(matrix.scalar)),
        "cusparseCreateCsr", queue);
}

Array workspace(const Queue& queue, std::size_t bytes) {
  return empty(queue, {static_cast<std::int64_t>(std::max<std::size_t>(bytes, 16))},
               DType::of(Scalar::uint8));
}

class Triangle final : public CusparseTriangle, public std::enable_shared_from_this<Triangle> {
 public:
  Triangle(const Queue& queue, const DeviceCsr& matrix, bool is_lower, bool has_unit_diagonal)
      : matrix_(matrix) {
    std::size_t bytes = 0;
    const auto uses = uses_of(matrix_);
    call_now(queue, "cusparseSpSV_bufferSize", uses, [&](const detail::LibraryArguments& arguments) {
      const CudaHandles::Lease handle = handle_for(queue, arguments);
      describe(queue, descriptor_, matrix_, arguments, 0);
      int fill = is_lower ? 0 : 1, diagonal = has_unit_diagonal ? 1 : 0;
      check(cusparse().set_attribute(descriptor_.get(), kFillMode, &fill, sizeof fill),
            "cusparseSpMatSetAttribute", queue);
      check(cusparse().set_attribute(descriptor_.get(), kDiagonal, &diagonal, sizeof diagonal),
            "cusparseSpMatSetAttribute", queue);
      check(cusparse().create_solver(solver_.out()), "cusparseSpSV_createDescr", queue);
      // The memory of the vectors may be another in each call. That of the matrix is large enough here.
      const Vectors vectors(queue, matrix_, arguments.addresses[0], arguments.addresses[0]);
      check(cusparse().solver_size(handle.get(), kAsIs, one(), descriptor_.get(), vectors.b.get(),
                                   vectors.x.get(), type(), kDefault, solver_.get(), &bytes),
            "cusparseSpSV_bufferSize", queue);
    });
    workspace_ = workspace(queue, bytes).elements();
    const std::array<detail::LibraryUse, 4> all = {uses[0], uses[1], uses[2], {&workspace_, true}};
    call_now(queue, "cusparseSpSV_analysis", all, [&](const detail::LibraryArguments& arguments) {
      const CudaHandles::Lease handle = handle_for(queue, arguments);
      const Vectors vectors(queue, matrix_, arguments.addresses[0], arguments.addresses[0]);
      check(cusparse().analyse(handle.get(), kAsIs, one(), descriptor_.get(), vectors.b.get(),
                               vectors.x.get(), type(), kDefault, solver_.get(),
                               reinterpret_cast<void*>(arguments.addresses[3])),
            "cusparseSpSV_analysis", queue);
    });
  }

  void solve(const Queue& queue, const Buffer& b, const Buffer& x) const override {
    const auto uses = uses_of(matrix_);
    // The workspace counts as written, so that solutions on several queues follow each other.
    const std::array<detail::LibraryUse, 6> all = {uses[0], uses[1],   uses[2], {&workspace_, true},
                                                   {&b},    {&x, true}};
    detail::call_library(
        queue, "cusparseSpSV_solve", all,
        [self = shared_from_this(), queue](const detail::LibraryArguments& arguments) {
          const std::lock_guard lock(self->mutex_);
          const CudaHandles::Lease handle = handle_for(queue, arguments);
          const Vectors vectors(queue, self->matrix_, arguments.addresses[4], arguments.addresses[5]);
          check(cusparse().solve(handle.get(), kAsIs, self->one(), self->descriptor_.get(), vectors.b.get(),
                                 vectors.x.get(), self->type(), kDefault, self->solver_.get()),
                "cusparseSpSV_solve", queue);
        });
  }

 private:
  struct Vectors {
    Vectors(const Queue& queue, const DeviceCsr& matrix, std::uintptr_t from, std::uintptr_t to) {
      const int type = cuda_type_of(matrix.scalar);
      check(cusparse().create_vector(b.out(), matrix.rows, reinterpret_cast<void*>(from), type),
            "cusparseCreateDnVec", queue);
      check(cusparse().create_vector(x.out(), matrix.rows, reinterpret_cast<void*>(to), type),
            "cusparseCreateDnVec", queue);
    }
    Owned b{cusparse().destroy_vector}, x{cusparse().destroy_vector};
  };
  [[nodiscard]] const void* one() const { return one_of(matrix_.scalar); }
  [[nodiscard]] int type() const { return cuda_type_of(matrix_.scalar); }

  DeviceCsr matrix_;
  Buffer workspace_;
  Owned descriptor_{cusparse().destroy_matrix}, solver_{cusparse().destroy_solver};
  mutable std::mutex mutex_;
};

// A product of two sparse matrices, whose steps need each other's answers.
class Product {
 public:
  Product(const Queue& queue, const DeviceCsr& a, const DeviceCsr& b) : queue_(queue), a_(a), b_(b) {}

  std::optional<CusparseProduct> run() {
    const DType index = DType::of(Scalar::int32), dtype = DType::of(a_.scalar);
    const Array indptr = empty(queue_, {a_.rows + 1}, index);
    const Buffer starts = indptr.elements();
    std::size_t bytes = 0;
    step({&starts}, [&](Handle handle, const detail::LibraryArguments& arguments) {
      describe(queue_, left_, a_, arguments, 0);
      describe(queue_, right_, b_, arguments, 3);
      check(cusparse().create_csr(result_.out(), a_.rows, b_.columns, 0,
                                  reinterpret_cast<void*>(arguments.addresses[6]), nullptr, nullptr, kInt32,
                                  kInt32, kFromZero, type()),
            "cusparseCreateCsr", queue_);
      check(cusparse().create_product(product_.out()), "cusparseSpGEMM_createDescr", queue_);
      return estimate(handle, &bytes, nullptr);
    });
    const Buffer first = workspace(queue_, bytes).elements();
    std::size_t more = 0;
    step({&starts, &first}, [&](Handle handle, const detail::LibraryArguments& arguments) {
      const Status status = estimate(handle, &bytes, reinterpret_cast<void*>(arguments.addresses[7]));
      return status != 0 ? status : compute(handle, &more, nullptr);
    });
    const Buffer second = workspace(queue_, more).elements();
    Size rows = 0, columns = 0, entries = 0;
    step({&starts, &first, &second}, [&](Handle handle, const detail::LibraryArguments& arguments) {
      const Status status = compute(handle, &more, reinterpret_cast<void*>(arguments.addresses[8]));
      return status != 0 ? status : cusparse().get_size(result_.get(), &rows, &columns, &entries);
    });
    if (has_failed_ || entries == 0) return std::nullopt;
    CusparseProduct result{empty(queue_, {entries}, dtype), empty(queue_, {entries}, index), indptr};
    const Buffer data = result.data.elements(), indices = result.indices.elements();
    step({&starts, &first, &second, &data, &indices}, [&](Handle handle,
                                                          const detail::LibraryArguments& arguments) {
      const auto at = [&](std::size_t number) {
        return reinterpret_cast<void*>(arguments.addresses[number]);
      };
      const Status status = cusparse().set_pointers(result_.get(), at(6), at(10), at(9));
      return status != 0 ? status
                         : cusparse().copy(handle, kAsIs, kAsIs, one_of(a_.scalar), left_.get(), right_.get(),
                                           zero(), result_.get(), type(), kDefault, product_.get());
    });
    if (has_failed_) return std::nullopt;
    return result;
  }

 private:
  using Step = std::function<Status(Handle, const detail::LibraryArguments&)>;

  [[nodiscard]] int type() const { return cuda_type_of(a_.scalar); }
  Status estimate(Handle handle, std::size_t* bytes, void* memory) const {
    return cusparse().estimate(handle, kAsIs, kAsIs, one_of(a_.scalar), left_.get(), right_.get(), zero(),
                               result_.get(), type(), kDefault, product_.get(), bytes, memory);
  }
  Status compute(Handle handle, std::size_t* bytes, void* memory) const {
    return cusparse().compute(handle, kAsIs, kAsIs, one_of(a_.scalar), left_.get(), right_.get(), zero(),
                              result_.get(), type(), kDefault, product_.get(), bytes, memory);
  }
  // A step after a failed one does nothing.
  void step(std::initializer_list<const Buffer*> written, const Step& work) {
    if (has_failed_) return;
    std::vector<detail::LibraryUse> uses;
    for (const DeviceCsr* const matrix : {&a_, &b_})
      for (const detail::LibraryUse& use : uses_of(*matrix)) uses.push_back(use);
    for (const Buffer* const buffer : written) uses.push_back({buffer, true});
    call_now(queue_, "cusparseSpGEMM", uses, [&](const detail::LibraryArguments& arguments) {
      const CudaHandles::Lease handle = handle_for(queue_, arguments);
      const Status status = work(handle.get(), arguments);
      has_failed_ = status == kNoMemory || status == kInsufficientResources;
      if (!has_failed_) check(status, "cusparseSpGEMM", queue_);
    });
  }

  const Queue& queue_;
  const DeviceCsr &a_, &b_;
  bool has_failed_ = false;
  Owned left_{cusparse().destroy_matrix}, right_{cusparse().destroy_matrix},
      result_{cusparse().destroy_matrix}, product_{cusparse().destroy_product};
};

}  // namespace

bool cusparse_takes(const Queue& queue, Scalar scalar) {
  return queue.state()->properties().dialect == Dialect::cuda_cpp && cuda_type_of(scalar) >= 0 &&
         are_allowed() && cusparse().is_found &&
         trials().work(queue, [&] { handles().add(queue, make_handle(queue)); });
}

std::optional<CusparseProduct> cusparse_multiply(const Queue& queue, const DeviceCsr& a, const DeviceCsr& b) {
  try {
    return Product(queue, a, b).run();
  } catch (const OutOfDeviceMemory&) {
    return std::nullopt;
  }
}

std::shared_ptr<const CusparseTriangle> CusparseTriangle::analyse(const Queue& queue, const DeviceCsr& matrix,
                                                                  bool is_lower, bool has_unit_diagonal) {
  try {
    return std::make_shared<const Triangle>(queue, matrix, is_lower, has_unit_diagonal);
  } catch (const OutOfDeviceMemory&) {
    return nullptr;
  }
}

LibraryReport cusparse_report() {
  if (!are_allowed()) return {"cuSPARSE", "cuda", {}, {}, {}, {{"libcusparse", kNotSearched, false}}, {}};
  LibraryReport report = cusparse().report;
  report.failure = trials().failures();
  return report;
}

}  // namespace quern::libraries
