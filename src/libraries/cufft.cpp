// SPDX-License-Identifier: MIT
// Fourier transforms by cuFFT. Its types are declared here, because its headers may be missing.
#include "libraries/cufft.hpp"

#include <algorithm>
#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/in_use.hpp"
#include "base/shared_library.hpp"
#include "libraries/allowed.hpp"
#include "libraries/cuda_search.hpp"
#include "libraries/cuda_trials.hpp"
#include "quern/array.hpp"
#include "quern/error.hpp"
#include "runtime/context_state.hpp"
#include "runtime/kept_counts.hpp"
#include "runtime/library_call.hpp"
#include "runtime/queue_state.hpp"

namespace quern::libraries {
namespace {

using Handle = int;
using Status = int;

// The values of cufftType, for single and double precision, and of the directions.
enum Type : int { kR2C = 0x2a, kC2R = 0x2c, kC2C = 0x29, kD2Z = 0x6a, kZ2D = 0x6c, kZ2Z = 0x69 };
constexpr int kForward = -1, kInverse = 1;

struct Cufft {
  LibraryReport report;
  Status (*create)(Handle*) = nullptr;
  Status (*destroy)(Handle) = nullptr;
  Status (*get_version)(int*) = nullptr;
  Status (*set_auto_allocation)(Handle, int) = nullptr;
  Status (*make_plan)(Handle, int, long long*, long long*, long long, long long, long long*, long long,
                      long long, int, long long, std::size_t*) = nullptr;
  Status (*set_work_area)(Handle, void*) = nullptr;
  Status (*set_stream)(Handle, void*) = nullptr;
  Status (*complex_single)(Handle, void*, void*, int) = nullptr;
  Status (*complex_double)(Handle, void*, void*, int) = nullptr;
  Status (*to_complex_single)(Handle, void*, void*) = nullptr;
  Status (*to_complex_double)(Handle, void*, void*) = nullptr;
  Status (*to_real_single)(Handle, void*, void*) = nullptr;
  Status (*to_real_double)(Handle, void*, void*) = nullptr;
  bool is_found = false;
};

bool find_all(const SharedLibrary& library, Cufft& cufft) {
  return find_function(library, "cufftCreate", cufft.create) &&
         find_function(library, "cufftDestroy", cufft.destroy) &&
         find_function(library, "cufftGetVersion", cufft.get_version) &&
         find_function(library, "cufftSetAutoAllocation", cufft.set_auto_allocation) &&
         find_function(library, "cufftMakePlanMany64", cufft.make_plan) &&
         find_function(library, "cufftSetWorkArea", cufft.set_work_area) &&
         find_function(library, "cufftSetStream", cufft.set_stream) &&
         find_function(library, "cufftExecC2C", cufft.complex_single) &&
         find_function(library, "cufftExecZ2Z", cufft.complex_double) &&
         find_function(library, "cufftExecR2C", cufft.to_complex_single) &&
         find_function(library, "cufftExecD2Z", cufft.to_complex_double) &&
         find_function(library, "cufftExecC2R", cufft.to_real_single) &&
         find_function(library, "cufftExecZ2D", cufft.to_real_double);
}

// libcufft.so.12 belongs to CUDA 13, libcufft.so.11 to CUDA 12.
std::unique_ptr<const Cufft> load() {
  auto cufft = std::make_unique<Cufft>();
  cufft->report.name = "cuFFT";
  cufft->is_found = load_cuda_library(
      cufft->report, "cufft", [&](const SharedLibrary& library) { return find_all(library, *cufft); });
  int version = 0;
  if (cufft->is_found && cufft->get_version(&version) == 0)
    cufft->report.version = std::to_string(version / 1000) + "." + std::to_string(version / 100 % 10) + "." +
                            std::to_string(version % 100);
  return cufft;
}

const Cufft& cufft() {
  static const Cufft* const loaded = load().release();  // never destroyed: used until the process ends
  return *loaded;
}

// The names of cufftResult.
const char* name_of(Status status) {
  constexpr std::array kNames = {"CUFFT_SUCCESS",       "CUFFT_INVALID_PLAN",  "CUFFT_ALLOC_FAILED",
                                 "CUFFT_INVALID_TYPE",  "CUFFT_INVALID_VALUE", "CUFFT_INTERNAL_ERROR",
                                 "CUFFT_EXEC_FAILED",   "CUFFT_SETUP_FAILED",  "CUFFT_INVALID_SIZE",
                                 "CUFFT_UNALIGNED_DATA"};
  return status >= 0 && static_cast<std::size_t>(status) < kNames.size()
             ? kNames[static_cast<std::size_t>(status)]
             : "an unknown status";
}

CudaTrials& trials() {
  static auto* const all = new CudaTrials;  // never destroyed: used until the process ends
  return *all;
}

int type_of(const CufftLines& lines) {
  switch (lines.kind) {
    case CufftKind::complex:
      return lines.is_double ? kZ2Z : kC2C;
    case CufftKind::real_to_complex:
      return lines.is_double ? kD2Z : kR2C;
    default:
      return lines.is_double ? kZ2D : kC2R;
  }
}

// The device memory that the tables of a plan take. cuFFT does not report it; this is an upper estimate: one
// complex number for each point of a length without factors above 7, and the chirp of Bluestein's algorithm
// and its transform for others.
std::size_t table_bytes(std::int64_t n, bool is_double) {
  std::int64_t rest = n;
  for (const std::int64_t factor : {2, 3, 5, 7})
    while (rest > 1 && rest % factor == 0) rest /= factor;
  return static_cast<std::size_t>(n) * (is_double ? 16 : 8) * (rest == 1 ? 1 : 6);
}

// What a plan depends on.
struct Key {
  std::weak_ptr<detail::ContextState> context;
  int type;
  std::array<std::int64_t, 6> numbers;

