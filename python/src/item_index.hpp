// SPDX-License-Identifier: MIT
// Python's indices of arrays as C++ takes them.
#pragma once

#include <vector>

#include "binding.hpp"
#include "quern/indexing.hpp"

namespace quern::python {

// What NumPy makes of a list, or a NumPy array: masks are moved to the device, positions stay until they are
// checked.
ItemIndex host_index(nb::handle part, const Array& array);
// The parts of an index: those of a tuple, or the one.
std::vector<ItemIndex> item_index(nb::handle index, const Array& array);

}  // namespace quern::python
