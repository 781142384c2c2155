// SPDX-License-Identifier: MIT
// Page-locked host memory that is kept for later maps, because drivers take long to allocate it.
#pragma once

#include <cstddef>
#include <memory>

#include "backend/backend.hpp"

namespace quern::detail {

class ContextState;

// Returns memory of at least `nbytes`, which is kept for reuse when the last reference is gone.
std::shared_ptr<backend::PinnedMemory> take_staging(const std::shared_ptr<ContextState>& context,
                                                    std::size_t nbytes);

}  // namespace quern::detail
