// SPDX-License-Identifier: MIT
// NVRTC, the run-time compiler of CUDA C++: found without loading it, loaded at the first compilation.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"

namespace quern::backend::cuda {

using NvrtcProgram = struct OpaqueNvrtcProgram*;

enum class NvrtcResult : int {
  success = 0,
  out_of_memory = 1,
  invalid_option = 5,
  compilation = 6,
  name_expression_not_valid = 10,
};

// A member has the name of NVRTC's function.
struct Nvrtc {
  const char* (*nvrtcGetErrorString)(NvrtcResult result) = nullptr;
  NvrtcResult (*nvrtcVersion)(int* major, int* minor) = nullptr;
  NvrtcResult (*nvrtcGetNumSupportedArchs)(int* count) = nullptr;
  NvrtcResult (*nvrtcGetSupportedArchs)(int* architectures) = nullptr;
  NvrtcResult (*nvrtcCreateProgram)(NvrtcProgram* program, const char* text, const char* name,
                                    int header_count, const char* const* headers,
                                    const char* const* include_names) = nullptr;
  NvrtcResult (*nvrtcDestroyProgram)(NvrtcProgram* program) = nullptr;
  NvrtcResult (*nvrtcCompileProgram)(NvrtcProgram program, int count, const char* const* options) = nullptr;
  NvrtcResult (*nvrtcGetProgramLogSize)(NvrtcProgram program, std::size_t* size) = nullptr;
  NvrtcResult (*nvrtcGetProgramLog)(NvrtcProgram program, char* log) = nullptr;
  NvrtcResult (*nvrtcGetPTXSize)(NvrtcProgram program, std::size_t* size) = nullptr;
  NvrtcResult (*nvrtcGetPTX)(NvrtcProgram program, char* ptx) = nullptr;
  NvrtcResult (*nvrtcGetCUBINSize)(NvrtcProgram program, std::size_t* size) = nullptr;
  NvrtcResult (*nvrtcGetCUBIN)(NvrtcProgram program, char* cubin) = nullptr;
  NvrtcResult (*nvrtcAddNameExpression)(NvrtcProgram program, const char* expression) = nullptr;
  NvrtcResult (*nvrtcGetLoweredName)(NvrtcProgram program, const char* expression,
                                     const char** name) = nullptr;

  std::string path;
  std::string version;             // "13.0"
  bool knows_minimal = false;      // whether the option exists, since 12.4
  bool has_cache = false;          // whether NVRTC has its own cache, since 12.9
  std::vector<int> architectures;  // architectures it compiles for, ascending: 75, 80, ... 90
  std::string include_option;  // folder of the toolkit's headers, such as cuda_fp16.h; empty if there is none
};

// Candidate files of NVRTC, best first; none is loaded. QUERN_NVRTC_LIBRARY names the only one. Otherwise
// they are searched by the loader's rules, in CUDA_HOME and CUDA_PATH, in /usr/local/cuda, in the folders of
// QUERN_NVRTC_PATH (a colon-separated list) and in those of Python packages. Versions up to the driver's own
// come first, because an older driver may not load the binaries of a newer compiler.
std::vector<std::string> nvrtc_files(int driver_major);

// Loads NVRTC once for the process, and never unloads it. Throws a BuildError that says what was tried and
// what to install.
const Nvrtc& load_nvrtc(int driver_major);

// The target for a device of compute capability 9.0, given as 90: "sm_90" if the compiler knows it (the
// binary is a cubin), otherwise "compute_89", the newest older one (the binary is PTX). Throws BuildError if
// the device is older than all that the compiler knows.
std::string choose_target(const Nvrtc& nvrtc, int capability);

// Compiles to a cubin, or to PTX if the target is one. Options of the request that name an architecture or a
// language standard replace the default ones. Throws BuildError. Any number of threads may compile at once.
Compiled compile_with_nvrtc(const Nvrtc& nvrtc, int capability, const CompileRequest& request,
                            const std::string& device_name);

}  // namespace quern::backend::cuda
