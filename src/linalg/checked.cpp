// SPDX-License-Identifier: MIT
// Attaches the errors of launches to the memory that they write, and looks for infinities and NaN.
#include "linalg/checked.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "algorithms/launch/operation.hpp"
#include "array/index_errors.hpp"
#include "array/node.hpp"
#include "array/reduce.hpp"
#include "base/dtype_kinds.hpp"
#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/eager.hpp"

namespace quern::linalg {
namespace {

bool is_inexact(const DType& dtype) {
  return detail::is_floating(dtype) || detail::is_complex(dtype);
}

bool waits_for_values(const Queue& /*queue*/) {
  return true;
}
bool waits_in_eager_blocks(const Queue& /*queue*/) {
  return detail::eager_depth != 0;
}

}  // namespace

void check_finite(const char* name, std::initializer_list<Array> operands) {
  for (const Array& operand : operands) {
    const Queue queue = operand.queue();
    constexpr algorithms::Operation kWaits(&waits_for_values, &waits_in_eager_blocks);
    if (operand.size() == 0 || !is_inexact(operand.dtype()) || !kWaits(queue)) continue;
    const Array all = array::reduce_elements("all", apply("isfinite", {operand}, &queue), {});
    all.wait_for_elements(queue);
    std::uint8_t is_finite = 0;
    all.get(queue, &is_finite).wait();
    if (is_finite == 0)
      throw ArgumentError(ArgumentError::Kind::value,
                          std::string(name) + ": array must not contain infs or NaNs");
  }
}

void run_checked(const Queue& queue, const Problem& problem, std::initializer_list<Array> results,
                 const std::function<Event(const Buffer& slot)>& launch) {
  std::vector<Buffer> written;
  for (const Array& result : results) written.push_back(result.buffer());
  array::IndexErrors::instance().run_checked(
      queue,
      [problem, origin = array::current_origin] {
        return std::make_shared<array::DeferredIndexError>(problem.text, problem.function, problem.matrices,
                                                           origin);
      },
      written, launch);
}

}  // namespace quern::linalg
