// SPDX-License-Identifier: MIT
// Runs a computation on each matrix of a stack.
#include "linalg/batch.hpp"

#include <algorithm>
#include <atomic>
#include <complex>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "algorithms/launch/operation.hpp"
#include "array/at_once.hpp"
#include "array/node.hpp"
#include "array/staged.hpp"
#include "base/thread_pool.hpp"
#include "libraries/blas.hpp"
#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "quern/inline_vector.hpp"
#include "quern/views.hpp"
#include "runtime/context_state.hpp"
#include "runtime/eager.hpp"
#include "runtime/library_call.hpp"
#include "runtime/queue_state.hpp"

namespace quern::linalg {
namespace {

// Below this number of operations a second thread costs more than it saves.
constexpr double kThreadWork = 2e5;
// From this number of operations on one matrix, several threads work on it.
constexpr double kSharedWork = 4e6;

// Where the items of an operand are.
struct Place {
  std::byte* first = nullptr;
  Item item{};                      // of the first
  std::int64_t item_bytes = 1;      // of an element
  std::vector<std::int64_t> steps;  // bytes, for each axis of the stack
};

Place place_of(const BatchOperand& operand, const Shape& stack, const Strides& strides, std::byte* first) {
  Place place;
  const Shape& shape = operand.array.shape();
  const std::size_t rank = shape.size(), axes = operand.axes, others = rank - axes;
  const auto bytes = static_cast<std::int64_t>(operand.array.dtype().itemsize);
  place.first = first;
  place.item_bytes = bytes;
  place.item.rows = axes > 0 ? shape[others] : 1;
  place.item.columns = axes > 1 ? shape[others + 1] : 1;
  place.item.row_step = axes > 0 ? strides[others] / bytes : 0;
  place.item.column_step = axes > 1 ? strides[others + 1] / bytes : 0;
  place.steps.assign(stack.size(), 0);
  for (std::size_t back = 1; back <= others; ++back) {
    if (shape[others - back] != 1) place.steps[stack.size() - back] = strides[others - back];
  }
  return place;
}

// Adds the source line to the text when the text is read: the line's text needs Python's lock, which a worker
// must not wait for.
class FailedMatrix final : public LinAlgError {
 public:
  FailedMatrix(const std::string& text, Origin origin) : LinAlgError(text), origin_(origin) {}
  [[nodiscard]] const char* what() const noexcept override {
    try {
      const OriginText line = array::origin_text.load();
      if (line == nullptr || origin_ == 0) return LinAlgError::what();
      std::string text = std::string(LinAlgError::what()) + " at " + line(origin_);
      const std::lock_guard lock(located_->mutex);
      if (located_->text.empty()) located_->text = std::move(text);
      return located_->text.c_str();
    } catch (...) {
      return LinAlgError::what();
    }
  }

 private:
  struct Located {
    std::mutex mutex;
    std::string text;
  };
  Origin origin_;
  std::shared_ptr<Located> located_ = std::make_shared<Located>();
};

// All that a computation needs once the addresses are known.
struct Work {
  std::string name;
  Origin origin = 0;
  Shape shape;
  std::uint64_t count = 1;
  double work = 0;
  std::function<std::int64_t(std::span<const Item>)> compute;
  std::string (*failure)(std::int64_t info) = nullptr;
  std::function<std::int64_t(std::span<const Item>, std::span<const std::int64_t>, std::int64_t)>
      compute_many;
  const libraries::Blas* shared = nullptr;  // if several threads work on one matrix

  void run(std::vector<Place>& places) const;

