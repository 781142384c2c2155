// SPDX-License-Identifier: MIT
// Programs: source in, kernels out. Built for a device when first used there, or by build().
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/buffer.hpp"
#include "quern/context.hpp"
#include "quern/signature.hpp"

namespace QUERN_API quern {

namespace detail {
class ProgramState;
}
class Kernel;

enum class Language : std::uint8_t { opencl_c, cuda_c };

struct ProgramOptions {
  Language language = Language::opencl_c;
  std::vector<std::pair<std::string, std::string>> defines;  // name, value
  std::vector<std::string> include_paths;
  // One option each: OpenCL's (-cl-fast-relaxed-math, -cl-mad-enable, ...), which hold on every backend,
  // -DNAME=VALUE and -Ifolder; others go to the device's compiler as they are.
  std::vector<std::string> options;
  std::string name = "kernel.cl";             // what messages call the source
  std::vector<std::string> name_expressions;  // CUDA C: template instances wanted, such as "scale<float>"
  bool debug = false;                         // keep what a debugger needs
  // Arguments that begin where a device cannot point its kernels to (sub_buffer_alignment) are copied there
  // and back. For kernels that are given no other part of the same memory.
  bool copies_unaligned = false;
};

class Program {
 public:
  explicit Program(std::string source, ProgramOptions options = {});
  // What binary() returned, here or in another process, for the same device and driver.
  static Program from_binary(const Context& context, const Device& device, std::span<const std::byte> binary);

  // Builds now, so that errors come now. Without a context: the device's own.
  void build(const Device& device) const;
  void build(const Context& context, const Device& device) const;

  [[nodiscard]] Kernel kernel(const std::string& name) const;
  // The kernels the source declares; of a binary, those its device names.
  [[nodiscard]] std::vector<std::string> kernel_names() const;
  // Throws the BuildError of a declaration that cannot be read, and so is missing from kernel_names(). Where
  // the device's own compiler reads the source, builds it.
  void check_declarations(const Device& device) const;
  [[nodiscard]] const std::string& source() const noexcept;
  [[nodiscard]] std::string name() const;

  // These build first.
  [[nodiscard]] std::string log(const Device& device) const;  // warnings
  [[nodiscard]] std::vector<std::byte> binary(const Device& device) const;

  // What a device's compiler is given. It depends on no more than the device's dialect, so that what a GPU
  // would get can be read, and compiled, where there is none.
  [[nodiscard]] std::string lowered_source(const Device& device) const;
  [[nodiscard]] std::string lowered_source(Dialect dialect) const;
  // CUDA C: a __device__ or __constant__ variable of the module. Throws ArgumentError where there is none.
  [[nodiscard]] Buffer global(const std::string& name, const Device& device) const;

  [[nodiscard]] const std::shared_ptr<detail::ProgramState>& state() const noexcept { return state_; }

 private:
  explicit Program(std::shared_ptr<detail::ProgramState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::ProgramState> state_;
};

}  // namespace quern
