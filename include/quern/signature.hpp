// SPDX-License-Identifier: MIT
// What is known of a kernel's parameters before it is launched.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "quern/api.hpp"
#include "quern/dtype.hpp"

namespace QUERN_API quern {

enum class AddressSpace : std::uint8_t { value, global, constant, local };

struct Parameter {
  std::string name;
  std::string type_name;  // as the author wrote it, typedefs resolved: "const float*"
  DType dtype;  // of the value, or of what a pointer points at; Scalar::unknown when it is not known
  bool is_pointer = false;
  AddressSpace space = AddressSpace::value;
  bool is_const = false;  // a pointer through which the kernel only reads
};

struct Signature {
  std::string name;
  std::vector<Parameter> parameters;
  std::array<std::size_t, 3> required_local = {0, 0, 0};  // reqd_work_group_size; zeros when there is none
  std::size_t local_memory = 0;  // bytes of the variables in local memory; 0 where the front end did not look
  bool exchanges_values = false;   // lowered code whose work-groups reduce, scan or broadcast
  bool wants_fixed_local = false;  // lowered code that is faster when built for one local size
};

}  // namespace quern
