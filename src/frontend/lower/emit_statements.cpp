// SPDX-License-Identifier: MIT
// Statements and functions of the lowered text.
#include <algorithm>
#include <utility>

#include "base/c_string.hpp"
#include "frontend/lower/emitter.hpp"

namespace quern::frontend::lower {
namespace {

constexpr std::uint64_t kMaxLabels = 1024;
constexpr int kMaxIndent = 20;
// Expressions, a vector's components counted one by one; beyond that the compiler decides. A function of that
// length gains nothing by being inlined, and takes the compiler as long again for each call.
constexpr std::size_t kMaxInlined = 5000;

}  // namespace

std::string Emitter::alignment_text(const Variable* v) {
  if (v->least_alignment <= 1) return {};
  return " __attribute__((aligned(" + std::to_string(v->least_alignment) + ")))";
}

std::size_t Emitter::inlined_size(const Function* f) {
  std::size_t size = f->components;
  for (const auto& [callee, at] : f->calls) {
    size += inlined_size(callee);
    if (size > kMaxInlined) return kMaxInlined + 1;
  }
  return size;
}

// Private arrays live in one place of the stack that all work-items of the loop use in turn: such a loop may
// not be declared free of dependences.
bool Emitter::has_private_memory(const Function* f) {
  return holds_for_any(f, [](const Function* g) {
    const auto has_address = [](const Variable* v) {
      return contains_array(v->type.type) || v->is_address_taken;
    };
    return std::ranges::any_of(g->locals, has_address) || std::ranges::any_of(g->parameters, has_address);
  });
}

bool Emitter::has_local_memory(const Function* f) {
  return !f->local_variables.empty() || std::ranges::any_of(f->parameters, [](const Variable* p) {
    return p->type->is_pointer() && p->type->element.space == Space::local;
  });
}

void Emitter::plain_line(const std::string& text) {
  out_.append(2 * static_cast<std::size_t>(std::min(indent_, kMaxIndent)), ' ');
  out_ += text + "\n";
  ++line_;
}

std::string Emitter::place(Location at) const {
  return std::string(files_.name(at.file)) + ":" + std::to_string(at.line);
}

std::string Emitter::meeting(Location at) {
  return string_text(place(at) + '\0' + std::to_string(meetings_++));
}

void Emitter::line(Location at, const std::string& text) {
  if (at.file != file_ || at.line != line_) {
    out_ +=
        "#line " + std::to_string(at.line > 0 ? at.line : 1) + " " + c_string(files_.name(at.file)) + "\n";
    file_ = at.file;
    line_ = at.line;
  }
  plain_line(text);
}

// Where jumps may cross a declaration, C++ wants it without an initialiser.
void Emitter::assign_elements(const Type* type, const std::string& name, const Expr* e, Location at) {
  if (e->kind != ExprKind::list || type->kind != TypeKind::array) {
    line(at, name + " = " + expr(e) + ";");
    return;
  }
  line(at,
       std::string(is_cuda() ? "memset" : "__builtin_memset") + "(" + name + ", 0, sizeof(" + name + "));");
  for (std::size_t i = 0; i < e->arguments.size(); ++i)
    if (e->arguments[i])
      assign_elements(type->element.type, name + "[" + std::to_string(i) + "]", e->arguments[i], at);
}

void Emitter::declaration(const Variable* v) {
  if (v->is_local()) {
    if (is_cuda())
      line(v->at, "__shared__ " + declare(v->type, name_of_variable(v)) + alignment_text(v) + ";");
    return;  // in C a member of the structure of the kernel's local memory
  }
  const std::string name = name_of_variable(v);
  const std::string text = declare(v->type, name) + alignment_text(v);
  const bool twin = has_wide_twin(v);
  const Storage storage = storage_of(v);
  if (storage == Storage::counter) return;  // its loop declares it
  if (storage == Storage::place) {
    if (v->initial) assign_elements(v->type.type, name, v->initial, v->at);
  } else if (!v->initial) {
    line(v->at, text + ";");
  } else if (function_->has_jumps) {
    line(v->at, text + ";");
    assign_elements(v->type.type, name, v->initial, v->at);
    if (twin)
      line(v->at,
           "long long " + wide_twin(v) + "; " + wide_twin(v) + " = (long long)" + wide(v->initial) + ";");
  } else {
    const bool is_array = v->type->kind == TypeKind::array;
    line(v->at, text + " = " + (is_array ? "{" + list(v->initial) + "}" : expr(v->initial)) + ";");
    if (twin) line(v->at, "const long long " + wide_twin(v) + " = (long long)" + wide(v->initial) + ";");
  }
}

// C++ has no ranges of labels.
std::string Emitter::case_labels(const Stmt* s) {
  if (!s->step) return "case " + expr(s->condition) + ":;";
  if (!is_cuda()) return "case " + expr(s->condition) + " ... " + expr(s->step) + ":;";
  const auto first = static_cast<std::int64_t>(s->condition->integer);
  const auto last = static_cast<std::int64_t>(s->step->integer);
  if (last >= first && static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) >= kMaxLabels)
    files_.fail(s->at, "a range of more than " + std::to_string(kMaxLabels) +
                           " case labels is not supported on CUDA devices yet");
  std::string text;
  for (std::int64_t value = first; value <= last; ++value)
    text += "case " + integer_literal(static_cast<std::uint64_t>(value), s->condition->type.type) + ": ";
  return text + ";";
}

