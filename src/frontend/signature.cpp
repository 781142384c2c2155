// SPDX-License-Identifier: MIT
// Signatures of OpenCL C kernels.
#include "frontend/signature.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"

namespace quern::frontend {

Signature signature_of(const Function& function) {
  Signature signature;
  signature.name = function.name;
  for (std::size_t d = 0; d < 3; ++d) signature.required_local[d] = function.required_local[d];
  signature.exchanges_values = function.has_group_functions;
  for (const Variable* variable : function.local_variables) {
    const std::uint64_t alignment = std::max(alignment_of(variable->type.type), variable->least_alignment);
    signature.local_memory = rounded_up(signature.local_memory, alignment);
    signature.local_memory += size_of(variable->type.type);
  }
  for (const Variable* variable : function.parameters) {
    Parameter p;
    p.name = variable->name;
    const QualType& type = variable->type;
    p.is_pointer = type->is_pointer();
    if (p.is_pointer) {
      const QualType& pointee = type->element;
      QualType shown = pointee;
      shown.space = Space::unspecified;
      p.type_name = name_of(shown) + "*";
      p.dtype = dtype_of(pointee.type);
      p.is_volatile = pointee.is_volatile;
      p.is_restrict = type.is_restrict;
      p.is_const = pointee.is_const || pointee.space == Space::constant;
      p.space = pointee.space == Space::local      ? AddressSpace::local
                : pointee.space == Space::constant ? AddressSpace::constant
                                                   : AddressSpace::global;
    } else {
      p.type_name = name_of(type.type);
      p.dtype = dtype_of(type.type);
    }
    signature.parameters.push_back(std::move(p));
  }
  return signature;
}

std::vector<Signature> signatures_of(const Program& program) {
  std::vector<Signature> result;
  for (const Function* function : program.functions)
    if (function->is_kernel) result.push_back(signature_of(*function));
  return result;
}

}  // namespace quern::frontend