  [[nodiscard]] bool is(const std::shared_ptr<detail::ContextState>& owner, const Key& other) const {
    return type == other.type && numbers == other.numbers && context.lock() == owner;
  }
  [[nodiscard]] std::size_t table_bytes() const {
    return libraries::table_bytes(numbers[0], type == kZ2Z || type == kD2Z || type == kZ2D);
  }
};

// A plan serves one call at a time, because stream and workspace belong to it.
struct Plan : Usable {
  std::mutex mutex;
  Handle handle = 0;
  std::size_t workspace = 0;
  bool is_made = false;
};

// A limited number of plans, with limited tables in device memory. The least recently used go first. They are
// destroyed by the next call on their context, where it is current.
class Plans {
 public:
  static constexpr std::size_t kMost = 64, kMostDeviceBytes = std::size_t{512} << 20;

  // A plan begins to be used under the lock.
  InUse<Plan> get(const std::shared_ptr<detail::ContextState>& context, const Key& key) {
    const std::lock_guard lock(mutex_);
    // The driver has released the plans of a context that is gone.
    std::erase_if(used_, [](const Entry& entry) { return entry.key.context.expired(); });
    std::erase_if(dropped_, [](const Entry& entry) { return entry.key.context.expired(); });
    for (auto entry = used_.begin(); entry != used_.end(); ++entry) {
      if (!entry->key.is(context, key)) continue;
      used_.splice(used_.begin(), used_, entry);
      return InUse(entry->plan);
    }
    used_.push_front({key, std::make_shared<Plan>()});
    InUse<Plan> made(used_.front().plan);
    while (used_.size() > kMost || (used_.size() > 1 && device_bytes(used_) > kMostDeviceBytes))
      dropped_.splice(dropped_.begin(), used_, std::prev(used_.end()));
    count();
    return made;
  }
  // Drops a plan that is not made yet. A call that is held back may still make it.
  void drop(const Plan& plan) {
    const std::lock_guard lock(mutex_);
    for (auto entry = used_.begin(); entry != used_.end(); ++entry) {
      if (entry->plan.get() != &plan) continue;
      dropped_.splice(dropped_.begin(), used_, entry);
      return;
    }
  }
  // The context is current.
  void destroy_dropped(const std::shared_ptr<detail::ContextState>& context) {
    std::vector<Handle> handles;
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(dropped_, [&](const Entry& entry) {
        // Another call may still hold it.
        if (entry.plan->is_in_use() || entry.key.context.lock() != context) return false;
        if (entry.plan->is_made) handles.push_back(entry.plan->handle);
        return true;
      });
      count();
    }
    for (const Handle handle : handles) cufft().destroy(handle);
  }

