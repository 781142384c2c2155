// SPDX-License-Identifier: MIT
// What is behind a Program and its Kernels: the source, and what was built of it for each device.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "quern/program.hpp"
#include "runtime/builder.hpp"

namespace quern::detail {

class ProgramState {
 public:
  ProgramState(std::string text, ProgramOptions options) : source_(std::move(text), std::move(options)) {}
  // Of a binary, for this device alone.
  ProgramState(std::shared_ptr<const BuiltProgram> built, std::shared_ptr<ContextState> context,
               std::size_t device);

  std::shared_ptr<const BuiltProgram> built_for(const std::shared_ptr<ContextState>& context,
                                                std::size_t device, const LocalSize& local = {});
  // From the caches alone: null where it would have to be compiled, or another thread builds it now.
  std::shared_ptr<const BuiltProgram> built_before(const std::shared_ptr<ContextState>& context,
                                                   std::size_t device, const LocalSize& local = {});
  // Whether a kernel is best built for the local size of its launch.
  bool wants_fixed_local(const std::shared_ptr<ContextState>& context, std::size_t device,
                         const LocalSize& local, std::string_view kernel);

  // Whether this program has been built for the device and any local size. Loads nothing.
  [[nodiscard]] bool is_built(const std::shared_ptr<ContextState>& context, std::size_t device);

  [[nodiscard]] ProgramSource& source() noexcept { return source_; }
  [[nodiscard]] bool from_binary() const noexcept { return from_binary_; }
  [[nodiscard]] std::vector<std::string> kernel_names();

 private:
  struct Build {
    std::shared_ptr<ContextState> context;
    std::size_t device;
    LocalSize local;
    std::shared_ptr<const BuiltProgram> program;
  };
  // The program of a build, null where there is none. With the lock held.
  [[nodiscard]] std::shared_ptr<const BuiltProgram> find_build(const std::shared_ptr<ContextState>& context,
                                                               std::size_t device,
                                                               const LocalSize& local) const;
  void keep_build(Build build);

  ProgramSource source_{{}, {}};
  bool from_binary_ = false;
  std::mutex mutex_;
  std::vector<Build> builds_;
};

// A kernel on one device: all that a launch needs.
struct KernelInstance {
  std::shared_ptr<ContextState> context;
  std::size_t device = 0;
  std::shared_ptr<const BuiltProgram> program;
  backend::Function* function = nullptr;
  bool signature_known = false;
  Signature signature;
  std::size_t local_memory = 0;    // bytes of the variables in local memory
  LocalSize local = {};            // the one it was built for
  bool wants_fixed_local = false;  // launches take fixed_for()

  [[nodiscard]] bool is_for(const ContextState* c, std::size_t d, const LocalSize& size) const {
    return context.get() == c && device == d && local == size;
  }
};

class KernelState {
 public:
  KernelState(std::shared_ptr<ProgramState> program, std::string name)
      : program_(std::move(program)), name_(std::move(name)) {}

  // Builds when needed. The result lives as long as this state.
  const KernelInstance& instance_for(const std::shared_ptr<ContextState>& context, std::size_t device);
  // For a launch whose local size is given (zeros: it is not): a kernel that is best built for one size is
  // built for that one straight away.
  const KernelInstance& instance_for(const std::shared_ptr<ContextState>& context, std::size_t device,
                                     const LocalSize& local);
  // The same kernel built for one local size, or the instance itself once there are too many of these.
  const KernelInstance& fixed_for(const KernelInstance& instance, const LocalSize& local);
  // Null when it would have to be built.
  [[nodiscard]] const KernelInstance* find(const ContextState* context, std::size_t device) noexcept;
  // Null when it would have to be compiled.
  [[nodiscard]] const KernelInstance* find_or_load(const std::shared_ptr<ContextState>& context,
                                                   std::size_t device);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] ProgramState& program() noexcept { return *program_; }

 private:
  static constexpr std::size_t kMostFixed = 32;  // a caller may try hundreds of sizes

  // Null when there is none yet.
  const KernelInstance* find_fixed(const ContextState* context, std::size_t device, const LocalSize& local);
  const KernelInstance* make_fixed(const std::shared_ptr<ContextState>& context, std::size_t device,
                                   const LocalSize& local);  // null when there are too many
  std::unique_ptr<KernelInstance> make_instance(const std::shared_ptr<ContextState>& context,
                                                std::size_t device, const LocalSize& local);

  std::shared_ptr<ProgramState> program_;
  std::string name_;
  std::atomic<const KernelInstance*> last_{nullptr}, last_fixed_{nullptr};  // those that were used last
  std::mutex mutex_;
  std::vector<std::unique_ptr<KernelInstance>> instances_, fixed_;
};

}  // namespace quern::detail
