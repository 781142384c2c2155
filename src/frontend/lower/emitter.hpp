// SPDX-License-Identifier: MIT
// Writes a typed program as C or CUDA C++ text. Only the types, operators and built-ins that occur are
// defined.
//
// What the two languages share is here and in the emit_*.cpp files; c.cpp and cuda.cpp add what a kernel's
// entry and its work-items look like in each.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/frontend.hpp"
#include "frontend/lower/regions.hpp"
#include "frontend/parse/ast.hpp"
#include "frontend/preprocess/token.hpp"

namespace quern::frontend::lower {

enum class Language : std::uint8_t { c, cuda };

// A bound that every work-item compares its first global id with before it does anything: `id < bound` (or
// <=). It is taken out of the work-item and limits the loop over them.
struct Guard {
  const Expr* comparison = nullptr;
  const Expr* bound = nullptr;
  const Type* id_type = nullptr;  // int, uint or ulong: which bits of the id are compared, as bound's type
  bool inclusive = false;
};

// Whether it changes nothing and reads nothing volatile, so that it may be evaluated twice or not at all.
bool is_pure(const Expr* e);  // emit_guards.cpp

class Emitter {
 public:
  Emitter(Files& files, Program& program, Language language)
      : files_(files), program_(program), language_(language) {}
  std::string run();
  // How the kernels are run, in order of definition; C only.
  [[nodiscard]] const std::vector<KernelForm>& forms() const { return forms_; }

 private:
  [[nodiscard]] bool is_cuda() const { return language_ == Language::cuda; }

  // names and types (emit_types.cpp)
  static std::string mangled(std::string_view name);
  std::string name_of_variable(const Variable* variable);
  std::string type_text(const Type* type);
  std::string declare(const QualType& type, std::string name);
  void define_record(const Record* record);
  static std::string function_name(const Function* function);
  static std::string record_name(const Record* record);
  static std::string field_name(const Record& record, const Field& field);
  static std::string lane(std::size_t index);
  static std::string short_name(const Type* type);  // for names of helpers: "float4"

  // expressions (emit_expressions.cpp); each result can be an operand of anything
  std::string expr(const Expr* e);
  std::string real_literal(double value, const Type* type);
  std::string integer_literal(std::uint64_t value, const Type* type);
  std::string string_text(std::string_view bytes);
  std::string convert(const Expr* e);
  std::string unary(const Expr* e);
  std::string binary(const Expr* e);
  std::string assign(const Expr* e);
  std::string increment(const Expr* e);
  std::string conditional(const Expr* e);
  std::string list(const Expr* e);
  std::string union_helper(const Expr* e);
  std::string call(const Expr* e);
  std::string swizzle(const Expr* e);
  std::string vector_literal(const Expr* e);
  std::string braces(const Type* type, const std::string& inside);

  // 64-bit indices (emit_indices.cpp)
  std::string wide(const Expr* e);
  std::string cut_sum(const Expr* e);
  bool has_wide_twin(const Variable* variable);
  std::string wide_twin(const Variable* variable);

  // operators as text (emit_operators.cpp); helpers are defined on first use
  std::string operate(std::uint32_t op, const Type* type, const Type* right, const std::string& x,
                      const std::string& y);
  std::string scalar_operate(std::uint32_t op, const Type* type, const std::string& x, const std::string& y);
  std::string store_helper(std::uint32_t op, const Type* target, const Type* computed, const Type* right);
  std::string splat(const Type* vector, const std::string& x);
  // How the numbers 0 and 1 of a scalar type are written.
  static std::string one_of(const Type* scalar) { return scalar->kind == TypeKind::half ? "0x3c00" : "1"; }
  std::string get_lanes_helper(const Type* vector, const Type* part, const std::vector<std::uint8_t>& lanes);
  std::string set_lanes_helper(const Type* vector, const Type* part, const std::vector<std::uint8_t>& lanes);
  std::string change_lanes_helper(std::uint32_t op, const Expr* swizzle, const Type* right);
  // Defines `text` once under a name; the text goes before the program's functions.
  const std::string& helper(const std::string& name, const std::string& text);
  // Helpers are inlined before anything else is done: the order in which gcc would choose from tens of
  // thousands of calls takes it minutes to find.
  std::string qualifiers() const {
    if (is_cuda()) return "static __device__ inline ";
    return program_.for_debugging ? "static inline " : "static inline __attribute__((always_inline)) ";
  }

