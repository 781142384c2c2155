// SPDX-License-Identifier: MIT
// Calls LAPACK as Fortran does: arguments by address, lengths of texts after them.
#include "libraries/lapack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "quern/error.hpp"

namespace quern::libraries {
namespace {

template <class T>
constexpr bool kIsComplex = !std::is_floating_point_v<T>;
template <class T>
constexpr char kLetter = std::is_same_v<T, float>                 ? 's'
                         : std::is_same_v<T, double>              ? 'd'
                         : std::is_same_v<T, std::complex<float>> ? 'c'
                                                                  : 'z';

// Names of functions of real and of complex numbers, in the order of Lapack::Function.
constexpr const char* kRealNames[] = {"getrf", "getrs", "getri", "potrf", "potrs", "geqrf",
                                      "orgqr", "syevd", "gesdd", "geev",  "gelsd", "gbsv"};
constexpr const char* kComplexNames[] = {"getrf", "getrs", "getri", "potrf", "potrs", "geqrf",
                                         "ungqr", "heevd", "gesdd", "geev",  "gelsd", "gbsv"};

constexpr std::size_t kOneLetter = 1;  // length of a text

template <class... Arguments>
void call(void* function, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(function)(arguments...);
}

// `body` gets a value of the type of the library's integers, and returns info. `elements` are those of the
// largest matrix: the library computes their indices in its integers.
template <class Body>
std::int64_t with_integers(const Blas& blas, std::int64_t elements, Body&& body) {
  if (blas.integer_bits() == 64) return body(std::int64_t{});
  if (elements > std::numeric_limits<std::int32_t>::max())
    throw ArgumentError(
        ArgumentError::Kind::value,
        "a matrix of " + std::to_string(elements) + " elements is too large for " + blas.report().path +
            ", whose integers have 32 bits; pip install quern[blas] installs one with 64 bits");
  return body(std::int32_t{});
}

template <class Int>
std::vector<Int> converted(const std::vector<std::int64_t>& pivots) {
  std::vector<Int> out(pivots.size());
  std::transform(pivots.begin(), pivots.end(), out.begin(),
                 [](std::int64_t pivot) { return static_cast<Int>(pivot); });
  return out;
}

// The size of a workspace, which a query returns as a number of the matrix's type, possibly rounded down. If
// it exceeds the library's integers, the call itself refuses the smaller one.
template <class Int, class T>
Int workspace(const T& answer) {
  const double size =
      static_cast<double>(std::real(answer)) * (1 + 2 * std::numeric_limits<Real<T>>::epsilon());
  constexpr double kMost = static_cast<double>(std::numeric_limits<Int>::max() / 2);
  return static_cast<Int>(std::clamp(std::ceil(size), 1.0, kMost));
}

}  // namespace

template <class T>
const Lapack<T>* Lapack<T>::find() {
  const Blas& library = blas();
  if (!library.found()) return nullptr;
  static const Lapack* const found = [&library]() -> const Lapack* {
    auto* const lapack = new Lapack;  // never destroyed: used until the process ends
    lapack->blas_ = &library;
    for (std::size_t i = 0; i < kFunctions; ++i) {
      lapack->functions_[i] =
          library.symbol(std::string(1, kLetter<T>) + (kIsComplex<T> ? kComplexNames : kRealNames)[i]);
      if (lapack->functions_[i] == nullptr) {
        delete lapack;
        return nullptr;
      }
    }
    return lapack;
  }();
  return found;
}

template <class T>
std::int64_t Lapack<T>::getrf(std::int64_t m, std::int64_t n, T* a, std::int64_t pitch,
                              Pivots& pivots) const {
  return with_integers(*blas_, pitch * n, [&](auto zero) -> std::int64_t {
    using Int = decltype(zero);
    const Int rows = static_cast<Int>(m), columns = static_cast<Int>(n), step = static_cast<Int>(pitch);
    std::vector<Int> chosen(static_cast<std::size_t>(std::max<std::int64_t>(1, std::min(m, n))));
    Int info = 0;
    call(functions_[kGetrf], &rows, &columns, a, &step, chosen.data(), &info);
    pivots.assign(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(std::min(m, n)));
    return info;
  });
}

template <class T>
std::int64_t Lapack<T>::getrs(char op, std::int64_t n, std::int64_t columns, const T* lu, std::int64_t pitch,
                              const Pivots& pivots, T* b, std::int64_t b_pitch) const {
  return with_integers(*blas_, std::max(pitch * n, b_pitch * columns), [&](auto zero) -> std::int64_t {
    using Int = decltype(zero);
    const Int rows = static_cast<Int>(n), right = static_cast<Int>(columns), step = static_cast<Int>(pitch),
              b_step = static_cast<Int>(b_pitch);
    const std::vector<Int> chosen = converted<Int>(pivots);
    Int info = 0;
    call(functions_[kGetrs], static_cast<const char*>(&op), &rows, &right, lu, &step, chosen.data(), b,
         &b_step, &info, kOneLetter);
    return info;
  });
}

template <class T>
std::int64_t Lapack<T>::getri(std::int64_t n, T* lu, std::int64_t pitch, const Pivots& pivots) const {
  return with_integers(*blas_, pitch * n, [&](auto zero) -> std::int64_t {
    using Int = decltype(zero);
    const Int rows = static_cast<Int>(n), step = static_cast<Int>(pitch);
    const std::vector<Int> chosen = converted<Int>(pivots);
    Int info = 0, length = -1;
    T answer{};
    call(functions_[kGetri], &rows, lu, &step, chosen.data(), &answer, &length, &info);
    length = workspace<Int>(answer);
    std::vector<T> work(static_cast<std::size_t>(length));
    call(functions_[kGetri], &rows, lu, &step, chosen.data(), work.data(), &length, &info);
    return info;
  });
}

template <class T>
std::int64_t Lapack<T>::potrf(char triangle, std::int64_t n, T* a, std::int64_t pitch) const {
  return with_integers(*blas_, pitch * n, [&](auto zero) -> std::int64_t {
    using Int = decltype(zero);
    const Int rows = static_cast<Int>(n), step = static_cast<Int>(pitch);
    Int info = 0;
    call(functions_[kPotrf], static_cast<const char*>(&triangle), &rows, a, &step, &info, kOneLetter);
    return info;
  });
}

template <class T>
std::int64_t Lapack<T>::potrs(char triangle, std::int64_t n, std::int64_t columns, const T* factor,
                              std::int64_t pitch, T* b, std::int64_t b_pitch) const {
  return with_integers(*blas_, std::max(pitch * n, b_pitch * columns), [&](auto zero) -> std::int64_t {
    using Int = decltype(zero);
    const Int rows = static_cast<Int>(n), right = static_cast<Int>(columns), step = static_cast<Int>(pitch),
              b_step = static_cast<Int>(b_pitch);
    Int info = 0;
    call(functions_[kPotrs], static_cast<const char*>(&triangle), &rows, &right, factor, &step, b, &b_step,
         &info, kOneLetter);
    return info;
  });
}

template <class T>
std::int64_t Lapack<T>::geqrf(std::int64_t m, std::int64_t n, T* a, std::int64_t pitch, T* tau) const {
  return with_integers(*blas_, pitch * n, [&](auto zero) -> std::int64_t {
    using Int = decltype(zero);
    const Int rows = static_cast<Int>(m), columns = static_cast<Int>(n), step = static_cast<Int>(pitch);
    Int info = 0, length = -1;
    T answer{};
    call(functions_[kGeqrf], &rows, &columns, a, &step, tau, &answer, &length, &info);
    length = workspace<Int>(answer);
    std::vector<T> work(static_cast<std::size_t>(length));
    call(functions_[kGeqrf], &rows, &columns, a, &step, tau, work.data(), &length, &info);
    return info;
  });
}

template <class T>
std::int64_t Lapack<T>::orgqr(std::int64_t m, std::int64_t n, std::int64_t k, T* a, std::int64_t pitch,
                              const T* tau) const {
  return with_integers(*blas_, pitch * n, [&](auto zero) -> std::int64_t {
    using Int = decltype(zero);
    const Int rows = static_cast<Int>(m), columns = static_cast<Int>(n), count = static_cast<Int>(k),
              step = static_cast<Int>(pitch);
    Int info = 0, length = -1;
    T answer{};
    call(functions_[kOrgqr], &rows, &columns, &count, a, &step, tau, &answer, &length, &info);
    length = workspace<Int>(answer);
    std::vector<T> work(static_cast<std::size_t>(length));
    call(functions_[kOrgqr], &rows, &columns, &count, a, &step, tau, work.data(), &length, &info);
    return info;
  });
}

template <class T>
std::int64_t Lapack<T>::syevd(char job, char triangle, std::int64_t n, T* a, std::int64_t pitch,
                              Real<T>* values) const {
  return with_integers(*blas_, pitch * n, [&](auto zero) -> std::int64_t {
    using Int = decltype(zero);
    const Int rows = static_cast<Int>(n), step = static_cast<Int>(pitch);
    Int info = 0, length = -1, real_length = -1, integer_length = -1, integer_answer = 0;
    T answer{};
    Real<T> real_answer{};
    const auto run = [&](T* work, Real<T>* real_work, Int* integers) {
      if constexpr (kIsComplex<T>)
        call(functions_[kSyevd], static_cast<const char*>(&job), static_cast<const char*>(&triangle), &rows,
             a, &step, values, work, &length, real_work, &real_length, integers, &integer_length, &info,
             kOneLetter, kOneLetter);
      else
        call(functions_[kSyevd], static_cast<const char*>(&job), static_cast<const char*>(&triangle), &rows,
             a, &step, values, work, &length, integers, &integer_length, &info, kOneLetter, kOneLetter);
    };
    run(&answer, &real_answer, &integer_answer);
    length = workspace<Int>(answer);
    real_length = kIsComplex<T> ? workspace<Int>(real_answer) : 1;
    integer_length = std::max<Int>(1, integer_answer);
    std::vector<T> work(static_cast<std::size_t>(length));
    std::vector<Real<T>> real_work(static_cast<std::size_t>(real_length));
    std::vector<Int> integers(static_cast<std::size_t>(integer_length));
    run(work.data(), real_work.data(), integers.data());
    return info;
  });
}

template <class T>
std::int64_t Lapack<T>::gesdd(char job, std::int64_t m, std::int64_t n, T* a, std::int64_t pitch, Real<T>* s,
                              T* u, std::int64_t u_pitch, T* vh, std::int64_t vh_pitch) const {
  return with_integers(
      *blas_, std::max({pitch * n, u_pitch * m, vh_pitch * n}), [&](auto zero) -> std::int64_t {
        using Int = decltype(zero);
        const Int rows = static_cast<Int>(m), columns = static_cast<Int>(n), step = static_cast<Int>(pitch),
                  u_step = static_cast<Int>(u_pitch), vh_step = static_cast<Int>(vh_pitch);
        const std::int64_t least = std::min(m, n), most = std::max(m, n);
        std::vector<Int> integers(static_cast<std::size_t>(8 * least + 1));
        std::vector<Real<T>> real_work;
        if constexpr (kIsComplex<T>)
          real_work.resize(static_cast<std::size_t>(
              job == 'N' ? 7 * least + 1 : least * std::max(5 * least + 7, 2 * most + 2 * least + 1) + 1));
        Int info = 0, length = -1;
        T answer{};
        const auto run = [&](T* work) {
          if constexpr (kIsComplex<T>)
            call(functions_[kGesdd], static_cast<const char*>(&job), &rows, &columns, a, &step, s, u, &u_step,
                 vh, &vh_step, work, &length, real_work.data(), integers.data(), &info, kOneLetter);
          else
            call(functions_[kGesdd], static_cast<const char*>(&job), &rows, &columns, a, &step, s, u, &u_step,
                 vh, &vh_step, work, &length, integers.data(), &info, kOneLetter);
        };
        run(&answer);
        length = workspace<Int>(answer);
        std::vector<T> work(static_cast<std::size_t>(length));
        run(work.data());
        return info;
      });
}

template <class T>
std::int64_t Lapack<T>::geev(std::int64_t n, T* a, std::int64_t pitch, std::complex<Real<T>>* values,
                             std::complex<Real<T>>* vectors) const {
  return with_integers(*blas_, pitch * n, [&](auto zero) -> std::int64_t {
    using Int = decltype(zero);
    const Int rows = static_cast<Int>(n), step = static_cast<Int>(pitch), one = 1;
    const char none = 'N', job = vectors != nullptr ? 'V' : 'N';
    const auto count = static_cast<std::size_t>(n);
    Int info = 0, length = -1;
    T answer{};
    std::vector<Real<T>> real_work(2 * count);
    if constexpr (kIsComplex<T>) {
      const auto run = [&](T* work) {
        call(functions_[kGeev], &none, &job, &rows, a, &step, values, static_cast<T*>(nullptr), &one, vectors,
             &rows, work, &length, real_work.data(), &info, kOneLetter, kOneLetter);
      };
      run(&answer);
      length = workspace<Int>(answer);
      std::vector<T> work(static_cast<std::size_t>(length));
      run(work.data());
    } else {
      std::vector<T> right(vectors != nullptr ? count * count : 1);
      T *const re = real_work.data(), *const im = re + count;
      const auto run = [&](T* work) {
        call(functions_[kGeev], &none, &job, &rows, a, &step, re, im, static_cast<T*>(nullptr), &one,
             right.data(), &rows, work, &length, &info, kOneLetter, kOneLetter);
      };
      run(&answer);
      length = workspace<Int>(answer);
      std::vector<T> work(static_cast<std::size_t>(length));
      run(work.data());
      // Vectors of a conjugate pair are stored as real part and imaginary part.
      for (std::size_t j = 0; j < count; ++j) {
        values[j] = {re[j], im[j]};
        if (vectors == nullptr) continue;
        for (std::size_t i = 0; i < count; ++i) {
          if (im[j] == 0) {
            vectors[j * count + i] = right[j * count + i];
          } else if (im[j] > 0 && j + 1 < count) {
            vectors[j * count + i] = {right[j * count + i], right[(j + 1) * count + i]};
            vectors[(j + 1) * count + i] = {right[j * count + i], -right[(j + 1) * count + i]};
          }
        }
      }
    }
    return info;
  });
}

template <class T>
std::int64_t Lapack<T>::gelsd(std::int64_t m, std::int64_t n, std::int64_t columns, T* a, std::int64_t pitch,
                              T* b, std::int64_t b_pitch, Real<T>* s, Real<T> limit,
                              std::int64_t& rank) const {
  return with_integers(*blas_, std::max(pitch * n, b_pitch * columns), [&](auto zero) -> std::int64_t {
    using Int = decltype(zero);
    const Int rows = static_cast<Int>(m), width = static_cast<Int>(n), right = static_cast<Int>(columns),
              step = static_cast<Int>(pitch), b_step = static_cast<Int>(b_pitch);
    Int info = 0, length = -1, found = 0, integer_answer = 0;
    T answer{};
    Real<T> real_answer{};
    const auto run = [&](T* work, Real<T>* real_work, Int* integers) {
      if constexpr (kIsComplex<T>)
        call(functions_[kGelsd], &rows, &width, &right, a, &step, b, &b_step, s, &limit, &found, work,
             &length, real_work, integers, &info);
      else
        call(functions_[kGelsd], &rows, &width, &right, a, &step, b, &b_step, s, &limit, &found, work,
             &length, integers, &info);
    };
    run(&answer, &real_answer, &integer_answer);
    length = workspace<Int>(answer);
    std::vector<T> work(static_cast<std::size_t>(length));
    std::vector<Real<T>> real_work(
        static_cast<std::size_t>(kIsComplex<T> ? workspace<Int>(real_answer) : Int{1}));
    std::vector<Int> integers(static_cast<std::size_t>(std::max<Int>(1, integer_answer)));
    run(work.data(), real_work.data(), integers.data());
    rank = found;
    return info;
  });
}

template <class T>
std::int64_t Lapack<T>::gbsv(std::int64_t n, std::int64_t lower, std::int64_t upper, std::int64_t columns,
                             T* bands, std::int64_t pitch, T* b, std::int64_t b_pitch) const {
  return with_integers(*blas_, std::max(pitch * n, b_pitch * columns), [&](auto zero) -> std::int64_t {
    using Int = decltype(zero);
    const Int rows = static_cast<Int>(n), below = static_cast<Int>(lower), above = static_cast<Int>(upper),
              right = static_cast<Int>(columns), step = static_cast<Int>(pitch),
              b_step = static_cast<Int>(b_pitch);
    std::vector<Int> pivots(static_cast<std::size_t>(n));
    Int info = 0;
    call(functions_[kGbsv], &rows, &below, &above, &right, bands, &step, pivots.data(), b, &b_step, &info);
    return info;
  });
}

template class Lapack<float>;
template class Lapack<double>;
template class Lapack<std::complex<float>>;
template class Lapack<std::complex<double>>;

}  // namespace quern::libraries
