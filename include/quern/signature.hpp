// SPDX-License-Identifier: MIT
// A kernel's parameters, known before it is launched.
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
  DType dtype;            // of the value, or of the elements of a pointer; Scalar::unknown if not known
  bool is_pointer = false;
  AddressSpace space = AddressSpace::value;
  bool is_const = false;     // a pointer that the kernel only reads through
  bool is_volatile = false;  // a pointer to volatile
  bool is_restrict = false;
};

struct Signature {
  std::string name;
  std::vector<Parameter> parameters;
  std::array<std::size_t, 3> required_local = {0, 0, 0};  // reqd_work_group_size; zeros if there is none
  std::size_t local_memory = 0;    // bytes of local variables; 0 if the front end did not parse the body
  bool exchanges_values = false;   // lowered code with work-group reductions, scans or broadcasts
  bool wants_fixed_local = false;  // lowered code that is faster if built for one local size
};

}  // namespace quern
