// SPDX-License-Identifier: MIT
// The search for the parameters with which a kernel or an algorithm is fastest on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/kernel.hpp"
#include "quern/program.hpp"
#include "quern/queue.hpp"
#include "quern/tuned.hpp"

namespace QUERN_API quern {

struct TuneParameter {
  std::string name;
  std::vector<TuneValue> values;  // the first is the default; numbers in ascending order help the search
};
using TuneRestriction = std::function<bool(const TuneConfiguration&)>;

// All combinations of the parameters' values that no restriction excludes. A combination has a number: the
// last parameter varies fastest.
class TuneSpace {
 public:
  // Throws ArgumentError for a parameter without a name or without values, and for equal names or values.
  explicit TuneSpace(std::vector<TuneParameter> parameters, std::vector<TuneRestriction> restrictions = {});

  [[nodiscard]] const std::vector<TuneParameter>& parameters() const noexcept { return parameters_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }  // with excluded combinations
  [[nodiscard]] bool allows(std::uint64_t number) const;
  [[nodiscard]] TuneConfiguration at(std::uint64_t number) const;
  // The index of the value of each parameter, and back.
  [[nodiscard]] std::vector<std::size_t> indices(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t number(std::span<const std::size_t> indices) const;
  // Nothing if a name or value does not belong to the space.
  [[nodiscard]] std::optional<std::uint64_t> number(const TuneConfiguration& configuration) const;

 private:
  std::vector<TuneParameter> parameters_;
  std::vector<TuneRestriction> restrictions_;
  std::uint64_t size_ = 1;
};

// What is tuned: the search calls it with configurations. An exception means that a configuration cannot be
// used; it is recorded, and the search goes on. TuneStop and DeviceLost end the search.
class TuneTarget {
 public:
  virtual ~TuneTarget() = default;
  // Compiles. Several threads call it at once, each for another configuration, before all other functions.
  virtual void prepare(const TuneConfiguration& configuration);
  // Runs once and compares the results with a reference: returns what is wrong, or nothing.
  virtual std::string verify(const TuneConfiguration& configuration);
  // Runs once; returns the seconds that it took.
  virtual double run(const TuneConfiguration& configuration) = 0;
  // The configuration is not run any more.
  virtual void release(const TuneConfiguration& configuration);
};

// Thrown by a target: tune() returns the best so far.
struct TuneStop {};

enum class TuneStrategy : std::uint8_t {
  brute,   // all combinations, in order
  random,  // in random order
  anneal,  // simulated annealing: steps to neighbours, which become smaller and rarer when slower
  bayes,   // a Gaussian process predicts times; the combination with the largest expected gain is next
};
[[nodiscard]] const char* name_of(TuneStrategy strategy) noexcept;
[[nodiscard]] TuneStrategy tune_strategy(std::string_view name);  // throws ArgumentError

struct TuneProgress {
  std::size_t done = 0, total = 0;  // configurations; the total is the most that there can be
  double seconds = 0;               // since the start
  const TuneConfiguration* best = nullptr;
  double best_seconds = 0;  // of one run
};

struct TuneOptions {
  TuneStrategy strategy = TuneStrategy::brute;
  std::uint64_t seed = 0;  // the same seed and the same times give the same search
  double time_limit = std::numeric_limits<double>::infinity();  // seconds of the whole search
  std::size_t max_evaluations = 0;  // 0: all for brute, else a tenth of the space, but at least 50
  unsigned repeats = 7;             // timed runs of a configuration that is not hopeless
  unsigned warmup = 1;              // untimed runs after the verification
  // A configuration whose first run takes this many times as long as the best one is not run again. The
  // factor shrinks towards 1 with each run.
  double hopeless = 2;
  // The default wins unless another configuration is faster by this fraction.
  double least_gain = 0.02;
  unsigned threads = 0;                       // that compile; 0: as many as there are processors
  bool compiles_while_measuring = false;      // for devices that are not the processors that compile
  std::optional<TuneConfiguration> defaults;  // measured first; nothing: the first value of each parameter
  std::function<void(const TuneProgress&)> on_progress;  // called by the thread of tune()
  std::function<bool()> should_stop;                     // asked now and then by the thread of tune()
};

enum class TuneStatus : std::uint8_t {
  measured,
  hopeless,      // measured, but stopped early
  not_prepared,  // did not compile
  not_run,       // failed when it ran
  wrong,         // differs from the reference
  not_measured,  // the search ended before
};
[[nodiscard]] const char* name_of(TuneStatus status) noexcept;

struct TuneCandidate {
  TuneConfiguration configuration;
  TuneStatus status = TuneStatus::not_measured;
  std::vector<double> times;  // seconds of each run
  std::string error;
  double found_at = 0;  // seconds since the start of the search, when it was measured

