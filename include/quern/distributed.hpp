// SPDX-License-Identifier: MIT
// Arrays distributed over ranks: the communicator, layouts, arrays, ghost cells, messages.
#pragma once

#include "quern/distributed/array.hpp"
#include "quern/distributed/communicator.hpp"
#include "quern/distributed/fft.hpp"
#include "quern/distributed/functions.hpp"
#include "quern/distributed/global_array.hpp"
#include "quern/distributed/halo.hpp"
#include "quern/distributed/layout.hpp"
#include "quern/distributed/messages.hpp"
#include "quern/distributed/mpi.hpp"
#include "quern/distributed/sparse.hpp"
#include "quern/distributed_error.hpp"
