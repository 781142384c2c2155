// SPDX-License-Identifier: MIT
// Elimination and Cholesky factors of many small matrices, one in each lane. There is a version for each
// instruction set; the processor decides.
#include "linalg/own_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "base/instruction_sets.hpp"

namespace quern::linalg::own {
namespace {

#define QUERN_INLINE inline __attribute__((always_inline))

template <class T, std::size_t kBytes>
struct Lanes {
  using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef T Vector __attribute__((vector_size(kBytes)));
  typedef Integer Mask __attribute__((vector_size(kBytes)));
  static constexpr std::int64_t kCount = kBytes / sizeof(T);

  static QUERN_INLINE bool has_any(const Mask& mask) {
    Integer bits = 0;
    for (std::int64_t lane = 0; lane < kCount; ++lane) bits |= mask[lane];
    return bits != 0;
  }
};

// Element (i, j) of the matrices from `first` on; lanes beyond the last matrix repeat it.
template <class L, class T>
QUERN_INLINE void load(const LaneStack<const T>& from, std::int64_t rows, std::int64_t columns,
                       std::int64_t first, std::int64_t last, std::int64_t pitch, T* to) {
  for (std::int64_t lane = 0; lane < L::kCount; ++lane) {
    const T* const matrix = from.data + std::min(first + lane, last - 1) * from.step;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j)
        to[(i * pitch + j) * L::kCount + lane] = matrix[i * from.row_step + j * from.column_step];
    }
  }
}

template <class L, class T>
QUERN_INLINE void store(const T* from, std::int64_t pitch, std::int64_t rows, std::int64_t columns,
                        std::int64_t first, std::int64_t last, const LaneStack<T>& to) {
  for (std::int64_t lane = 0; lane < std::min(L::kCount, last - first); ++lane) {
    T* const matrix = to.data + (first + lane) * to.step;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j)
        matrix[i * to.row_step + j * to.column_step] = from[(i * pitch + j) * L::kCount + lane];
    }
  }
}

// The number of the first matrix whose lane is marked, or -1.
template <class L>
QUERN_INLINE std::int64_t first_marked(const typename L::Mask& marked, std::int64_t first,
                                       std::int64_t last) {
  for (std::int64_t lane = 0; lane < std::min(L::kCount, last - first); ++lane) {
    if (marked[lane] != 0) return first + lane;
  }
  return -1;
}

// m has n rows of n + columns vectors: the matrix and its right sides, which become the solutions. Marks the
// lanes of singular matrices.
template <class L>
QUERN_INLINE void eliminate(std::int64_t n, std::int64_t columns, typename L::Vector* m,
                            typename L::Mask& is_singular) {
  using Vector = typename L::Vector;
  using Mask = typename L::Mask;
  const std::int64_t pitch = n + columns;
  for (std::int64_t k = 0; k < n; ++k) {
    Vector* const pivot_row = m + k * pitch;
    Vector largest = pivot_row[k] < 0 ? -pivot_row[k] : pivot_row[k];
    Mask best = Mask{} + static_cast<typename L::Integer>(k);
    for (std::int64_t i = k + 1; i < n; ++i) {
      const Vector element = m[i * pitch + k], size = element < 0 ? -element : element;
      const Mask is_larger = size > largest;
      largest = is_larger ? size : largest;
      best = is_larger ? Mask{} + static_cast<typename L::Integer>(i) : best;
    }
    for (std::int64_t i = k + 1; i < n; ++i) {
      const Mask is_pivot = best == static_cast<typename L::Integer>(i);
      if (!L::has_any(is_pivot)) continue;
      Vector* const row = m + i * pitch;
      for (std::int64_t j = k; j < pitch; ++j) {
        const Vector old = pivot_row[j], other = row[j];
        pivot_row[j] = is_pivot ? other : old;
        row[j] = is_pivot ? old : other;
      }
    }
    const Vector pivot = pivot_row[k];
    is_singular |= pivot == 0;
    for (std::int64_t i = k + 1; i < n; ++i) {
      Vector* const row = m + i * pitch;
      const Vector factor = row[k] / pivot;
      for (std::int64_t j = k + 1; j < pitch; ++j) row[j] -= factor * pivot_row[j];
    }
  }
  for (std::int64_t k = n - 1; k >= 0; --k) {
    Vector* const solved = m + k * pitch + n;
    const Vector pivot = m[k * pitch + k];
    for (std::int64_t c = 0; c < columns; ++c) solved[c] /= pivot;
    for (std::int64_t i = 0; i < k; ++i) {
      const Vector factor = m[i * pitch + k];
      Vector* const row = m + i * pitch + n;
      for (std::int64_t c = 0; c < columns; ++c) row[c] -= factor * solved[c];
    }
  }
}

