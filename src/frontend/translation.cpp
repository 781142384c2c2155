// SPDX-License-Identifier: MIT
// Runs the stages of the front end: preprocess, parse and check, lower.
#include "frontend/translation.hpp"

#include <algorithm>
#include <utility>

#include "frontend/builtins/builtins.hpp"
#include "frontend/complex/complex.hpp"
#include "frontend/lower/lower.hpp"
#include "frontend/parse/parser.hpp"
#include "frontend/preprocess/preprocessor.hpp"
#include "frontend/signature.hpp"
#include "frontend/stages.hpp"
#include "kernels/kernels.hpp"

namespace quern::frontend {
namespace {

// Gives kernels without a required local size this local size until it is destroyed. Afterwards the tree is
// unchanged and can be lowered for another size.
class WithLocalSize {
 public:
  WithLocalSize(const Program& program, const LocalSize& local) {
    for (Function* function : program.functions) {
      if (!function->is_kernel || function->required_local[0] != 0) continue;
      std::ranges::copy(local, function->required_local.begin());
      changed_.push_back(function);
    }
  }
  WithLocalSize(const WithLocalSize&) = delete;
  WithLocalSize& operator=(const WithLocalSize&) = delete;
  ~WithLocalSize() {
    for (Function* function : changed_) function->required_local = {};
  }
  // Whether the source gives the kernel no local size.
  [[nodiscard]] bool is_open(std::string_view kernel) const {
    return std::ranges::find(changed_, kernel, &Function::name) != changed_.end();
  }

 private:
  std::vector<Function*> changed_;
};

}  // namespace

struct Translation::Tree {
  Tree(Files& files, const std::vector<Token>& tokens, const Source& source, bool has_complex, Target target)
      : parser(files, tokens, with_settings(program, source, has_complex), target) {}

  static Program& with_settings(Program& program, const Source& source, bool has_complex) {
    program.types.has_complex = has_complex;
    program.single_precision_constants = source.single_precision_constants;
    program.for_debugging = program.wants_fibers = source.debug;
    program.flushes_denormals = source.flushes_denormals;
    return program;
  }

