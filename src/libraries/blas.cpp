// SPDX-License-Identifier: MIT
// Loads a BLAS, finds out how it names its functions and how wide its integers are, and calls it.
#include "libraries/blas.hpp"

#include <cctype>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/private_library.hpp"
#include "base/shared_library.hpp"
#include "libraries/allowed.hpp"
#include "libraries/blas_search.hpp"

namespace quern::libraries {
namespace {

constexpr int kRowMajor = 101;

// How a library decorates the names of functions: "scipy_cblas_dgemm64_" and "scipy_dgemm_64_".
struct Names {
  const char *prefix, *c_suffix, *fortran_suffix;
};
constexpr Names kNames[] = {
    {"scipy_", "64_", "_64_"}, {"scipy_", "", "_"}, {"", "64_", "_64_"}, {"", "_64", "_64"}, {"", "", "_"}};

constexpr const char* kTypes[] = {"s", "d", "c", "z"};
constexpr const char* kOperations[] = {"gemm", "gemv", "syrk", "trmm", "trsm"};

template <class T>
constexpr std::size_t kTypeNumber = std::is_same_v<T, float>                 ? 0
                                    : std::is_same_v<T, double>              ? 1
                                    : std::is_same_v<T, std::complex<float>> ? 2
                                                                             : 3;

template <class T>
constexpr bool kIsComplex = !std::is_floating_point_v<T>;

// CBLAS takes complex factors by address, real ones by value.
template <class T>
using Factor = std::conditional_t<kIsComplex<T>, const void*, T>;
template <class T>
Factor<T> factor(const T& value) {
  if constexpr (kIsComplex<T>)
    return &value;
  else
    return value;
}

// A length of 3 to 32-bit integers is negative to 64-bit ones, for which the position of the largest is 0.
int probe_integer_bits(void* isamax) {
  const std::uint64_t length = 0xffffffff00000003U;
  const std::int64_t step = 1;
  const float values[3] = {1, 2, 3};
  auto* const function =
      reinterpret_cast<std::int64_t (*)(const std::uint64_t*, const float*, const std::int64_t*)>(isamax);
  return static_cast<std::int32_t>(function(&length, values, &step)) == 0 ? 64 : 32;
}

// The first three numbers of a text such as "OpenBLAS 0.3.30 ..."; "0.0.0" if there are none.
std::string version_in(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) continue;
    std::size_t end = i;
    int dots = 0;
    while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) != 0 ||
                                 (text[end] == '.' && end + 1 < text.size() &&
                                  std::isdigit(static_cast<unsigned char>(text[end + 1])) != 0))) {
      if (text[end] == '.' && ++dots == 3) break;
      ++end;
    }
    if (dots < 1) {
      i = end;
      continue;
    }
    return std::string(text.substr(i, end - i)) + (dots == 1 ? ".0" : "");
  }
  return "0.0.0";
}

// Calls `call` with a value of the type of the library's integers.
template <class Call>
void with_integers(int bits, Call&& call) {
  if (bits == 64)
    call(std::int64_t{});
  else
    call(std::int32_t{});
}

std::mutex& raising_mutex() {
  static auto* const mutex = new std::mutex;  // never destroyed: used until the process ends
  return *mutex;
}

}  // namespace

class BlasSearch {
 public:
  static const Blas* run() {
    auto* const blas = new Blas;  // never destroyed: used until the process ends
    blas->report_.name = "BLAS";
    blas->report_.backend = "host";
    for (const BlasFile& file : blas_files()) {
      if (load(*blas, file)) return blas;
    }
    if (blas->report_.attempts.empty())
      blas->report_.attempts.push_back(
          {"scipy-openblas64, NumPy's OpenBLAS, MKL, libopenblas, libflexiblas, libblis",
           "no file found; pip install quern[blas] installs one", false});
    return blas;
  }

 private:
  static bool load(Blas& blas, const BlasFile& file) {
    // Others in the process may use the same OpenBLAS, and its number of threads is one for all of them.
    bool is_copy = file.name == "OpenBLAS";
    SharedLibrary library = is_copy ? load_private_copy(file.path) : SharedLibrary({&file.path, 1});
    if (is_copy && !library.loaded()) {
      note(blas, library, {});
      library = SharedLibrary({&file.path, 1});
      is_copy = false;
    }
    if (!library.loaded()) {
      note(blas, library, {});
      return false;
    }
    for (const Names& names : kNames) {
      if (library.symbol((std::string(names.prefix) + "cblas_dgemm" + names.c_suffix).c_str()) == nullptr)
        continue;
      if (!take(blas, library, names)) break;
      blas.report_.name = file.name;
      blas.report_.path = library.path();
      identify(blas, library, names, is_copy);
      note(blas, library, "loaded");
      return true;
    }
    note(blas, library, "it lacks functions of CBLAS");
    return false;
  }

  static void note(Blas& blas, const SharedLibrary& library, const std::string& outcome) {
    for (const SharedLibrary::Attempt& attempt : library.attempts())
      blas.report_.attempts.push_back(
          {attempt.name, outcome.empty() ? attempt.error : outcome, outcome == "loaded"});
  }

