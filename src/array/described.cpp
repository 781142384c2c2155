// SPDX-License-Identifier: MIT
// Errors of an evaluation: they list the operations, and where each was written.
#include "array/described.hpp"

#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "array/write.hpp"
#include "quern/error.hpp"

namespace quern::array {
namespace {

constexpr std::string_view kBegin = "\nwhile evaluating ";

// One operation a line, the last one computed first, as it is the outermost of the expression.
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
  const auto told = [&](const Error& e, bool is_intact = true) {
    return e.what() + std::string(kBegin) + std::string(what) + " " + text_of(shape) +
           ", the result of:" + list +
           (is_intact ? "\nEverything is as it was before; in an eager block (qn.eager()) errors come where "
                        "operations "
                        "are written."
                      : "");
  };
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    // Of an expression that had to be evaluated on the way, which is nearer to the cause than this one.
    if (std::string_view(e.what()).find(kBegin) != std::string_view::npos) return error;
    if (const auto* const memory = dynamic_cast<const OutOfDeviceMemory*>(&e))
      return std::make_exception_ptr(OutOfDeviceMemory(told(e), memory->figures()));
    if (const auto* const build = dynamic_cast<const BuildError*>(&e))
      return std::make_exception_ptr(
          BuildError(told(e), build->diagnostics(), build->log(), build->options(), build->device()));
    if (typeid(e) == typeid(KernelError)) return std::make_exception_ptr(KernelError(told(e, false)));
    if (typeid(e) == typeid(DeviceLost)) return std::make_exception_ptr(DeviceLost(told(e, false)));
    if (typeid(e) == typeid(Error)) return std::make_exception_ptr(Error(told(e)));
    return error;
  } catch (...) {
    return error;
  }
}

}  // namespace quern::array
