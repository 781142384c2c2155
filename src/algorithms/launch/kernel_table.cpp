// SPDX-License-Identifier: MIT
// The kernels of the ready-made algorithms, made once for each set of parameters and kept.
#include "algorithms/launch/kernel_table.hpp"

#include <mutex>
#include <unordered_map>

#include "kernels/kernels.hpp"

namespace quern::algorithms {
namespace {

// Users' own expressions are part of keys, so a long run could make any number of them.
constexpr std::size_t kMostPrograms = 1024;

// A kernel remembers what was built for which device and local size, so it is kept with its program.
struct Entry {
  Program program;
  std::vector<std::pair<std::string, Kernel>> kernels;
};

struct Table {
  std::mutex mutex;
  std::unordered_map<std::string, Entry> programs;
};

// Never destroyed: the library may be used until the process ends.
Table& table() {
  static auto* const instance = new Table;
  return *instance;
}

std::string key_of(std::initializer_list<std::string_view> files, const Defines& defines,
                   std::string_view definitions) {
  std::string key;
  for (const std::string_view file : files) (key += file) += '\n';
  for (const auto& [name, value] : defines) ((key += name) += '=') += value + '\n';
  return (key += '\n') += definitions;
}

}  // namespace

Kernel kernel_of(std::initializer_list<std::string_view> files, std::string_view name, const Defines& defines,
                 std::string_view definitions) {
  const std::string key = key_of(files, defines, definitions);
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  auto found = all.programs.find(key);
  if (found == all.programs.end()) {
    std::string text(definitions);
    for (const std::string_view file : files)
      ((text += "\n#line 1 \"quern/" + std::string(file) + ".cl\"\n") += kernels::text(file));
    ProgramOptions options;
    options.defines = defines;
    options.copies_unaligned = true;
    options.name = std::string(*(files.end() - 1)) + ".cl";
    if (all.programs.size() >= kMostPrograms) all.programs.clear();
    found = all.programs.emplace(key, Entry{Program(std::move(text), std::move(options)), {}}).first;
  }
  Entry& entry = found->second;
  for (const auto& [known, kernel] : entry.kernels)
    if (known == name) return kernel;
  return entry.kernels.emplace_back(name, entry.program.kernel(std::string(name))).second;
}

}  // namespace quern::algorithms