  // conversions (emit_conversions.cpp); those named for scalars take and give text of one value
  std::string scalar_convert(const Type* to, const Type* from, const std::string& x);
  std::string conversion(const Type* to, const Type* from, const Conversion& mode, const std::string& x);
  std::string convert_builtin(const Expr* e, const std::string& x);
  std::string convert_helper(const Type* to, const Type* from, const Conversion& mode = {});
  std::string reinterpret_helper(const Type* to, const Type* from);
  std::string saturate_real(const Type* to, const Type* from);
  std::string saturate_integer(const Type* to, const Type* from);
  std::string round_integer(const Type* to, Rounding rounding);
  std::string round_double(Rounding rounding);
  std::string rounded(const Type* real, Rounding rounding, const std::string& x);

  // half (emit_half.cpp), which is kept as its bits and computed in float
  std::string from_half(const std::string& x);
  std::string to_half(const std::string& x, Rounding rounding = Rounding::none);
  std::string half_convert(const Type* to, const Type* from, const Conversion& mode, const std::string& x);
  std::string half_operate(std::uint32_t op, const std::string& x, const std::string& y);
  std::string half_form(const Builtin& row, const std::vector<std::string>& arguments, const Expr* e);

  // components and halves in memory (emit_vectors.cpp)
  std::string shuffle(const Expr* e, const std::vector<std::string>& arguments);
  std::string upsample(const Expr* e, const std::vector<std::string>& arguments);
  std::string half_memory(const Expr* e, const std::vector<std::string>& arguments);
  std::string print(const Expr* e, const std::vector<std::string>& arguments);  // emit_printf.cpp

  // the atomic functions of OpenCL 2 (emit_atomics.cpp)
  std::string atomic(const Expr* e, const std::vector<std::string>& arguments);
  std::string atomic_c(std::string_view operation, const Type* type, const AtomicCall& how);
  std::string atomic_cuda(std::string_view operation, const Type* type, const AtomicCall& how);
  std::string memory_order(const Expr* e, const std::vector<std::string>& arguments);
  std::string space_test(const Expr* e, const std::string& x);

  // built-ins (emit_builtins.cpp)
  std::string builtin(const Expr* e);
  std::string work_item(const Expr* e);
  std::string barrier(const Expr* e);
  std::string elementwise(const Expr* e, const std::vector<std::string>& arguments);
  std::string scalar_form(const Builtin& row, const Type* type, const std::vector<std::string>& arguments,
                          const Expr* e);
  std::string geometric(const Builtin& row, const Type* type, const std::vector<std::string>& arguments);
  std::string memory(const Expr* e, const std::vector<std::string>& arguments);
  std::string fill_in(std::string_view text, const Type* type, const std::vector<std::string>& arguments);
  void declare_library_functions(std::string_view text, const Type* type);
  std::string parameter_type(const Builtin& row, std::size_t index, const Type* type, const Expr* e);

  // functions of groups and sub-groups (emit_groups.cpp)
  std::string group_function(const Expr* e, const std::vector<std::string>& arguments);
  std::string reduction(const Expr* e, const std::string& x);
  std::string exchange_memory(const Expr* e);
  void meet(const Stmt* s);
  std::string broadcast(const Expr* e, const std::vector<std::string>& arguments);
  std::string group_copy(const Expr* e, const std::vector<std::string>& arguments);
  std::string lane_exchange(const Expr* e, const std::vector<std::string>& arguments);
  std::string philox_words(const std::vector<std::string>& arguments);
  std::string warp_mask();
  std::string sub_group_value(std::string_view name);
  std::string identity_of(std::string_view operation, const Type* type);
  std::string linear_id(const std::vector<std::string>& ids);
  std::string local_linear_id();
  std::string group_items();

  // statements (emit_statements.cpp), constant data (emit_constants.cpp)
  void statement(const Stmt* s);
  std::string case_labels(const Stmt* s);
  void declaration(const Variable* v);
  void line(Location at, const std::string& text);
  void plain_line(const std::string& text);
  std::string place(Location at) const;  // "kernel.cl:12"
  std::string meeting(Location at);  // the same as a literal of C, with what tells barriers of a line apart
  void function(const Function* f);
  std::string header(const Function* f);
  std::vector<Function*> needed_functions();
  void constant_data();
  static std::string alignment_text(const Variable* v);
  std::string constant_initialiser(const Expr* e);
  std::string constant_component(const Expr* e, std::size_t index);
  void find_guards(const Function* f);
  void guards_of(const Expr* condition, std::uint32_t joined_by, bool negated);
  bool is_guard(const Expr* comparison, bool negated, Guard& guard);
  bool is_uniform(const Expr* e);
  [[nodiscard]] bool is_hoisted(const Expr* condition) const;
  const Type* first_id_type(const Expr* e);
  void assign_elements(const Type* type, const std::string& name, const Expr* list, Location at);
  static std::size_t inlined_size(const Function* f);
  static bool has_private_memory(const Function* f);

