// SPDX-License-Identifier: MIT
// Factorisations by cuSOLVER, by its functions with 64-bit sizes. Its types are declared here, because its
// headers may be missing.
#include "libraries/cusolver.hpp"

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

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
using Parameters = void*;
using Status = int;
using Size = std::int64_t;
// The values of cublasOperation_t, cublasFillMode_t and cusolverEigMode_t.
constexpr int kAsIs = 0, kTransposed = 1, kAdjoint = 2, kLower = 0, kUpper = 1, kNoVectors = 0, kVectors = 1;

struct Cusolver {
  LibraryReport report;
  Status (*create)(Handle*) = nullptr;
  Status (*create_parameters)(Parameters*) = nullptr;
  Status (*set_stream)(Handle, void*) = nullptr;
  Status (*get_property)(int, int*) = nullptr;
  Status (*getrf_size)(Handle, Parameters, Size, Size, int, const void*, Size, int, std::size_t*,
                       std::size_t*) = nullptr;
  Status (*getrf)(Handle, Parameters, Size, Size, int, void*, Size, Size*, int, void*, std::size_t, void*,
                  std::size_t, int*) = nullptr;
  Status (*getrs)(Handle, Parameters, int, Size, Size, int, const void*, Size, const Size*, int, void*, Size,
                  int*) = nullptr;
  Status (*potrs)(Handle, Parameters, int, Size, Size, int, const void*, Size, int, void*, Size,
                  int*) = nullptr;
  Status (*potrf_size)(Handle, Parameters, int, Size, int, const void*, Size, int, std::size_t*,
                       std::size_t*) = nullptr;
  Status (*potrf)(Handle, Parameters, int, Size, int, void*, Size, int, void*, std::size_t, void*,
                  std::size_t, int*) = nullptr;
  Status (*syevd_size)(Handle, Parameters, int, int, Size, int, const void*, Size, int, const void*, int,
                       std::size_t*, std::size_t*) = nullptr;
  Status (*syevd)(Handle, Parameters, int, int, Size, int, void*, Size, int, void*, int, void*, std::size_t,
                  void*, std::size_t, int*) = nullptr;
  Status (*gesvd_size)(Handle, Parameters, signed char, signed char, Size, Size, int, const void*, Size, int,
                       const void*, int, const void*, Size, int, const void*, Size, int, std::size_t*,
                       std::size_t*) = nullptr;
  Status (*gesvd)(Handle, Parameters, signed char, signed char, Size, Size, int, void*, Size, int, void*, int,
                  void*, Size, int, void*, Size, int, void*, std::size_t, void*, std::size_t, int*) = nullptr;
  Status (*geqrf_size)(Handle, Parameters, Size, Size, int, const void*, Size, int, const void*, int,
                       std::size_t*, std::size_t*) = nullptr;
  Status (*geqrf)(Handle, Parameters, Size, Size, int, void*, Size, int, void*, int, void*, std::size_t,
                  void*, std::size_t, int*) = nullptr;
  // Null before CUDA 12.6.
  Status (*geev_size)(Handle, Parameters, int, int, Size, int, const void*, Size, int, const void*, int,
                      const void*, Size, int, const void*, Size, int, std::size_t*, std::size_t*) = nullptr;
  Status (*geev)(Handle, Parameters, int, int, Size, int, void*, Size, int, void*, int, void*, Size, int,
                 void*, Size, int, void*, std::size_t, void*, std::size_t, int*) = nullptr;
  Status (*syev_batched_size)(Handle, Parameters, int, int, Size, int, const void*, Size, int, const void*,
                              int, std::size_t*, std::size_t*, Size) = nullptr;
  Status (*syev_batched)(Handle, Parameters, int, int, Size, int, void*, Size, int, void*, int, void*,
                         std::size_t, void*, std::size_t, int*, Size) = nullptr;
  // Of float32, float64, complex64, complex128.
  std::array<Status (*)(Handle, int, int, int, const void*, int, const void*, int*), 4> orgqr_size{};
  std::array<Status (*)(Handle, int, int, int, void*, int, const void*, void*, int, int*), 4> orgqr{};
  std::array<Status (*)(Handle, int, int, void*, int, int*, int), 4> potrf_batched{};
};