  [[nodiscard]] double seconds() const noexcept;  // the shortest run; infinite if there is none
  [[nodiscard]] bool is_valid() const noexcept {
    return status == TuneStatus::measured || status == TuneStatus::hopeless;
  }
};

struct TuneResult {
  std::vector<TuneCandidate> candidates;  // in the order in which they were measured; the default first
  std::optional<std::size_t> best;        // index; nothing if no candidate gave right results
  TuneStrategy strategy = TuneStrategy::brute;
  std::uint64_t seed = 0;
  std::uint64_t space_size = 0;
  double seconds = 0;        // of the whole search
  bool interrupted = false;  // by TuneStop or should_stop
  bool timed_out = false;
  std::string title;  // of tables and pictures

  [[nodiscard]] const TuneCandidate& winner() const;  // throws Error with the candidates' errors if none won
  [[nodiscard]] double default_seconds() const noexcept;  // infinite if the default cannot be used
  // The fastest first, those without times last.
  [[nodiscard]] std::string table(std::size_t most = 20) const;
  [[nodiscard]] std::string csv() const;
  [[nodiscard]] std::string json() const;
  // The times in the order of the search and the best so far, and the times by the value of each parameter.
  [[nodiscard]] std::string svg(unsigned width = 900) const;
  [[nodiscard]] TunedResult result(TuneKey key, const Device& device) const;  // for keep_tuned()
};

// Measures configurations and returns the fastest one that gives right results. Each is compiled ahead of its
// measurement, by several threads, verified before it is timed, and timed in turn with others. The fastest
// ones and the default are timed in turn once more, and the default wins unless another one is faster.
[[nodiscard]] TuneResult tune(TuneTarget& target, const TuneSpace& space, const TuneOptions& options = {});

// Seconds that f() keeps the queue busy: on a profiling queue from the start of the first operation to the
// end of the last, else of the host's clock, from a finished queue to a finished queue.
[[nodiscard]] double seconds_on(const Queue& queue, const std::function<void()>& f);

// A kernel whose parameters are macros of its source.
struct TuneKernel {
  std::string source, name;
  ProgramOptions options;
  std::function<Range(const TuneConfiguration&)> range;
  // What the arguments borrow lives at least as long as the target.
  std::vector<KernelArgument> arguments;
  // Called after a run: returns what is wrong, or nothing. Null: nothing is verified.
  std::function<std::string(const TuneConfiguration&)> verify;
  // Called before the run that is verified: gives what the kernel writes other values than the right ones,
  // and what it reads its first values, for other configurations have run before. Null: nothing is reset.
  std::function<void()> reset;
};

class KernelTarget : public TuneTarget {
 public:
  KernelTarget(Queue queue, TuneKernel kernel);
  void prepare(const TuneConfiguration& configuration) override;
  std::string verify(const TuneConfiguration& configuration) override;
  double run(const TuneConfiguration& configuration) override;
  void release(const TuneConfiguration& configuration) override;

  // A new one; a search keeps those that it has prepared until it releases them.
  [[nodiscard]] Kernel kernel(const TuneConfiguration& configuration) const;
  // A digest of the source and its options, for TuneKey::version.
  [[nodiscard]] std::string version() const;

 private:
  [[nodiscard]] Kernel prepared(const TuneConfiguration& configuration) const;

  Queue queue_;
  TuneKernel kernel_;
  mutable std::mutex mutex_;  // of the next
  std::map<std::vector<TuneConfiguration::Item>, Kernel> prepared_;
};

}  // namespace quern
