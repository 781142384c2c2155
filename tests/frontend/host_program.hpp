// SPDX-License-Identifier: MIT
// Builds lowered C with the machine's compiler and runs its kernels, as the host backend does.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "backend/host/fiber.hpp"
#include "backend/host/kernel_flags.hpp"
#include "base/subprocess.hpp"
#include "frontend/frontend.hpp"
#include "frontend/host_abi.h"

namespace quern::frontend::test {

using Sizes = std::array<unsigned long long, 3>;

inline Source kernel_file(const std::string& name) {
  const std::string path = std::string(QUERN_TEST_KERNELS) + "/" + name + ".cl";
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  Source source;
  source.text = text.str();
  source.file = path;
  return source;
}

class HostProgram {
 public:
  explicit HostProgram(const Source& source, const std::string& compiler = "cc",
                       const std::string& level = "-O3") {
    lowered_ = lower_to_c(source);
    static int counter = 0;
    const std::string stem =
        "/tmp/quern_frontend_test_" + std::to_string(getpid()) + "_" + std::to_string(counter++);
    const std::string library = stem + ".so";
    std::vector<std::string> command = {compiler, "-x", "c", "-", "-o", library, "-shared", "-fPIC", "-w"};
    command.insert(command.end(), backend::host::kKernelFlags.begin(), backend::host::kKernelFlags.end());
    command.insert(command.end(), {level, "-march=native"});
    if (compiler.find("clang") == compiler.npos)
      command.insert(command.end(), backend::host::kGccKernelFlags.begin(),
                     backend::host::kGccKernelFlags.end());
    std::istringstream words(lowered_.text.substr(0, lowered_.text.find('\n')));
    std::string word;
    words >> word >> word;
    if (word == "quern-link:")
      while (words >> word && word != "*/") command.push_back("-l" + word);
    const ProcessResult result = run_process(command, lowered_.text, std::chrono::seconds(60));
    EXPECT_TRUE(result.ok()) << result.output << lowered_.text;
    handle_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(handle_, nullptr) << dlerror();
    std::remove(library.c_str());
  }
  ~HostProgram() {
    if (handle_) dlclose(handle_);
  }
  HostProgram(const HostProgram&) = delete;
  HostProgram& operator=(const HostProgram&) = delete;

  // Arguments are pointers to values; a buffer is passed as a pointer to its pointer. The groups are run in
  // `pieces`.
  void run(const std::string& kernel, Sizes global, Sizes local, std::vector<const void*> arguments,
           Sizes offset = {0, 0, 0}, unsigned dims = 1, unsigned long long pieces = 1) const {
    const std::string failure = failure_of(kernel, global, local, std::move(arguments), offset, dims, pieces);
    EXPECT_EQ(failure, "");
  }
  // What the launch's event would tell; empty when all is well.
  std::string failure_of(const std::string& kernel, Sizes global, Sizes local,
                         std::vector<const void*> arguments, Sizes offset = {0, 0, 0}, unsigned dims = 1,
                         unsigned long long pieces = 1) const {
    auto* function =
        reinterpret_cast<quern_kernel_function*>(dlsym(handle_, ("quern_kernel_" + kernel).c_str()));
    if (!function) return "there is no kernel " + kernel;
    quern_launch launch = {};
    unsigned long long groups = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      launch.global_size[d] = global[d];
      launch.local_size[d] = local[d];
      launch.global_offset[d] = offset[d];
      launch.group_count[d] = (global[d] + local[d] - 1) / local[d];
      groups *= launch.group_count[d];
    }
    launch.work_dim = dims;
    launch.arguments = arguments.data();
    launch.runtime = &backend::host::kRuntime;
    alignas(128) static thread_local std::array<std::byte, 1 << 20> local_memory;
    launch.local_memory = local_memory.data();
    alignas(128) static thread_local std::array<std::byte, 16 * 8192> exchange;
    launch.exchange = exchange.data();
    for (unsigned long long p = 0; p < pieces; ++p)
      function(&launch, groups * p / pieces, groups * (p + 1) / pieces);
    return backend::host::has_failed() ? backend::host::take_failure() : "";
  }
  [[nodiscard]] const Lowered& lowered() const { return lowered_; }

 private:
  Lowered lowered_;
  void* handle_ = nullptr;
};

}  // namespace quern::frontend::test
