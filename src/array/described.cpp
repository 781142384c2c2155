// SPDX-License-Identifier: MIT
// Adds to errors of an evaluation the list of operations and the line of each.
#include "array/described.hpp"

#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "array/write.hpp"
#include "base/text.hpp"
#include "quern/error.hpp"

namespace quern::array {
namespace {

constexpr std::string_view kBegin = "\nwhile evaluating ";

// Lists one operation per line. The outermost, which is computed last, comes first.
std::string list_of(const FusedExpression& fused) {
  constexpr std::size_t kMost = 16, kInnermost = 4;
  const std::vector<std::string> operations = fused.operations();
  const std::size_t count = operations.size();
  const std::size_t left_out = count > kMost ? count - kMost : 0;
  std::string text;
  for (std::size_t n = 0; n < count; ++n) {
    if (left_out != 0 && n == kMost - kInnermost) {
      text += "\n  ... and " + std::to_string(left_out) + " more";
      n += left_out;
    }
    text += "\n  " + operations[count - 1 - n];
  }
  return text;
}

}  // namespace

std::exception_ptr described(const std::exception_ptr& error, const FusedExpression& fused,
                             const Shape& shape, std::string_view what) {
  const std::string list = list_of(fused);
  if (list.empty()) return error;
  const auto with_context = [&](const Error& e, bool is_intact = true) {
    return e.what() + std::string(kBegin) + std::string(what) + " " + shape_text(shape) +
           ", the result of:" + list +
           (is_intact ? "\nNo array was changed. In an eager block (qn.eager()), operations raise errors at "
                        "their own line."
                      : "");
  };
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    // The error already describes an inner expression, which is nearer to the cause.
    if (std::string_view(e.what()).find(kBegin) != std::string_view::npos) return error;
    if (const auto* const memory = dynamic_cast<const OutOfDeviceMemory*>(&e))
      return std::make_exception_ptr(OutOfDeviceMemory(with_context(e), memory->figures()));
    if (const auto* const build = dynamic_cast<const BuildError*>(&e))
      return std::make_exception_ptr(
          BuildError(with_context(e), build->diagnostics(), build->log(), build->options(), build->device()));
    if (typeid(e) == typeid(KernelError)) return std::make_exception_ptr(KernelError(with_context(e, false)));
    if (typeid(e) == typeid(DeviceLost)) return std::make_exception_ptr(DeviceLost(with_context(e, false)));
    if (typeid(e) == typeid(Error)) return std::make_exception_ptr(Error(with_context(e)));
    return error;
  } catch (...) {
    return error;
  }
}

}  // namespace quern::array
