// SPDX-License-Identifier: MIT
// Graphs of the fake driver: what the streams of a capture are given, in one order.
#pragma once

#include <functional>

#include "backend/cuda/api.hpp"

namespace fake {

using Task = std::function<void()>;

// Takes the task and returns true if the stream, which has this priority, is captured.
bool record(quern::backend::cuda::StreamHandle stream, int priority, Task& task);
[[nodiscard]] bool is_captured(quern::backend::cuda::StreamHandle stream);
// An event of a captured stream. A stream that waits for it becomes part of the capture. Both return false
// outside of captures.
bool mark(quern::backend::cuda::EventHandle event, quern::backend::cuda::StreamHandle stream);
bool join(quern::backend::cuda::StreamHandle stream, quern::backend::cuda::EventHandle event);

// Of fake_driver.cpp: runs a kernel, and adds a task to a stream.
Task kernel_task(const quern::backend::cuda::KernelNodeParameters& launch);
quern::backend::cuda::Result push(quern::backend::cuda::StreamHandle stream, Task task);

}  // namespace fake
