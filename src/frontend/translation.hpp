// SPDX-License-Identifier: MIT
// One source on its way through the front end. Each stage runs when its result is first needed, and the
// translation keeps that result. The list of kernels, the cache key, the build and builds for further local
// sizes therefore preprocess and parse the source once.
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

// Additions that make an OpenCL device's own compiler accept what this front end accepts.
struct OpenclSupport {
  std::string text;  // the device reads it before the source
  // Names of program scope that are also names of built-in functions, such as a kernel `step`, each with its
  // new name. `text` renames them by #define, because other compilers reject such names.
  std::vector<std::pair<std::string, std::string>> renamed;
};

// Members throw BuildError for errors in the text. Threads may share a translation; its members run one at a
// time.
class Translation {
 public:
  Translation(Source source, Target target);
  Translation(const Translation&) = delete;
  Translation& operator=(const Translation&) = delete;
  ~Translation();

  // Returns whether this translation can be used for a target: for its own target always, and after
  // preprocessing for each target for which the preprocessor returns the same tokens.
  [[nodiscard]] bool serves(Target target) const;
  // Returns whether the text includes files. Files may change, so such a translation is used for one build
  // only.
  [[nodiscard]] bool depends_on_files() const { return depends_on_files_; }

  // Returns the text after preprocessing. It is part of the cache key: two sources with the same preprocessed
  // text have the same binary.
  const std::string& preprocessed();

  // Returns the kernels that the source declares. Function bodies are skipped, so that a text with constructs
  // that only the device's own compiler understands has signatures, too. A parameter of an unknown type is
  // Scalar::unknown.
  std::vector<Signature> signatures();

  // Parses the same declarations, and throws BuildError for the first one that the parser does not
  // understand.
  void check_declarations(Target target);

  // Returns the errors and warnings of the text for a target, which must be this translation's own.
  std::vector<Diagnostic> diagnostics(Target target);

  // Empty if the text has errors, which the device's compiler then reports.
  OpenclSupport opencl_support();

  // Returns a source with complex numbers (see has_complex()) as plain preprocessed OpenCL C for an OpenCL
  // device. Complex numbers become float2 and double2, and their operations become function calls. lower()
  // does this itself.
  const std::string& without_complex();

  // Returns C for the host or CUDA C++. Kernels without reqd_work_group_size are lowered as if it were
  // `local`.
  std::shared_ptr<const Lowered> lower(Target target, const LocalSize& local = {});

 private:
  struct Tree;
  struct LastLowered {
    Target target;
    LocalSize local;
    std::shared_ptr<const Lowered> lowered;
  };

  // The caller holds the lock.
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
  // Readable without the lock.
  std::atomic<bool> depends_on_target_ = true, depends_on_files_ = false;
  std::optional<std::string> preprocessed_, rewritten_;
  std::unique_ptr<Tree> tree_;
  std::unique_ptr<Translation> plain_;  // of the text without complex numbers
  // Whether a kernel wants a local size is asked before the build, with the same arguments.
  std::optional<LastLowered> last_;
};

}  // namespace quern::frontend
