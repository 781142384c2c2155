// SPDX-License-Identifier: MIT
// One source on its way through the front end. Each stage runs when its result is first asked for, and its
// result is kept: the names of the kernels, the cache key, the build and every further local size share one
// run.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/frontend.hpp"
#include "frontend/preprocess/token.hpp"

namespace quern::frontend {

// What an OpenCL device needs besides the source, with all that it includes, for it to mean there what it
// means to our front end.
struct OpenclSupport {
  std::string text;  // for the device to read before the source
  // Names of the program's scope that are those of built-in functions, such as a kernel `step`, and what
  // `text` makes of them: our front end takes the author's for the only one, other compilers refuse it.
  std::vector<std::pair<std::string, std::string>> renamed;
};

// Members throw BuildError for errors in the text. Threads may share a translation: one works at a time.
class Translation {
 public:
  Translation(Source source, Target target);
  Translation(const Translation&) = delete;
  Translation& operator=(const Translation&) = delete;
  ~Translation();

  // Whether this is the translation for a target: for its own, and, once the text is preprocessed, for those
  // others for which the preprocessor would return the same tokens.
  [[nodiscard]] bool serves(Target target) const;
  // Whether the text includes files, which may change: what was made of them holds for one build only.
  [[nodiscard]] bool depends_on_files() const { return depends_on_files_; }

  // The text after preprocessing, which cache keys hold: two sources that preprocess to one text build to one
  // binary.
  const std::string& preprocessed();

  // The kernels that the source declares. Function bodies are skipped, so a text that only the device's own
  // compiler understands still has signatures; a parameter type that is not understood is Scalar::unknown.
  std::vector<Signature> signatures();

  // Reads the same declarations and throws BuildError for the first that is not understood.
  void check_declarations(Target target);

  // Empty where the text has errors, which the device's compiler reports.
  OpenclSupport opencl_support();

  // A source with complex numbers (see has_complex()) as plain OpenCL C, preprocessed, where complex numbers
  // are float2 and double2 and their operations are calls of functions. lower() does it by itself; OpenCL
  // devices get this text.
  const std::string& without_complex();

  // C for the host or CUDA C++. Kernels without reqd_work_group_size are lowered as if they had `local`.
  std::shared_ptr<const Lowered> lower(Target target, const LocalSize& local = {});

 private:
  struct Tree;
  struct LastLowered {
    Target target;
    LocalSize local;
    std::shared_ptr<const Lowered> lowered;
  };

  // These are called with the lock held.
  const std::vector<Token>& tokens();
  Tree& declarations();
  Tree& checked_declarations(Target target);
  Tree& bodies(Target target);
  std::vector<Signature> read_signatures();
  const std::string& rewritten(Target target);
  Lowered lower_tree(Target target, const LocalSize& local);
  Lowered lower_complex(Target target, const LocalSize& local);

  std::mutex mutex_;
  Source source_;
  Target target_;
  bool has_complex_;
  Files files_;
  std::optional<std::vector<Token>> tokens_;
  std::vector<Diagnostic> warnings_;  // of the preprocessor
  // Read without the lock.
  std::atomic<bool> depends_on_target_ = true, depends_on_files_ = false;
  std::optional<std::string> preprocessed_, rewritten_;
  std::unique_ptr<Tree> tree_;
  std::unique_ptr<Translation> plain_;  // of the text without complex numbers
  std::optional<LastLowered> last_;     // the question whether a kernel wants a local size precedes the build
};

}  // namespace quern::frontend
