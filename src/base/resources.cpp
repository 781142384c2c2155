// SPDX-License-Identifier: MIT
// Recognises errors of the system that mean that a resource ran out, and gives advice.
#include "base/resources.hpp"

#include <cerrno>
#include <system_error>

namespace quern {
namespace {

const char* advice(int error) noexcept {
  switch (error) {
    case EMFILE:
      return "this process ran out of file descriptors: close files, or raise the limit (ulimit -n)";
    case ENFILE:
      return "the system ran out of file descriptors: close files of this or of other processes";
    case ENOMEM:
      return "the system ran out of memory: free memory, or raise the limit (ulimit -v)";
    case EAGAIN:
      return "the system ran out of processes or threads: end some, or raise the limit (ulimit -u)";
    default:
      return nullptr;
  }
}

constexpr int kErrors[] = {EMFILE, ENFILE, ENOMEM, EAGAIN};
// Messages as programs without translations print them, and as gcc words them.
constexpr std::string_view kMessages[] = {"Too many open files", "Cannot allocate memory",
                                          "Resource temporarily unavailable", "virtual memory exhausted",
                                          "out of memory"};

}  // namespace

bool is_lack_of_resources(int error) noexcept {
  return advice(error) != nullptr;
}

bool is_lack_of_resources(std::string_view message) {
  const auto has = [&](std::string_view words) { return message.find(words) != std::string_view::npos; };
  for (const std::string_view words : kMessages)
    if (has(words)) return true;
  for (const int error : kErrors)
    if (has(std::system_category().message(error))) return true;
  return false;
}

void throw_system_error(const std::string& what, int error) {
  const std::string text = what + ": " + std::system_category().message(error);
  if (const char* const more = advice(error)) throw OutOfResources(text + " (" + more + ")");
  throw Error(text);
}

}  // namespace quern
