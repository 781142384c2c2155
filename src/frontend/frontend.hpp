// SPDX-License-Identifier: MIT
// The front end: OpenCL C in; signatures, and C or CUDA C++ for the other compilers, out. Errors are
// BuildError.
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

// What a source is translated for; it decides which of QUERN_OPENCL, QUERN_HOST and QUERN_CUDA is defined,
// and so what conditional compilation leaves. cuda_c is a source in CUDA C, whose missing includes are
// NVRTC's business.
enum class Target { opencl, host, cuda, cuda_c };

struct Source {
  std::string text;
  std::string file = "kernel.cl";  // the name that messages use
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> include_paths;
  bool debug = false;  // one work-item after the other, statement by statement, for a debugger to follow
  bool single_precision_constants = false;  // literals without a suffix are floats
  bool flushes_denormals = false;           // on the host: they are zero in kernels
};

// A local size that kernels are lowered for; zeros: any.
using LocalSize = std::array<std::size_t, 3>;

// Kernels of the lowered text are extern "C" symbols of this prefix and the kernel's name.
inline constexpr std::string_view kSymbolPrefix = "quern_kernel_";

// How the host runs the work-items of a kernel.
enum class KernelForm {
  plain,   // a loop over single work-items
  lanes,   // rows of work-items at a time, with the kernel's loops around the loop over the row
  split,   // a work-group at a time, as loops between the barriers
  fibers,  // a work-group at a time, each work-item on a stack of its own
};

struct Lowered {
  std::string text;  // with #line directives that point into the user's own files
  std::vector<Signature> kernels;
  std::vector<KernelForm> forms;  // of the kernels; for the host only
  std::vector<Diagnostic> warnings;
  // What #pragma OPENCL FP_CONTRACT says of the whole program: nothing, or whether a product and a sum may be
  // rounded once together.
  std::optional<bool> contracts;
};

// The functions that take a source run it through the front end for one result. A caller that wants several
// of them makes a Translation (translation.hpp), which runs each stage once.

// Plain C for gcc and clang, to be called as host_abi.h says. Kernels without reqd_work_group_size are
// lowered as if they had `local`.
Lowered lower_to_c(const Source& source, const LocalSize& local = {});

// CUDA C++ for NVRTC, without any include: C++17, or what a comment in its first line says, such as
// quern-std: c++20. A kernel's last parameter, after the user's own, is a
//   struct quern_ndrange { unsigned long long global_size[3], global_offset[3]; unsigned work_dim, partial;
//   };
// passed by value; where `partial` says that a block has threads past the global size, those do nothing. One
// thread of a block is one work-item.
Lowered lower_to_cuda(const Source& source);

// The kernels a source declares: see Translation::signatures().
std::vector<Signature> opencl_signatures(const Source& source);
std::vector<Signature> cuda_signatures(const Source& source);  // __global__ functions that are no templates

// The macros that a source and what it includes define, and all names in them, besides those that its text
// has in branches which are not taken.
struct Macros {
  std::vector<std::string> names, mentioned;
};
Macros macros_of(const Source& source);

// The files that a text's #include directives and __has_include name, as written: "file" or <file>. Those of
// branches that are not taken are among them. Nothing where a macro names one, or the text alone does not say
// which file it is.
std::optional<std::vector<std::string>> included_names(const std::string& text);

// What a source uses of Quern's include files and intrinsics, for an OpenCL device to read first.
std::string opencl_prelude(std::string_view source);

// The pragma with which a source asks for complex64 and complex128, the types of complex numbers with their
// operators and functions.
inline constexpr std::string_view kComplexPragma = "#pragma quern complex";
// So do the headers of complex numbers that PyOpenCL, PyCUDA and CuPy have, which every program may include.
bool has_complex(std::string_view source);

// The text after preprocessing.
std::string preprocess(const Source& source, Target target = Target::opencl);

}  // namespace quern::frontend