bool find_all(const SharedLibrary& library, Cusolver& to) {
  bool has_all = find_function(library, "cusolverDnCreate", to.create) &&
                 find_function(library, "cusolverDnCreateParams", to.create_parameters) &&
                 find_function(library, "cusolverDnSetStream", to.set_stream) &&
                 find_function(library, "cusolverGetProperty", to.get_property) &&
                 find_function(library, "cusolverDnXgetrf_bufferSize", to.getrf_size) &&
                 find_function(library, "cusolverDnXgetrf", to.getrf) &&
                 find_function(library, "cusolverDnXgetrs", to.getrs) &&
                 find_function(library, "cusolverDnXpotrs", to.potrs) &&
                 find_function(library, "cusolverDnXpotrf_bufferSize", to.potrf_size) &&
                 find_function(library, "cusolverDnXpotrf", to.potrf) &&
                 find_function(library, "cusolverDnXsyevd_bufferSize", to.syevd_size) &&
                 find_function(library, "cusolverDnXsyevd", to.syevd) &&
                 find_function(library, "cusolverDnXgesvd_bufferSize", to.gesvd_size) &&
                 find_function(library, "cusolverDnXgesvd", to.gesvd) &&
                 find_function(library, "cusolverDnXgeqrf_bufferSize", to.geqrf_size) &&
                 find_function(library, "cusolverDnXgeqrf", to.geqrf);
  constexpr const char* kNames[] = {"cusolverDnSorgqr", "cusolverDnDorgqr", "cusolverDnCungqr",
                                    "cusolverDnZungqr"};
  for (std::size_t i = 0; i < 4; ++i) {
    has_all =
        has_all && find_function(library, kNames[i], to.orgqr[i]) &&
        find_function(library, (std::string(kNames[i]) + "_bufferSize").c_str(), to.orgqr_size[i]) &&
        find_function(library, (std::string(kNames[i], 11) + "potrfBatched").c_str(), to.potrf_batched[i]);
  }
  if (find_function(library, "cusolverDnXgeev_bufferSize", to.geev_size))
    find_function(library, "cusolverDnXgeev", to.geev);
  if (find_function(library, "cusolverDnXsyevBatched_bufferSize", to.syev_batched_size))
    find_function(library, "cusolverDnXsyevBatched", to.syev_batched);
  return has_all;
}

std::unique_ptr<const Cusolver> load() {
  auto cusolver = std::make_unique<Cusolver>();
  cusolver->report.name = "cuSOLVER";
  const auto take = [&](const SharedLibrary& library) { return find_all(library, *cusolver); };
  const auto prepare = [](const std::string&) {
    load_cuda_dependencies({"nvJitLink", "cublasLt", "cublas", "cusparse"});
  };
  if (!load_cuda_library(cusolver->report, "cusolver", take, prepare)) {
    auto none = std::make_unique<Cusolver>();
    none->report = std::move(cusolver->report);
    return none;
  }
  cusolver->report.version = version_by(cusolver->get_property);
  return cusolver;
}

const Cusolver& cusolver() {
  static const Cusolver* const loaded = load().release();  // never destroyed: used until the process ends
  return *loaded;
}

CudaHandles& handles() {
  static auto* const all = new CudaHandles;  // never destroyed: used until the process ends
  return *all;
}

void check(Status status, const char* call, const Queue& queue) {
  if (status != 0)
    throw Error(std::string(call) + " failed on " + queue.device().spec() + " with status " +
                std::to_string(status));
}

CudaTrials& trials() {
  static auto* const all = new CudaTrials;  // never destroyed: used until the process ends
  return *all;
}

Handle make_handle(const Queue& queue) {
  Handle made = nullptr;
  check(cusolver().create(&made), "cusolverDnCreate", queue);
  return made;
}

// Options with the defaults of the library; they belong to no context.
Parameters parameters() {
  static const Parameters made = [] {
    Parameters created = nullptr;
    cusolver().create_parameters(&created);
    return created;
  }();
  return made;
}

// The values of cudaDataType: of the matrix, of its magnitudes, and of its eigenvalues.
struct Types {
  int data, real, complex;
  std::size_t number;
};
Types types_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::float32:
      return {0, 0, 4, 0};
    case Scalar::float64:
      return {1, 1, 5, 1};
    case Scalar::complex64:
      return {4, 0, 4, 2};
    case Scalar::complex128:
      return {5, 1, 5, 3};
    default:
      return {-1, -1, -1, 0};
  }
}

int operation_of(char op) {
  return op == 'N' ? kAsIs : op == 'T' ? kTransposed : kAdjoint;
}

// What a call gets: a handle on the queue's stream, and the addresses.
struct Call {
  Handle handle;
  std::span<void* const> at;
};
using Work = std::function<Status(const Call&)>;

