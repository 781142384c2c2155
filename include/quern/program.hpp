// SPDX-License-Identifier: MIT
// Programs: source in, kernels out. A program is built for a device on first use there, or by build().
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
  // Include files in memory: name, text. They are found before files on disk.
  std::vector<std::pair<std::string, std::string>> headers;
  // One option each: OpenCL's options (-cl-fast-relaxed-math, -cl-mad-enable, ...), which hold on every
  // backend, -DNAME=VALUE and -Ifolder. Other options are passed to the device's compiler unchanged.
  std::vector<std::string> options;
  std::string name = "kernel.cl";             // name of the source in messages
  std::vector<std::string> name_expressions;  // CUDA C: template instances wanted, such as "scale<float>"
  bool debug = false;                         // keep information for a debugger
  // Arguments at offsets that a device's kernels cannot address (sub_buffer_alignment) are copied there and
  // back. Only for kernels that get no other part of the same memory.
  bool copies_unaligned = false;
};

class Program {
 public:
  explicit Program(std::string source, ProgramOptions options = {});
  // A program from the bytes that binary() returned, in this or another process, for the same device and
  // driver.
  static Program from_binary(const Context& context, const Device& device, std::span<const std::byte> binary);

  // Builds now, so that errors are thrown now. The default context is the device's.
  void build(const Device& device) const;
  void build(const Context& context, const Device& device) const;
  // Whether this object has been built for the device, in its default context. Builds and loads nothing.
  [[nodiscard]] bool is_built(const Device& device) const;

  [[nodiscard]] Kernel kernel(const std::string& name) const;
  // The kernels that the source declares; for a binary, those that its device reports.
  [[nodiscard]] std::vector<std::string> kernel_names() const;
  // Throws the BuildError of a declaration that cannot be parsed and is therefore missing from
  // kernel_names(). If the device's own compiler reads the source, builds it.
  void check_declarations(const Device& device) const;
  [[nodiscard]] const std::string& source() const noexcept;
  [[nodiscard]] std::string name() const;

  // These functions build first.
  [[nodiscard]] std::string log(const Device& device) const;  // warnings
  [[nodiscard]] std::vector<std::byte> binary(const Device& device) const;

  // The source that a device's compiler gets. It depends only on the device's dialect, so the source for a
  // GPU can be read and compiled without one.
  [[nodiscard]] std::string lowered_source(const Device& device) const;
  [[nodiscard]] std::string lowered_source(Dialect dialect) const;
  // CUDA C: a __device__ or __constant__ variable of the module. Throws ArgumentError if there is none.
  [[nodiscard]] Buffer global(const std::string& name, const Device& device) const;

  [[nodiscard]] const std::shared_ptr<detail::ProgramState>& state() const noexcept { return state_; }

 private:
  explicit Program(std::shared_ptr<detail::ProgramState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::ProgramState> state_;
};

}  // namespace quern
