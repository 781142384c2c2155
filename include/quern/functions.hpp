// SPDX-License-Identifier: MIT
// NumPy's functions of arrays: sin(x), sum(x, {0}), and all that the registry has.
#pragma once

#include "quern/bits.hpp"
#include "quern/cumulative.hpp"
#include "quern/differences.hpp"
#include "quern/functions/composite.hpp"
#include "quern/functions/elementwise.hpp"
#include "quern/functions/elementwise_functions.hpp"  // written by the build
#include "quern/histogram.hpp"
#include "quern/indexing.hpp"
#include "quern/linalg.hpp"
#include "quern/matmul.hpp"
#include "quern/nan_reductions.hpp"
#include "quern/polynomials.hpp"
#include "quern/reduce.hpp"
#include "quern/sets.hpp"
#include "quern/signals.hpp"
#include "quern/sorting.hpp"
#include "quern/statistics.hpp"
#include "quern/ufunc.hpp"
