// SPDX-License-Identifier: MIT
// BLAS and LAPACK on the host: OpenBLAS, MKL, BLIS or FlexiBLAS, searched when the first operation needs it.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "quern/libraries.hpp"

namespace quern::libraries {

// The values of CBLAS's enumerations. Matrices are row-major: `pitch` is the elements from row to row.
enum class Transpose : int { no = 111, yes = 112, conjugate = 113 };
enum class Triangle : int { upper = 121, lower = 122 };
enum class Diagonal : int { stored = 131, ones = 132 };
enum class Side : int { left = 141, right = 142 };

// A library that was found, or the reasons why there is none. T is float, double, std::complex<float> or
// std::complex<double>. Any thread may call it; an instance of our own computes each call on the calling
// thread, unless BlasThreads allows more.
class Blas {
 public:
  [[nodiscard]] bool found() const noexcept { return library_ != nullptr; }
  [[nodiscard]] const LibraryReport& report() const noexcept { return report_; }
  [[nodiscard]] int integer_bits() const noexcept { return integer_bits_; }
  // Whether the library's number of threads is ours alone. Otherwise it starts threads as its owner set it.
  [[nodiscard]] bool is_private() const noexcept { return is_private_; }
  // Whether a size, or a distance in elements, fits the library's integers.
  [[nodiscard]] bool fits(std::int64_t size) const noexcept {
    return integer_bits_ == 64 || size <= std::numeric_limits<std::int32_t>::max();
  }
  // A Fortran function by its plain name, such as "dgetrf"; null if the library lacks it.
  [[nodiscard]] void* symbol(std::string_view name) const;

  // c = alpha op(a) op(b) + beta c, where c is m x n and op(a) m x depth.
  template <class T>
  void gemm(Transpose op_a, Transpose op_b, std::int64_t m, std::int64_t n, std::int64_t depth, T alpha,
            const T* a, std::int64_t a_pitch, const T* b, std::int64_t b_pitch, T beta, T* c,
            std::int64_t c_pitch) const;
  // y = alpha op(a) x + beta y, where a is m x n.
  template <class T>
  void gemv(Transpose op_a, std::int64_t m, std::int64_t n, T alpha, const T* a, std::int64_t a_pitch,
            const T* x, std::int64_t x_step, T beta, T* y, std::int64_t y_step) const;
  // c = alpha op(a) op(a)^T + beta c in one triangle of c, which is n x n. op(a) is n x depth.
  template <class T>
  void syrk(Triangle triangle, Transpose op_a, std::int64_t n, std::int64_t depth, T alpha, const T* a,
            std::int64_t a_pitch, T beta, T* c, std::int64_t c_pitch) const;
  // b = alpha op(a) b, or b op(a) on the right, for a triangular a. b is m x n.
  template <class T>
  void trmm(Side side, Triangle triangle, Transpose op_a, Diagonal diagonal, std::int64_t m, std::int64_t n,
            T alpha, const T* a, std::int64_t a_pitch, T* b, std::int64_t b_pitch) const;
  // b = the solution of op(a) x = alpha b, or of x op(a) = alpha b on the right.
  template <class T>
  void trsm(Side side, Triangle triangle, Transpose op_a, Diagonal diagonal, std::int64_t m, std::int64_t n,
            T alpha, const T* a, std::int64_t a_pitch, T* b, std::int64_t b_pitch) const;

 private:
  friend class BlasSearch;
  friend class BlasThreads;
  // Lets MKL, whose number of threads belongs to the calling thread, use one.
  void enter() const;
  void set_threads(int count) const;

  enum Function : std::size_t { kGemm, kGemv, kSyrk, kTrmm, kTrsm, kFunctions };
  LibraryReport report_;
  std::shared_ptr<const void> library_;
  void* (*find_)(const void* library, const char* name) = nullptr;
  std::array<std::array<void*, 4>, kFunctions> functions_{};  // of s, d, c, z
  std::string prefix_, fortran_suffix_;
  int integer_bits_ = 32;
  bool is_private_ = false;
  void (*set_num_threads_)(int) = nullptr;       // of OpenBLAS
  int (*set_num_threads_local_)(int) = nullptr;  // of MKL
};

// What was found. Searches on the first call. Nothing is found under QUERN_LIBRARIES=never.
const Blas& blas();

// While an object of this class lives, a call may use more threads, if the library is an instance of our own.
// Objects exclude each other; calls on other threads may use more threads meanwhile.
class BlasThreads {
 public:
  explicit BlasThreads(const Blas& blas, unsigned count);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  const Blas* blas_;  // null if nothing was raised
};

LibraryReport blas_report();

}  // namespace quern::libraries