void Emitter::statement(const Stmt* s) {
  const auto nested = [&](const Stmt* inner) {
    ++indent_;
    statement(inner);
    --indent_;
  };
  // Inside, break and continue mean what they say.
  const auto body = [&](const Stmt* inner, bool is_loop) {
    const std::string breaks = std::exchange(on_break_, {}), continues = on_continue_;
    if (is_loop) on_continue_.clear();
    nested(inner);
    on_break_ = breaks;
    on_continue_ = continues;
  };
  const auto unroll = [&] {
    if (s->unroll < 0) return;
    const std::string n = s->unroll > 0 ? std::to_string(s->unroll) : is_cuda() ? "" : "16";
    plain_line((is_cuda() ? "#pragma unroll " : "#pragma GCC unroll ") + n);
  };
  switch (s->kind) {
    case StmtKind::empty:
      line(s->at, ";");
      break;
    case StmtKind::expression:
      line(s->at, expr(s->condition) + ";");
      break;
    case StmtKind::declaration:
      for (const Variable* v : s->variables) declaration(v);
      break;
    case StmtKind::block:
      line(s->at, "{");
      for (const Stmt* inner : s->block) nested(inner);
      plain_line("}");
      break;
    case StmtKind::if_:
      if (is_hoisted(s->condition)) {
        if (!guard_returns_) statement(s->first);
        break;
      }
      line(s->at, "if (" + expr(s->condition) + ") {");
      nested(s->first);
      if (s->second) {
        plain_line("} else {");
        nested(s->second);
      }
      plain_line("}");
      break;
    case StmtKind::for_:
      line(s->at, "{");
      if (s->first) nested(s->first);
      unroll();
      line(s->at, "for (; " + (s->condition ? expr(s->condition) : "") + "; " +
                      (s->step ? expr(s->step) : "") + ") {");
      body(s->second, true);
      plain_line("} }");
      break;
    case StmtKind::while_:
      unroll();
      line(s->at, "while (" + expr(s->condition) + ") {");
      body(s->first, true);
      plain_line("}");
      break;
    case StmtKind::do_:
      unroll();
      line(s->at, "do {");
      body(s->first, true);
      line(s->condition->at, "} while (" + expr(s->condition) + ");");
      break;
    case StmtKind::switch_:
      line(s->at, "switch (" + expr(s->condition) + ") {");
      body(s->first, false);
      plain_line("}");
      break;
    case StmtKind::case_:
      line(s->at, case_labels(s));
      statement(s->first);
      break;
    case StmtKind::default_:
      line(s->at, "default:;");
      statement(s->first);
      break;
    case StmtKind::break_:
      line(s->at, on_break_.empty() ? "break;" : on_break_);
      break;
    case StmtKind::continue_:
      line(s->at, on_continue_.empty() ? "continue;" : on_continue_);
      break;
    case StmtKind::return_:
      if (s->condition && s->condition->type->kind == TypeKind::void_)
        line(s->at, "{ " + expr(s->condition) + "; return; }");
      else
        line(s->at, s->condition ? "return " + expr(s->condition) + ";" : "return;");
      break;
    case StmtKind::goto_:
      line(s->at, "goto " + mangled(s->label) + ";");
      break;
    case StmtKind::label:
      line(s->at, mangled(s->label) + ":;");
      statement(s->first);
      break;
  }
}

