// SPDX-License-Identifier: MIT
// Descriptions of operations in error messages.
#include "runtime/operation.hpp"

#include "quern/error.hpp"

namespace quern::detail {

void Operation::rebind(const Rebinding& /*rebinding*/) {
  throw Error(description_of(*this) + " of a graph cannot use other memory; capture it again");
}

std::string description_of(const Operation& operation) {
  const OperationDetails details = operation.details();
  switch (details.kind) {
    case OperationKind::kernel:
      return "kernel '" + std::string(details.name) + "'";
    case OperationKind::upload:
      return "a write";
    case OperationKind::download:
      return "a read";
    case OperationKind::copy:
      return "a copy";
    case OperationKind::fill:
      return "a fill";
    case OperationKind::library:
      return "a call of " + std::string(details.name);
    case OperationKind::barrier:
      return "a barrier";
    case OperationKind::marker:
      return "a marker";
    case OperationKind::map:
      return "a map";
    case OperationKind::unmap:
      return "an unmap";
    case OperationKind::migrate:
      return "a migration";
    case OperationKind::graph:
      return "a launch of a graph";
    case OperationKind::wait:
      break;
  }
  return "a wait for memory";
}

}  // namespace quern::detail
