// SPDX-License-Identifier: MIT
// The stacks and the scheduling of fibers.
//
// All work-items of a group run in rounds, in the order of their numbers: in a round each goes on until it
// comes to a barrier or returns. So they agree if and only if in each round all do the same, which each one
// compares with what the first one did. Each switches to the next one itself.
#include "backend/host/fiber.hpp"

#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "backend/host/fault.hpp"
#include "backend/host/fiber_switch.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define QUERN_ASAN
#endif
#if defined(__SANITIZE_THREAD__)
#define QUERN_TSAN
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define QUERN_ASAN
#endif
#if __has_feature(thread_sanitizer)
#define QUERN_TSAN
#endif
#endif
#ifdef QUERN_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef QUERN_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace quern::backend::host {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kGuard = 64 << 10;   // guard below the first stack, which must not be accessed
constexpr std::size_t kReserve = 4 << 10;  // for this file's own functions
// Stacks at multiples of a page would all use the same few sets of the first-level cache. Each is therefore
// shifted by an odd number of cache lines, so that all sets are used in turn.
constexpr std::size_t kStagger = std::size_t{5} * 64;
constexpr std::uint64_t kCanary = 0x5175'6572'6e20'6772;

thread_local std::optional<std::string> noted_failure;

std::string group_name(const quern_launch& launch, unsigned long long number) {
  const auto id = group_id(launch, number);
  return "(" + std::to_string(id[0]) + "," + std::to_string(id[1]) + "," + std::to_string(id[2]) + ")";
}

// The source position of a barrier and the text that distinguishes it, as host_abi.h describes.
bool is_same_barrier(const char* a, const char* b) noexcept {
  if (a == nullptr || b == nullptr || std::strcmp(a, b) != 0) return false;
  const std::size_t next = std::strlen(a) + 1;
  return std::strcmp(a + next, b + next) == 0;
}

void disagree(const quern_launch* launch, unsigned long long number, const char* where) {
  const LibraryCall in_library;
  note_failure("work-items of group " + group_name(*launch, number) + " disagree about the barrier at " +
               where);
}

// Memory for the stacks of a group. Pages that no work-item touches are never allocated.
class Slab {
 public:
  Slab() = default;
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;
  ~Slab() { release(); }

  // False if there is not enough memory.
  bool reserve(std::size_t stacks, std::size_t stack) {
    stride_ = (stack + kReserve + kPage - 1) / kPage * kPage + kStagger;
    const std::size_t wanted = kGuard + stacks * stride_;
    if (wanted <= size_) return true;
    release();
    void* const memory =
        mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    low_ = static_cast<std::byte*>(memory);
    size_ = wanted;
    mprotect(low_, kGuard, PROT_NONE);
#ifdef MADV_NOHUGEPAGE
    madvise(low_, size_, MADV_NOHUGEPAGE);  // a few pages of each stack are used
#endif
    return true;
  }

  [[nodiscard]] std::byte* stack(std::size_t index) const noexcept {
    return low_ + kGuard + index * stride_;
  }
  [[nodiscard]] std::size_t stack_size() const noexcept {
    return stride_;
  }
  [[nodiscard]] bool holds(const void* object) const noexcept {
    return low_ != nullptr && object >= low_ && object < low_ + size_;
  }
  [[nodiscard]] bool guards(std::uintptr_t address) const noexcept {
    const auto low = reinterpret_cast<std::uintptr_t>(low_);
    return low_ != nullptr && address >= low && address < low + kGuard;
  }

 private:
  void release() noexcept {
    if (low_ != nullptr) munmap(low_, size_);
    low_ = nullptr;
    size_ = 0;
  }
  std::byte* low_ = nullptr;
  std::size_t size_ = 0, stride_ = 0;
};