 private:
  void run_part(const std::vector<Place>& places, std::uint64_t first, std::uint64_t last,
                std::atomic<std::uint64_t>& failed, std::int64_t& info, std::mutex& mutex) const;
  void locate(const std::vector<Place>& places, std::uint64_t matrix, std::vector<Item>& items) const;
  // The steps from matrix to matrix, if they are the same for all.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> steps_of(const std::vector<Place>& places) const;
  [[noreturn]] void fail(std::uint64_t matrix, std::int64_t info) const;
};

void Work::fail(std::uint64_t matrix, std::int64_t info) const {
  std::string text = info == kNotFinite ? "Array must not contain infs or NaNs" : failure(info);
  if (count > 1) text += "; matrix " + std::to_string(matrix) + " of " + std::to_string(count);
  throw FailedMatrix(text + "; in " + name, origin);
}

void Work::locate(const std::vector<Place>& places, std::uint64_t matrix, std::vector<Item>& items) const {
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Place& place = places[k];
    std::int64_t offset = 0;
    std::uint64_t rest = matrix;
    for (std::size_t d = shape.size(); d-- > 0;) {
      const auto length = static_cast<std::uint64_t>(shape[d]);
      offset += place.steps[d] * static_cast<std::int64_t>(rest % length);
      rest /= length;
    }
    items[k] = place.item;
    items[k].data = place.first + offset;
  }
}

std::optional<std::vector<std::int64_t>> Work::steps_of(const std::vector<Place>& places) const {
  std::vector<std::int64_t> steps;
  for (const Place& place : places) {
    std::int64_t step = 0, length = 1;  // of the axes behind, of which `length` matrices are known
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (shape[d] == 1) continue;
      if (length != 1 && place.steps[d] != step * length) return std::nullopt;
      if (length == 1) step = place.steps[d];
      length *= shape[d];
    }
    steps.push_back(step / place.item_bytes);
  }
  return steps;
}

void Work::run_part(const std::vector<Place>& places, std::uint64_t first, std::uint64_t last,
                    std::atomic<std::uint64_t>& failed, std::int64_t& info, std::mutex& mutex) const {
  const auto fails = [&](std::uint64_t matrix, std::int64_t result) {
    const std::lock_guard lock(mutex);
    if (matrix >= failed.load()) return;
    failed.store(matrix);
    info = result;
  };
  std::vector<Item> items(places.size());
  if (compute_many) {
    if (const auto steps = steps_of(places)) {
      locate(places, first, items);
      const std::int64_t number = compute_many(items, *steps, static_cast<std::int64_t>(last - first));
      if (number >= 0) fails(first + static_cast<std::uint64_t>(number), 1);
      return;
    }
  }
  for (std::uint64_t matrix = first; matrix < last; ++matrix) {
    locate(places, matrix, items);
    const std::int64_t result = compute(items);
    if (result == 0) continue;
    if (result < 0 && result != kNotFinite)
      throw Error(name + ": LAPACK refused its argument " + std::to_string(-result) +
                  "; the matrix may be too large for the library's integers");
    fails(matrix, result);
  }
}