 private:
  struct Entry {
    Key key;
    std::shared_ptr<Plan> plan;
  };
  static std::size_t device_bytes(const std::list<Entry>& entries) {
    std::size_t sum = 0;
    for (const Entry& entry : entries) sum += entry.key.table_bytes();
    return sum;
  }
  // Updates what stats() shows.
  void count() {
    constexpr std::size_t kBytes = sizeof(Entry) + sizeof(Plan);
    const std::size_t now = used_.size() + dropped_.size();
    const std::size_t on_device = device_bytes(used_) + device_bytes(dropped_);
    detail::library_plans.remove(counted_, counted_ * kBytes, counted_on_device_);
    detail::library_plans.add(now, now * kBytes, on_device);
    counted_ = now;
    counted_on_device_ = on_device;
  }
  std::mutex mutex_;
  std::list<Entry> used_, dropped_;
  std::size_t counted_ = 0, counted_on_device_ = 0;
};

Plans& plans() {
  static auto* const all = new Plans;  // never destroyed: used until the process ends
  return *all;
}

bool make(Plan& plan, const CufftLines& lines) {
  const std::lock_guard lock(plan.mutex);
  if (plan.is_made) return true;
  Handle handle = 0;
  if (cufft().create(&handle) != 0) return false;
  // For advanced layouts the lengths in memory must be given; those of one dimension are not used.
  long long n = lines.n, in_length = lines.n, out_length = lines.n;
  std::size_t workspace = 0;
  if (cufft().set_auto_allocation(handle, 0) != 0 ||
      cufft().make_plan(handle, 1, &n, &in_length, lines.in_step, lines.in_line, &out_length, lines.out_step,
                        lines.out_line, type_of(lines), lines.count, &workspace) != 0) {
    cufft().destroy(handle);
    return false;
  }
  plan.handle = handle;
  plan.workspace = workspace;
  plan.is_made = true;
  return true;
}

// cuFFT reads and writes real numbers in pairs, so they must be aligned as complex ones. Memory of the pool
// is.
bool is_aligned(const CufftLines& lines) {
  const std::int64_t part = lines.is_double ? 8 : 4;
  const auto starts_a_pair = [&](const Buffer& buffer, std::int64_t reals) {
    return (static_cast<std::int64_t>(buffer.offset()) + reals * part) % (2 * part) == 0;
  };
  const bool from_reals = lines.kind == CufftKind::real_to_complex,
             to_reals = lines.kind == CufftKind::complex_to_real;
  return starts_a_pair(*lines.from, from_reals ? lines.in_start : 2 * lines.in_start) &&
         starts_a_pair(*lines.to, to_reals ? lines.out_start : 2 * lines.out_start);
}

Status execute(Handle handle, const CufftLines& lines, void* from, void* to) {
  const Cufft& library = cufft();
  const int direction = lines.is_inverse ? kInverse : kForward;
  switch (lines.kind) {
    case CufftKind::complex:
      return (lines.is_double ? library.complex_double : library.complex_single)(handle, from, to, direction);
    case CufftKind::real_to_complex:
      return (lines.is_double ? library.to_complex_double : library.to_complex_single)(handle, from, to);
    default:
      return (lines.is_double ? library.to_real_double : library.to_real_single)(handle, from, to);
  }
}

}  // namespace

bool cufft_takes(const Queue& queue) {
  return queue.state()->properties().dialect == Dialect::cuda_cpp && are_allowed() && cufft().is_found &&
         trials().work(queue, [&] {
           Handle handle = 0;
           if (const Status status = cufft().create(&handle); status != 0)
             throw Error("cufftCreate failed on " + queue.device().spec() + " with " + name_of(status));
           cufft().destroy(handle);
         });
}

bool cufft_transform(const Queue& queue, const CufftLines& lines) {
  if (!is_aligned(lines)) return false;
  const std::shared_ptr<detail::ContextState>& context = queue.state()->context();
  const InUse<Plan> plan = plans().get(
      context, {context,
                type_of(lines),
                {lines.n, lines.count, lines.in_step, lines.in_line, lines.out_step, lines.out_line}});
  {
    std::unique_lock lock(plan->mutex);
    const bool is_made = plan->is_made;
    lock.unlock();
    // The workspace is known only when the plan is made, which needs the current context. A queue that is
    // held back runs the call later: own kernels then compute this transform.
    if (!is_made) {
      detail::call_library(queue, "cufftMakePlanMany64", {},
                           [plan, lines, context](const detail::LibraryArguments&) {
                             plans().destroy_dropped(context);
                             static_cast<void>(make(*plan, lines));
                           });
    }
    lock.lock();
    if (!plan->is_made) {
      lock.unlock();
      plans().drop(*plan);
      return false;
    }
  }
  Buffer scratch;
  try {
    scratch = empty(queue, {static_cast<std::int64_t>(std::max<std::size_t>(plan->workspace, 16))},
                    DType::of(Scalar::uint8))
                  .elements();
  } catch (const OutOfDeviceMemory&) {
    return false;
  }
  const std::array<detail::LibraryUse, 3> uses = {
      {{lines.from, lines.kind == CufftKind::complex_to_real}, {lines.to, true}, {&scratch, true}}};
  detail::call_library(
      queue, "cufftXtExec", uses, [lines, plan, queue](const detail::LibraryArguments& arguments) {
        const std::int64_t part = lines.is_double ? 8 : 4;
        const auto at = [&](std::size_t number, std::int64_t start, bool is_real) {
          return reinterpret_cast<void*>(arguments.addresses[number] +
                                         static_cast<std::uintptr_t>(start * part * (is_real ? 1 : 2)));
        };
        const std::lock_guard lock(plan->mutex);
        Status status = cufft().set_stream(plan->handle, reinterpret_cast<void*>(arguments.queue));
        if (status == 0)
          status = cufft().set_work_area(plan->handle, reinterpret_cast<void*>(arguments.addresses[2]));
        if (status == 0)
          status =
              execute(plan->handle, lines, at(0, lines.in_start, lines.kind == CufftKind::real_to_complex),
                      at(1, lines.out_start, lines.kind == CufftKind::complex_to_real));
        if (status != 0)
          throw Error(std::string("cuFFT failed on ") + queue.device().spec() + " with " + name_of(status));
      });
  return true;
}

LibraryReport cufft_report() {
  if (!are_allowed()) return {"cuFFT", "cuda", {}, {}, {}, {{"libcufft", kNotSearched, false}}, {}};
  LibraryReport report = cufft().report;
  report.failure = trials().failures();
  return report;
}

}  // namespace quern::libraries