  static bool take(Blas& blas, const SharedLibrary& library, const Names& names) {
    for (std::size_t operation = 0; operation < Blas::kFunctions; ++operation) {
      for (std::size_t type = 0; type < 4; ++type) {
        const std::string name =
            std::string(names.prefix) + "cblas_" + kTypes[type] + kOperations[operation] + names.c_suffix;
        blas.functions_[operation][type] = library.symbol(name.c_str());
        if (blas.functions_[operation][type] == nullptr) return false;
      }
    }
    void* const isamax =
        library.symbol((std::string(names.prefix) + "isamax" + names.fortran_suffix).c_str());
    if (isamax == nullptr) return false;
    blas.integer_bits_ = probe_integer_bits(isamax);
    blas.prefix_ = names.prefix;
    blas.fortran_suffix_ = names.fortran_suffix;
    blas.library_ = std::make_shared<SharedLibrary>(library);
    blas.find_ = [](const void* from, const char* name) {
      return static_cast<const SharedLibrary*>(from)->symbol(name);
    };
    return true;
  }

  static void identify(Blas& blas, const SharedLibrary& library, const Names& names, bool is_copy) {
    const auto decorated = [&](const char* name) {
      return library.symbol((std::string(names.prefix) + name + names.c_suffix).c_str());
    };
    std::string text;
    if (auto* const config = reinterpret_cast<const char* (*)()>(decorated("openblas_get_config"))) {
      text = config();
    } else if (auto* const bli =
                   reinterpret_cast<const char* (*)()>(library.symbol("bli_info_get_version_str"))) {
      text = bli();
    } else if (auto* const mkl =
                   reinterpret_cast<void (*)(char*, int)>(library.symbol("MKL_Get_Version_String"))) {
      std::vector<char> written(256, '\0');
      mkl(written.data(), static_cast<int>(written.size()) - 1);
      text = written.data();
    }
    blas.report_.version = version_in(text);
    if (is_copy) {
      blas.set_num_threads_ = reinterpret_cast<void (*)(int)>(decorated("openblas_set_num_threads"));
      if (blas.set_num_threads_ != nullptr) blas.set_num_threads_(1);
    }
    blas.set_num_threads_local_ = reinterpret_cast<int (*)(int)>(library.symbol("MKL_Set_Num_Threads_Local"));
    blas.is_private_ = blas.set_num_threads_ != nullptr || blas.set_num_threads_local_ != nullptr;
    blas.report_.details = std::to_string(blas.integer_bits_) + "-bit integers" +
                           (blas.set_num_threads_ != nullptr ? ", a private instance" : "");
  }
};

const Blas& blas() {
  static const auto* const nothing = new Blas;
  if (!are_allowed()) return *nothing;
  static const Blas* const found = BlasSearch::run();
  return *found;
}

LibraryReport blas_report() {
  if (are_allowed()) return blas().report();
  return {"BLAS", "host", {}, {}, {}, {{"BLAS", kNotSearched, false}}, {}};
}

void* Blas::symbol(std::string_view name) const {
  if (!found()) return nullptr;
  return find_(library_.get(), (prefix_ + std::string(name) + fortran_suffix_).c_str());
}

void Blas::enter() const {
  if (set_num_threads_local_ == nullptr) return;
  static thread_local bool is_set = false;
  if (!std::exchange(is_set, true)) set_num_threads_local_(1);
}

void Blas::set_threads(int count) const {
  if (set_num_threads_ != nullptr) set_num_threads_(count);
  if (set_num_threads_local_ != nullptr) set_num_threads_local_(count);
}

BlasThreads::BlasThreads(const Blas& blas, unsigned count) : blas_(nullptr) {
  if (!blas.is_private() || count < 2) return;
  raising_mutex().lock();
  blas.enter();
  blas.set_threads(static_cast<int>(count));
  blas_ = &blas;
}

BlasThreads::~BlasThreads() {
  if (blas_ == nullptr) return;
  blas_->set_threads(1);
  raising_mutex().unlock();
}

template <class T>
void Blas::gemm(Transpose op_a, Transpose op_b, std::int64_t m, std::int64_t n, std::int64_t depth, T alpha,
                const T* a, std::int64_t a_pitch, const T* b, std::int64_t b_pitch, T beta, T* c,
                std::int64_t c_pitch) const {
  enter();
  with_integers(integer_bits_, [&](auto zero) {
    using Int = decltype(zero);
    using Pointer =
        void (*)(int, int, int, Int, Int, Int, Factor<T>, const T*, Int, const T*, Int, Factor<T>, T*, Int);
    reinterpret_cast<Pointer>(functions_[kGemm][kTypeNumber<T>])(
        kRowMajor, static_cast<int>(op_a), static_cast<int>(op_b), static_cast<Int>(m), static_cast<Int>(n),
        static_cast<Int>(depth), factor(alpha), a, static_cast<Int>(a_pitch), b, static_cast<Int>(b_pitch),
        factor(beta), c, static_cast<Int>(c_pitch));
  });
}

