// SPDX-License-Identifier: MIT
// How a scan runs on a device: its parameters, its temporaries and its launches.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/launch/kernel_table.hpp"
#include "algorithms/launch/operands.hpp"
#include "codegen/emit_scan.hpp"

namespace quern::algorithms {

struct ScanPlan {
  codegen::ScanVariant variant;
  std::size_t size = 0;
  std::size_t parts = 0;  // chunks or tiles
};

class ScanRun {
 public:
  // The kernel of this suffix in a variant's program.
  using KernelOf = std::function<LibraryKernel(const codegen::ScanVariant& variant, const char* suffix)>;

  // `local_bytes` is the local memory that the kernels need for each item of a tile, besides their sums. The
  // source must outlive this object.
  ScanRun(const codegen::ScanSource& source, ScanTuning tuning, std::size_t local_bytes, KernelOf kernel);

  // Checks the arguments. Without `size` the scan is over the elements of the first array.
  [[nodiscard]] ScanPlan plan(const Queue& queue, std::span<const KernelArgument> arguments,
                              std::optional<std::int64_t> size) const;
  // `outputs` follow N in the kernels' parameters. The plan has elements.
  Event launch(const ScanPlan& plan, const Queue& queue, std::span<const KernelArgument> arguments,
               std::span<const KernelArgument> outputs, WaitList wait_for) const;

 private:
  // Chooses the size of tiles so that they fit local memory. If the smallest does not, the strategy is
  // chunks.
  [[nodiscard]] std::int64_t tuned(const DeviceProperties& properties, const char* form, std::size_t widest,
                                   const char* parameter, std::size_t otherwise) const;
  void choose_tile(codegen::ScanVariant& variant, std::size_t widest,
                   const DeviceProperties& properties) const;
  // The kernels of the sequential or the chunks strategy, which have one variant each. They are kept, because
  // building the key takes as long as a small scan.
  struct LoneKernels {
    LibraryKernel apply;
    std::optional<LibraryKernel> reduce;  // of chunks
  };
  [[nodiscard]] const LoneKernels& lone_kernels(const codegen::ScanVariant& variant) const;

  const codegen::ScanSource& source_;
  ScanTuning tuning_;
  std::size_t local_bytes_;
  std::size_t streams_;  // properties of the source, which take a parse of its snippets
  bool uses_last_;
  KernelOf kernel_;
  std::vector<codegen::Operand> operands_;  // as bind_operands wants them
  mutable std::once_flag lone_kernels_made_;
  mutable std::optional<LoneKernels> lone_kernels_;
};

}  // namespace quern::algorithms
