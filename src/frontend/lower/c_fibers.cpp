// SPDX-License-Identifier: MIT
// Local memory in C, and the entry of kernels whose work-items run as fibers: any control flow around a
// barrier is right there, because each work-item has a stack of its own. Kernels without barriers whose
// variables would not fit onto a thread's stack run like that too, one work-item after the other.
#include <algorithm>

#include "frontend/lower/emitter.hpp"

namespace quern::frontend::lower {
namespace {

constexpr std::uint64_t kStackBase = 32 << 10;   // for calls into the C library, and signals
constexpr std::uint64_t kStackPerNode = 32;      // for what the compiler spills
constexpr std::uint64_t kThreadStack = 1 << 20;  // what is safe to use of a thread's
constexpr std::uint64_t kMostStack = std::uint64_t{1} << 40;

// Where the group of the work-items is; the kernel's entry fills it in, its work-items read it.
constexpr std::string_view kGroup =
    "typedef struct quern_group { const quern_launch *launch; void *local; unsigned long long id[3], "
    "size[3], first; } "
    "quern_group;\n"
    "static inline unsigned long long quern_enter_group(quern_group *group, unsigned long long number) {\n"
    "  const quern_launch *const c = group->launch;\n"
    "  unsigned long long items = 1;\n"
    "  for (int d = 0; d < 3; ++d) {\n"
    "    const unsigned long long id = d < 2 ? number % c->group_count[d] : number;\n"
    "    const unsigned long long left = c->global_size[d] - id * c->local_size[d];\n"
    "    group->id[d] = id;\n"
    "    group->size[d] = left < c->local_size[d] ? left : c->local_size[d];\n"
    "    items *= group->size[d];\n"
    "    number /= c->group_count[d];\n"
    "  }\n"
    "  return items;\n"
    "}";

}  // namespace

// The kernel's variables in local memory are the members of one structure.
std::string Emitter::local_structure(const Function* f) {
  std::string name = "struct quern_local_" + std::string(f->name);
  if (!defined_.insert(name).second) return name;
  std::string members;
  for (const Variable* v : f->local_variables) {
    QualType plain = v->type;
    plain.space = Space::unspecified;
    members += "  " + declare(plain, mangled(v->name)) + alignment_text(v) + ";\n";
    variable_names_[v] = "quern_local->" + mangled(v->name);
  }
  types_ += name + " {\n" + members + "} __attribute__((aligned(128)));\n";
  return name;
}

// What the work-item's variables take at most: everything is inlined, and at -O0 nothing shares its place.
std::uint64_t Emitter::stack_size(const Function* f) {
  std::unordered_map<const Function*, std::uint64_t> known;
  const auto measure = [&](const auto& self, const Function* g) -> std::uint64_t {
    if (const auto found = known.find(g); found != known.end()) return found->second;
    std::uint64_t size = kStackPerNode * g->nodes;
    for (const auto* list : {&g->locals, &g->parameters})
      for (const Variable* v : *list)
        size = std::min(kMostStack, size + size_of(v->type.type) + alignment_of(v->type.type));
    for (const auto& [callee, at] : g->calls) size = std::min(kMostStack, size + self(self, callee));
    return known[g] = size;
  };
  return kStackBase + measure(measure, f);
}

bool Emitter::needs_own_stack(const Function* f) {
  return stack_size(f) > kThreadStack;
}

void Emitter::entry_fibers(const Function* f) {
  helper("quern_group", std::string(kGroup));
  const std::string name(f->name);
  plain_line("static void quern_fiber_" + name + "(void *quern_data, unsigned long long quern_item) {");
  ++indent_;
  plain_line("const quern_group *const quern_in = quern_data;");
  plain_line("const quern_launch *const quern_c = quern_in->launch;");
  plain_line("quern_item += quern_in->first;");
  std::string arguments;
  const auto add = [&](const std::string& argument) {
    arguments += (arguments.empty() ? "" : ", ") + argument;
  };
  for (std::size_t i = 0; i < f->parameters.size(); ++i) {
    const std::string pointer = declare({program_.types.pointer({f->parameters[i]->type.type})}, "");
    add("*(" + pointer + ")quern_c->arguments[" + std::to_string(i) + "]");
  }
  for (const std::string& hidden : item_arguments(f->uses)) {
    const char d = hidden.back();
    const std::string at = std::string("[") + d + "]";
    const std::string local = d == '0'   ? "quern_item % quern_in->size[0]"
                              : d == '1' ? "quern_item / quern_in->size[0] % quern_in->size[1]"
                                         : "quern_item / quern_in->size[0] / quern_in->size[1]";
    const std::string global = "quern_in->id" + at + " * quern_c->local_size" + at + " + " + local +
                               " + quern_c->global_offset" + at;
    if (hidden.starts_with("quern_gi"))
      add("(long long)(int)(" + global + ")");
    else if (hidden.starts_with("quern_gu"))
      add("(unsigned long long)(unsigned)(" + global + ")");
    else if (hidden.starts_with("quern_g"))
      add(global);
    else if (hidden.starts_with("quern_l"))
      add(local);
    else if (hidden.starts_with("quern_k"))
      add("quern_in->id" + at);
    else
      add(hidden);
  }
  if (!f->local_variables.empty()) add("quern_in->local");
  plain_line(function_name(f) + "(" + arguments + ");");
  --indent_;
  plain_line("}");

  plain_line(entry_name(f) +
             "(const quern_launch *quern_launched, unsigned long long quern_first, unsigned long long "
             "quern_last) {");
  ++indent_;
  plain_line("quern_group quern_in = {quern_launched, quern_launched->local_memory, {0}, {0}, 0};");
  plain_line("for (; quern_first < quern_last; ++quern_first) {");
  plain_line("  const unsigned long long quern_items = quern_enter_group(&quern_in, quern_first);");
  const auto run = [&](const std::string& items) {
    return "if (quern_launched->runtime->run_group(quern_launched, quern_first, quern_fiber_" + name +
           ", &quern_in, " + items + ", " + std::to_string(stack_size(f)) + "ull)) return;";
  };
  if (f->has_barrier) {
    plain_line("  " + run("quern_items"));
  } else {
    plain_line("  for (quern_in.first = 0; quern_in.first < quern_items; ++quern_in.first)");
    plain_line("    " + run("1"));
  }
  plain_line("}");
  --indent_;
  plain_line("}");
  flushing_entry(f);
}

}  // namespace quern::frontend::lower