// kRows and kColumns are the sizes if they are not 0, so that the compiler keeps small systems in registers.
template <class T, std::size_t kBytes, std::int64_t kRows, std::int64_t kColumns>
QUERN_INLINE std::int64_t solve_sized(std::int64_t rows, std::int64_t right_columns, std::int64_t count,
                                      const LaneStack<const T>& a, const LaneStack<const T>* b,
                                      const LaneStack<T>& x) {
  using L = Lanes<T, kBytes>;
  const std::int64_t n = kRows != 0 ? kRows : rows, columns = kColumns != 0 ? kColumns : right_columns;
  const std::int64_t pitch = n + columns;
  typename L::Vector memory[kRows != 0 ? kRows * (kRows + kColumns) : kMostLaneRows * 2 * kMostLaneRows];
  T* const elements = reinterpret_cast<T*>(memory);
  std::int64_t failed = -1;
  for (std::int64_t first = 0; first < count; first += L::kCount) {
    load<L>(a, n, n, first, count, pitch, elements);
    if (b != nullptr) {
      load<L>(*b, n, columns, first, count, pitch, elements + n * L::kCount);
    } else {
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j)
          memory[i * pitch + n + j] = typename L::Vector{} + static_cast<T>(i == j ? 1 : 0);
      }
    }
    typename L::Mask is_singular = {};
    eliminate<L>(n, columns, memory, is_singular);
    if (failed < 0) failed = first_marked<L>(is_singular, first, count);
    store<L>(elements + n * L::kCount, pitch, n, columns, first, count, x);
  }
  return failed;
}

template <class T, std::size_t kBytes>
QUERN_INLINE std::int64_t solve_all(std::int64_t n, std::int64_t columns, std::int64_t count,
                                    const LaneStack<const T>& a, const LaneStack<const T>* b,
                                    const LaneStack<T>& x) {
  if (columns == 1 && b != nullptr) {
    if (n == 2) return solve_sized<T, kBytes, 2, 1>(n, columns, count, a, b, x);
    if (n == 3) return solve_sized<T, kBytes, 3, 1>(n, columns, count, a, b, x);
    if (n == 4) return solve_sized<T, kBytes, 4, 1>(n, columns, count, a, b, x);
  }
  return solve_sized<T, kBytes, 0, 0>(n, columns, count, a, b, x);
}

// kRows as in solve_sized().
template <class T, std::size_t kBytes, std::int64_t kRows>
QUERN_INLINE std::int64_t factor_sized(std::int64_t rows, std::int64_t count, const LaneStack<const T>& a,
                                       const LaneStack<T>& factor) {
  using L = Lanes<T, kBytes>;
  using Vector = typename L::Vector;
  const std::int64_t n = kRows != 0 ? kRows : rows;
  Vector m[kRows != 0 ? kRows * kRows : kMostLaneRows * kMostLaneRows];
  T* const elements = reinterpret_cast<T*>(m);
  std::int64_t failed = -1;
  for (std::int64_t first = 0; first < count; first += L::kCount) {
    load<L>(a, n, n, first, count, n, elements);
    typename L::Mask is_indefinite = {};
    for (std::int64_t k = 0; k < n; ++k) {
      Vector root = m[k * n + k];
      is_indefinite |= ~(root > 0);
      // One instruction, because this file is compiled for a sqrt() that does not set errno.
      for (std::int64_t lane = 0; lane < L::kCount; ++lane) root[lane] = std::sqrt(root[lane]);
      m[k * n + k] = root;
      const Vector inverse = 1 / root;
      for (std::int64_t j = k + 1; j < n; ++j) m[k * n + j] = Vector{};
      for (std::int64_t i = k + 1; i < n; ++i) m[i * n + k] *= inverse;
      for (std::int64_t i = k + 1; i < n; ++i) {
        const Vector scale = m[i * n + k];
        for (std::int64_t j = k + 1; j <= i; ++j) m[i * n + j] -= scale * m[j * n + k];
      }
    }
    if (failed < 0) failed = first_marked<L>(is_indefinite, first, count);
    store<L>(elements, n, n, n, first, count, factor);
  }
  return failed;
}