Event enqueue(const Queue& queue, const char* name, std::span<const DevicePart> parts, Work work) {
  std::vector<detail::LibraryUse> uses;
  std::vector<std::int64_t> starts;
  for (const DevicePart& part : parts) {
    uses.push_back({part.buffer, true});
    starts.push_back(part.start);
  }
  return detail::call_library(
      queue, name, uses,
      [queue, name, starts, work = std::move(work)](const detail::LibraryArguments& arguments) {
        const CudaHandles::Lease handle(handles(), queue, [&] { return make_handle(queue); });
        check(cusolver().set_stream(handle.get(), reinterpret_cast<void*>(arguments.queue)),
              "cusolverDnSetStream", queue);
        std::vector<void*> addresses;
        for (std::size_t i = 0; i < starts.size(); ++i)
          addresses.push_back(
              reinterpret_cast<void*>(arguments.addresses[i] + static_cast<std::uintptr_t>(starts[i])));
        check(work({handle.get(), addresses}), name, queue);
      });
}

struct Workspace {
  std::size_t device = 0, host = 0;
};

// Asks for the size of a workspace, with the context current. The library enqueues nothing.
Workspace ask(const Queue& queue, const char* name, std::function<Status(Handle, Workspace&)> size) {
  struct Answer {
    Workspace workspace;
    std::atomic<bool> is_there = false;  // another thread runs a call that is held back
  };
  const auto answer = std::make_shared<Answer>();
  const Event asked = enqueue(queue, name, {}, [answer, size = std::move(size)](const Call& call) {
    const Status status = size(call.handle, answer->workspace);
    answer->is_there.store(true, std::memory_order_release);
    return status;
  });
  if (!answer->is_there.load(std::memory_order_acquire)) asked.wait();
  return answer->workspace;
}

// Enqueues a call with its workspaces: the last address is that of the device's.
void enqueue_with(const Queue& queue, const char* name, std::vector<DevicePart> parts, Workspace workspace,
                  const std::function<Status(const Call&, Workspace, void* host)>& work) {
  const Buffer scratch = empty(queue, {static_cast<std::int64_t>(std::max<std::size_t>(1, workspace.device))},
                               DType::of(Scalar::uint8))
                             .elements();
  parts.push_back({&scratch});
  // Page-locked, because the library copies between it and the device.
  const auto host =
      workspace.host != 0 ? std::make_shared<const PinnedBuffer>(queue.device(), workspace.host) : nullptr;
  const Event done = enqueue(queue, name, parts, [work, workspace, host](const Call& call) {
    return work(call, workspace, host != nullptr ? host->data() : nullptr);
  });
  if (workspace.host != 0) done.wait();  // the library may use the host's workspace until then
}

}  // namespace

bool cusolver_takes(const Queue& queue, Scalar scalar) {
  return queue.state()->properties().dialect == Dialect::cuda_cpp && types_of(scalar).data >= 0 &&
         are_allowed() && cusolver().getrf != nullptr &&
         trials().work(queue, [&] { handles().add(queue, make_handle(queue)); });
}

void cusolver_getrf(const Queue& queue, Scalar scalar, std::int64_t m, std::int64_t n, DevicePart a,
                    DevicePart pivots, DevicePart info) {
  const int type = types_of(scalar).data;
  const Workspace workspace = ask(queue, "cusolverDnXgetrf_bufferSize", [=](Handle handle, Workspace& size) {
    return cusolver().getrf_size(handle, parameters(), m, n, type, nullptr, m, type, &size.device,
                                 &size.host);
  });
  enqueue_with(queue, "cusolverDnXgetrf", {a, pivots, info}, workspace,
               [=](const Call& call, Workspace size, void* host) {
                 return cusolver().getrf(call.handle, parameters(), m, n, type, call.at[0], m,
                                         static_cast<Size*>(call.at[1]), type, call.at[3], size.device, host,
                                         size.host, static_cast<int*>(call.at[2]));
               });
}

void cusolver_getrs(const Queue& queue, Scalar scalar, char op, std::int64_t n, std::int64_t columns,
                    DevicePart lu, DevicePart pivots, DevicePart b, DevicePart info) {
  const int type = types_of(scalar).data;
  const std::array<DevicePart, 4> parts = {lu, pivots, b, info};
  enqueue(queue, "cusolverDnXgetrs", parts, [=](const Call& call) {
    return cusolver().getrs(call.handle, parameters(), operation_of(op), n, columns, type, call.at[0], n,
                            static_cast<const Size*>(call.at[1]), type, call.at[2], n,
                            static_cast<int*>(call.at[3]));
  });
}

