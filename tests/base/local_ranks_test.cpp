// SPDX-License-Identifier: MIT
// What launchers' variables say about the ranks of a machine, and how many threads follow for one rank.
#include "base/local_ranks.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/environment_variable.hpp"

namespace quern {
namespace {

using testing::EnvironmentVariable;

struct Launched {
  const char* size_name;
  const char* rank_name;
};

TEST(LocalRanks, one_rank_without_a_launcher) {
  const LocalRanks ranks = local_ranks();
  EXPECT_EQ(1, ranks.size);
  EXPECT_EQ(0, ranks.rank);
  EXPECT_EQ("", ranks.variable);
}

TEST(LocalRanks, each_launcher_names_size_and_rank) {
  for (const Launched& names : {Launched{"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
                                Launched{"MPI_LOCALNRANKS", "MPI_LOCALRANKID"},
                                Launched{"MV2_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_RANK"},
                                Launched{"PALS_LOCAL_SIZE", "PALS_LOCAL_RANKID"},
                                Launched{"JSM_NAMESPACE_LOCAL_SIZE", "JSM_NAMESPACE_LOCAL_RANK"}}) {
    const EnvironmentVariable size(names.size_name, "6"), rank(names.rank_name, "4");
    const LocalRanks ranks = local_ranks();
    EXPECT_EQ(6, ranks.size) << names.size_name;
    EXPECT_EQ(4, ranks.rank) << names.rank_name;
    EXPECT_EQ(names.size_name, ranks.variable);
  }
}

TEST(LocalRanks, slurm_lists_the_ranks_of_each_node) {
  const EnvironmentVariable list("SLURM_STEP_TASKS_PER_NODE", "4(x2),3"), node("SLURM_NODEID", "2");
  const EnvironmentVariable rank("SLURM_LOCALID", "1");
  EXPECT_EQ(3, local_ranks().size);
  EXPECT_EQ(1, local_ranks().rank);
  EXPECT_EQ(4, slurm_list_element("4(x2),3", 0));
  EXPECT_EQ(4, slurm_list_element("4(x2),3", 1));
  EXPECT_EQ(3, slurm_list_element("4(x2),3", 2));
  EXPECT_EQ(0, slurm_list_element("4(x2),3", 3));
  EXPECT_EQ(2, slurm_list_element("2", 0));
  for (const char* wrong : {"", ",", "x", "4(", "4(x", "-3", "4(x2", "99999999999999999999"})
    EXPECT_GE(4, slurm_list_element(wrong, 0)) << wrong;
}

TEST(LocalRanks, text_that_is_no_number_is_not_a_launchers) {
  for (const char* wrong : {"", "many", "0", "-2", "4x", "99999999999999999999"}) {
    const EnvironmentVariable size("OMPI_COMM_WORLD_LOCAL_SIZE", wrong);
    EXPECT_EQ(1, local_ranks().size) << wrong;
  }
  const EnvironmentVariable size("MPI_LOCALNRANKS", "3"), rank("MPI_LOCALRANKID", "7");
  EXPECT_EQ(2, local_ranks().rank);  // never beyond the last one
}

TEST(LocalRanks, threads_divide_the_shared_processors_within_the_mask) {
  EXPECT_EQ(16U, threads_of_rank(16, 16, 1));
  EXPECT_EQ(4U, threads_of_rank(16, 16, 4));
  EXPECT_EQ(5U, threads_of_rank(16, 16, 3));
  EXPECT_EQ(1U, threads_of_rank(2, 2, 16));
  EXPECT_EQ(2U, threads_of_rank(2, 16, 4));   // bound to a core of two hardware threads
  EXPECT_EQ(8U, threads_of_rank(8, 16, 2));   // bound to a socket each
  EXPECT_EQ(4U, threads_of_rank(16, 32, 8));  // four ranks bound to each socket
}

TEST(LocalRanks, ranks_that_share_a_mask_get_different_processors) {
  const std::vector<int> allowed = {0, 2, 4, 6, 8};
  EXPECT_EQ((std::vector{0, 2}), processors_of_rank(allowed, 2, 0));
  EXPECT_EQ((std::vector{4, 6}), processors_of_rank(allowed, 2, 1));
  EXPECT_EQ((std::vector{0, 8}), processors_of_rank(allowed, 2, 2));  // more ranks than there is place for
  EXPECT_EQ(allowed, processors_of_rank(allowed, 9, 3));
}

}  // namespace
}  // namespace quern
