// SPDX-License-Identifier: MIT
// What the tests of the host device share: a context, kernels written in C against host_abi.h, launches.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "backend/arguments.hpp"
#include "backend/backend.hpp"
#include "backend/registry.hpp"

namespace quern::backend {

inline std::shared_ptr<Device> host_device() {
  static auto* const found = new Discovery(discover_host());
  return found->devices.at(0);
}

inline Context& host_context() {
  static auto* const context = new std::shared_ptr<Context>([] {
    const std::vector<std::shared_ptr<Device>> devices = {host_device()};
    return devices[0]->make_context(devices);
  }());
  return **context;
}

// The ABI, so that kernels can be written without a path to it.
inline std::string with_abi(const std::string& body) {
  std::ifstream file(QUERN_HOST_ABI);
  return std::string(std::istreambuf_iterator<char>(file), {}) + body;
}

// A kernel without vectors or barriers: `body` runs for each work-item, with its global ids in id[3].
inline std::string kernel_text(const std::string& name, const std::string& arguments,
                               const std::string& body) {
  return "void quern_kernel_" + name +
         "(const quern_launch *launch, unsigned long long first, unsigned long long last) {\n" + arguments +
         R"(
  for (unsigned long long group = first; group < last; ++group) {
    unsigned long long g[3], begin[3], end[3], id[3];
    g[0] = group % launch->group_count[0];
    g[1] = group / launch->group_count[0] % launch->group_count[1];
    g[2] = group / launch->group_count[0] / launch->group_count[1];
    for (int d = 0; d < 3; ++d) {
      begin[d] = g[d] * launch->local_size[d];
      end[d] = begin[d] + launch->local_size[d];
      if (end[d] > launch->global_size[d]) end[d] = launch->global_size[d];
      begin[d] += launch->global_offset[d];
      end[d] += launch->global_offset[d];
    }
    for (id[2] = begin[2]; id[2] < end[2]; ++id[2])
      for (id[1] = begin[1]; id[1] < end[1]; ++id[1])
        for (id[0] = begin[0]; id[0] < end[0]; ++id[0]) {
)" + body +
         "\n        }\n  }\n}\n";
}

inline std::string parameter(const std::string& type, const std::string& name, int index) {
  return "  " + type + " " + name + " = *(" + type + " *)launch->arguments[" + std::to_string(index) + "];\n";
}

inline Compiled compile_c(const std::string& text, bool debug = false,
                          std::vector<std::string> options = {}) {
  CompileRequest request;
  request.dialect = Dialect::host_c;
  request.text = text;
  request.debug = debug;
  request.options = std::move(options);
  return host_context().compile(0, request);
}

// A program that stays loaded.
class Program {
 public:
  explicit Program(const std::string& body) : module_(compile_c(with_abi(body)).module) {}
  std::unique_ptr<Function> function(const std::string& name) {
    return module_->function("quern_kernel_" + name, nullptr);
  }
  Module& module() { return *module_; }

 private:
  std::unique_ptr<Module> module_;
};

inline std::unique_ptr<Queue> host_queue(bool profiling = false) {
  return host_context().make_queue(0, QueueOptions{profiling});
}

template <class T>
T* data(Memory& m) {
  return static_cast<T*>(m.host_pointer());
}

inline void finish(Queue& queue) {
  ASSERT_TRUE(queue.record()->wait(Deadline::max()));
}

// Sets an environment variable for one test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before, was_set_ = true;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (was_set_) {
      setenv(name_, before_.c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::string before_;
  bool was_set_ = false;
};

}  // namespace quern::backend
