// SPDX-License-Identifier: MIT
// Which errors of the system mean that something ran out, and what to do then.
#include "base/resources.hpp"

#include <cerrno>
#include <system_error>

namespace quern {
namespace {

const char* advice(int error) noexcept {
  switch (error) {
    case EMFILE:
      return "this process has no file descriptor left: close files, or raise the limit (ulimit -n)";
    case ENFILE:
      return "the system has no file descriptor left: close files of this or of other processes";
    case ENOMEM:
      return "the system has no memory left for it: free memory, or raise the limit (ulimit -v)";
    case EAGAIN:
      return "the system has no process or thread left for it: end some, or raise the limit (ulimit -u)";
    default:
      return nullptr;
  }
}

constexpr int kErrors[] = {EMFILE, ENFILE, ENOMEM, EAGAIN};
// As programs say it that know no other language, and in words of gcc.
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