void cusolver_potrf(const Queue& queue, Scalar scalar, bool is_lower, std::int64_t n, DevicePart a,
                    DevicePart info) {
  const int type = types_of(scalar).data, triangle = is_lower ? kLower : kUpper;
  const Workspace workspace = ask(queue, "cusolverDnXpotrf_bufferSize", [=](Handle handle, Workspace& size) {
    return cusolver().potrf_size(handle, parameters(), triangle, n, type, nullptr, n, type, &size.device,
                                 &size.host);
  });
  enqueue_with(
      queue, "cusolverDnXpotrf", {a, info}, workspace, [=](const Call& call, Workspace size, void* host) {
        return cusolver().potrf(call.handle, parameters(), triangle, n, type, call.at[0], n, type, call.at[2],
                                size.device, host, size.host, static_cast<int*>(call.at[1]));
      });
}

void cusolver_potrf_batched(const Queue& queue, Scalar scalar, bool is_lower, std::int64_t n,
                            std::int64_t count, DevicePart matrices, DevicePart addresses, DevicePart info) {
  const std::array<DevicePart, 3> parts = {addresses, matrices, info};
  enqueue(queue, "cusolverDnSpotrfBatched", parts, [=](const Call& call) {
    return cusolver().potrf_batched[types_of(scalar).number](
        call.handle, is_lower ? kLower : kUpper, static_cast<int>(n), call.at[0], static_cast<int>(n),
        static_cast<int*>(call.at[2]), static_cast<int>(count));
  });
}

void cusolver_potrs(const Queue& queue, Scalar scalar, bool is_lower, std::int64_t n, std::int64_t columns,
                    DevicePart factor, DevicePart b, DevicePart info) {
  const int type = types_of(scalar).data;
  const std::array<DevicePart, 3> parts = {factor, b, info};
  enqueue(queue, "cusolverDnXpotrs", parts, [=](const Call& call) {
    return cusolver().potrs(call.handle, parameters(), is_lower ? kLower : kUpper, n, columns, type,
                            call.at[0], n, type, call.at[1], n, static_cast<int*>(call.at[2]));
  });
}

void cusolver_syevd(const Queue& queue, Scalar scalar, bool wants_vectors, bool is_lower, std::int64_t n,
                    DevicePart a, DevicePart values, DevicePart info) {
  const Types types = types_of(scalar);
  const int job = wants_vectors ? kVectors : kNoVectors, triangle = is_lower ? kLower : kUpper;
  const Workspace workspace = ask(queue, "cusolverDnXsyevd_bufferSize", [=](Handle handle, Workspace& size) {
    return cusolver().syevd_size(handle, parameters(), job, triangle, n, types.data, nullptr, n, types.real,
                                 nullptr, types.data, &size.device, &size.host);
  });
  enqueue_with(queue, "cusolverDnXsyevd", {a, values, info}, workspace,
               [=](const Call& call, Workspace size, void* host) {
                 return cusolver().syevd(call.handle, parameters(), job, triangle, n, types.data, call.at[0],
                                         n, types.real, call.at[1], types.data, call.at[3], size.device, host,
                                         size.host, static_cast<int*>(call.at[2]));
               });
}

bool cusolver_has_syev_batched() {
  return cusolver().syev_batched != nullptr;
}

void cusolver_syev_batched(const Queue& queue, Scalar scalar, bool wants_vectors, bool is_lower,
                           std::int64_t n, std::int64_t count, DevicePart a, DevicePart values,
                           DevicePart info) {
  const Types types = types_of(scalar);
  const int job = wants_vectors ? kVectors : kNoVectors, triangle = is_lower ? kLower : kUpper;
  const Workspace workspace =
      ask(queue, "cusolverDnXsyevBatched_bufferSize", [=](Handle handle, Workspace& size) {
        return cusolver().syev_batched_size(handle, parameters(), job, triangle, n, types.data, nullptr, n,
                                            types.real, nullptr, types.data, &size.device, &size.host, count);
      });
  enqueue_with(queue, "cusolverDnXsyevBatched", {a, values, info}, workspace,
               [=](const Call& call, Workspace size, void* host) {
                 return cusolver().syev_batched(call.handle, parameters(), job, triangle, n, types.data,
                                                call.at[0], n, types.real, call.at[1], types.data, call.at[3],
                                                size.device, host, size.host, static_cast<int*>(call.at[2]),
                                                count);
               });
}

bool cusolver_has_geev() {
  return cusolver().geev != nullptr;
}