  Program program;
  Parser parser;
  bool has_bodies = false;
};

Translation::Translation(Source source, Target target)
    : source_(std::move(source)), target_(target), has_complex_(has_complex(source_.text)) {}

Translation::~Translation() = default;

bool Translation::serves(Target target) const {
  if (target == target_) return true;
  const bool same_language = target != Target::cuda_c && target_ != Target::cuda_c;
  return same_language && !depends_on_target_;
}

const std::vector<Token>& Translation::tokens() {
  if (tokens_) return *tokens_;
  files_ = {};  // drops the files of a failed attempt
  Preprocessor preprocessor(files_, source_, target_);
  std::vector<Token> tokens = preprocessor.run();
  warnings_ = preprocessor.warnings();
  tokens_.emplace(std::move(tokens));
  depends_on_files_ = preprocessor.depends_on_files();
  depends_on_target_ = preprocessor.depends_on_target();
  return *tokens_;
}

const std::string& Translation::preprocessed() {
  const std::lock_guard lock(mutex_);
  if (!preprocessed_) preprocessed_ = to_text(tokens());
  return *preprocessed_;
}

// Parses tolerantly. The device's compiler or checked_declarations() reports what the parser does not
// understand.
Translation::Tree& Translation::declarations() {
  if (tree_) return *tree_;
  auto tree = std::make_unique<Tree>(files_, tokens(), source_, has_complex_, target_);
  tree->parser.declarations(true);
  tree_ = std::move(tree);
  return *tree_;
}

// If the tolerant parser understood everything, a strict one finds the same declarations.
Translation::Tree& Translation::checked_declarations(Target target) {
  Tree& read = declarations();
  read.parser.set_target(target);
  if (read.parser.is_certain()) return read;
  auto tree = std::make_unique<Tree>(files_, tokens(), source_, has_complex_, target);
  tree->parser.declarations();
  tree_ = std::move(tree);
  return *tree_;
}

Translation::Tree& Translation::bodies(Target target) {
  Tree& tree = checked_declarations(target);
  if (tree.has_bodies) return tree;
  try {
    tree.parser.bodies();
  } catch (...) {
    tree_.reset();  // the tree is incomplete
    throw;
  }
  tree.has_bodies = true;
  return tree;
}

std::vector<Signature> Translation::read_signatures() {
  if (target_ == Target::cuda_c) return cuda_signatures_of(tokens());
  return signatures_of(declarations().program);
}

std::vector<Signature> Translation::signatures() {
  const std::lock_guard lock(mutex_);
  std::vector<Signature> signatures = read_signatures();
  // Known only after a build has parsed the bodies; it does not belong to the declarations.
  for (Signature& signature : signatures) signature.local_memory = 0;
  return signatures;
}

void Translation::check_declarations(Target target) {
  const std::lock_guard lock(mutex_);
  (void)checked_declarations(target);
}

std::vector<Diagnostic> Translation::diagnostics(Target target) {
  const std::lock_guard lock(mutex_);
  std::vector<Diagnostic> found;
  std::vector<Diagnostic> warnings;
  const auto add_errors = [&](const BuildError& error) {
    found.insert(found.end(), error.diagnostics().begin(), error.diagnostics().end());
  };
  try {
    Tree tree(files_, tokens(), source_, has_complex_, target);
    warnings = warnings_;
    if (target == Target::cuda_c) {
      (void)read_signatures();
    } else {
      files_.show_lines(false);  // only their diagnostics are needed, of which there may be thousands
      found = tree.parser.errors();
      files_.show_lines(true);
      warnings.insert(warnings.end(), tree.program.warnings.begin(), tree.program.warnings.end());
      // Some limits are found only when the text is lowered.
      if (found.empty() && target != Target::opencl)
        (void)(has_complex_ ? lower_complex(target, {}) : lower_tree(target, {}));
    }
  } catch (const BuildError& error) {
    files_.show_lines(true);
    add_errors(error);
  }
  found.insert(found.end(), warnings.begin(), warnings.end());
  return found;
}

OpenclSupport Translation::opencl_support() {
  const std::lock_guard lock(mutex_);
  OpenclSupport support;
  try {
    bool has_newer_atomics = false, has_real_atomics = false;
    for (const Token& token : tokens()) {
      has_newer_atomics |= token.kind == TokenKind::identifier && is_newer_atomic(token.text);
      has_real_atomics |= token.is_name("atomic_float") || token.is_name("atomic_double");
    }
    if (has_real_atomics) support.text = "#define QUERN_REAL_ATOMICS 1\n";
    if (has_newer_atomics) support.text += kernels::text("opencl_atomics");
    for (const std::string_view name : declarations().parser.program_scope_names()) {
      if (!is_builtin_name(name) && name != "main") continue;
      support.renamed.emplace_back(std::string(name), "quern_own_" + std::string(name));
      const auto& [old, renamed] = support.renamed.back();
      support.text += "#undef " + old + "\n#define " + old + " " + renamed + "\n";
    }
  } catch (const BuildError&) {
    return {};
  }
  return support;
}

const std::string& Translation::rewritten(Target target) {
  if (!rewritten_) {
    const Tree& tree = bodies(target);
    rewritten_ = complex_as_vectors(files_, tree.parser, tree.program);
  }
  return *rewritten_;
}

const std::string& Translation::without_complex() {
  const std::lock_guard lock(mutex_);
  return rewritten(target_);
}

Lowered Translation::lower_tree(Target target, const LocalSize& local) {
  Tree& tree = bodies(target);
  const WithLocalSize with(tree.program, local);
  count_stage(Stage::lower);
  Lowered lowered;
  lowered.kernels = signatures_of(tree.program);
  tree.program.checks_bounds = source_.checks_bounds && target == Target::host;
  if (target == Target::host) {
    lower::CText c = lower::to_c(files_, tree.program);
    lowered.text = std::move(c.text);
    lowered.forms = std::move(c.forms);
  } else {
    lowered.text = lower::to_cuda(files_, tree.program);
  }
  // A constant local size makes a kernel faster that is split at its barriers.
  for (std::size_t k = 0; k < lowered.forms.size(); ++k)
    lowered.kernels[k].wants_fixed_local =
        lowered.forms[k] == KernelForm::split && with.is_open(lowered.kernels[k].name);
  lowered.contracts = tree.program.contracts;
  lowered.warnings = warnings_;
  lowered.warnings.insert(lowered.warnings.end(), tree.program.warnings.begin(), tree.program.warnings.end());
  return lowered;
}

// Rewrites complex numbers in the text, and runs the stages again on the result, whose macros are already
// expanded.
Lowered Translation::lower_complex(Target target, const LocalSize& local) {
  if (!plain_) {
    Source plain = source_;
    plain.text = rewritten(target);
    plain.defines.clear();
    plain_ = std::make_unique<Translation>(std::move(plain), target);
  }
  Lowered lowered = plain_->lower_tree(target, local);
  // The signatures have the types of the user's source.
  for (const Signature& written : read_signatures())
    for (Signature& kernel : lowered.kernels)
      if (kernel.name == written.name) kernel.parameters = written.parameters;
  return lowered;
}

std::shared_ptr<const Lowered> Translation::lower(Target target, const LocalSize& local) {
  const std::lock_guard lock(mutex_);
  if (!last_ || last_->target != target || last_->local != local) {
    auto lowered = std::make_shared<const Lowered>(has_complex_ ? lower_complex(target, local)
                                                                : lower_tree(target, local));
    last_ = {target, local, std::move(lowered)};
  }
  return last_->lowered;
}

}  // namespace quern::frontend
