// SPDX-License-Identifier: MIT
// Tables of a transform, computed in double precision and kept in device memory within limits.
#include "algorithms/fft_tables.hpp"

#include <cmath>
#include <list>
#include <memory>
#include <mutex>
#include <numbers>
#include <unordered_map>
#include <utility>

#include "algorithms/fft.hpp"
#include "runtime/context_state.hpp"
#include "runtime/kept_counts.hpp"
#include "runtime/queue_state.hpp"

namespace quern::algorithms {
namespace {

constexpr std::size_t kMostEntries = 512, kMostBytes = std::size_t{64} << 20;

// The least recently used tables go first.
class Tables {
 public:
  template <class Make>
  Array get(const std::string& key, const Make& make) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = known_.find(key); found != known_.end()) {
        order_.splice(order_.begin(), order_, found->second);
        return found->second->second;
      }
    }
    Array made = make();
    std::list<Entry> gone;  // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second->second;
    if (made.nbytes() > kMostBytes / 2) return made;
    order_.emplace_front(key, made);
    known_.emplace(key, order_.begin());
    bytes_ += made.nbytes();
    detail::fft_tables.add(1, 0, made.nbytes());
    while (order_.size() > kMostEntries || bytes_ > kMostBytes) {
      const std::size_t last = order_.back().second.nbytes();
      bytes_ -= last;
      detail::fft_tables.remove(1, 0, last);
      known_.erase(order_.back().first);
      gone.splice(gone.begin(), order_, std::prev(order_.end()));
    }
    return made;
  }
  FftTableUse use() {
    const std::lock_guard lock(mutex_);
    return {order_.size(), bytes_};
  }

 private:
  using Entry = std::pair<std::string, Array>;
  std::mutex mutex_;
  std::list<Entry> order_;
  std::unordered_map<std::string, std::list<Entry>::iterator> known_;
  std::size_t bytes_ = 0;
};

Tables& tables() {
  static auto* const all = new Tables;  // never destroyed: threads may use it until the process ends
  return *all;
}

}  // namespace

Array uploaded_table(const Queue& queue, Scalar real, const std::vector<double>& numbers) {
  const Array table = empty(queue, {static_cast<std::int64_t>(numbers.size())}, DType::of(real));
  if (real == Scalar::float64) {
    const auto kept = std::make_shared<std::vector<double>>(numbers);
    table.set(queue, kept->data(), {}, kept);
  } else {
    const auto kept = std::make_shared<std::vector<float>>(numbers.begin(), numbers.end());
    table.set(queue, kept->data(), {}, kept);
  }
  return table;
}

Array kept_table(const Queue& queue, Scalar real, const std::string& key,
                 const std::function<std::vector<double>()>& make) {
  return kept_array(queue, real, key, [&] { return uploaded_table(queue, real, make()); });
}

Array kept_array(const Queue& queue, Scalar real, const std::string& key,
                 const std::function<Array()>& make) {
  // A table keeps its context alive.
  const auto& context = queue.state()->context();
  if (!context->is_own()) return make();
  return tables().get(queue.device().spec() + (real == Scalar::float64 ? "/d/" : "/f/") + key, make);
}

void add_twiddle(std::vector<double>& to, std::int64_t k, std::int64_t n) {
  // Reduced to an eighth of a turn, where cos and sin are accurate, and exact for quarters.
  k %= n;
  const auto eighths = static_cast<int>((k * 8) / n);
  const std::int64_t quarter = (eighths + 1) / 2;
  const double rest =
      (static_cast<double>(k) * 4 - static_cast<double>(quarter * n)) / static_cast<double>(n);
  const double angle = rest * (std::numbers::pi / 2);
  const double c = std::cos(angle), s = std::sin(angle);
  switch (quarter & 3) {
    case 0:
      to.insert(to.end(), {c, -s});
      return;
    case 1:
      to.insert(to.end(), {-s, -c});
      return;
    case 2:
      to.insert(to.end(), {-c, s});
      return;
    default:
      to.insert(to.end(), {s, c});
  }
}

Array fft_table(const Queue& queue, Scalar real, std::int64_t n, std::int64_t count) {
  return kept_table(queue, real, "twiddles/" + std::to_string(n) + "/" + std::to_string(count), [&] {
    std::vector<double> numbers;
    numbers.reserve(static_cast<std::size_t>(2 * count));
    for (std::int64_t k = 0; k < count; ++k) add_twiddle(numbers, k, n);
    return numbers;
  });
}

FftTwiddles fft_twiddles(const Queue& queue, Scalar real, std::int64_t n) {
  int shift = 0;
  while ((std::int64_t{1} << (2 * shift)) < n) ++shift;
  const std::int64_t fine = std::int64_t{1} << shift;
  return {kept_table(queue, real, "products/" + std::to_string(n),
                     [&] {
                       std::vector<double> numbers;
                       for (std::int64_t k = 0; k < fine; ++k) add_twiddle(numbers, k, n);
                       for (std::int64_t k = 0; k < n; k += fine) add_twiddle(numbers, k, n);
                       return numbers;
                     }),
          shift};
}

FftTableUse fft_table_use() {
  return tables().use();
}

}  // namespace quern::algorithms