void cusolver_geev(const Queue& queue, Scalar scalar, bool wants_vectors, std::int64_t n, DevicePart a,
                   DevicePart values, DevicePart vectors, DevicePart info) {
  const Types types = types_of(scalar);
  const int job = wants_vectors ? kVectors : kNoVectors;
  const Workspace workspace = ask(queue, "cusolverDnXgeev_bufferSize", [=](Handle handle, Workspace& size) {
    return cusolver().geev_size(handle, parameters(), kNoVectors, job, n, types.data, nullptr, n,
                                types.complex, nullptr, types.data, nullptr, n, types.data, nullptr, n,
                                types.data, &size.device, &size.host);
  });
  enqueue_with(queue, "cusolverDnXgeev", {a, values, vectors, info}, workspace,
               [=](const Call& call, Workspace size, void* host) {
                 return cusolver().geev(call.handle, parameters(), kNoVectors, job, n, types.data, call.at[0],
                                        n, types.complex, call.at[1], types.data, nullptr, n, types.data,
                                        wants_vectors ? call.at[2] : nullptr, n, types.data, call.at[4],
                                        size.device, host, size.host, static_cast<int*>(call.at[3]));
               });
}

void cusolver_gesvd(const Queue& queue, Scalar scalar, char job, std::int64_t m, std::int64_t n, DevicePart a,
                    DevicePart s, DevicePart u, DevicePart vt, DevicePart info) {
  const Types types = types_of(scalar);
  const auto letter = static_cast<signed char>(job);
  const Workspace workspace = ask(queue, "cusolverDnXgesvd_bufferSize", [=](Handle handle, Workspace& size) {
    return cusolver().gesvd_size(handle, parameters(), letter, letter, m, n, types.data, nullptr, m,
                                 types.real, nullptr, types.data, nullptr, m, types.data, nullptr, n,
                                 types.data, &size.device, &size.host);
  });
  enqueue_with(queue, "cusolverDnXgesvd", {a, s, u, vt, info}, workspace,
               [=](const Call& call, Workspace size, void* host) {
                 return cusolver().gesvd(call.handle, parameters(), letter, letter, m, n, types.data,
                                         call.at[0], m, types.real, call.at[1], types.data, call.at[2], m,
                                         types.data, call.at[3], n, types.data, call.at[5], size.device, host,
                                         size.host, static_cast<int*>(call.at[4]));
               });
}

void cusolver_geqrf(const Queue& queue, Scalar scalar, std::int64_t m, std::int64_t n, DevicePart a,
                    DevicePart tau, DevicePart info) {
  const int type = types_of(scalar).data;
  const Workspace workspace = ask(queue, "cusolverDnXgeqrf_bufferSize", [=](Handle handle, Workspace& size) {
    return cusolver().geqrf_size(handle, parameters(), m, n, type, nullptr, m, type, nullptr, type,
                                 &size.device, &size.host);
  });
  enqueue_with(queue, "cusolverDnXgeqrf", {a, tau, info}, workspace,
               [=](const Call& call, Workspace size, void* host) {
                 return cusolver().geqrf(call.handle, parameters(), m, n, type, call.at[0], m, type,
                                         call.at[1], type, call.at[3], size.device, host, size.host,
                                         static_cast<int*>(call.at[2]));
               });
}

void cusolver_orgqr(const Queue& queue, Scalar scalar, std::int64_t m, std::int64_t n, std::int64_t k,
                    DevicePart a, DevicePart tau, DevicePart info) {
  const std::size_t number = types_of(scalar).number;
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), count = static_cast<int>(k);
  const Workspace workspace = ask(queue, "cusolverDnSorgqr_bufferSize", [=](Handle handle, Workspace& size) {
    int elements = 0;
    const Status status =
        cusolver().orgqr_size[number](handle, rows, columns, count, nullptr, rows, nullptr, &elements);
    size.device = static_cast<std::size_t>(elements) * DType::of(scalar).itemsize;
    return status;
  });
  enqueue_with(queue, "cusolverDnSorgqr", {a, tau, info}, workspace,
               [=](const Call& call, Workspace size, void* /*host*/) {
                 return cusolver().orgqr[number](call.handle, rows, columns, count, call.at[0], rows,
                                                 call.at[1], call.at[3],
                                                 static_cast<int>(size.device / DType::of(scalar).itemsize),
                                                 static_cast<int*>(call.at[2]));
               });
}

LibraryReport cusolver_report() {
  if (!are_allowed()) return {"cuSOLVER", "cuda", {}, {}, {}, {{"libcusolver", kNotSearched, false}}, {}};
  LibraryReport report = cusolver().report;
  report.failure = trials().failures();
  return report;
}

}  // namespace quern::libraries
