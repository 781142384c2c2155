// SPDX-License-Identifier: MIT
// Attaches the errors of launches to the memory that they write.
#include "linalg/checked.hpp"

#include <memory>

#include "array/index_errors.hpp"
#include "runtime/allocation.hpp"
#include "runtime/eager.hpp"

namespace quern::linalg {

void run_checked(const Queue& queue, const Problem& problem, std::initializer_list<Array> results,
                 const std::function<Event(const Buffer& slot)>& launch) {
  const auto error =
      std::make_shared<array::DeferredIndexError>(problem.text, problem.function, problem.matrices);
  const std::shared_ptr<array::IndexErrorSlots> slots = array::IndexErrors::instance().slots_of(queue);
  const Buffer memory = slots->reserve(queue, error);
  try {
    slots->launched(*error, launch(memory));
  } catch (...) {
    slots->give_back(error);
    throw;
  }
  if (detail::eager_depth != 0) {
    error->check();
    return;
  }
  for (const Array& result : results) {
    const Buffer& written = result.buffer();
    written.allocation()->uses().deferred_errors().add({written.offset(), written.offset() + written.size()},
                                                       {error});
  }
}

}  // namespace quern::linalg