template <class T, std::size_t kBytes>
QUERN_INLINE std::int64_t factor_all(std::int64_t n, std::int64_t count, const LaneStack<const T>& a,
                                     const LaneStack<T>& factor) {
  if (n == 2) return factor_sized<T, kBytes, 2>(n, count, a, factor);
  if (n == 3) return factor_sized<T, kBytes, 3>(n, count, a, factor);
  if (n == 4) return factor_sized<T, kBytes, 4>(n, count, a, factor);
  return factor_sized<T, kBytes, 0>(n, count, a, factor);
}

template <class T>
struct Best {
  std::int64_t (*solve)(std::int64_t, std::int64_t, std::int64_t, const LaneStack<const T>&,
                        const LaneStack<const T>*, const LaneStack<T>&);
  std::int64_t (*factor)(std::int64_t, std::int64_t, const LaneStack<const T>&, const LaneStack<T>&);
};

template <class T>
std::int64_t solve_plain(std::int64_t n, std::int64_t columns, std::int64_t count,
                         const LaneStack<const T>& a, const LaneStack<const T>* b, const LaneStack<T>& x) {
  return solve_all<T, 16>(n, columns, count, a, b, x);
}
template <class T>
std::int64_t factor_plain(std::int64_t n, std::int64_t count, const LaneStack<const T>& a,
                          const LaneStack<T>& factor) {
  return factor_all<T, 16>(n, count, a, factor);
}
#if defined(__x86_64__)
template <class T>
__attribute__((target("avx2,fma"))) std::int64_t solve_avx2(std::int64_t n, std::int64_t columns,
                                                            std::int64_t count, const LaneStack<const T>& a,
                                                            const LaneStack<const T>* b,
                                                            const LaneStack<T>& x) {
  return solve_all<T, 32>(n, columns, count, a, b, x);
}
template <class T>
__attribute__((target("avx2,fma"))) std::int64_t factor_avx2(std::int64_t n, std::int64_t count,
                                                             const LaneStack<const T>& a,
                                                             const LaneStack<T>& factor) {
  return factor_all<T, 32>(n, count, a, factor);
}
template <class T>
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma"))) std::int64_t solve_avx512(
    std::int64_t n, std::int64_t columns, std::int64_t count, const LaneStack<const T>& a,
    const LaneStack<const T>* b, const LaneStack<T>& x) {
  return solve_all<T, 64>(n, columns, count, a, b, x);
}
template <class T>
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma"))) std::int64_t factor_avx512(
    std::int64_t n, std::int64_t count, const LaneStack<const T>& a, const LaneStack<T>& factor) {
  return factor_all<T, 64>(n, count, a, factor);
}
#endif

template <class T>
const Best<T>& best() {
  static const Best<T> found = [] {
#if defined(__x86_64__)
    if (has_avx512()) return Best<T>{&solve_avx512<T>, &factor_avx512<T>};
    if (has_avx2()) return Best<T>{&solve_avx2<T>, &factor_avx2<T>};
#endif
    return Best<T>{&solve_plain<T>, &factor_plain<T>};
  }();
  return found;
}

}  // namespace

template <class T>
std::int64_t solve_lanes(std::int64_t n, std::int64_t columns, std::int64_t count,
                         const LaneStack<const T>& a, const LaneStack<const T>* b, const LaneStack<T>& x) {
  return best<T>().solve(n, columns, count, a, b, x);
}

template <class T>
std::int64_t factor_lanes(std::int64_t n, std::int64_t count, const LaneStack<const T>& a,
                          const LaneStack<T>& factor) {
  return best<T>().factor(n, count, a, factor);
}

#define QUERN_INSTANTIATE(T)                                                                             \
  template std::int64_t solve_lanes(std::int64_t, std::int64_t, std::int64_t, const LaneStack<const T>&, \
                                    const LaneStack<const T>*, const LaneStack<T>&);                     \
  template std::int64_t factor_lanes(std::int64_t, std::int64_t, const LaneStack<const T>&,              \
                                     const LaneStack<T>&)
QUERN_INSTANTIATE(float);
QUERN_INSTANTIATE(double);
#undef QUERN_INSTANTIATE

}  // namespace quern::linalg::own
