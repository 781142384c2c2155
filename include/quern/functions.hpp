// SPDX-License-Identifier: MIT
// NumPy's functions of arrays: sin(x), sum(x, {0}), and all that the registry has.
#pragma once

#include "quern/cumulative.hpp"
#include "quern/functions/elementwise.hpp"
#include "quern/functions/elementwise_functions.hpp"  // written by the build
#include "quern/order.hpp"
#include "quern/reduce.hpp"