  // regions (emit_regions.cpp)
  void name_variables(const Function* f, const Plan& plan);
  void declare_kept(const Plan& plan, const std::string& count);
  [[nodiscard]] Storage storage_of(const Variable* v) const;
  [[nodiscard]] std::string index_of(const Variable* v) const;
  static void parts_of(const QualType& type, const std::string& path,
                       std::vector<std::pair<std::string, QualType>>& parts);
  void copy_in(const Variable* v);
  void copy_out(const Variable* v);
  template <class Visit>
  void each_kept(const Visit& visit);
  void add_repeated(const Expr* e, Variables& wanted) const;
  void begin_site(const Node& n);
  void end_site(const Node& n);
  void lane_ids();
  template <class Inside>
  void row_site(const Node& n, const Inside& inside);
  template <class Inside>
  void site(const Node& n, const Inside& inside);
  void begin_rows();
  void end_rows();
  [[nodiscard]] bool is_independent(const Node& n) const;
  void nodes(const std::vector<Node>& list);
  void node(const Node& n);
  std::string vote(const Node& n);
  void region(const Node& n);
  void uniform_loop(const Node& n);
  void divergent_loop(const Node& n);
  void strided_loop(const Node& n);

  // per language (c.cpp, cuda.cpp)
  std::vector<std::string> item_parameters(const WorkItemUse& uses);  // hidden ones, with their types
  std::vector<std::string> item_arguments(const WorkItemUse& uses);   // the same, by name
  std::string work_item_value(std::string_view name, std::size_t dimension);
  void entry_c(const Function* f);
  std::string entry_name(const Function* f) const;  // with its qualifiers
  void flushing_entry(const Function* f);
  void note_form(KernelForm form);
  bool lanes(const Function* f);         // c_lanes.cpp, as the next one; false where nothing is gained
  void single_item(const Function* f);   // of a row
  bool entry_split(const Function* f);   // c_split.cpp; false where it must be fibers
  void entry_fibers(const Function* f);  // c_fibers.cpp, as the next two
  std::string local_structure(const Function* f);      // of its variables in local memory
  static std::uint64_t stack_size(const Function* f);  // bytes for one work-item's variables
  static bool needs_own_stack(const Function* f);      // more than a thread's stack is sure to have
  static bool has_local_memory(const Function* f);     // emit_statements.cpp
  void entry_cuda(const Function* f);
  std::string prologue();

  Files& files_;
  Program& program_;
  Language language_;
  std::string types_, helpers_, out_;
  std::vector<KernelForm> forms_;
  std::unordered_set<std::string> defined_;
  std::unordered_set<const Record*> records_started_;
  std::vector<const Record*> records_wanted_;
  std::unordered_map<const Variable*, std::string> variable_names_;
  std::unordered_map<const Variable*, bool> wide_twins_;
  std::unordered_set<const Expr*> hoisted_;
  std::vector<Guard> guards_;
  bool guard_returns_ = false;  // `if (id >= n) return;` rather than `if (id < n) { ... }`
  const Function* function_ = nullptr;
  const Plan *group_plan_ = nullptr, *row_plan_ = nullptr;  // what is being written in regions
  std::string row_count_, row_size_;                        // work-items of a row, and room for them
  int lane_count_ = 0;                                      // of a row of lanes
  std::string continue_label_, on_break_, on_continue_;     // what stands for continue and break
  int labels_ = 0;
  bool in_constant_ = false;  // writing the initialiser of constant data
  std::size_t prints_ = 0, meetings_ = 0;
  bool needs_libm_ = false, needs_libmvec_ = false;
  bool needs_cpp20_ = false;  // designated initialisers
  // where the compiler believes the next line of out_ to be
  int line_ = 0, file_ = -1;
  int indent_ = 0;
};

}  // namespace quern::frontend::lower
