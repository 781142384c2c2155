// SPDX-License-Identifier: MIT
// The whole public interface.
#pragma once

#include "quern/array.hpp"
#include "quern/buffer.hpp"
#include "quern/context.hpp"
#include "quern/device.hpp"
#include "quern/dtype.hpp"
#include "quern/elementwise.hpp"
#include "quern/error.hpp"
#include "quern/event.hpp"
#include "quern/kernel.hpp"
#include "quern/program.hpp"
#include "quern/properties.hpp"
#include "quern/queue.hpp"
#include "quern/random.hpp"
#include "quern/reduction.hpp"
#include "quern/scan.hpp"
#include "quern/select.hpp"
#include "quern/signature.hpp"
#include "quern/sort.hpp"
#include "quern/stats.hpp"
#include "quern/template.hpp"
