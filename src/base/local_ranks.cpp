// SPDX-License-Identifier: MIT
// Reads the variables of launchers, and finds the launcher among the ancestors of this process.
#include "base/local_ranks.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "base/environment.hpp"
#include "base/processors.hpp"

namespace quern {
namespace {

struct Variables {
  const char* size;
  const char* rank;
};

// A job script of Slurm may start another launcher, whose own variables come first.
constexpr std::array kVariables = {
    Variables{"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},  // Open MPI, PRRTE
    Variables{"MPI_LOCALNRANKS", "MPI_LOCALRANKID"},                        // Hydra: MPICH, Intel MPI
    Variables{"MV2_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_RANK"},    // MVAPICH
    Variables{"PALS_LOCAL_SIZE", "PALS_LOCAL_RANKID"},                      // Cray
    Variables{"JSM_NAMESPACE_LOCAL_SIZE", "JSM_NAMESPACE_LOCAL_RANK"},      // LSF
};
constexpr const char* kSlurmList = "SLURM_STEP_TASKS_PER_NODE";  // srun sets it, and job scripts have none

// Launchers write plain numbers; other text is not theirs.
int number_in(const char* name) {
  const auto text = environment(name);
  int number = 0;
  if (!text) return -1;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  return error == std::errc{} && end == text->data() + text->size() ? number : -1;
}

#ifdef __linux__
// The parent of a process; 0 if it is not known.
pid_t parent_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');  // the name of the program may hold spaces and parentheses
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  char state = 0;
  pid_t parent = 0;
  fields >> state >> parent;
  return parent;
}

bool has_variable(pid_t process, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(process) + "/environ", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string start = name + "=";
  return text.compare(0, start.size(), start) == 0 || text.find('\0' + start) != std::string::npos;
}
#endif

}  // namespace

int slurm_list_element(const std::string& list, int index) {
  std::string_view rest = list;
  while (!rest.empty() && index >= 0) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view part = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    int value = 0, times = 1;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || value < 0) return 0;
    part.remove_prefix(static_cast<std::size_t>(end - part.data()));
    if (part.starts_with("(x")) {
      if (std::from_chars(part.data() + 2, part.data() + part.size(), times).ec != std::errc{}) return 0;
    } else if (!part.empty()) {
      return 0;
    }
    if (index < times) return value;
    index -= times;
  }
  return 0;
}

LocalRanks local_ranks() {
  for (const Variables& names : kVariables) {
    if (const int size = number_in(names.size); size > 0)
      return {size, std::clamp(number_in(names.rank), 0, size - 1), names.size};
  }
  if (const auto list = environment(kSlurmList)) {
    if (const int size = slurm_list_element(*list, std::max(0, number_in("SLURM_NODEID"))); size > 0)
      return {size, std::clamp(number_in("SLURM_LOCALID"), 0, size - 1), kSlurmList};
  }
  return {};
}

std::size_t processors_of_launcher(const LocalRanks& ranks, std::size_t own) {
  std::size_t shared = own;
#ifdef __linux__
  // Scripts between the launcher and this process have the variable, the launcher does not. A launcher of
  // another user hides its variables, which counts as not to have it.
  constexpr int kMostScripts = 16;
  pid_t process = getppid();
  for (int step = 0; step < kMostScripts && process > 1 && has_variable(process, ranks.variable); ++step)
    process = parent_of(process);
  if (process > 0) shared = std::max(shared, allowed_processors(process).size());
  if (ranks.variable == kSlurmList) {  // Slurm's daemon may use processors that are not this job's
    if (const int of_job = number_in("SLURM_CPUS_ON_NODE"); of_job > 0)
      shared = std::max(own, std::min(shared, static_cast<std::size_t>(of_job)));
  }
#else
  (void)ranks;
#endif
  return shared;
}

unsigned threads_of_rank(std::size_t own, std::size_t shared, int ranks) noexcept {
  const std::size_t part = shared / static_cast<std::size_t>(std::max(1, ranks));
  return static_cast<unsigned>(std::max<std::size_t>(1, std::min(own, part)));
}

std::vector<int> processors_of_rank(const std::vector<int>& allowed, unsigned count, int rank) {
  std::vector<int> chosen;
  const std::size_t start = static_cast<std::size_t>(rank) * count;
  for (std::size_t i = 0; i < std::min<std::size_t>(count, allowed.size()); ++i)
    chosen.push_back(allowed[(start + i) % allowed.size()]);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace quern