void Work::run(std::vector<Place>& places) const {
  const ThreadPool& pool = ThreadPool::current();
  std::atomic<std::uint64_t> failed{std::numeric_limits<std::uint64_t>::max()};
  std::int64_t info = 0;
  std::mutex mutex;
  std::exception_ptr error;
  const auto part = [&](std::uint64_t first, std::uint64_t last) {
    try {
      run_part(places, first, last, failed, info, mutex);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  };
  // The library's own threads run on any processor, so a part of the host computes on one thread of its team.
  if (shared != nullptr && !pool.is_team()) {
    const libraries::BlasThreads raised(*shared, pool.threads());
    part(0, count);
  } else {
    const double grain = work > 0 ? kThreadWork / work : 1e6;
    parallel_for(count, static_cast<std::uint64_t>(std::clamp(grain, 1.0, 1e9)), part);
  }
  if (error) std::rethrow_exception(error);
  if (failed.load() != std::numeric_limits<std::uint64_t>::max()) fail(failed.load(), info);
}

// Whether elements are at multiples of their size, as the loops expect.
bool is_aligned(const Array& array) {
  const auto item = static_cast<std::int64_t>(array.dtype().itemsize);
  const auto is_even = [&](std::int64_t bytes) { return bytes % item == 0; };
  return is_even(static_cast<std::int64_t>(array.offset())) &&
         std::all_of(array.strides().begin(), array.strides().end(), is_even);
}

// Computes small work on the calling thread: handing it to a worker would cost more. Returns false if an
// operation uses the memory, or if a matrix fails: its error is then that of the launch, which other arrays
// depend on.
bool run_at_once(const Queue& queue, const Batch& batch, const Work& work) {
  constexpr double kMatrixWork = 200;  // besides the operations
  if (static_cast<double>(work.count) * (work.work + kMatrixWork) > kThreadWork) return false;
  InlineVector<const Array*, 4> reads, writes;
  for (const BatchOperand& operand : batch.reads) reads.push_back(&operand.array);
  for (const BatchOperand& operand : batch.writes) writes.push_back(&operand.array);
  const auto compute = [&] {
    std::vector<Place> places;
    const auto add = [&](const BatchOperand& operand) {
      auto* const memory = static_cast<std::byte*>(operand.array.buffer().host_pointer());
      places.push_back(
          place_of(operand, batch.shape, operand.array.strides(), memory + operand.array.offset()));
    };
    std::for_each(batch.reads.begin(), batch.reads.end(), add);
    std::for_each(batch.writes.begin(), batch.writes.end(), add);
    work.run(places);
  };
  try {
    return array::call_at_once(queue, {reads.begin(), reads.size()}, {writes.begin(), writes.size()},
                               compute);
  } catch (const LinAlgError&) {
    if (detail::eager_depth != 0) throw;
    return false;
  }
}

void run_on_host(const Queue& queue, const Batch& batch, const std::shared_ptr<const Work>& work) {
  if (run_at_once(queue, batch, *work)) return;
  std::vector<detail::LibraryUse> uses;
  std::vector<Place> places;
  std::vector<std::size_t> offsets;
  const auto add = [&](const BatchOperand& operand, bool writes) {
    uses.push_back({&operand.array.buffer(), writes});
    places.push_back(place_of(operand, batch.shape, operand.array.strides(), nullptr));
    offsets.push_back(operand.array.offset());
  };
  for (const BatchOperand& operand : batch.reads) add(operand, false);
  for (const BatchOperand& operand : batch.writes) add(operand, true);
  detail::call_library(
      queue, batch.name, uses,
      [work, places, offsets](const detail::LibraryArguments& arguments) {
        std::vector<Place> located = places;
        for (std::size_t k = 0; k < located.size(); ++k)
          located[k].first = reinterpret_cast<std::byte*>(arguments.addresses[k] + offsets[k]);
        work->run(located);
      },
      {}, detail::LibraryCall::computes);
}

void run_staged(const Queue& queue, const Batch& batch, const std::shared_ptr<const Work>& work) {
  std::vector<std::unique_ptr<std::byte[]>> memory;
  std::vector<Place> places;
  const auto add = [&](const BatchOperand& operand) {
    memory.push_back(std::make_unique<std::byte[]>(std::max<std::size_t>(1, operand.array.nbytes())));
    places.push_back(place_of(operand, batch.shape,
                              contiguous_strides(operand.array.shape(), operand.array.dtype().itemsize),
                              memory.back().get()));
  };
  for (const BatchOperand& operand : batch.reads) {
    add(operand);
    const Array dense = operand.array.contiguous() ? operand.array : copy(operand.array, &queue);
    dense.wait_for_elements(queue);
    dense.get(queue, memory.back().get()).wait();
  }
  for (const BatchOperand& operand : batch.writes) add(operand);
  work->run(places);
  const OriginText line = array::origin_text.load();
  const bool has_line = line != nullptr && work->origin != 0;
  const std::string function = work->name + (has_line ? " at " + line(work->origin) : "");
  for (std::size_t k = 0; k < batch.writes.size(); ++k) {
    batch.writes[k].array.set(queue, memory[batch.reads.size() + k].get()).wait();
    array::record_staged(batch.writes[k].array, function);
  }
}

// Square blocks, so that both matrices stay in the cache.
template <class T>
void transpose_block(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t rows,
                     std::int64_t columns) {
  constexpr std::int64_t kBlock = 16;
  for (std::int64_t i0 = 0; i0 < rows; i0 += kBlock) {
    for (std::int64_t j0 = 0; j0 < columns; j0 += kBlock) {
      const std::int64_t i1 = std::min(rows, i0 + kBlock), j1 = std::min(columns, j0 + kBlock);
      for (std::int64_t j = j0; j < j1; ++j) {
        for (std::int64_t i = i0; i < i1; ++i) to[i + j * to_step] = from[i * from_step + j];
      }
    }
  }
}

}  // namespace