// The fibers of the group that this thread runs.
class FiberGroup {
 public:
  int run(const quern_launch* launch, unsigned long long number, quern_item_function* item, void* group,
          std::size_t items, std::size_t stack);
  void barrier(const char* where) noexcept { arrive(where); }
  [[nodiscard]] bool holds(const void* object) const noexcept { return slab_.holds(object); }
  [[nodiscard]] bool guards(std::uintptr_t address) const noexcept { return slab_.guards(address); }

 private:
  bool prepare(quern_item_function* item, void* group, std::size_t items, std::size_t stack);
  enum class Outcome : std::uint8_t { done, disagreement, overflow };

  [[noreturn]] static void start();
  // The running fiber has reached a barrier, or its end if `where` is null: switches to the next one.
  void arrive(const char* where) noexcept;
  void leave(Outcome outcome) noexcept;
  void go_to(std::size_t next) noexcept;
  void transfer(Context& save, Context to, std::size_t target) noexcept;
  void arrived() noexcept;  // on the other side of a switch
  [[nodiscard]] bool has_overflowed(bool ends) const noexcept;

  static constexpr std::size_t kThread = SIZE_MAX;  // as a target: back to the thread's own stack

  Slab slab_;
  std::vector<Context> contexts_;
  Context thread_ = nullptr;
  quern_item_function* item_ = nullptr;
  void* group_ = nullptr;
  std::size_t items_ = 0, current_ = 0, started_ = 0;
  const char* round_ = nullptr;  // what the first fiber of this round reached
  const char* where_ = nullptr;  // the barrier that they disagree about
  Outcome outcome_ = Outcome::done;
#ifdef QUERN_ASAN
  const void* thread_bottom_ = nullptr;
  std::size_t thread_size_ = 0;
  bool from_thread_ = false;
#endif
#ifdef QUERN_TSAN
  std::vector<void*> tsan_;
  void* tsan_thread_ = nullptr;

 public:
  ~FiberGroup() {
    for (void* fiber : tsan_) __tsan_destroy_fiber(fiber);
  }
#endif
};

FiberGroup& this_thread() {
  thread_local FiberGroup group;
  return group;
}

int FiberGroup::run(const quern_launch* launch, unsigned long long number, quern_item_function* item,
                    void* group, std::size_t items, std::size_t stack) {
  if (!prepare(item, group, items, stack)) return 1;
  transfer(thread_, contexts_[0], 0);  // a fault of the kernel jumps out here, with nothing to clean up
  if (outcome_ == Outcome::done) return 0;
  const LibraryCall in_library;
  if (outcome_ == Outcome::disagreement)
    disagree(launch, number, where_);
  else
    note_failure("stack overflow: a work-item of group " + group_name(*launch, number) +
                 " needs more than the " + std::to_string(stack) +
                 " bytes that were expected for its private variables");
  return 1;
}

bool FiberGroup::prepare(quern_item_function* item, void* group, std::size_t items, std::size_t stack) {
  const LibraryCall in_library;
  if (stack > kMaxStacks / items || !slab_.reserve(items, stack)) {
    note_failure("stack overflow: each of the " + std::to_string(items) + " work-items of a group needs " +
                 std::to_string(stack) + " bytes for its private variables; the limit for all together is " +
                 std::to_string(kMaxStacks) + "; use smaller private arrays or a smaller local size");
    return false;
  }
  if (contexts_.size() < items) contexts_.resize(items);
#ifdef QUERN_ASAN
  __asan_unpoison_memory_region(slab_.stack(0), items * slab_.stack_size());
#endif
#ifdef QUERN_TSAN
  while (tsan_.size() < items) tsan_.push_back(__tsan_create_fiber(0));
  tsan_thread_ = __tsan_get_current_fiber();
#endif
  item_ = item;
  group_ = group;
  items_ = items;
  started_ = 0;
  outcome_ = Outcome::done;
  thread_ = nullptr;
#ifdef QUERN_ASAN
  from_thread_ = true;
#endif
  current_ = 0;
  contexts_[0] = prepare_stack(slab_.stack(0), slab_.stack_size(), &FiberGroup::start);
  std::memcpy(slab_.stack(0), &kCanary, sizeof kCanary);
  started_ = 1;
  return true;
}

