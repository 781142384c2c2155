// SPDX-License-Identifier: MIT
// The interface of the front end, which reads OpenCL C. It returns the signatures of kernels, and the program
// as C for the host's compiler or as CUDA C++ for NVRTC. It throws BuildError for errors in the source.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/error.hpp"
#include "quern/signature.hpp"

namespace quern::frontend {

// The language and device that a source is translated for. The target decides which of the macros
// QUERN_OPENCL, QUERN_HOST and QUERN_CUDA is defined. cuda_c is a source in CUDA C; its #include directives
// for files that are not found are left to NVRTC.
enum class Target { opencl, host, cuda, cuda_c };

struct Source {
  std::string text;
  std::string file = "kernel.cl";  // the name in messages
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> include_paths;
  std::vector<std::pair<std::string, std::string>> headers = {};  // include files in memory: name, text
  // For a debugger: runs one work-item after the other, with one statement per source statement.
  bool debug = false;
  bool single_precision_constants = false;  // literals without a suffix are float
  bool flushes_denormals = false;           // host only: kernels treat denormals as zero
  bool checks_bounds = false;               // host only: kernels check their accesses to buffers
};

// The local size that kernels are lowered for; zeros mean any size.
using LocalSize = std::array<std::size_t, 3>;

// A kernel of the lowered text is an extern "C" symbol: this prefix, then the kernel's name.
inline constexpr std::string_view kSymbolPrefix = "quern_kernel_";

// How the host runs the work-items of a kernel.
enum class KernelForm {
  plain,   // a loop over single work-items
  lanes,   // rows of work-items at a time: the kernel's own loops enclose the loop over the row
  split,   // a work-group at a time: one loop over its work-items for each part between two barriers
  fibers,  // a work-group at a time: each work-item has its own stack
};

struct Lowered {
  std::string text;  // with #line directives that refer to the user's files
  std::vector<Signature> kernels;
  std::vector<KernelForm> forms;  // of `kernels`; host only
  std::vector<Diagnostic> warnings;
  // The setting of #pragma OPENCL FP_CONTRACT for the whole program: whether a multiplication and an addition
  // may be fused. Empty if the program has no such pragma.
  std::optional<bool> contracts;
};

// Each of the following functions runs the stages it needs for one result. A caller that needs several
// results of one source uses a Translation (translation.hpp), which runs each stage once.

// Returns C for gcc and clang; host_abi.h describes how to call it. Kernels without reqd_work_group_size are
// lowered as if it were `local`.
Lowered lower_to_c(const Source& source, const LocalSize& local = {});

// Returns CUDA C++ for NVRTC, without #include directives. The language is C++17, unless a comment in the
// first line names another one, such as quern-std: c++20. One thread is one work-item. The last parameter of
// a kernel, after the user's own, is passed by value:
// struct quern_ndrange { unsigned long long global_size[3], global_offset[3]; unsigned work_dim, partial; };
// If `partial` is set, some blocks have threads past the global size, and these threads return at once.
Lowered lower_to_cuda(const Source& source);

// Return the kernels that a source declares: see Translation::signatures().
std::vector<Signature> opencl_signatures(const Source& source);
std::vector<Signature> cuda_signatures(const Source& source);  // __global__ functions, without templates

// Macro names of a source. `names` are those that the source and its include files define, `mentioned` all
// names in the definitions. Both include the #define directives that the source itself has in branches that
// are not taken.
struct Macros {
  std::vector<std::string> names, mentioned;
};

// Returns the files that the #include directives and __has_include of a text name, as written: "file" or
// <file>. Branches that are not taken count as well. Returns nothing if a macro names a file, or if the text
// alone does not determine the file (#include_next).
std::optional<std::vector<std::string>> included_names(const std::string& text);

// Returns the text that an OpenCL device must read before the source: the library's include files and
// intrinsics that the source uses.
std::string opencl_prelude(std::string_view source);

// With this pragma a source has the types complex64 and complex128, with their operators and functions.
inline constexpr std::string_view kComplexPragma = "#pragma quern complex";
// Returns whether a source has that pragma or includes one of the complex headers of PyOpenCL, PyCUDA and
// CuPy, which have the same effect.
bool has_complex(std::string_view source);

// Returns the text after preprocessing.
std::string preprocess(const Source& source, Target target = Target::opencl);

}  // namespace quern::frontend