template <class T>
void load(const Item& item, T* columns) {
  const T* const from = item.as<const T>();
  if (item.column_step == 1 && item.row_step != 1) {
    transpose_block(from, item.row_step, columns, item.rows, item.rows, item.columns);
    return;
  }
  for (std::int64_t j = 0; j < item.columns; ++j) {
    const T* const column = from + j * item.column_step;
    T* const to = columns + j * item.rows;
    if (item.row_step == 1)
      std::copy(column, column + item.rows, to);
    else
      for (std::int64_t i = 0; i < item.rows; ++i) to[i] = column[i * item.row_step];
  }
}

template <class T>
void store(const T* columns, std::int64_t pitch, const Item& item) {
  T* const to = item.as<T>();
  if (item.column_step == 1 && item.rows > 1) {
    transpose_block(columns, pitch, to, item.row_step, item.columns, item.rows);
    return;
  }
  for (std::int64_t j = 0; j < item.columns; ++j) {
    for (std::int64_t i = 0; i < item.rows; ++i)
      to[i * item.row_step + j * item.column_step] = columns[i + j * pitch];
  }
}

#define QUERN_INSTANTIATE(T)           \
  template void load(const Item&, T*); \
  template void store(const T*, std::int64_t, const Item&)
QUERN_INSTANTIATE(float);
QUERN_INSTANTIATE(double);
QUERN_INSTANTIATE(std::complex<float>);
QUERN_INSTANTIATE(std::complex<double>);
#undef QUERN_INSTANTIATE

void run(const Queue& queue, Batch batch) {
  auto work = std::make_shared<Work>();
  work->name = batch.name;
  work->shape = batch.shape;
  for (const std::int64_t length : batch.shape) work->count *= static_cast<std::uint64_t>(length);
  if (work->count == 0) return;
  work->work = batch.work;
  work->compute = std::move(batch.compute);
  work->failure = batch.failure;
  work->compute_many = std::move(batch.compute_many);
  work->origin = array::current_origin;
  // Here, because no worker may read the environment.
  if (work->count < ThreadPool::instance().threads() && work->work >= kSharedWork)
    work->shared = &libraries::blas();
  for (BatchOperand& operand : batch.reads) {
    operand.array.evaluate();
    if (!is_aligned(operand.array)) {
      operand.array = copy(operand.array, &queue);
      operand.array.evaluate();
    }
  }
  constexpr algorithms::Operation kRun(&run_on_host, &run_staged, algorithms::FunctionUse::always);
  kRun(queue, batch, work);
}

std::string singular(std::int64_t /*info*/) {
  return "Singular matrix";
}
std::string not_positive_definite(std::int64_t /*info*/) {
  return "Matrix is not positive definite";
}
std::string eigenvalues_failed(std::int64_t /*info*/) {
  return "Eigenvalues did not converge";
}
std::string svd_failed(std::int64_t /*info*/) {
  return "SVD did not converge";
}

}  // namespace quern::linalg