void FiberGroup::start() {
  FiberGroup& self = this_thread();
  self.arrived();
  self.item_(self.group_, self.current_);
  self.arrive(nullptr);
  __builtin_unreachable();
}

void FiberGroup::arrive(const char* where) noexcept {
  if (has_overflowed(where == nullptr)) return leave(Outcome::overflow);
  if (current_ == 0) {
    round_ = where;
  } else if (round_ != where && !is_same_barrier(round_, where)) {
    where_ = where != nullptr ? where : round_;
    return leave(Outcome::disagreement);
  }
  if (current_ + 1 < items_) return go_to(current_ + 1);
  if (where == nullptr) return leave(Outcome::done);
  if (items_ > 1) go_to(0);
}

void FiberGroup::go_to(std::size_t next) noexcept {
  if (next == started_) {
    contexts_[next] = prepare_stack(slab_.stack(next), slab_.stack_size(), &FiberGroup::start);
    std::memcpy(slab_.stack(next), &kCanary, sizeof kCanary);
    ++started_;
  }
  Context& mine = contexts_[current_];
  current_ = next;
  transfer(mine, contexts_[next], next);
}

void FiberGroup::leave(Outcome outcome) noexcept {
  outcome_ = outcome;
  transfer(contexts_[current_], thread_, kThread);
}

void FiberGroup::transfer(Context& save, Context to, [[maybe_unused]] std::size_t target) noexcept {
#ifdef QUERN_ASAN
  void* fake_stack = nullptr;
  if (target == kThread)
    __sanitizer_start_switch_fiber(&fake_stack, thread_bottom_, thread_size_);
  else
    __sanitizer_start_switch_fiber(&fake_stack, slab_.stack(target), slab_.stack_size());
#endif
#ifdef QUERN_TSAN
  __tsan_switch_to_fiber(target == kThread ? tsan_thread_ : tsan_[target], 0);
#endif
  switch_stack(save, to);
#ifdef QUERN_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

void FiberGroup::arrived() noexcept {
#ifdef QUERN_ASAN
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
  if (from_thread_) thread_bottom_ = bottom, thread_size_ = size, from_thread_ = false;
#endif
}

// A frame that extends below its stack is detected where it waits; writes to the stack's end are detected
// where it ends.
bool FiberGroup::has_overflowed(bool ends) const noexcept {
  const std::byte* const low = slab_.stack(current_);
  const auto* const frame = static_cast<const std::byte*>(__builtin_frame_address(0));
#ifndef QUERN_ASAN  // whose frames may lie elsewhere
  if (frame < low || frame >= low + slab_.stack_size()) return true;
#endif
  (void)frame;
  return ends && std::memcmp(low, &kCanary, sizeof kCanary) != 0;
}

int run_group(const quern_launch* launch, unsigned long long number, quern_item_function* item, void* group,
              unsigned long long items, unsigned long long stack) {
  return this_thread().run(launch, number, item, group, items, stack);
}

void barrier(const quern_launch* /*launch*/, const char* where) {
  this_thread().barrier(where);
}

}  // namespace

const quern_runtime kRuntime = {run_group, barrier, disagree, space_of};

bool is_on_a_fiber(const void* object) noexcept {
  return this_thread().holds(object);
}

bool is_in_fiber_guard(std::uintptr_t address) noexcept {
  return this_thread().guards(address);
}

void note_failure(std::string text) {
  if (!noted_failure) noted_failure = std::move(text);
}

bool has_failed() noexcept {
  return noted_failure.has_value();
}

std::string take_failure() {
  std::string text = std::move(*noted_failure);
  noted_failure.reset();
  return text;
}

}  // namespace quern::backend::host
