// SPDX-License-Identifier: MIT
// Prepares small transforms, runs them on the calling thread, and keeps the last ones.
#include "algorithms/host/fft_prepared.hpp"

#include <list>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "algorithms/host/fft_plan.hpp"

namespace quern::algorithms {
namespace {

using fft_host::Call;
using fft_host::LineCall;
using fft_host::Memory;

// Scratch memory of the calling thread, kept for its next transform.
class Scratch {
 public:
  Scratch() = default;
  ~Scratch() { release(); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::byte* take(std::size_t nbytes) {
    if (nbytes > size_) {
      release();
      bytes_ = static_cast<std::byte*>(::operator new(nbytes, kAlignment));
      size_ = nbytes;
    }
    return bytes_;
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  void release() noexcept {
    ::operator delete(bytes_, kAlignment);
    bytes_ = nullptr;
    size_ = 0;
  }

  std::byte* bytes_ = nullptr;
  std::size_t size_ = 0;
};
thread_local Scratch scratch;

template <class T>
std::vector<T> table_of(const std::vector<double>& numbers) {
  return std::vector<T>(numbers.begin(), numbers.end());
}

template <class T>
class PreparedPass final : public PreparedFft {
 public:
  explicit PreparedPass(const FftPass& pass)
      : call_(fft_host::call_of_pass(pass)), table_(table_of<T>(fft_host::step_numbers(call_))) {}

  void run(const std::byte* from, std::byte* to) const override {
    const auto& blocks = fft_host::best_blocks<T>();
    T* const memory = reinterpret_cast<T*>(scratch.take(fft_host::scratch_for(call_.pass.n)));
    blocks.run(
        call_,
        {reinterpret_cast<const T*>(from), reinterpret_cast<T*>(to), table_.data(), nullptr, nullptr, memory},
        0, fft_host::groups_of(call_.pass, blocks.lanes));
  }

 private:
  Call call_;
  std::vector<T> table_;
};

template <class T>
class PreparedLines final : public PreparedFft {
 public:
  PreparedLines(const FftPass& first, const FftPass& second, const std::array<FftLoop, kFftBatchLoops>& batch)
      : call_(fft_host::call_of_lines(first, second, batch, fft_host::best_blocks<T>().lanes)),
        first_(table_of<T>(fft_host::step_numbers(call_.first))),
        twiddles_(table_of<T>(fft_host::twiddle_numbers(call_))),
        second_(table_of<T>(fft_host::step_numbers(call_.second))) {
    for (const FftLoop& loop : batch) lines_ *= loop.length;
  }

  void run(const std::byte* from, std::byte* to) const override {
    const std::int64_t a = call_.first.pass.n, b = call_.second.pass.n;
    const std::size_t steps = fft_host::scratch_for(std::max(a, b));
    std::byte* const memory = scratch.take(steps + static_cast<std::size_t>(2 * a * b) * sizeof(T));
    fft_host::run_lines<T>(call_,
                           {reinterpret_cast<const T*>(from), reinterpret_cast<T*>(to), first_.data(),
                            nullptr, twiddles_.data(), reinterpret_cast<T*>(memory)},
                           fft_host::best_blocks<T>(), second_.data(), reinterpret_cast<T*>(memory + steps),
                           0, lines_);
  }

 private:
  LineCall call_;
  std::vector<T> first_, twiddles_, second_;
  std::int64_t lines_ = 1;
};

// The least recently used transforms go first.
class Kept {
 public:
  using Prepared = std::shared_ptr<const PreparedFft>;
  Prepared get(const FftLayout& layout, const std::function<Prepared()>& make) {
    {
      const std::lock_guard lock(mutex_);
      if (const Prepared* const found = find(layout)) return *found;
    }
    Prepared made = make();
    std::list<Entry> gone;  // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    if (const Prepared* const found = find(layout)) return *found;
    order_.emplace_front(layout, made);
    if (order_.size() > kMost) gone.splice(gone.begin(), order_, std::prev(order_.end()));
    return made;
  }

 private:
  static constexpr std::size_t kMost = 64;
  using Entry = std::pair<FftLayout, Prepared>;

  // Under the lock.
  const Prepared* find(const FftLayout& layout) {
    for (auto entry = order_.begin(); entry != order_.end(); ++entry) {
      if (!(entry->first == layout)) continue;
      order_.splice(order_.begin(), order_, entry);
      return &order_.front().second;
    }
    return nullptr;
  }

  std::mutex mutex_;
  std::list<Entry> order_;
};

}  // namespace

std::shared_ptr<const PreparedFft> prepared_pass(Scalar real, const FftPass& pass) {
  if (real == Scalar::float64) return std::make_shared<PreparedPass<double>>(pass);
  return std::make_shared<PreparedPass<float>>(pass);
}

std::shared_ptr<const PreparedFft> prepared_lines(Scalar real, const FftPass& first, const FftPass& second,
                                                  const std::array<FftLoop, kFftBatchLoops>& batch) {
  if (real == Scalar::float64) return std::make_shared<PreparedLines<double>>(first, second, batch);
  return std::make_shared<PreparedLines<float>>(first, second, batch);
}

std::int64_t steps_of_pass(Scalar real, const FftPass& pass) {
  std::int64_t radices = 1;  // loading and storing
  for (const int radix : fft_radices(pass.n, 8)) radices += radix;
  const std::int64_t lanes =
      real == Scalar::float64 ? fft_host::best_blocks<double>().lanes : fft_host::best_blocks<float>().lanes;
  return fft_host::groups_of(pass, lanes) * pass.n * radices;
}

std::shared_ptr<const PreparedFft> kept_fft(const FftLayout& layout,
                                            const std::function<std::shared_ptr<const PreparedFft>()>& make) {
  static auto* const kept = new Kept;  // never destroyed: threads may use it until the process ends
  return kept->get(layout, make);
}

}  // namespace quern::algorithms
