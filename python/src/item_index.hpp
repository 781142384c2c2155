// SPDX-License-Identifier: MIT
// Conversion of Python's indices of arrays to C++.
#pragma once

#include <vector>

#include "binding.hpp"
#include "quern/indexing.hpp"

namespace quern::python {

// A list as NumPy converts it, or a NumPy array: masks are copied to the device, indices stay in host memory
// until they are checked.
ItemIndex host_index(nb::handle part, const Array& array);
// The parts of an index: those of a tuple, or the single one.
std::vector<ItemIndex> item_index(nb::handle index, const Array& array);

}  // namespace quern::python