template <class T>
void Blas::gemv(Transpose op_a, std::int64_t m, std::int64_t n, T alpha, const T* a, std::int64_t a_pitch,
                const T* x, std::int64_t x_step, T beta, T* y, std::int64_t y_step) const {
  enter();
  with_integers(integer_bits_, [&](auto zero) {
    using Int = decltype(zero);
    using Pointer = void (*)(int, int, Int, Int, Factor<T>, const T*, Int, const T*, Int, Factor<T>, T*, Int);
    reinterpret_cast<Pointer>(functions_[kGemv][kTypeNumber<T>])(
        kRowMajor, static_cast<int>(op_a), static_cast<Int>(m), static_cast<Int>(n), factor(alpha), a,
        static_cast<Int>(a_pitch), x, static_cast<Int>(x_step), factor(beta), y, static_cast<Int>(y_step));
  });
}

template <class T>
void Blas::syrk(Triangle triangle, Transpose op_a, std::int64_t n, std::int64_t depth, T alpha, const T* a,
                std::int64_t a_pitch, T beta, T* c, std::int64_t c_pitch) const {
  enter();
  with_integers(integer_bits_, [&](auto zero) {
    using Int = decltype(zero);
    using Pointer = void (*)(int, int, int, Int, Int, Factor<T>, const T*, Int, Factor<T>, T*, Int);
    reinterpret_cast<Pointer>(functions_[kSyrk][kTypeNumber<T>])(
        kRowMajor, static_cast<int>(triangle), static_cast<int>(op_a), static_cast<Int>(n),
        static_cast<Int>(depth), factor(alpha), a, static_cast<Int>(a_pitch), factor(beta), c,
        static_cast<Int>(c_pitch));
  });
}

template <class T>
void Blas::trmm(Side side, Triangle triangle, Transpose op_a, Diagonal diagonal, std::int64_t m,
                std::int64_t n, T alpha, const T* a, std::int64_t a_pitch, T* b, std::int64_t b_pitch) const {
  enter();
  with_integers(integer_bits_, [&](auto zero) {
    using Int = decltype(zero);
    using Pointer = void (*)(int, int, int, int, int, Int, Int, Factor<T>, const T*, Int, T*, Int);
    reinterpret_cast<Pointer>(functions_[kTrmm][kTypeNumber<T>])(
        kRowMajor, static_cast<int>(side), static_cast<int>(triangle), static_cast<int>(op_a),
        static_cast<int>(diagonal), static_cast<Int>(m), static_cast<Int>(n), factor(alpha), a,
        static_cast<Int>(a_pitch), b, static_cast<Int>(b_pitch));
  });
}

template <class T>
void Blas::trsm(Side side, Triangle triangle, Transpose op_a, Diagonal diagonal, std::int64_t m,
                std::int64_t n, T alpha, const T* a, std::int64_t a_pitch, T* b, std::int64_t b_pitch) const {
  enter();
  with_integers(integer_bits_, [&](auto zero) {
    using Int = decltype(zero);
    using Pointer = void (*)(int, int, int, int, int, Int, Int, Factor<T>, const T*, Int, T*, Int);
    reinterpret_cast<Pointer>(functions_[kTrsm][kTypeNumber<T>])(
        kRowMajor, static_cast<int>(side), static_cast<int>(triangle), static_cast<int>(op_a),
        static_cast<int>(diagonal), static_cast<Int>(m), static_cast<Int>(n), factor(alpha), a,
        static_cast<Int>(a_pitch), b, static_cast<Int>(b_pitch));
  });
}

#define QUERN_INSTANTIATE(T)                                                                              \
  template void Blas::gemm(Transpose, Transpose, std::int64_t, std::int64_t, std::int64_t, T, const T*,   \
                           std::int64_t, const T*, std::int64_t, T, T*, std::int64_t) const;              \
  template void Blas::gemv(Transpose, std::int64_t, std::int64_t, T, const T*, std::int64_t, const T*,    \
                           std::int64_t, T, T*, std::int64_t) const;                                      \
  template void Blas::syrk(Triangle, Transpose, std::int64_t, std::int64_t, T, const T*, std::int64_t, T, \
                           T*, std::int64_t) const;                                                       \
  template void Blas::trmm(Side, Triangle, Transpose, Diagonal, std::int64_t, std::int64_t, T, const T*,  \
                           std::int64_t, T*, std::int64_t) const;                                         \
  template void Blas::trsm(Side, Triangle, Transpose, Diagonal, std::int64_t, std::int64_t, T, const T*,  \
                           std::int64_t, T*, std::int64_t) const
QUERN_INSTANTIATE(float);
QUERN_INSTANTIATE(double);
QUERN_INSTANTIATE(std::complex<float>);
QUERN_INSTANTIATE(std::complex<double>);
#undef QUERN_INSTANTIATE

}  // namespace quern::libraries
