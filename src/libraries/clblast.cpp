// SPDX-License-Identifier: MIT
// Matrix products by CLBlast. Its types are declared here, because its headers may be missing.
#include "libraries/clblast.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <filesystem>
#include <memory>
#include <string>

#include "base/shared_library.hpp"
#include "libraries/allowed.hpp"
#include "libraries/cuda_search.hpp"
#include "quern/error.hpp"
#include "runtime/library_call.hpp"
#include "runtime/queue_state.hpp"

namespace quern::libraries {
namespace {

using Status = int;
// The values of CLBlastLayout and CLBlastTranspose.
constexpr int kRowMajor = 101, kAsIs = 111, kTransposed = 112;

// CLBlast*gemmStridedBatched for a type of elements. Memory, queue and event are OpenCL's pointers.
template <class T>
using Function = Status (*)(int layout, int transpose_a, int transpose_b, std::size_t m, std::size_t n,
                            std::size_t depth, T alpha, void* a, std::size_t a_offset, std::size_t a_pitch,
                            std::size_t a_step, void* b, std::size_t b_offset, std::size_t b_pitch,
                            std::size_t b_step, T beta, void* c, std::size_t c_offset, std::size_t c_pitch,
                            std::size_t c_step, std::size_t count, void** queue, void** event);

struct Clblast {
  LibraryReport report;
  bool is_found = false;
  Function<float> single = nullptr;
  Function<double> twofold = nullptr;
  Function<std::complex<float>> complex_single = nullptr;
  Function<std::complex<double>> complex_twofold = nullptr;
};

// The version in the name of the file, such as libclblast.so.1.5.3.
std::string version_of(const std::string& path) {
  std::error_code error;
  const std::string name = std::filesystem::canonical(path, error).filename().string();
  const std::size_t at = name.find(".so.");
  std::string version = error || at == std::string::npos ? "" : name.substr(at + 4);
  for (auto dots = std::count(version.begin(), version.end(), '.'); dots < 2; ++dots)
    version += version.empty() ? "0.0" : ".0";
  return version;
}

std::unique_ptr<const Clblast> load() {
  auto clblast = std::make_unique<Clblast>();
  clblast->report.name = "CLBlast";
  clblast->report.backend = "opencl";
  const std::array<std::string, 2> names = {"libclblast.so.1", "libclblast.so"};
  for (const std::string& name : names) {
    const SharedLibrary library({&name, 1});
    if (!library.loaded()) {
      clblast->report.attempts.push_back({name, library.attempts().front().error, false});
      continue;
    }
    clblast->is_found = find_function(library, "CLBlastSgemmStridedBatched", clblast->single) &&
                        find_function(library, "CLBlastDgemmStridedBatched", clblast->twofold) &&
                        find_function(library, "CLBlastCgemmStridedBatched", clblast->complex_single) &&
                        find_function(library, "CLBlastZgemmStridedBatched", clblast->complex_twofold);
    clblast->report.attempts.push_back(
        {name, clblast->is_found ? "loaded" : "it lacks functions of CLBlast 1.4", clblast->is_found});
    if (!clblast->is_found) continue;
    clblast->report.path = library.path();
    clblast->report.version = version_of(library.path());
    break;
  }
  return clblast;
}

const Clblast& clblast() {
  static const Clblast* const loaded = load().release();  // never destroyed: used until the process ends
  return *loaded;
}

template <class T>
Status multiply(Function<T> function, const Gemm& gemm, const detail::LibraryArguments& arguments) {
  const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
  const auto memory = [&](std::size_t number) {
    return reinterpret_cast<void*>(arguments.memories[number].handle);
  };
  const auto offset = [&](std::size_t number, const GemmOperand& operand) {
    return arguments.memories[number].offset / sizeof(T) + size(operand.start);
  };
  auto* queue = reinterpret_cast<void*>(arguments.queue);
  return function(
      kRowMajor, gemm.a.is_transposed ? kTransposed : kAsIs, gemm.b.is_transposed ? kTransposed : kAsIs,
      size(gemm.m), size(gemm.n), size(gemm.depth), T(1), memory(0), offset(0, gemm.a), size(gemm.a.pitch),
      size(gemm.a.step), memory(1), offset(1, gemm.b), size(gemm.b.pitch), size(gemm.b.step), T(0), memory(2),
      offset(2, gemm.out), size(gemm.out.pitch), size(gemm.out.step), size(gemm.count), &queue, nullptr);
}

}  // namespace

bool clblast_takes(const Queue& queue, Scalar scalar, Scalar result) {
  const DeviceProperties& device = queue.state()->properties();
  const bool is_double = scalar == Scalar::float64 || scalar == Scalar::complex128;
  const bool takes_type = scalar == Scalar::float32 || scalar == Scalar::complex64 || is_double;
  if (device.dialect != Dialect::opencl_c || !takes_type || scalar != result ||
      (is_double && !device.has_fp64))
    return false;
  return (device.kind == DeviceKind::gpu || are_preferred()) && are_allowed() && clblast().is_found;
}

void clblast_multiply(const Queue& queue, const Gemm& gemm) {
  const std::array<detail::LibraryUse, 3> uses = {
      {{gemm.a.buffer}, {gemm.b.buffer}, {gemm.out.buffer, true}}};
  detail::call_library(queue, "CLBlastGemmStridedBatched", uses,
                       [gemm, queue](const detail::LibraryArguments& arguments) {
                         Status status = 0;
                         switch (gemm.scalar) {
                           case Scalar::float32:
                             status = multiply(clblast().single, gemm, arguments);
                             break;
                           case Scalar::float64:
                             status = multiply(clblast().twofold, gemm, arguments);
                             break;
                           case Scalar::complex64:
                             status = multiply(clblast().complex_single, gemm, arguments);
                             break;
                           default:
                             status = multiply(clblast().complex_twofold, gemm, arguments);
                         }
                         if (status != 0)
                           throw Error("CLBlast's gemm failed on " + queue.device().spec() + " with status " +
                                       std::to_string(status) + "; QUERN_LIBRARIES=never avoids it");
                       });
}

LibraryReport clblast_report() {
  if (are_allowed()) return clblast().report;
  return {"CLBlast", "opencl", {}, {}, {}, {{"libclblast", kNotSearched, false}}, {}};
}

}  // namespace quern::libraries
