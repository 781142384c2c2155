// SPDX-License-Identifier: MIT
// The ranks of a parallel program on this machine, as its launcher's environment variables tell, and the
// processors that one of them uses. Loads no MPI library.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace quern {

struct LocalRanks {
  int size = 1;          // ranks that the launcher has started on this machine
  int rank = 0;          // this one among them
  std::string variable;  // that names the size; empty if no launcher did
};

// From the variables of Open MPI, Hydra (MPICH, Intel MPI), MVAPICH, PALS, JSM and Slurm's srun.
[[nodiscard]] LocalRanks local_ranks();

// The element of a list such as Slurm's "4(x2),3", which stands for 4,4,3; 0 if there is none.
[[nodiscard]] int slurm_list_element(const std::string& list, int index);

// The number of processors that the local ranks share: the affinity mask of the process that has started
// them. At least `own`, which is the number in the mask of this process.
[[nodiscard]] std::size_t processors_of_launcher(const LocalRanks& ranks, std::size_t own);

// The number of threads of one rank: its part of the shared processors, or its affinity mask if the launcher
// has bound it to fewer. At least 1.
[[nodiscard]] unsigned threads_of_rank(std::size_t own, std::size_t shared, int ranks) noexcept;

// `count` of the processors for the parts of the host device. Ranks that share an affinity mask get different
// ones, as far as there are enough.
[[nodiscard]] std::vector<int> processors_of_rank(const std::vector<int>& allowed, unsigned count, int rank);

}  // namespace quern
