// SPDX-License-Identifier: MIT
// Compiles CUDA C++ with NVRTC, and chooses the architecture to compile for.
#include "backend/cuda/nvrtc.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "quern/error.hpp"

namespace quern::backend::cuda {
namespace {

// Owns an nvrtcProgram.
class Program {
 public:
  Program(const Nvrtc& nvrtc, const CompileRequest& request) : nvrtc_(nvrtc) {
    check(
        nvrtc.nvrtcCreateProgram(&program_, request.text.c_str(), request.name.c_str(), 0, nullptr, nullptr),
        "nvrtcCreateProgram");
  }
  ~Program() { nvrtc_.nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] NvrtcProgram get() const noexcept { return program_; }

  void check(NvrtcResult result, const char* call) const {
    if (result == NvrtcResult::success) return;
    throw BuildError(std::string(call) + " failed: " + nvrtc_.nvrtcGetErrorString(result) + " (NVRTC " +
                     nvrtc_.version + ", " + nvrtc_.path + ")");
  }

  [[nodiscard]] std::string log() const {
    std::size_t size = 0;
    check(nvrtc_.nvrtcGetProgramLogSize(program_, &size), "nvrtcGetProgramLogSize");
    std::string text(size, '\0');
    if (size != 0) check(nvrtc_.nvrtcGetProgramLog(program_, text.data()), "nvrtcGetProgramLog");
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text;
  }

  [[nodiscard]] std::vector<std::byte> binary(bool cubin) const {
    std::size_t size = 0;
    if (cubin) {
      check(nvrtc_.nvrtcGetCUBINSize(program_, &size), "nvrtcGetCUBINSize");
    } else {
      check(nvrtc_.nvrtcGetPTXSize(program_, &size), "nvrtcGetPTXSize");
    }
    std::vector<std::byte> bytes(size);
    char* out = reinterpret_cast<char*>(bytes.data());
    if (cubin) {
      check(nvrtc_.nvrtcGetCUBIN(program_, out), "nvrtcGetCUBIN");
    } else {
      check(nvrtc_.nvrtcGetPTX(program_, out), "nvrtcGetPTX");
    }
    return bytes;
  }

 private:
  const Nvrtc& nvrtc_;
  NvrtcProgram program_ = nullptr;
};

// The value of the last option of these names, given as "--name=value" or as two options; empty if there is
// none.
std::string option_value(const std::vector<std::string>& options,
                         std::initializer_list<std::string_view> names) {
  std::string value;
  for (std::size_t i = 0; i < options.size(); ++i) {
    for (const std::string_view name : names) {
      if (!options[i].starts_with(name)) continue;
      if (options[i].size() == name.size() && i + 1 < options.size()) value = options[i + 1];
      if (options[i].size() > name.size() && options[i][name.size()] == '=')
        value = options[i].substr(name.size() + 1);
    }
  }
  return value;
}

}  // namespace

std::string choose_target(const Nvrtc& nvrtc, int capability) {
  const auto& known = nvrtc.architectures;
  const auto after = std::upper_bound(known.begin(), known.end(), capability);
  if (after == known.begin()) {
    throw BuildError("NVRTC " + nvrtc.version + " (" + nvrtc.path +
                     ") no longer compiles for devices of compute " + "capability " +
                     std::to_string(capability / 10) + "." + std::to_string(capability % 10) +
                     "; install an older one and name it in QUERN_NVRTC_LIBRARY");
  }
  const int target = *std::prev(after);
  return (target == capability ? "sm_" : "compute_") + std::to_string(target);
}

Compiled compile_with_nvrtc(const Nvrtc& nvrtc, int capability, const CompileRequest& request,
                            const std::string& device_name) {
  std::vector<std::string> options;
  std::string target = option_value(request.options, {"--gpu-architecture", "-arch"});
  if (target.empty()) {
    target = choose_target(nvrtc, capability);
    options.push_back("--gpu-architecture=" + target);
  }
  if (option_value(request.options, {"--std", "-std"}).empty()) {
    const bool wants_newer = request.lowered && request.text.starts_with("/* quern-std: c++20 */");
    options.emplace_back(wants_newer ? "--std=c++20" : "--std=c++17");
  }
  // Lowered kernels need none of the declarations that this omits, which NVRTC would parse first.
  if (request.lowered && nvrtc.knows_minimal) options.emplace_back("--minimal");
  // NVRTC's own cache returned the code of a build that differs only in --ftz.
  if (nvrtc.has_cache) options.emplace_back("--no-cache");
  // Line information for profilers and sanitizers; code stays optimised, unlike with -G, which the options
  // may contain.
  if (request.debug) options.emplace_back("--generate-line-info");
  options.insert(options.end(), request.options.begin(), request.options.end());
  // Last, so that the folders of the request are searched first.
  if (!nvrtc.include_option.empty()) options.push_back(nvrtc.include_option);

  const Program program(nvrtc, request);
  for (const std::string& expression : request.name_expressions) {
    program.check(nvrtc.nvrtcAddNameExpression(program.get(), expression.c_str()), "nvrtcAddNameExpression");
  }
  std::vector<const char*> arguments;
  for (const std::string& option : options) arguments.push_back(option.c_str());
  const NvrtcResult result =
      nvrtc.nvrtcCompileProgram(program.get(), static_cast<int>(arguments.size()), arguments.data());

  Compiled compiled;
  compiled.log = program.log();
  if (result != NvrtcResult::success) {
    throw BuildError("building '" + request.name + "' for " + device_name +
                         " failed: " + nvrtc.nvrtcGetErrorString(result) + " (NVRTC " + nvrtc.version +
                         ")\n" + compiled.log,
                     {}, compiled.log, joined(options), device_name);
  }
  for (const std::string& expression : request.name_expressions) {
    const char* name = nullptr;
    program.check(nvrtc.nvrtcGetLoweredName(program.get(), expression.c_str(), &name), "nvrtcGetLoweredName");
    compiled.lowered_names.emplace_back(expression, name);
  }
  compiled.binary = program.binary(target.starts_with("sm_"));
  return compiled;
}

}  // namespace quern::backend::cuda
