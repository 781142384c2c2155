// SPDX-License-Identifier: MIT
// What task_graph.cpp and its peer share.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

// For each task the slots that it reads. Task i writes slot i + 2.
using TaskGraph = std::vector<std::pair<std::size_t, std::size_t>>;

void openmp_empty_tasks(const TaskGraph& graph, char* slots);

// Tiles of the lower triangle, row by row; size is 16, 32 or 64.
void openmp_cholesky(std::size_t count, int size, double* const* tiles);