std::string Emitter::header(const Function* f) {
  const bool inlines = inlined_size(f) <= kMaxInlined && !program_.for_debugging;
  std::string text;
  if (is_cuda())
    text = f->is_kernel ? "static __device__ __forceinline__ " : "static __device__ inline ";
  else
    text = inlines ? "static inline __attribute__((always_inline)) " : "static ";
  std::string parameters;
  const auto add = [&](const std::string& p) { parameters += (parameters.empty() ? "" : ", ") + p; };
  std::size_t unnamed = 0;
  for (const Variable* p : f->parameters)
    add(declare(p->type, p->name.empty() ? "quern_unnamed" + std::to_string(unnamed++) : mangled(p->name)));
  for (const std::string& p : item_parameters(f->uses)) add(p);
  if (!f->local_variables.empty() && !is_cuda()) add(local_structure(f) + " *quern_local");
  return text +
         declare({f->result.type}, function_name(f) + "(" + (parameters.empty() ? "void" : parameters) + ")");
}

void Emitter::function(const Function* f) {
  function_ = f;
  if (f->is_kernel && !needs_own_stack(f)) find_guards(f);
  if (f->is_kernel && !is_cuda() && f->has_barrier && !f->is_called && entry_split(f)) return;
  line(f->at, header(f) + " {");
  for (const Stmt* s : f->body->block) {
    ++indent_;
    statement(s);
    --indent_;
  }
  plain_line("}");
  if (f->is_kernel) plain_line("#line 1 \"<" + std::string("quern_kernel_") + std::string(f->name) + ">\"");
  file_ = -1;
  const bool in_fibers = f->has_barrier || (!is_cuda() && needs_own_stack(f));
  if (f->is_kernel) is_cuda() ? entry_cuda(f) : in_fibers ? entry_fibers(f) : entry_c(f);
  if (f->is_kernel && in_fibers && !is_cuda()) note_form(KernelForm::fibers);
  hoisted_.clear();
  guards_.clear();
}

// Kernels and what they call, in order of definition: an included library has much that no kernel needs.
std::vector<Function*> Emitter::needed_functions() {
  std::unordered_set<const Function*> needed;
  std::vector<const Function*> work;
  for (const Function* f : program_.functions)
    if (f->is_kernel) work.push_back(f);
  while (!work.empty()) {
    const Function* f = work.back();
    work.pop_back();
    if (!needed.insert(f).second) continue;
    for (const auto& [callee, at] : f->calls) work.push_back(callee);
  }
  std::vector<Function*> result;
  for (Function* f : program_.functions)
    if (needed.contains(f)) result.push_back(f);
  return result;
}

std::string Emitter::run() {
  constant_data();
  const std::vector<Function*> functions = needed_functions();
  for (const Function* f : functions) plain_line(header(f) + ";");
  file_ = -1;
  for (Function* f : functions) {
    function(f);
    f->wants_fixed_local = !is_cuda() && f->is_kernel && forms_.back() == KernelForm::split;
  }
  while (!records_wanted_.empty()) {
    const Record* record = records_wanted_.back();
    records_wanted_.pop_back();
    if (record->is_complete) define_record(record);
  }
  const std::string head = prologue();
  return head + types_ + helpers_ + out_;
}

}  // namespace quern::frontend::lower
